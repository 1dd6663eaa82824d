// What is said of a job at its end, from its row alone: why its result is less than the site. Thresholds keep ordinary sites
// free of findings: see docs/decisions/whole-jobs.md.
import { hasEnded, inside, type JobNotice, type JobSpec } from '../../../core/job.ts';
import { type CountedCode, isMissing, jobCodes } from '../../../core/job-codes.ts';
import { fieldPaths, fieldsOf } from '../../../core/extract.ts';
import { grouped } from '../../../core/grouped.ts';
import { addNotice, type JobRow } from './job-row.ts';
import { countNotice, sayings } from './sayings.ts';
import { pagesCompared, pagesUnchanged } from './change-counts.ts';
import { isRefusal, manyCopies, talliedOf, talliesOf, type TallyKind } from './tally.ts';

/** Copies of one page, or URLs on one host, below this number say nothing. */
const fewUrls = 10;
/** So many paths show a start page if a site has nothing else. */
const manyPaths = 3;
/** So large a share of the pages. */
const nearlyAll = 0.9;
/** Links that must lead to one other host. */
const fewLinks = 5;
/** One in so many URLs may fail on any site. */
const ordinaryOf = 200;
/** Pages that say whether a pattern matches. */
const fewRead = 20;
/** Pages that may lack text, or be forbidden, on any site: so many, or this share. */
const [fewPages, smallShare] = [2, 0.01];

/** Whether the result is all that the job was to crawl; null if that cannot be said, or not yet. */
export function completeness(row: Pick<JobRow, 'status' | 'kind' | 'notices'>): boolean | null {
  if (!hasEnded(row.status) || (!isCrawl(row) && row.kind !== 'reextract')) return null;
  return (JSON.parse(row.notices) as JobNotice[]).every(({ code }) => !isMissing(code));
}

function isCrawl({ kind }: Pick<JobRow, 'kind'>): boolean {
  return kind === 'crawl' || kind === 'batch';
}

/** Adds the findings of a job that has just ended. `left`: URLs that it was to crawl and did not. */
export function conclude(row: JobRow, left: number, now: number): void {
  // Its pages are no URLs that are left, so their number is not known here.
  if (row.kind === 'reextract' && row.end_reason === 'cancelled') countNotice(row, 'cancelled', '', now, 0);
  const spec = JSON.parse(row.spec) as JobSpec;
  addUnmatchedFields(row, spec, now);
  if (!isCrawl(row)) return;
  const add: Add = (code, count, example, reason) => {
    if (count > 0) countNotice(row, code, example ?? '', now, count, reason === undefined ? {} : { reason });
  };
  soften(row);
  const limit = limitCodes[row.end_reason ?? ''];
  // The store fills in the example: one of the URLs that are left.
  if (limit !== undefined && (left > 0 || limit === 'cancelled')) countNotice(row, limit, '', now, left);
  addFailures(row, add);
  addCopies(row, spec, add);
  addLedOff(row, add);
  addEmpty(row, add);
  addLanguage(row, add);
  addForbidden(row, add);
  addAllChanged(row, add);
  if (row.end_reason === null && row.retry_of === null && row.kind === 'crawl') {
    addDeadEnd(row, spec, add);
    addUndelivered(row, add);
  }
  if (row.kind === 'crawl' && row.end_reason === null) addUnmatchedExcludes(row, spec, add);
}

type Add = (code: CountedCode, count: number, example: string | undefined, reason?: string) => void;

const limitCodes: Readonly<Record<string, CountedCode>> = {
  page_limit: 'page_limit_reached',
  fetch_limit: 'fetch_limit_reached',
  time_limit: 'time_limit_reached',
  cancelled: 'cancelled',
};

/** The code of the finding whose example is one of the URLs that were left; undefined if it has one, or there is none. */
export function lacksExample(row: JobRow): boolean {
  if (!hasEnded(row.status) || row.end_reason === null) return false;
  const code = limitCodes[row.end_reason];
  return (JSON.parse(row.notices) as JobNotice[]).some(
    (one) => one.code === code && one.example === '' && one.count !== 0,
  );
}

export function fillExample(row: JobRow, example: string): void {
  const code = limitCodes[row.end_reason ?? ''];
  const notices = JSON.parse(row.notices) as JobNotice[];
  const at = notices.findIndex((one) => one.code === code && one.example === '');
  const found = notices[at];
  if (!found || code === undefined) return;
  const message = jobCodes[code].says(found.count ?? 0, example);
  row.notices = JSON.stringify(notices.with(at, { ...found, example, message }));
}

function isMany(count: number, all: number): boolean {
  return count > fewPages && count > all * smallShare;
}

/** A page of search results without text is no loss; a tenth of the pages is. */
function soften(row: JobRow): void {
  if (talliedOf(row, 'startBare') > 0) return;
  const notices = JSON.parse(row.notices) as JobNotice[];
  const at = notices.findIndex(({ code }) => code === 'needs_javascript' || code === 'browser_missing');
  const found = notices[at];
  if (!found || isMany(found.count ?? 1, row.scraped)) return;
  const message = jobCodes.script_pages.says(found.count ?? 1, found.example ?? '');
  row.notices = JSON.stringify(notices.with(at, { ...found, code: 'script_pages', message }));
}

/** URLs of a host that refuses for good are only `blocked`. */
function addFailures(row: JobRow, add: Add): void {
  const blocked = talliesOf(row, 'refusing').map(([host]) => host);
  const ofBlocked = (kind: TallyKind): number => sumOf(blocked.map((host) => talliedOf(row, kind, host)));
  const [refused, hidden] = [ofBlocked('refused'), ofBlocked('private')];
  const exampleOf = (names: readonly string[]): string | undefined =>
    names.map((name) => row.examples[name]).find((url) => url !== undefined);
  add('blocked', refused, exampleOf(blocked.map((host) => `refused ${host}`)));
  add('not_public', talliedOf(row, 'private') - hidden, row.examples['private']);
  const count = sumOf(talliesOf(row, 'unread').map(([, urls]) => urls)) - refused + hidden;
  const starts = talliedOf(row, 'startFailed') - ofBlocked('refusedStart');
  if (count * ordinaryOf <= insideOf(row) && starts === 0) return;
  // A refusal can be that of a host that is blocked.
  const reasons = talliesOf(row, 'unread').flatMap(([one]) => (refused > 0 && isRefusal(one) ? [] : [one]));
  const hosts = talliesOf(row, 'refused').flatMap(([host]) => (blocked.includes(host) ? [] : [host]));
  const example = exampleOf([
    ...(starts > 0 ? ['start failed'] : []),
    ...reasons.map((reason) => `unread ${reason}`),
    ...hosts.map((host) => `refused ${host}`),
  ]);
  add('failed_pages', count, example, reasons[0]);
}

function sumOf(counts: readonly number[]): number {
  return counts.reduce((sum, count) => sum + count, 0);
}

function addCopies(row: JobRow, { urls }: JobSpec, add: Add): void {
  const answered = row.scraped + row.discarded;
  const hasSession = talliedOf(row, 'session') > 0;
  const counted = (code: CountedCode): number =>
    sayings(row).findings.find((finding) => finding.code === code)?.count ?? 0;
  const walls: [url: string, count: number][] = [];
  for (const [url, count] of talliesOf(row, 'signedOut')) {
    // A site can have a field to sign in on every page.
    if (urls.includes(url) && !hasSession && count <= answered / 2) continue;
    const isOut = hasSession
      ? count >= manyCopies && count > answered / 10
      : count >= fewUrls && count > (answered * 3) / 4;
    if (isOut) walls.push([url, count]);
  }
  // While it crawled, the job has counted some URLs of a site that ended all of them in one way.
  const signedOut = sumOf(walls.map(([, count]) => count));
  add('signed_out', signedOut - counted('signed_out'), row.examples[`copy of ${walls[0]?.[0]}`]);
  for (const code of ['same_page', 'site_changed'] as const)
    if (signedOut > 0 && signedOut >= counted(code)) drop(row, code);
  const copied = talliedOf(row, 'copied');
  if (row.scraped === 1 && copied >= manyPaths) add('same_page', copied, row.examples['duplicate_of']);
}

function drop(row: JobRow, dropped: CountedCode): void {
  row.notices = JSON.stringify((JSON.parse(row.notices) as JobNotice[]).filter(({ code }) => code !== dropped));
}

/** URLs of the job redirect to one other host: to sign in, or where the site is now. */
function addLedOff(row: JobRow, add: Add): void {
  const [most] = talliesOf(row, 'ledOff');
  if (!most) return;
  const [host, count] = most;
  const isOut = talliedOf(row, 'session') > 0 && count >= manyCopies && count > insideOf(row) / 10;
  if (isOut || (count >= fewUrls && count > insideOf(row) / 2))
    add('all_off_host', count, row.examples[`led to ${host}`]);
}

/** Of pages that need a browser, their own finding says it. */
function addEmpty(row: JobRow, add: Add): void {
  if (sayings(row).findings.some(({ code }) => code === 'needs_javascript' || code === 'browser_missing')) return;
  const empty = talliedOf(row, 'empty');
  if (talliedOf(row, 'startEmpty') > 0 || (empty > fewPages && empty > row.scraped / 10))
    add('empty_pages', empty, row.examples['empty']);
}

function addLanguage(row: JobRow, add: Add): void {
  const languages = talliesOf(row, 'language');
  const count = sumOf(languages.map(([, pages]) => pages));
  if (count >= fewUrls && count > row.scraped / 2)
    add('language_changed', count, row.examples[`in ${languages[0]?.[0] ?? ''}`]);
}

function addForbidden(row: JobRow, add: Add): void {
  const all = row.reasons['robots_disallowed'] ?? 0;
  const listed = talliedOf(row, 'listedForbidden');
  const isListed = listed > fewPages && listed > row.sitemap_pages * smallShare;
  const delivered = row.scraped + (row.only_changed === 1 ? pagesUnchanged(row) : 0);
  if (talliedOf(row, 'startForbidden') > 0 || isListed || (delivered < all && delivered < fewUrls))
    add('robots_forbids', all, row.examples['robots_disallowed']);
  add('delay_too_long', row.reasons['crawl_delay_too_long'] ?? 0, row.examples['crawl_delay_too_long']);
}

/** A redesign changes all pages once; a clock in the footer does so each time. */
function addAllChanged(row: JobRow, add: Add): void {
  const { read, changed } = pagesCompared(row);
  if (changed >= fewUrls && changed > read * nearlyAll) add('all_changed', changed, row.examples['changed']);
}

/** Reasons of links that lead out of what the client asked for. */
const elsewhere = ['off_host', 'off_path', 'excluded_by_glob', 'excluded_by_pattern', 'not_included'] as const;

/** The job got no further than its start pages. */
function addDeadEnd(row: JobRow, spec: JobSpec, add: Add): void {
  if (row.scraped === 0 || spec.maxDepth === 0 || insideOf(row) > new Set(spec.urls).size) return;
  const counts = row.reasons;
  const nofollow = counts['nofollow'] ?? 0;
  const others = row.outside - elsewhere.reduce((sum, reason) => sum + (counts[reason] ?? 0), 0);
  if (nofollow > 0 && others === nofollow) return add('only_nofollow', nofollow, row.examples['nofollow']);
  const unmatched = counts['not_included'] ?? 0;
  if (unmatched > 0) return add('pattern_unmatched', unmatched, row.examples['not_included']);
  const [most] = talliesOf(row, 'offHost');
  if (most && most[1] >= fewLinks && most[1] >= row.outside * 0.8)
    add('all_off_host', most[1], row.examples['off_host']);
}

/** Nothing matches the globs of what is to be delivered. */
function addUndelivered({ scraped, reasons, examples }: JobRow, add: Add): void {
  if (scraped === 0) add('pattern_unmatched', reasons['not_delivered'] ?? 0, examples['not_delivered']);
}

function addUnmatchedExcludes(row: JobRow, spec: JobSpec, add: Add): void {
  const unmatched = [...spec.excludeGlobs, ...spec.excludePatterns].filter(
    (one) => talliedOf(row, 'exclude', one) === 0,
  );
  add('exclude_unmatched', unmatched.length, unmatched[0]);
}

/** Nothing is where `when` and the fields of `extract` point. One notice for all fields: there can be 200. */
function addUnmatchedFields(row: JobRow, { extract }: Pick<JobSpec, 'extract'>, at: number): void {
  const [pages, unwanted] = [talliedOf(row, 'wanted'), talliedOf(row, 'unwanted')];
  const find = (message: string, count: number, example = ''): void =>
    countNotice(row, 'pattern_unmatched', example, at, count, { message });
  if (pages === 0 && unwanted >= fewRead)
    find(`None of ${grouped(unwanted)} pages matches \`when\`.`, unwanted, row.examples['unwanted']);
  if (pages < fewRead || extract === null) return;
  const unmatched = fieldPaths(fieldsOf(extract)).filter(
    ([path]) => talliedOf(row, 'field', path) + talliedOf(row, 'unreadField', path) === 0,
  );
  for (const isRequired of [true, false]) {
    const [first, ...others] = unmatched.filter(([, field]) => field.isRequired === isRequired);
    if (!first) continue;
    const [example] = first;
    const count = others.length + 1;
    const what = count === 1 ? `the field \`${example}\`` : `any of ${count} fields, such as \`${example}\``;
    const message = `None of ${grouped(pages)} pages has ${what}.`;
    if (isRequired) find(message, count, example);
    else addNotice(row, { code: 'pattern_unused', message, at, count, example });
  }
}

function insideOf({ queued, in_flight: inFlight, scraped, discarded, failed, outside }: JobRow): number {
  return inside({ queued, inFlight, scraped, discarded, failed, outside });
}
