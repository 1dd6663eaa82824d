import type { BaselinePage } from '../../../core/baseline.ts';
import type { PageRecord } from '../../../core/page.ts';
import { type Finding, findingRank } from '../../../core/request.ts';
import type { ExtractedPage } from '../../../core/ports/reextractions.ts';
import type { WebhookEvent } from '../../../core/webhook-event.ts';
import type {
  CrawlTables,
  Ending,
  EntryRow,
  Held,
  JobTable,
  KnownPage,
  KnownUrl,
  NewUrl,
  Place,
} from '../../rules/frontier/crawl-tables.ts';
import { endedRun, type NewWork } from '../../rules/schedules/runs.ts';
import { announce, type EventTable } from '../../rules/outbox/job-events.ts';
import { baselinePageOf } from '../../rules/jobs/baseline-rows.ts';
import type { JobRow } from '../../rules/jobs/job-row.ts';
import { lineOf } from '../../rules/frontier/lease-turns.ts';
import type { Transaction } from '../connection/connections.ts';
import type { FreedHost } from './free-hosts.ts';
import type { JobFacts } from './job-facts.ts';
import { type Reading, readRows, type RequestRow } from './read-rows.ts';
import type {
  AddedEvent,
  AddedExtracted,
  AddedPage,
  AddedPageKey,
  AddedUrl,
  RowChanges,
  EndedRequest,
  EndedTemplate,
  HeldRequest,
  Lastmod,
  MovedRequest,
  NearerUrl,
  PostponedRequest,
  RemovedPageKey,
  RemovedRequest,
  ReopenedUrl,
  WokenHost,
} from './row-changes.ts';

/** Events that a transaction stores per job at most: its start, its progress, its end. */
const eventsPerJob = 4;

/** A row that is not written yet: later changes modify it here. */
type Draft<Row> = { -readonly [Column in keyof Row]: Row[Column] };

/** A URL of the ledger, as this transaction found it and as it leaves it. */
interface Known extends Draft<KnownUrl> {
  readonly id?: number;
  /** Set if it is not in the ledger yet. */
  readonly added?: Draft<AddedUrl>;
  reopened?: Draft<ReopenedUrl>;
}

/**
 * The tables in memory, as one transaction sees them: the rows that were read, with the changes that the shared rules
 * make. A row that was not read beforehand counts as missing.
 */
export class WorkingSet implements CrawlTables, JobTable, EventTable {
  readonly jobUrlsMax: number;
  readonly #tx: Transaction;
  readonly #facts: JobFacts;
  readonly #isLocking: boolean;
  // Rows as they were read, and as they are now.
  #now = 0;
  readonly #jobs = new Map<number, JobRow>();
  readonly #jobsBefore = new Map<number, JobRow>();
  readonly #toLock = { waitedFor: [] as number[], ifFree: [] as number[] };
  readonly #requests = new Map<number, RequestRow>();
  readonly #urls = new Map<string, Known>();
  readonly #pageKeys = new Map<string, KnownPage & { readonly entry: number; isAwaited: boolean }>();
  readonly #baselines = new Map<string, BaselinePage>();
  readonly #removedPageKeys: RemovedPageKey[] = [];
  readonly #pageKeysRead = new Set<string>();
  readonly #templates = new Set<string>();
  readonly #eventIds: number[] = [];
  // Rows to be written.
  readonly #changedJobs = new Set<JobRow>();
  readonly #addedUrls: Draft<AddedUrl>[] = [];
  readonly #reopenedUrls: Draft<ReopenedUrl>[] = [];
  readonly #nearerUrls = new Map<number, NearerUrl>();
  readonly #lastmods = new Map<string, Lastmod>();
  readonly #removed: RemovedRequest[] = [];
  readonly #postponed: PostponedRequest[] = [];
  readonly #taken: HeldRequest[] = [];
  readonly #handedBack: HeldRequest[] = [];
  #taker: number | undefined;
  readonly #moved: MovedRequest[] = [];
  readonly #ended: EndedRequest[] = [];
  readonly #addedPages: AddedPage[] = [];
  readonly #addedPageKeys: AddedPageKey[] = [];
  readonly #extracted: AddedExtracted[] = [];
  readonly #endedTemplates: EndedTemplate[] = [];
  readonly #addedEvents: Draft<AddedEvent>[] = [];
  readonly #hastened: number[] = [];
  readonly #endedRuns: NewWork[] = [];
  readonly #freed: FreedHost[] = [];
  /** Hosts of URLs queued since hosts were last woken. */
  readonly #queuedFor = new Set<string>();
  /** When each of them has work, and for which jobs. */
  readonly #hostsToWake = new Map<string, { at: number; readonly jobs: Set<number> }>();

  /** Without locks, nothing that was read is certain: see {@link needsLocks}. */
  constructor(tx: Transaction, facts: JobFacts, options: { readonly jobUrlsMax: number; readonly isLocking: boolean }) {
    this.#tx = tx;
    this.#facts = facts;
    this.jobUrlsMax = options.jobUrlsMax;
    this.#isLocking = options.isLocking;
  }

  /** Reads the rows; if it locks, waits for the jobs first. Can be called again: a job is read once. */
  async read(reading: Reading): Promise<void> {
    const jobs = this.#unread(reading.jobs);
    const jobsIfFree = this.#unread(reading.jobsIfFree ?? []).filter((seq) => !jobs.includes(seq));
    const withWebhook = [...jobs, ...jobsIfFree].filter((seq) => this.#facts.ofSeq(seq)?.hasWebhook === true);
    const events = withWebhook.length * eventsPerJob;
    const rows = await readRows(this.#tx, { ...reading, jobs, jobsIfFree, events }, this.#isLocking);
    this.#now = rows.now;
    for (const row of rows.jobs) {
      this.#jobs.set(row.seq, row);
      const { reasons, tally, examples } = row;
      const maps = { reasons: { ...reasons }, tally: { ...tally }, examples: { ...examples } };
      this.#jobsBefore.set(row.seq, { ...row, ...maps });
    }
    this.#toLock.waitedFor.push(...jobs);
    this.#toLock.ifFree.push(...jobsIfFree);
    for (const [index, job] of (reading.pages?.jobs ?? []).entries())
      this.#pageKeysRead.add(nameOf(job, reading.pages?.keys[index] ?? ''));
    for (const row of rows.requests) this.#requests.set(row.id, row);
    for (const { job, key, ...url } of rows.urls) {
      this.#urls.set(nameOf(job, key), { ...url });
      const known = baselinePageOf(url);
      if (known) this.#baselines.set(nameOf(job, key), known);
    }
    for (const { job, key, url, entry, awaited } of rows.pages)
      this.#pageKeys.set(nameOf(job, key), { url, entry, isAwaited: awaited });
    for (const { job, template } of rows.templates) this.#templates.add(nameOf(job, template));
    this.#eventIds.push(...rows.eventIds);
  }

  get isLocking(): boolean {
    return this.#isLocking;
  }

  /** By the clock of the database. */
  get now(): number {
    return this.#now;
  }

  /** The lease under which a request is taken; null if not taken, undefined if it is no longer in the frontier. */
  fenceOf(id: number): number | null | undefined {
    return this.#requests.get(id)?.fence;
  }

  get changedJobs(): Iterable<JobRow> {
    return this.#changedJobs;
  }

  /** A page of a job that is queued or in flight. The transaction can have settled some of those that are stored. */
  async leftOf(job: number): Promise<string | undefined> {
    const settled = this.#ended.filter((one) => one.job === job && one.ending.state !== 'queued').map(({ id }) => id);
    const [first] = await this.#tx.query<{ url: string }>(
      "SELECT url FROM ledger WHERE job = $1 AND state = 'queued' AND kind = 'page' AND id <> ALL($2::bigint[]) ORDER BY id LIMIT 1",
      [job, settled],
    );
    return first?.url ?? this.#addedUrls.find((url) => url.job === job && url.isQueued)?.url;
  }

  /** Releases a host at the end of the transaction. */
  free(host: FreedHost): void {
    this.#freed.push(host);
  }

  /** All changes to write, with the events of the jobs that changed. Call once, at the end. */
  finish(): RowChanges {
    for (const row of this.#changedJobs) announce(row, this, this.#now);
    return {
      now: this.#now,
      jobUrlsMax: this.jobUrlsMax,
      jobs: [...this.#changedJobs].map((row) => ({ row, before: this.#jobsBefore.get(row.seq) ?? row })),
      toLock: this.#isLocking ? undefined : this.#toLock,
      urls: {
        added: this.#addedUrls,
        reopened: this.#reopenedUrls,
        nearer: [...this.#nearerUrls.values()],
        lastmods: [...this.#lastmods.values()],
      },
      requests: {
        removed: this.#removed,
        postponed: this.#postponed,
        taken: this.#taken,
        moved: this.#moved,
        handedBack: this.#handedBack,
        ended: this.#ended,
      },
      taker: this.#taker,
      pages: this.#addedPages,
      pageKeys: this.#addedPageKeys,
      removedPageKeys: this.#removedPageKeys,
      extracted: this.#extracted,
      templates: this.#endedTemplates,
      events: this.#addedEvents,
      hastened: this.#hastened,
      endedRuns: this.#endedRuns,
      wake: this.#wokenHosts(),
      freed: this.#freed,
    };
  }

  // The tables of jobs and of events.

  /** Undefined if the job was read with `jobsIfFree` and another transaction holds its row. */
  get(seq: number): JobRow | undefined {
    return this.#jobs.get(seq);
  }

  touch(row: JobRow): void {
    this.#changedJobs.add(row);
  }

  add(row: JobRow, event: WebhookEvent, now: number, dueAt: number): number {
    const id = this.#eventIds.shift();
    if (id === undefined) throw new Error(`no number is left for an event of job ${row.id}`);
    this.#addedEvents.push({ id, job: row.seq, url: row.webhook_url ?? '', event, now, dueAt });
    return id;
  }

  hasten(id: number, now: number): void {
    const added = this.#addedEvents.find((event) => event.id === id);
    if (added) added.dueAt = now;
    else this.#hastened.push(id);
  }

  addEndedRun(schedule: string, now: number): void {
    this.#endedRuns.push(endedRun(schedule, now));
  }

  // The tables of a crawl: pending requests.

  timeOfDay(): number {
    return this.#now;
  }

  entry(id: number): EntryRow | undefined {
    const row = this.#requests.get(id);
    return row && { ...row, earlier: baselinePageOf(row) };
  }

  endTaken(id: number, lease: Held): boolean {
    if (!this.#isHeld(id, lease)) return false;
    this.removePending(id);
    return true;
  }

  postponeTaken(id: number, lease: Held, notBefore: number): boolean {
    if (!this.#isHeld(id, lease)) return false;
    this.#requests.delete(id);
    this.#postponed.push({ id, fence: lease.fence, notBefore });
    return true;
  }

  /** Takes a due request under a lease. */
  take(id: number, fence: number): void {
    this.#taken.push({ id, fence });
  }

  /** Hands back a request that was taken under a lease. */
  handBack(id: number, fence: number): void {
    this.#handedBack.push({ id, fence });
  }

  /** The worker under whose leases requests are taken. */
  takeFor(worker: number): void {
    this.#taker = worker;
  }

  moveTaken(id: number, lease: Held, { job, ...place }: Place): boolean {
    if (!this.#isHeld(id, lease)) return false;
    this.#requests.delete(id);
    this.#moved.push({ id, fence: lease.fence, ...place });
    this.#wake(place.host, place.wakeAt, job.seq);
    return true;
  }

  removePending(id: number): void {
    const fence = this.#requests.get(id)?.fence ?? null;
    this.#requests.delete(id);
    this.#removed.push({ id, fence });
  }

  noteAttempt(entry: EntryRow, failure: Ending): void {
    this.endEntry(entry, failure, 1);
  }

  endEntry({ job, id, key }: EntryRow, ending: Ending, attempts: 0 | 1): void {
    this.#ended.push({ job, id, attempts, ending });
    if (ending.state !== 'queued')
      for (const page of this.#pageKeys.values()) if (page.entry === id) page.isAwaited = false;
    const known = this.#urls.get(nameOf(job, key));
    if (known)
      Object.assign(known, {
        state: ending.state,
        reason: ending.reason ?? null,
        detail: ending.detail ?? null,
        attempts: known.attempts + attempts,
      });
  }

  // Pages.

  pageWith(job: number, key: string): KnownPage | undefined {
    return this.#pageKeys.get(nameOf(job, key));
  }

  addPageKey(job: number, key: string, { id, url }: EntryRow): void {
    const name = nameOf(job, key);
    if (this.#pageKeys.has(name)) return;
    this.#pageKeys.set(name, { url, entry: id, isAwaited: false });
    this.#addedPageKeys.push({ job, key, entry: id, isNew: this.#pageKeysRead.has(name) });
  }

  removePageKey(job: number, key: string, { id }: EntryRow): void {
    const name = nameOf(job, key);
    if (this.#pageKeys.get(name)?.entry === id) this.#pageKeys.delete(name);
    this.#removedPageKeys.push({ job, key, entry: id });
  }

  addPage(job: number, number: number, record: PageRecord): void {
    this.#addedPages.push({ job, number, record });
  }

  addExtracted(job: number, number: number, page: ExtractedPage): void {
    this.#extracted.push({ job, number, page });
  }

  addEndedTemplate(job: number, template: string): boolean {
    const name = nameOf(job, template);
    if (this.#templates.has(name)) return false;
    this.#templates.add(name);
    this.#endedTemplates.push({ job, template });
    return true;
  }

  // URLs.

  known(job: number, key: string): KnownUrl | undefined {
    return this.#urls.get(nameOf(job, key));
  }

  baselineOf(job: number, key: string): BaselinePage | undefined {
    return this.#baselines.get(nameOf(job, key));
  }

  addUrl(url: NewUrl): boolean {
    const name = nameOf(url.job, url.key);
    if (this.#urls.has(name)) return false;
    const added: Draft<AddedUrl> = { ...url, isQueued: !url.discard };
    this.#addedUrls.push(added);
    this.#urls.set(name, {
      state: url.discard ? 'outside' : 'queued',
      reason: url.discard?.reason ?? null,
      detail: url.discard?.detail ?? null,
      rank: findingRank(url),
      byScript: url.byScript ?? false,
      attempts: 0,
      added,
    });
    if (added.isQueued) this.#queuedFor.add(url.host);
    return true;
  }

  bringNearer(job: number, key: string, { depth, selfFed = false, byScript = false }: Finding): void {
    const known = this.#mustKnow(job, key);
    const finding = { depth, selfFed, byScript };
    Object.assign(known, { rank: findingRank(finding), byScript });
    if (known.added) Object.assign(known.added, finding);
    else if (known.reopened) Object.assign(known.reopened, finding);
    else if (known.id !== undefined) this.#nearerUrls.set(known.id, { job, id: known.id, ...finding });
  }

  reopen(job: number, key: string, url: Pick<NewUrl, 'depth' | 'selfFed' | 'byScript' | 'foundOn' | 'host'>): void {
    const { depth, selfFed = false, byScript = false, foundOn, host } = url;
    const known = this.#mustKnow(job, key);
    Object.assign(known, {
      state: 'queued',
      reason: null,
      detail: null,
      rank: findingRank(url),
      byScript,
      attempts: 0,
    });
    this.#queuedFor.add(host);
    if (known.added) Object.assign(known.added, { isQueued: true, depth, selfFed, byScript, foundOn });
    else if (known.id !== undefined) {
      known.reopened = { job, id: known.id, depth, selfFed, byScript, foundOn, host };
      this.#reopenedUrls.push(known.reopened);
    }
  }

  setLastmod(job: number, key: string, lastmod: string): void {
    const name = nameOf(job, key);
    const added = this.#urls.get(name)?.added;
    if (added) added.lastmod = lastmod;
    else this.#lastmods.set(name, { job, key, lastmod });
  }

  wakeHosts({ seq }: JobRow, at: number): void {
    for (const host of this.#queuedFor) this.#wake(host, Math.min(at, this.#now), seq);
    this.#queuedFor.clear();
  }

  earlierJobs(job: JobRow): readonly number[] {
    return this.#facts.ofSeq(job.seq)?.earlier ?? [];
  }

  #wake(host: string, at: number, job: number): void {
    const known = this.#hostsToWake.get(host);
    if (known) known.at = Math.min(known.at, at);
    else this.#hostsToWake.set(host, { at, jobs: new Set() });
    this.#hostsToWake.get(host)?.jobs.add(job);
  }

  /** Each host waits in the line of the job with the fewest queued URLs, of those that queued something on it. */
  #wokenHosts(): readonly WokenHost[] {
    const wokenJobs = new Set<number>();
    return Array.from(this.#hostsToWake, ([host, { at, jobs }]): WokenHost[] => {
      const rows = [...jobs].flatMap((seq) => this.#jobs.get(seq) ?? []);
      const [job] = rows.toSorted((a, b) => a.queued - b.queued);
      if (!job) return [];
      const isFirst = !wokenJobs.has(job.seq);
      wokenJobs.add(job.seq);
      const needsBrowser = rows.every(({ needs_browser: needs }) => needs === 1);
      return [{ host, at, line: lineOf(job, isFirst), queued: job.queued, needsBrowser }];
    }).flat();
  }

  #unread(jobs: readonly number[]): number[] {
    return [...new Set(jobs)].filter((seq) => !this.#jobs.has(seq)).toSorted((a, b) => a - b);
  }

  #isHeld(id: number, { hostId, fence }: Held): boolean {
    const request = this.#requests.get(id);
    return request?.fence === fence && request.host === hostId;
  }

  #mustKnow(job: number, key: string): Known {
    const known = this.#urls.get(nameOf(job, key));
    if (!known) throw new Error(`job ${job} has no entry ${key}`);
    return known;
  }
}

function nameOf(job: number, key: string): string {
  return `${job} ${key}`;
}
