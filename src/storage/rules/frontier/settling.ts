import { failPoint } from '../../../core/process/fail-point.ts';
import {
  type EndedTemplate,
  endedName,
  type HostLease,
  type Notice,
  type Settlement,
} from '../../../core/ports/frontier.ts';
import { hostKey } from '../../../core/host-key.ts';
import { type BaselinePage, type HowUnchanged, redirectedTo } from '../../../core/baseline.ts';
import { hasEnded, type JobNotice } from '../../../core/job.ts';
import type { CountedCode } from '../../../core/job-codes.ts';
import type { PageRecord } from '../../../core/page.ts';
import { causeOf, showSameText, sourceIn, unpackTraits } from '../../../core/page-traits.ts';
import { type DiscardReason, ledgerReason, outsideReasons } from '../../../core/reasons.ts';
import { type CrawlError, type Link, type Outcome, type SitemapEnding, startDepth } from '../../../core/request.ts';
import { type SitemapNotice, sitemapNotice } from '../../../core/sitemap-notice.ts';
import { countChanges } from '../jobs/change-counts.ts';
import { commonKeys, type Doubted, doubtOf, isTaken } from '../jobs/doubts.ts';
import { earlierKeys, sharedPage } from '../jobs/shared-pages.ts';
import { noteRevisit } from './revisits.ts';
import { countNotice } from '../jobs/sayings.ts';
import {
  controlPriority,
  type CrawlTables,
  type Ending,
  type EntryRow,
  type JobTable,
  type KnownPage,
  movedPriority,
  priorityOf,
} from './crawl-tables.ts';
import { addNotice, countCase, countReason, type JobRow } from '../jobs/job-row.ts';
import { endIfDone } from '../jobs/job-end.ts';
import { count, noteExample, tallyBlocked, tallyEnding } from '../jobs/tally.ts';
import type { Ledger } from './ledger.ts';

/** Sitemaps read per job at most. */
const sitemapsMax = 500;
/** When a page is asked for again that waits for one of the earlier job. */
const awaitedAgainMs = 2_000;
/** Unreadable sitemaps that the notices of a job name at most. */
const sitemapsTold = 5;

type FinalEnding = Ending & { readonly state: 'scraped' | 'discarded' | 'failed' | 'outside' };

/** Writes the outcome of one request. Everything of one settlement is in one transaction. */
export class Settling {
  readonly #tables: CrawlTables;
  readonly #jobs: JobTable;
  readonly #ledger: Ledger;

  constructor(tables: CrawlTables, jobs: JobTable, ledger: Ledger) {
    this.#tables = tables;
    this.#jobs = jobs;
    this.#ledger = ledger;
  }

  settle(lease: HostLease, settlement: Settlement, now: number): void {
    const {
      request,
      outcome,
      fetched,
      samples = 0,
      again = [],
      bytes = 0,
      endedTemplate,
      remarks = [],
      notice,
    } = settlement;
    const entry = this.#tables.entry(request.id);
    const job = entry && this.#jobs.get(entry.job);
    if (!entry || !job || hasEnded(job.status)) {
      // An ended job never changes again.
      this.#tables.endTaken(request.id, lease);
      return;
    }
    if (this.#mustWait(job, entry, outcome)) {
      this.#postpone(lease, settlement, entry, job, now);
      return;
    }
    const isOurs = this.#leave(lease, settlement, entry, job, now);
    // Not taken under this lease: another worker's request.
    if (!isOurs) return;

    this.#jobs.touch(job);
    job.fetched_bytes += bytes;
    if (entry.kind === 'page') {
      job.in_flight--;
      // Sitemaps do not count: they have their own limit, and would use up a small fetch limit before the first page.
      job.fetches += Number(fetched) + samples;
    } else if (outcome.kind !== 'retry' && outcome.kind !== 'moved') job.control--;
    // Whether the URL was ever asked: then it is inside the job, wherever it led.
    const wasAsked = fetched || request.chain !== undefined || request.attempts > 0;
    const hasMoved = remarks.includes('start_moved');
    const finding = this.#write(job, entry, outcome, { now, wasAsked, hasMoved });
    this.#ledger.add(job, again, 'page', entry.id, now);
    if (endedTemplate) this.#endTemplate(job, endedTemplate);
    // A wall that the crawl has noticed is one fact.
    const isSaid = remarks.some(
      (remark) => remark === 'same_page' || remark === 'signed_out' || remark === 'site_changed',
    );
    // What was remarked on the text when it was made holds for it still.
    const lasting = outcome.kind === 'unchanged' ? (sourceIn(entry.earlier?.traits)?.remarks ?? []) : [];
    for (const remark of [...remarks, ...lasting, ...(finding && !isSaid ? [finding] : [])]) {
      const { code, url } = typeof remark === 'string' ? { code: remark, url: request.url } : remark;
      countNotice(job, code, url, this.#tables.timeOfDay());
      if (entry.depth <= startDepth && (code === 'needs_javascript' || code === 'browser_missing'))
        count(job, 'startBare');
    }
    if (notice) addNotice(job, { ...notice, at: this.#tables.timeOfDay() });
    failPoint('settle.ending');
    endIfDone(job, this.#tables.timeOfDay());
  }

  /**
   * True if the page is equal to one of the earlier job that this job has not asked for yet, or has the same URL after
   * redirects. If that page is still there, this is its copy; if it is gone, it has moved here.
   */
  #mustWait(job: JobRow, entry: EntryRow, outcome: Outcome): boolean {
    // A page of the earlier job waits for none, so that two whose texts were swapped do not wait for each other.
    if (job.since === null || entry.earlier !== null || outcome.kind !== 'scraped') return false;
    const { page } = outcome;
    if (originalKeys(entry, page).some((key) => this.#tables.pageWith(job.seq, key)?.isAwaited === true)) return true;
    // A redirect led to a page of the earlier job, which is queued, or about to be.
    if (page.fetchedKey === entry.key || !this.#tables.baselineOf(job.since, page.fetchedKey)) return false;
    const known = this.#tables.known(job.seq, page.fetchedKey);
    return known ? known.state === 'queued' : job.seeded !== null;
  }

  #postpone(
    lease: HostLease,
    { request, fetched, bytes = 0 }: Settlement,
    entry: EntryRow,
    job: JobRow,
    now: number,
  ): void {
    if (!this.#putBack(lease, request, entry, job, Math.ceil(now + awaitedAgainMs))) return;
    this.#jobs.touch(job);
    job.fetched_bytes += bytes;
    job.in_flight--;
    job.queued++;
    if (fetched) job.fetches++;
    endIfDone(job, this.#tables.timeOfDay());
  }

  /** Another attempt starts at the original URL. */
  #putBack(
    lease: HostLease,
    { id, chain }: Settlement['request'],
    entry: EntryRow,
    job: JobRow,
    notBefore: number,
  ): boolean {
    if (chain === undefined) return this.#tables.postponeTaken(id, lease, notBefore);
    const host = hostKey(new URL(entry.url));
    const place = { job, host, chain: null, priority: priorityOf(entry), notBefore, wakeAt: notBefore };
    return this.#tables.moveTaken(id, lease, place);
  }

  /** Ends the request, or puts it back. False if it was not taken under this lease. */
  #leave(lease: HostLease, { request, outcome }: Settlement, entry: EntryRow, job: JobRow, now: number): boolean {
    switch (outcome.kind) {
      case 'retry':
        return this.#putBack(lease, request, entry, job, Math.ceil(now + outcome.afterMs));
      case 'moved': {
        const { host, chain } = outcome;
        const priority = entry.kind === 'page' ? movedPriority : controlPriority;
        return this.#tables.moveTaken(request.id, lease, { job, host, chain, priority, notBefore: 0, wakeAt: now });
      }
      case 'scraped':
      case 'unchanged':
      case 'discarded':
      case 'failed':
      case 'sitemap':
        return this.#tables.endTaken(request.id, lease);
    }
  }

  /** Fails a pending request: it is not attempted any more. */
  giveUp(id: number, seq: number, error: CrawlError, notice: Notice | undefined): void {
    const entry = this.#tables.entry(id);
    this.#tables.removePending(id);
    const job = this.#jobs.get(seq);
    if (!entry || !job || hasEnded(job.status)) return;
    this.#jobs.touch(job);
    this.#tables.endEntry(entry, failure(error), 0);
    if (entry.earlier) this.#forgetEarlier(job, entry, entry.earlier);
    if (entry.kind === 'page') {
      const isBlocked = notice?.code === 'blocked';
      // Each URL counts for one finding.
      if (isBlocked) tallyBlocked(job, entry);
      else if (!notice) tallyEnding(job, entry, failure(error));
      job.queued--;
      job.failed++;
      countReason(job, ledgerReason(error));
      if (isBlocked) countNotice(job, notice.code, entry.url, this.#tables.timeOfDay());
      else if (notice) countCase(job, { ...notice, at: this.#tables.timeOfDay(), example: entry.url });
    } else job.control--;
    endIfDone(job, this.#tables.timeOfDay());
  }

  #write(
    job: JobRow,
    entry: EntryRow,
    outcome: Outcome,
    { now, wasAsked, hasMoved }: { readonly now: number; readonly wasAsked: boolean; readonly hasMoved: boolean },
  ): CountedCode | undefined {
    let finding: CountedCode | undefined;
    switch (outcome.kind) {
      case 'retry':
        if (entry.kind === 'page') job.queued++;
        this.#tables.endEntry(entry, { ...failure(outcome.error), state: 'queued' }, 1);
        break;
      case 'moved':
        if (entry.kind === 'page') job.queued++;
        break;
      case 'failed':
        finding = this.#endEntry(job, entry, failure(outcome.error));
        if (entry.kind === 'sitemap')
          this.#tellOfSitemap(job, sitemapNotice('sitemap_unreadable', entry.url, outcome.error.message));
        break;
      case 'discarded': {
        const { reason, statusCode } = outcome;
        const detail = this.#originalOfLeft(job, outcome) ?? outcome.detail;
        if (outcome.movedTo !== undefined) moveStart(job, entry.url, outcome.movedTo);
        const ending = { state: stateOf(reason, wasAsked), reason, detail, statusCode } as const;
        finding = this.#endEntry(job, entry, { ...ending, ...this.#movedFrom(job, entry, outcome) });
        this.#ledger.add(job, outcome.links ?? [], 'page', entry.id, now);
        this.#addSitemaps(job, outcome.sitemaps ?? [], now);
        break;
      }
      case 'scraped':
        if (outcome.movedTo !== undefined) moveStart(job, entry.url, outcome.movedTo);
        if (entry.earlier && isKept(job, outcome.page))
          this.#keepPage(job, entry, entry.earlier, { evidence: 'hash', page: outcome.page });
        else finding = this.#addPageOrDuplicate(job, entry, outcome, hasMoved);
        this.#ledger.add(job, outcome.links, 'page', entry.id, now);
        this.#addSitemaps(job, outcome.sitemaps ?? [], now);
        failPoint('settle.links');
        break;
      case 'unchanged':
        if (!entry.earlier) throw new Error(`page ${entry.url} of job ${job.id} has no earlier version`);
        this.#keepPage(job, entry, entry.earlier, outcome);
        break;
      case 'sitemap':
        this.#endEntry(job, entry, sitemapEnding(outcome.ending, wasAsked));
        if (outcome.notice) this.#tellOfSitemap(job, outcome.notice);
        job.sitemap_pages += outcome.urls.length;
        this.#ledger.add(job, outcome.urls, 'page', null, now);
        this.#addSitemaps(job, outcome.sitemaps, now);
        break;
    }
    return finding;
  }

  #addSitemaps(job: JobRow, sitemaps: readonly Link[], now: number): void {
    for (const sitemap of sitemaps) {
      if (job.sitemaps >= sitemapsMax) {
        if (this.#ledger.has(job, 'sitemap', sitemap)) continue;
        this.#tellOfSitemap(
          job,
          sitemapNotice('sitemap_unreadable', sitemap.url, `A job reads at most ${sitemapsMax} sitemaps.`),
        );
        break;
      }
      job.sitemaps += this.#ledger.add(job, [sitemap], 'sitemap', null, now);
    }
  }

  /** The page is as the earlier job knew it: it shares that text. */
  #keepPage(
    job: JobRow,
    entry: EntryRow,
    earlier: BaselinePage,
    {
      evidence,
      page,
      statusCode: status,
      validator,
    }: Omit<Extract<Outcome, { kind: 'unchanged' }>, 'kind'> & { readonly page?: PageRecord },
  ): void {
    const { statusCode = status } = page ?? {};
    // A site that is deployed anew can give each page another validator, and the same text.
    const renamed = validator !== undefined && earlier.traits !== null && { ...earlier, validator };
    const version = page ? { ...versionOf(entry, page), hash: earlier.hash } : renamed;
    const kept = {
      change: 'unchanged',
      changeNumber: countChanges(job, 'unchanged'),
      statusCode,
      ...(version && { version }),
    } as const;
    if (job.only_changed === 1) {
      this.#endEntry(job, entry, { state: 'discarded', reason: 'unchanged', ...kept }, { evidence });
      return;
    }
    const number = job.scraped + 1;
    this.#tables.addPage(job.seq, number, sharedPage(earlier.textOf, evidence));
    this.#endEntry(job, entry, { state: 'scraped', page: number, ...kept }, { evidence });
  }

  #addPageOrDuplicate(
    job: JobRow,
    entry: EntryRow,
    { page, detail }: Extract<Outcome, { kind: 'scraped' }>,
    isOutside: boolean,
  ): CountedCode | undefined {
    const { statusCode } = page;
    const isSame = page.change === 'unchanged';
    if (entry.earlier && !isSame) this.#forgetEarlier(job, entry, entry.earlier);
    const original = isSame ? undefined : this.#originalOf(job, entry, page);
    const doubt = entry.earlier
      ? doubtOf(
          { ...entry.earlier, key: entry.key },
          {
            state: 'scraped',
            page,
            isOutside,
            isCopy: original !== undefined,
            isCommon: this.#isCommon(job, entry, entry.earlier, page),
          },
        )
      : undefined;
    if (original !== undefined) {
      const ending = { state: 'discarded', reason: 'duplicate_of', detail: original.url, statusCode } as const;
      return this.#endEntry(job, entry, ending, { doubt });
    }
    if (doubt && !isTaken(doubt, job)) {
      const ending = { state: 'discarded', reason: 'doubted', detail: doubt.finding ?? doubt.kind } as const;
      return this.#endEntry(job, entry, { ...ending, statusCode }, { doubt });
    }
    // No number is given twice, and numbers become visible in order: SQLite has one writer, and PostgreSQL assigns the
    // number again under the lock of the job's row.
    const number = job.scraped + 1;
    this.#tables.addPage(job.seq, number, page);
    this.#tables.addPageKey(job.seq, `u${entry.key}`, entry);
    if (page.fetchedKey !== entry.key) this.#tables.addPageKey(job.seq, `u${page.fetchedKey}`, entry);
    for (const key of textKeys(page)) this.#tables.addPageKey(job.seq, key, entry);
    const ending = { state: 'scraped', page: number, statusCode, detail, version: versionOf(entry, page) } as const;
    const change = this.#movedHere(job, entry, page) ? {} : changeOf(job, entry, page);
    return this.#endEntry(job, entry, { ...ending, ...change }, { page });
  }

  /** True if two other URLs of this job showed the text before, and theirs were others. Notes that this one does. */
  #isCommon({ seq }: JobRow, entry: EntryRow, earlier: BaselinePage, page: PageRecord): boolean {
    const keys = commonKeys(earlier, page);
    if (!keys) return false;
    const [first, second, family] = keys;
    const isCommon = this.#tables.pageWith(seq, second) !== undefined;
    if (this.#tables.pageWith(seq, family)) return isCommon;
    this.#tables.addPageKey(seq, family, entry);
    this.#tables.addPageKey(seq, this.#tables.pageWith(seq, first) ? second : first, entry);
    return isCommon;
  }

  /**
   * The page of the earlier job has moved if its URL redirects to one that the earlier job did not know, and that shows its
   * text. If this job does not have that page yet, notes that it has moved here as soon as it is delivered.
   */
  #movedFrom(
    job: JobRow,
    entry: EntryRow,
    { leftTo }: Extract<Outcome, { kind: 'discarded' }>,
  ): Pick<Ending, 'change' | 'changeNumber' | 'version'> {
    const { earlier } = entry;
    if (leftTo === undefined || job.since === null || !earlier || this.#tables.baselineOf(job.since, leftTo)) return {};
    const page = this.#tables.delivered(job.seq, leftTo);
    if (!page) {
      const key = movedKey({ fetchedKey: leftTo, traits: earlier.traits });
      if (key !== undefined) this.#tables.addPageKey(job.seq, key, entry);
      return {};
    }
    if (!showSameText(earlier.traits, page.traits)) return {};
    this.#forgetEarlier(job, entry, earlier);
    return movedTo(job, leftTo, page);
  }

  /** True if a page of the earlier job has moved here: that is the change. */
  #movedHere(job: JobRow, { earlier, url }: EntryRow, page: PageRecord): boolean {
    const name = job.since === null || earlier ? undefined : movedKey(page);
    const from = name === undefined ? undefined : this.#tables.pageWith(job.seq, name);
    if (!from) return false;
    const ending = { state: 'discarded', reason: 'duplicate_of', detail: url } as const;
    this.#tables.endEntry({ ...from, job: job.seq }, { ...ending, ...movedTo(job, page.fetchedKey, page) }, 0);
    return true;
  }

  /** Another page can have its text now. */
  #forgetEarlier(job: JobRow, entry: EntryRow, earlier: BaselinePage): void {
    for (const key of earlierKeys(earlier)) this.#tables.removePageKey(job.seq, key, entry);
  }

  /** The page of a URL that another request was left to, if that one has turned out to be a duplicate itself. */
  #originalOfLeft(job: JobRow, { leftTo }: Extract<Outcome, { kind: 'discarded' }>): string | undefined {
    const known = leftTo === undefined ? undefined : this.#tables.known(job.seq, leftTo);
    return known?.state === 'discarded' && known.reason === 'duplicate_of' ? (known.detail ?? undefined) : undefined;
  }

  /** The page as this job, or one it retries, has it. Start URLs are duplicates only by a redirect. */
  #originalOf(job: JobRow, entry: EntryRow, page: PageRecord): KnownPage | undefined {
    const keys = originalKeys(entry, page);
    // A retry counts the pages that the jobs before it delivered as its own.
    for (const seq of [job.seq, ...this.#tables.earlierJobs(job)]) {
      for (const key of keys) {
        const original = this.#tables.pageWith(seq, key);
        // Of two that have swapped their texts, the other one shows its own no more.
        if (entry.earlier && original?.isAwaited === true) continue;
        if (original !== undefined) return original;
      }
    }
    return undefined;
  }

  /** `doubt`: of a page that was read. Returns the finding that says why a page of the earlier job is unknown. */
  #endEntry(
    job: JobRow,
    entry: EntryRow,
    found: FinalEnding,
    {
      evidence,
      page,
      doubt,
    }: { readonly evidence?: HowUnchanged; readonly page?: PageRecord; readonly doubt?: Doubted | undefined } = {},
  ): CountedCode | undefined {
    const known = found.change === undefined ? entry.earlier : null;
    const doubted =
      doubt ??
      (known ? doubtOf({ ...known, key: entry.key }, { state: found.state, reason: found.reason }) : undefined);
    const ending: FinalEnding = doubted ? { ...found, change: 'doubted', doubt: doubted } : found;
    this.#tables.endEntry(entry, ending, evidence === 'lastmod' ? 0 : 1);
    if (entry.kind !== 'page') return undefined;
    noteRevisit(job, entry, { ...ending, evidence }, this.#tables.timeOfDay());
    if (known) this.#forgetEarlier(job, entry, known);
    tallyEnding(job, entry, ending, page);
    job[ending.state]++;
    if (ending.reason !== undefined) countReason(job, ending.reason);
    return doubted && !isTaken(doubted, job) ? doubted.finding : undefined;
  }

  #tellOfSitemap(job: JobRow, { code, message }: SitemapNotice): void {
    const told = (JSON.parse(job.notices) as JobNotice[]).filter((notice) => notice.code === code).length;
    if (told < sitemapsTold) addNotice(job, { code, message, at: this.#tables.timeOfDay() });
  }

  #endTemplate(job: JobRow, ended: EndedTemplate): void {
    if (!this.#tables.addEndedTemplate(job.seq, endedName(ended))) return;
    // Every process that has the job in memory must read it again.
    job.version++;
    const { template, pages, byScript = false } = ended;
    const message = byScript
      ? `${pages} links like ${template} that scripts of rendered pages made led to 404, and none to a page. The other links of this form are not fetched.`
      : `The last ${pages} pages like ${template} brought no new text, so this looks like a crawler trap. The other URLs of this form are not fetched.`;
    addNotice(job, { code: byScript ? 'script_links' : 'trap', message, at: this.#tables.timeOfDay() });
  }
}

/** The number of a page among the changes of a job with `since`, or of the first run of a schedule. */
function changeOf(
  job: JobRow,
  { earlier, url }: EntryRow,
  page: PageRecord,
): Pick<Ending, 'change' | 'changeNumber' | 'cause'> {
  if (job.since === null && job.schedule === null) return {};
  const change = !earlier ? 'added' : page.change === 'unchanged' ? 'same' : 'changed';
  const changeNumber = countChanges(job, change === 'same' ? 'unchanged' : change);
  if (change !== 'changed') return { change, changeNumber };
  noteExample(job, change, url);
  return { change, changeNumber, cause: causeOf(earlier?.traits, page.traits) };
}

/** The page key of an earlier page with this text whose URL leads here. Undefined if the text is not known. */
export function movedKey(to: { readonly fetchedKey: string; readonly traits?: string | null }): string | undefined {
  const text = unpackTraits(to.traits)?.text ?? '-';
  return text === '-' ? undefined : `m${text} ${to.fetchedKey}`;
}

function movedTo(
  job: JobRow,
  key: string,
  { hash }: Pick<PageRecord, 'hash'>,
): Required<Pick<Ending, 'change' | 'changeNumber' | 'version'>> {
  return {
    change: 'moved',
    changeNumber: countChanges(job, 'moved'),
    version: { hash, copyKey: null, traits: null, validator: redirectedTo(key) },
  };
}

function versionOf(entry: EntryRow, page: PageRecord): Required<Ending>['version'] {
  const { hash, copyKey = null, traits = null } = page;
  return { hash, copyKey, traits, validator: validatorOf(entry, page) ?? null };
}

/** A later job finds by it that a redirect leads to the same page, also if it finds that page by its own URL first. */
function validatorOf({ key }: EntryRow, { fetchedKey, validator }: PageRecord): string | undefined {
  return fetchedKey === key ? validator : redirectedTo(fetchedKey);
}

/** Page keys under which the job can already have this page. */
export function originalKeys(entry: Pick<EntryRow, 'depth'>, page: PageRecord): string[] {
  const keys = [`u${page.fetchedKey}`];
  return entry.depth > startDepth ? [...keys, ...textKeys(page)] : keys;
}

/** Lookup and storage use the same keys, so the order of two copies does not matter. */
function textKeys({ contentKey, copyKey }: PageRecord): string[] {
  return [...(contentKey === undefined ? [] : [`c${contentKey}`]), ...(copyKey === undefined ? [] : [`n${copyKey}`])];
}

function sitemapEnding(ending: SitemapEnding, wasAsked: boolean): FinalEnding {
  if (ending.state === 'failed') return failure(ending.error);
  return ending.state === 'discarded' ? { ...ending, state: stateOf(ending.reason, wasAsked) } : ending;
}

function stateOf(reason: DiscardReason, wasAsked: boolean): 'discarded' | 'outside' {
  return !wasAsked && outsideReasons.has(reason) ? 'outside' : 'discarded';
}

function failure(error: CrawlError): FinalEnding & { readonly state: 'failed' } {
  return { state: 'failed', reason: ledgerReason(error), detail: error.message, statusCode: error.statusCode };
}

/** Every process that has the job in memory must read it again. */
function moveStart(job: JobRow, start: string, movedTo: string): void {
  const moved = JSON.parse(job.moved_starts) as Record<string, string>;
  if (moved[start] === movedTo) return;
  job.moved_starts = JSON.stringify({ ...moved, [start]: movedTo });
  job.version++;
}

/** False if it is delivered with a raw body or a screenshot of its own. */
function isKept({ only_changed: onlyChanged }: JobRow, { change, isShared }: PageRecord): boolean {
  return change === 'unchanged' && (isShared === true || onlyChanged === 1);
}
