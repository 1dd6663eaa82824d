import type { BaselinePage } from '../../../core/baseline.ts';
import type { PageRecord } from '../../../core/page.ts';
import type { Segment } from '../../../core/ports/blobs.ts';
import { type Finding, findingRank } from '../../../core/request.ts';
import type { ExtractedPage } from '../../../core/ports/reextractions.ts';
import type { WebhookEvent } from '../../../core/webhook-event.ts';
import {
  type CrawlTables,
  type Ending,
  type EntryRow,
  type Held,
  type JobTable,
  type KnownPage,
  type KnownUrl,
  type NewUrl,
  type Place,
  priorityOf,
} from '../../rules/frontier/crawl-tables.ts';
import { failPoint } from '../../../core/process/fail-point.ts';
import type { EventTable } from '../../rules/outbox/job-events.ts';
import { baselinePageOf } from '../../rules/jobs/baseline-rows.ts';
import { type JobRow, jobRowOf } from '../../rules/jobs/job-row.ts';
import { earlierKeys } from '../../rules/jobs/shared-pages.ts';
import { awaitsRest, lineOf, type LineOfJob } from '../../rules/frontier/lease-turns.ts';
import type { Fragment } from '../../../core/page.ts';
import { unnumberedChecksum } from '../../rules/pages/checksums.ts';
import { type NewSegment, segmentColumns } from '../../rules/pages/segment-objects.ts';
import { screenshotChecksum } from '../../rules/pages/screenshots.ts';
import { endedRun } from '../../rules/schedules/runs.ts';
import { addedRow, extractedRow } from '../../shared/ledger-rows.ts';
import type { Columns, RowOf, RowStatement } from '../../shared/operation.ts';
import type { Transaction } from '../connection/connections.ts';
import type { FreedHost } from './free-hosts.ts';
import type { StoreParts } from './parts.ts';
import { type Reading, readRows, type RequestRow } from './read-rows.ts';
import * as to from './row-statements.ts';

/** Events that a transaction stores per job at most: its start, its progress, its end. */
const eventsPerJob = 4;

/** A URL of the ledger, as this transaction found it and as it leaves it. */
interface Known extends KnownUrl {
  /** Undefined if it is not in the ledger yet. */
  readonly id?: number;
  readonly baseline: BaselinePage | null;
  readonly delivered?: ReturnType<CrawlTables['delivered']>;
  /** If it changes: the row that is written. */
  written?: object;
  /** If it was added and queued: the row in the frontier that is written. */
  queued?: { priority: number | null };
}

/** A page with a key; null if the key was looked up, and no page has it. */
type KeptPage = (KnownPage & { isAwaited: boolean }) | null;

/** A job, as it is now and as it was read. */
export interface ChangedJob {
  readonly row: JobRow;
  readonly before: JobRow;
}

/** Jobs to lock before anything is written. The transaction waits for the first list. A job of the second that another transaction holds fails it. */
export interface JobsToLock {
  readonly waitedFor: readonly number[];
  readonly ifFree: readonly number[];
}

/** A host with new work: from when on, in whose line it waits, and how many URLs that job has queued. */
export interface WokenHost {
  readonly host: number;
  readonly at: number;
  readonly line: LineOfJob;
  readonly queued: number;
  /** 1 if all jobs that have new work there need a browser. */
  readonly needs_browser: number;
  /** See `awaitsRest`. */
  readonly rests: number;
}

/**
 * The tables in memory, as one transaction sees them: the rows that were read, with the changes that the shared rules
 * make. A row that was not read beforehand counts as missing.
 */
export class WorkingSet implements CrawlTables, JobTable, EventTable {
  /** URLs that the ledger of a job has at most. */
  readonly jobUrlsMax: number;
  /** Without locks, nothing that was read is certain: see `needsLocks`. */
  readonly isLocking: boolean;
  /** Rows to be written. */
  readonly rows = new to.RowLists();
  /** Objects that rows name from now on. */
  readonly objects = new Set<string>();
  /** The worker under whose leases requests are taken: it must not be dead. */
  taker: number | undefined;
  /** Hosts that are released, at the end. */
  readonly freed: FreedHost[] = [];
  readonly #tx: Transaction;
  readonly #parts: StoreParts;
  #now = 0;
  readonly #jobs = new Map<number, ChangedJob>();
  readonly #requests = new Map<number, RequestRow>();
  readonly #urls = new Map<string, Known>();
  readonly #pageKeys = new Map<string, KeptPage>();
  readonly #templates = new Set<string>();
  readonly #eventIds: number[] = [];
  readonly #toLock = { waitedFor: [] as number[], ifFree: [] as number[] };
  readonly #changedJobs = new Set<JobRow>();
  /** By the name of the URL. */
  readonly #lastmods = new Map<string, { lastmod: string | null }>();
  /** The first page of each segment. */
  readonly #segments = new Map<Segment, number>();
  /** Hosts of URLs queued since hosts were last woken. */
  readonly #queuedFor = new Set<number>();
  /** When each of them has work, and for which jobs. */
  readonly #hostsToWake = new Map<number, { at: number; readonly jobs: Set<number> }>();

  constructor(tx: Transaction, parts: StoreParts, isLocking: boolean) {
    this.#tx = tx;
    this.#parts = parts;
    this.jobUrlsMax = parts.jobUrlsMax;
    this.isLocking = isLocking;
  }

  /** Reads the rows; if it locks, waits for the jobs first. Can be called again: a job is read once. */
  async read(reading: Reading): Promise<void> {
    const jobs = this.#unread(reading.jobs);
    const jobsIfFree = this.#unread(reading.jobsIfFree ?? []).filter((seq) => !jobs.includes(seq));
    const withWebhook = [...jobs, ...jobsIfFree].filter((seq) => this.#parts.facts.ofSeq(seq)?.hasWebhook === true);
    const events = withWebhook.length * eventsPerJob;
    const [now, waited, free, requests, urls, pages, eventIds, templates] = await readRows(
      this.#tx,
      { ...reading, jobs, jobsIfFree, events },
      this.isLocking,
    );
    this.#now = now;
    for (const row of [...waited, ...free].map(jobRowOf)) {
      const { reasons, tally, examples } = row;
      const maps = { reasons: { ...reasons }, tally: { ...tally }, examples: { ...examples } };
      this.#jobs.set(row.seq, { row, before: { ...row, ...maps } });
    }
    this.#toLock.waitedFor.push(...jobs);
    this.#toLock.ifFree.push(...jobsIfFree);
    for (const row of requests) this.#requests.set(row.id, row);
    for (const { job, key, ...url } of urls)
      this.#urls.set(nameOf(job, key), { ...url, baseline: baselinePageOf(url), delivered: deliveredOf(url) });
    for (const { job, key } of reading.pages ?? []) this.#pageKeys.set(nameOf(job, key), null);
    for (const { job, key, of, url, id, awaited } of pages)
      this.#pageKeys.set(nameOf(job, key), { id, key: of, url, isAwaited: awaited });
    for (const { job, template } of templates) this.#templates.add(nameOf(job, template));
    this.#eventIds.push(...eventIds.map(({ id }) => id));
  }

  /** By the clock of the database. */
  get now(): number {
    return this.#now;
  }

  /** The lease under which a request is taken; null if not taken, undefined if it is no longer in the frontier. */
  fenceOf(id: number): number | null | undefined {
    return this.#requests.get(id)?.fence;
  }

  /** A page of a job that is queued or in flight. The transaction can have settled some of those that are stored. */
  async leftOf(job: number): Promise<string | undefined> {
    const settled = this.rows.of(to.endedEntries).filter((one) => one.job === job && one.state !== 'queued');
    const [first] = await this.#tx.query<{ url: string }>(
      "SELECT url FROM ledger WHERE job = $1 AND state = 'queued' AND kind = 'page' AND id <> ALL($2::bigint[]) ORDER BY id LIMIT 1",
      [job, settled.map(({ id }) => id)],
    );
    const added = this.rows.of(to.addedUrls).find((url) => url.job === job && url.state === 'queued');
    return first?.url ?? added?.url ?? undefined;
  }

  /** The jobs that changed, as they are and as they were. */
  get jobs(): readonly ChangedJob[] {
    return [...this.#jobs.values()].filter(({ row }) => this.#changedJobs.has(row));
  }

  /** Jobs to lock before anything is written. */
  get toLock(): JobsToLock | undefined {
    return this.isLocking ? undefined : this.#toLock;
  }

  // The tables of jobs and of events.

  /** Undefined if the job was read with `jobsIfFree` and another transaction holds its row. */
  get(seq: number): JobRow | undefined {
    return this.#jobs.get(seq)?.row;
  }

  touch(row: JobRow): void {
    this.#changedJobs.add(row);
  }

  /** An event. */
  add(row: JobRow, event: WebhookEvent, now: number, dueAt: number): number {
    const id = this.#eventIds.shift();
    if (id === undefined) throw new Error(`no number is left for an event of job ${row.id}`);
    const work = { kind: 'webhook', key: row.webhook_url ?? '', subject: event, created_at: now, next_at: dueAt };
    this.rows.add(to.addedEvents, { id, job: row.seq, ...work });
    return id;
  }

  hasten(id: number, now: number): void {
    const added = this.rows.of(to.addedEvents).find((event) => event.id === id);
    if (added) added.next_at = now;
    else this.rows.add(to.hastenedEvents, { id, next_at: now });
  }

  addEndedRun(of: string, now: number): void {
    const { schedule, kind, key, subject, dueAt } = endedRun(of, now);
    this.rows.add(to.endedRuns, { schedule, kind, key, subject, created_at: now, next_at: dueAt });
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
    return this.#leave(to.removedRequests, id, lease, {});
  }

  postponeTaken(id: number, lease: Held, notBefore: number): boolean {
    return this.#leave(to.postponedRequests, id, lease, { not_before: notBefore });
  }

  moveTaken(id: number, lease: Held, { job, host, chain, priority, notBefore, wakeAt }: Place): boolean {
    const hostId = this.#parts.hosts.of(host);
    const place = { not_before: notBefore, host: hostId, chain, priority };
    if (!this.#leave(to.movedRequests, id, lease, place)) return false;
    this.#wake(hostId, wakeAt, job.seq);
    return true;
  }

  removePending(id: number): void {
    const fence = this.#requests.get(id)?.fence ?? null;
    this.#requests.delete(id);
    this.rows.add(to.removedRequests, { id, fence });
  }

  /** Takes a due request under a lease. */
  take(id: number, fence: number): void {
    this.rows.add(to.takenRequests, { id, fence });
  }

  /** Hands back a request that was taken under a lease. */
  handBack(id: number, fence: number): void {
    this.rows.add(to.handedBackRequests, { id, fence });
  }

  endEntry({ job, id, key }: Pick<EntryRow, 'id' | 'job' | 'key'>, ending: Ending, attempts: 0 | 1): void {
    const { state, reason = null, detail = null, page = null, statusCode = null, version, doubt } = ending;
    const row = {
      job,
      id,
      attempts,
      attempted_at: attempts === 0 ? null : this.#now,
      state,
      reason,
      detail,
      behind: page,
      status_code: statusCode,
      hash: version?.hash ?? null,
      copy_key: version?.copyKey ?? null,
      validator: version?.validator ?? null,
      traits: version?.traits ?? null,
      change: ending.change ?? null,
      change_number: ending.changeNumber ?? null,
      doubt: doubt?.kind ?? ending.cause ?? null,
      doubt_runs: doubt?.runs ?? null,
    };
    // A page can turn out to have moved after its entry has ended.
    const ended =
      ending.change === 'moved' ? this.rows.of(to.endedEntries).find((other) => other.id === id) : undefined;
    if (ended) Object.assign(ended, { ...row, attempts: ended.attempts, attempted_at: ended.attempted_at });
    else this.rows.add(to.endedEntries, row);
    if (state !== 'queued') for (const page of this.#pageKeys.values()) if (page?.id === id) page.isAwaited = false;
    const known = this.#urls.get(nameOf(job, key));
    const delivered = deliveredOf({ state, ...version });
    if (known) Object.assign(known, { state, reason, detail, attempts: known.attempts + attempts, delivered });
  }

  // Pages.

  pageWith(job: number, key: string): KnownPage | undefined {
    return this.#pageKeys.get(nameOf(job, key)) ?? undefined;
  }

  addPageKey(job: number, key: string, { id, url, key: of }: EntryRow): void {
    const name = nameOf(job, key);
    const known = this.#pageKeys.get(name);
    if (known) return;
    this.#pageKeys.set(name, { id, key: of, url, isAwaited: false });
    this.rows.add(known === null ? to.newPageKeys : to.addedPageKeys, { job, key, entry: id });
  }

  removePageKey(job: number, key: string, { id }: EntryRow): void {
    const name = nameOf(job, key);
    if (this.#pageKeys.get(name)?.id === id) this.#pageKeys.delete(name);
    this.rows.add(to.removedPageKeys, { job, key, entry: id });
  }

  addPage(job: number, number: number, page: PageRecord): void {
    const { meta, body, screenshot, placedScreenshot, rawSlice, textOf = null } = page;
    const place = { job, behind: number };
    const rowOf = ({ deflated, crc, length }: Fragment, unnumbered: number): RowOf<typeof to.addedPages.columns> => ({
      ...place,
      deflated,
      crc,
      length,
      unnumbered,
      text_of: textOf,
    });
    this.rows.add(to.addedPages, rowOf(meta, unnumberedChecksum(meta)));
    this.rows.add(to.addedBodies, rowOf(body, unnumberedChecksum(body)));
    if (screenshot) {
      const { type, bytes } = screenshot;
      this.rows.add(to.addedScreenshots, { ...place, type, bytes, crc: screenshotChecksum(screenshot) });
    }
    if (placedScreenshot) {
      failPoint('settle.picture');
      const { type, crc, place: inObject } = placedScreenshot;
      this.rows.add(to.addedScreenshots, { ...place, type, bytes: new Uint8Array(), crc });
      this.#addSegment(place, -1, { bytes: null, length: inObject.size, place: inObject });
    }
    if (!rawSlice) return;
    const { segment, at, length, crc } = rawSlice;
    if (!this.#segments.has(segment)) {
      failPoint('settle.raw');
      this.#addSegment(place, 1, segment);
      this.#segments.set(segment, number);
    }
    this.rows.add(to.addedSlices, { ...place, first: this.#segments.get(segment) ?? number, at, length, crc });
  }

  #addSegment(at: RowOf<typeof to.pageColumns>, sign: 1 | -1, segment: NewSegment): void {
    if (segment.place) this.objects.add(segment.place.object);
    this.rows.add(to.addedSegments, { ...at, sign, ...segmentColumns(segment) });
  }

  addExtracted(job: number, number: number, page: ExtractedPage): void {
    this.rows.add(to.extractedPages, extractedRow(job, number, page));
  }

  addEndedTemplate(job: number, template: string): boolean {
    const name = nameOf(job, template);
    if (this.#templates.has(name)) return false;
    this.#templates.add(name);
    this.rows.add(to.endedTemplates, { job, template });
    return true;
  }

  // URLs.

  known(job: number, key: string): KnownUrl | undefined {
    return this.#urls.get(nameOf(job, key));
  }

  baselineOf(job: number, key: string): BaselinePage | undefined {
    return this.#urls.get(nameOf(job, key))?.baseline ?? undefined;
  }

  delivered(job: number, key: string): ReturnType<CrawlTables['delivered']> {
    return this.#urls.get(nameOf(job, key))?.delivered;
  }

  addUrl(url: NewUrl): boolean {
    const { job, key, discard, earlier } = url;
    const name = nameOf(job, key);
    if (this.#urls.has(name)) return false;
    const written = addedRow(url);
    this.rows.add(to.addedUrls, written);
    const { state, reason, detail, by_script: byScript } = written;
    const found = { state, reason, detail, rank: findingRank(url), byScript: byScript === 1, attempts: 0 };
    const known: Known = { ...found, baseline: null, written };
    this.#urls.set(name, known);
    if (!discard) known.queued = this.#queue(url);
    if (earlier) for (const name of earlierKeys(earlier)) this.rows.add(to.earlierPageKeys, { job, key, name });
    return true;
  }

  bringNearer(job: number, key: string, { depth, selfFed = false, byScript = false }: Finding): void {
    const known = this.#mustKnow(job, key);
    Object.assign(known, { rank: findingRank({ depth, selfFed }), byScript });
    const finding = { depth, self_fed: Number(selfFed), by_script: Number(byScript) };
    if (known.written) Object.assign(known.written, finding);
    else if (known.id !== undefined) known.written = this.rows.add(to.nearerUrls, { job, id: known.id, ...finding });
    if (known.queued) known.queued.priority = depth;
  }

  reopen(job: number, key: string, url: Pick<NewUrl, 'depth' | 'selfFed' | 'byScript' | 'foundOn' | 'host'>): void {
    const { depth, selfFed = false, byScript = false, foundOn, host } = url;
    const known = this.#mustKnow(job, key);
    const opened = { state: 'queued', reason: null, detail: null } as const;
    Object.assign(known, { ...opened, rank: findingRank(url), byScript, attempts: 0 });
    const finding = { depth, self_fed: Number(selfFed), by_script: Number(byScript), found_on: foundOn };
    if (known.id === undefined) {
      Object.assign(known.written ?? {}, { ...opened, ...finding });
      known.queued = this.#queue({ job, key, kind: 'page', depth, host });
    } else {
      const hostId = this.#parts.hosts.of(host);
      this.#queuedFor.add(hostId);
      known.written = this.rows.add(to.reopenedUrls, { job, id: known.id, ...finding, host: hostId });
    }
  }

  setLastmod(job: number, key: string, lastmod: string): void {
    const name = nameOf(job, key);
    const row = this.#lastmods.get(name);
    if (row) row.lastmod = lastmod;
    else this.#lastmods.set(name, this.rows.add(to.lastmods, { job, key, lastmod }));
  }

  wakeHosts({ seq }: JobRow, at: number): void {
    for (const host of this.#queuedFor) this.#wake(host, Math.min(at, this.#now), seq);
    this.#queuedFor.clear();
  }

  earlierJobs(job: JobRow): readonly number[] {
    return this.#parts.facts.ofSeq(job.seq)?.earlier ?? [];
  }

  #queue({ job, key, host, ...url }: Pick<NewUrl, 'job' | 'key' | 'kind' | 'depth' | 'host'>): {
    priority: number | null;
  } {
    const hostId = this.#parts.hosts.of(host);
    this.#queuedFor.add(hostId);
    return this.rows.add(to.queuedUrls, { job, key, host: hostId, priority: priorityOf(url) });
  }

  #wake(host: number, at: number, job: number): void {
    const known = this.#hostsToWake.get(host);
    if (known) known.at = Math.min(known.at, at);
    else this.#hostsToWake.set(host, { at, jobs: new Set() });
    this.#hostsToWake.get(host)?.jobs.add(job);
  }

  /** Hosts that have work now. Each waits in the line of the job with the fewest queued URLs, of those that queued something on it. */
  get wake(): readonly WokenHost[] {
    const wokenJobs = new Set<number>();
    return Array.from(this.#hostsToWake, ([host, { at, jobs }]): WokenHost[] => {
      const rows = [...jobs].flatMap((seq) => this.get(seq) ?? []);
      const [job] = rows.toSorted((a, b) => a.queued - b.queued);
      if (!job) return [];
      const isFirst = !wokenJobs.has(job.seq);
      wokenJobs.add(job.seq);
      const needsBrowser = rows.every(({ needs_browser: needs }) => needs === 1);
      const rests = Math.min(...rows.map(awaitsRest));
      return [{ host, at, line: lineOf(job, isFirst), queued: job.queued, needs_browser: Number(needsBrowser), rests }];
    }).flat();
  }

  #unread(jobs: readonly number[]): number[] {
    return [...new Set(jobs)].filter((seq) => !this.#jobs.has(seq)).toSorted((a, b) => a - b);
  }

  /** A request that was taken under this lease leaves it. False if it was not. */
  #leave<Of extends Columns>(
    how: RowStatement<Of>,
    id: number,
    { hostId, fence }: Held,
    place: Omit<RowOf<Of>, 'id' | 'fence'>,
  ): boolean {
    const request = this.#requests.get(id);
    if (request?.fence !== fence || request.host !== hostId) return false;
    this.#requests.delete(id);
    this.rows.add(how, { id, fence, ...place } as unknown as RowOf<Of>);
    return true;
  }

  #mustKnow(job: number, key: string): Known {
    const known = this.#urls.get(nameOf(job, key));
    if (!known) throw new Error(`job ${job} has no entry ${key}`);
    return known;
  }
}

function deliveredOf({
  state,
  hash,
  traits = null,
}: {
  readonly state: string;
  readonly hash?: string | null;
  readonly traits?: string | null | undefined;
}): ReturnType<CrawlTables['delivered']> {
  return state === 'scraped' && typeof hash === 'string' ? { hash, traits } : undefined;
}

function nameOf(job: number, key: string): string {
  return `${job} ${key}`;
}
