// What a job's row remembers about its URLs besides their states and reasons, for its findings: small counts, bounded in
// number, that only add up, so that processes that write at the same time agree. And an example URL of each reason.
import type { PageRecord } from '../../../core/page.ts';
import { type Discard, startDepth } from '../../../core/request.ts';
import { blockingStatuses, redirectOff } from '../../../core/reasons.ts';
import { hostName } from '../../../core/host-key.ts';
import type { JobRow } from './job-row.ts';

/** Keys of each kind, such as `copies of URL`; further ones are not counted. */
const keysMax = {
  asks: 5,
  signedOut: 5,
  offHost: 10,
  /** Hosts outside the job that URLs inside it redirect to. */
  ledOff: 10,
  language: 10,
  exclude: 200,
  refusing: 20,
  refused: 20,
  refusedStart: 20,
  private: 20,
  /** Reasons of URLs that could not be read. */
  unread: 40,
  /** More than there are rules. */
  dropped: 200,
  /** Fields of pages with a value, and of pages whose value is not of its type: as many as `extract` may have. */
  field: 200,
  unreadField: 200,
};
export type TallyKind = keyof typeof keysMax;
/** URLs in keys and examples are cut: some are 8,192 characters long. */
const urlLengthMax = 500;
const examplesMax = 100;

/** A page with fewer copies is named in no finding. */
export const manyCopies = 5;

/** Links to other hosts are counted on the first pages only: what they say concerns jobs that get no further. */
const pagesWithLinksCounted = 3;

/** Counts of one kind by the rest of their key: `host example.org`. */
export function talliesOf({ tally }: Pick<JobRow, 'tally'>, kind: TallyKind): [rest: string, count: number][] {
  return Object.entries(tally)
    .filter(([key]) => key.startsWith(`${kind} `))
    .map(([key, count]): [string, number] => [key.slice(kind.length + 1), count])
    .toSorted(([one, a], [other, b]) => b - a || (one < other ? -1 : 1));
}

export function talliedOf({ tally }: Pick<JobRow, 'tally'>, kind: TallyKind | TallyTotal, rest = ''): number {
  return tally[rest === '' ? kind : keyOf(kind as TallyKind, rest)] ?? 0;
}

/** Counts without a rest; `session`: the client gave headers or cookies. */
export type TallyTotal =
  | 'session'
  /** URLs that showed a page of another. */
  | 'copied'
  | 'empty'
  | 'startEmpty'
  | 'startFailed'
  | 'startForbidden'
  | 'listedForbidden'
  | 'startBare'
  /** Pages that `when` leaves out, and those that were read for a record. */
  | 'unwanted'
  | 'wanted'
  | 'private';

function keyOf(kind: TallyKind, rest: string): string {
  return `${kind} ${rest.slice(0, urlLengthMax)}`;
}

export function count(row: JobRow, kind: TallyTotal): void {
  row.tally[kind] = (row.tally[kind] ?? 0) + 1;
}

function countOf(row: JobRow, kind: TallyKind, rest: string, by = 1): void {
  const key = keyOf(kind, rest);
  if (row.tally[key] !== undefined || talliesOf(row, kind).length < keysMax[kind])
    row.tally[key] = (row.tally[key] ?? 0) + by;
}

/** Keeps the first URL of a reason. */
export function noteExample(row: JobRow, reason: string, url: string): void {
  if (row.examples[reason] === undefined && Object.keys(row.examples).length < examplesMax)
    row.examples[reason] = url.slice(0, urlLengthMax);
}

/** A link was found that the job is never to fetch. */
export function tallyOutside(row: JobRow, { reason, detail }: Discard, url: string): void {
  noteExample(row, reason, url);
  if (reason === 'off_host' && row.scraped < pagesWithLinksCounted) countOf(row, 'offHost', hostName(new URL(url)));
  if ((reason === 'excluded_by_glob' || reason === 'excluded_by_pattern') && detail !== undefined) {
    if (row.tally[keyOf('exclude', detail)] === undefined) countOf(row, 'exclude', detail);
  }
}

/** A request of a page has failed because its host refuses for good, so it counts as no other failure. */
export function tallyBlocked(row: JobRow, { url }: { readonly url: string }): void {
  countOf(row, 'refusing', hostName(new URL(url)));
}

/** Whether hosts refuse so, and maybe for good: then requests that failed before belong to the finding `blocked` too. */
export function isRefusal(reason: string): boolean {
  return refusals.has(reason);
}
const refusals = new Set(Array.from(blockingStatuses, (status) => `http_${status}`));

/** So a site answers to whoever is not to see a page, or has not sent a form. */
const privateReasons = new Set([400, 401, 403, 405, 406].map((status) => `http_${status}`));

/** What the ledger knows of a request. */
interface Entry {
  readonly url: string;
  readonly depth: number;
  /** Null of what no page links to, as far as is known. */
  readonly foundOn: number | null;
  /** Set if an earlier job delivered it. */
  readonly earlier: object | null;
}

/** A request of a page has ended. `page`: as it was delivered. */
export function tallyEnding(
  row: JobRow,
  entry: Entry,
  {
    state,
    reason,
    detail,
    change,
    statusCode,
  }: {
    readonly state: string;
    readonly reason?: string;
    readonly detail?: string | undefined;
    readonly change?: string | undefined;
    readonly statusCode?: number | undefined;
  },
  page?: PageRecord,
): void {
  const { url } = entry;
  const isStart = entry.depth <= startDepth;
  if (reason !== undefined) noteExample(row, reason, url);
  if (state === 'failed' && reason !== undefined) tallyFailure(row, entry, reason);
  if (reason === 'robots_disallowed') {
    if (isStart) count(row, 'startForbidden');
    else if (entry.foundOn === null && !entry.earlier) count(row, 'listedForbidden');
  }
  // What is doubted has a finding of its own.
  if (state === 'discarded' && change !== 'doubted' && change !== 'moved') {
    if (reason === 'off_host') tallyLedOff(row, url, detail);
    if (reason === 'duplicate_of' && detail !== undefined) {
      if (statusCode !== undefined) count(row, 'copied');
      tallySignIn(row, url, detail);
    }
  }
  if (state === 'scraped' && page) {
    tallyPage(row, url, isStart, page);
    tallyContent(row, url, page);
  }
}

/** Words that the content rules left out of a page that is delivered, and what it has of each field. */
export function tallyContent(row: JobRow, url: string, { droppedWords = {}, found }: PageRecord): void {
  for (const [rule, words] of Object.entries(droppedWords)) countOf(row, 'dropped', rule, words);
  if (found === undefined) return;
  count(row, found === null ? 'unwanted' : 'wanted');
  if (found === null) noteExample(row, 'unwanted', url);
  for (const [path, hasValue] of Object.entries(found ?? {})) countOf(row, hasValue ? 'field' : 'unreadField', path);
}

/** The host may refuse for good later. A test whether a person is there has a finding of its own, and dead links have none. */
function tallyFailure(row: JobRow, { url, depth, foundOn, earlier }: Entry, reason: string): void {
  const isStart = depth <= startDepth;
  const isDead = reason === 'http_404' || reason === 'http_410';
  if (reason === 'challenge' || (isDead && !isStart)) return;
  const isPrivate = !isStart && foundOn !== null && !earlier && privateReasons.has(reason);
  const host = hostName(new URL(url));
  if (isPrivate) {
    count(row, 'private');
    noteExample(row, 'private', url);
  } else {
    countOf(row, 'unread', reason);
    noteExample(row, `unread ${reason}`, url);
    if (isStart) count(row, 'startFailed');
  }
  if (isRefusal(reason)) {
    countOf(row, 'refused', host);
    if (isPrivate) countOf(row, 'private', host);
    else noteExample(row, `refused ${host}`, url);
    if (isStart) countOf(row, 'refusedStart', host);
  } else if (isStart) noteExample(row, 'start failed', url);
}

/** A session that ends, or a site that moves, can redirect every URL to another host. */
function tallyLedOff(row: JobRow, url: string, detail: string | undefined): void {
  const target = redirectOff.target(detail);
  if (target === undefined) return;
  const host = hostName(target);
  countOf(row, 'ledOff', host);
  if (talliedOf(row, 'ledOff', host) >= manyCopies) noteExample(row, `led to ${host}`, url);
}

/**
 * A redirect led to a page with a field for a password. A link to sign in on each page leads to one as well, but to its own
 * path. `by` is -1 for a URL that is requested again.
 */
export function tallySignIn(row: JobRow, url: string, original: string, by: 1 | -1 = 1): void {
  if (talliedOf(row, 'asks', original) === 0 || new URL(url).pathname === URL.parse(original)?.pathname) return;
  if (by === 1 || talliedOf(row, 'signedOut', original) > 0) countOf(row, 'signedOut', original, by);
  if (talliedOf(row, 'signedOut', original) >= manyCopies) noteExample(row, `copy of ${original}`, url);
}

function tallyPage(
  row: JobRow,
  url: string,
  isStart: boolean,
  { contentKey, asksPassword, frames, language }: PageRecord,
): void {
  if (asksPassword === true) countOf(row, 'asks', url);
  // Files and pages without text have no hash of it; that of a page in frames can have their addresses alone.
  if (frames === 'foreign' || (contentKey === undefined && frames !== 'own')) {
    count(row, 'empty');
    if (isStart) count(row, 'startEmpty');
    noteExample(row, 'empty', url);
  }
  if (language === undefined) return;
  const start = row.examples['start language'];
  if (start === undefined) {
    if (isStart) noteExample(row, 'start language', language);
  } else if (start !== language && !namesLanguage(url, language)) {
    countOf(row, 'language', language);
    noteExample(row, `in ${language}`, url);
  }
}

/** `/de/`, `de.example.org`, `?lang=de`, `de-AT`: the URL asks for the language. */
function namesLanguage(url: string, language: string): boolean {
  return new RegExp(`(?:^|[^a-z])${language}(?:[^a-z]|$)`, 'i').test(url.replace(/^https?:/, ''));
}
