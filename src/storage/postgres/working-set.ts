import type { Settlement } from '../../core/frontier.ts';
import { hasEnded } from '../../core/job.ts';
import type { PageRecord } from '../../core/page.ts';
import type { Link, RequestKind } from '../../core/request.ts';
import type { WebhookEvent } from '../../core/webhook-event.ts';
import {
  type CrawlTables,
  type Ending,
  type EntryRow,
  type Held,
  type JobTable,
  type KnownUrl,
  type NewUrl,
  priorityOf,
} from '../rules/crawl-tables.ts';
import { announce, type EventTable } from '../rules/job-events.ts';
import { type JobRow, jobRowOf, type StoredJobRow } from '../rules/job-row.ts';
import { followedFrom, ledgerKey } from '../rules/ledger.ts';
import { metaChecksum } from '../rules/meta-checksum.ts';
import type { SeenUrls } from '../rules/seen-urls.ts';
import { originalKeys } from '../rules/settling.ts';
import type { Transaction, Value } from './connections.ts';
import type { HostIds } from './host-ids.ts';
import type { JobFacts, KnownJob } from './job-facts.ts';
import { nowSql } from './schema.ts';

interface FrontierEntry extends EntryRow {
  readonly host: number;
  readonly fence: number | null;
}

/** A URL of the ledger as this transaction finds it, and leaves it. */
interface Known {
  state: string;
  reason: string | null;
  depth: number;
  attempts: number;
  readonly id?: number;
  /** Not in the ledger yet. */
  added?: Added;
  reopened?: Reopened;
}

interface Added extends Omit<NewUrl, 'discard'> {
  depth: number;
  lastmod?: string | undefined;
  isQueued: boolean;
  foundOn: number | null;
  readonly discard?: NewUrl['discard'];
}

interface Reopened {
  readonly job: number;
  readonly id: number;
  depth: number;
  readonly foundOn: number | null;
  readonly host: string;
}

interface EntryEnd {
  readonly job: number;
  readonly id: number;
  readonly attempts: number;
  readonly ending: Ending;
}

interface AddedPage {
  readonly job: number;
  readonly number: number;
  readonly record: PageRecord;
}

/** What is to be read before the outcome of requests can be decided. */
export interface Reading {
  /** The jobs that may change. Their rows are locked in this order: by number. */
  readonly jobs: readonly number[];
  /** These too, but only where nobody has their rows: who holds some does not wait for others. See {@link WorkingSet.get}. */
  readonly jobsIfFree?: readonly number[];
  /** Requests of the frontier. */
  readonly requests?: readonly number[];
  readonly urls?: Keys;
  readonly pages?: Keys;
  /** Whether a URL template may have ended. */
  readonly templates?: boolean;
}

/** Pairs of a job and a key. */
export class Keys {
  readonly jobs: number[] = [];
  readonly keys: string[] = [];

  add(job: number, key: string): void {
    this.jobs.push(job);
    this.keys.push(key);
  }
}

/** Columns of a job's row that change after its creation, with their types. */
const jobColumns = {
  status: 'text',
  scope_hosts: 'text',
  version: 'int',
  finished_at: 'bigint',
  end_reason: 'text',
  results_gone_at: 'bigint',
  fetches: 'int',
  queued: 'int',
  in_flight: 'int',
  scraped: 'int',
  discarded: 'int',
  failed: 'int',
  control: 'int',
  sitemaps: 'int',
  sitemap_pages: 'int',
  unlisted: 'int',
  notices: 'text',
  reasons: 'text',
  webhook_state: 'text',
  webhook_page: 'int',
  webhook_open: 'bigint',
  webhook_fails: 'text',
} as const satisfies Partial<Record<keyof JobRow, string>>;

const columnNames = Object.keys(jobColumns) as (keyof typeof jobColumns)[];
const updateJobsSql = `
  UPDATE job SET ${columnNames.map((name) => `${name} = u.${name}`).join(', ')}
  FROM unnest($1::bigint[], ${columnNames.map((name, index) => `$${index + 2}::${jobColumns[name]}[]`).join(', ')})
    AS u (seq, ${columnNames.join(', ')}) WHERE job.seq = u.seq`;

/**
 * What one transaction works on: read at once under the locks of its jobs, changed in memory by the rules that all stores share, and
 * written at once. So it takes two round trips, however many URLs and pages it is about.
 *
 * Locks are taken in one order everywhere, so that transactions wait for each other and never in a circle: jobs by number, then
 * hosts by number.
 */
export class WorkingSet implements CrawlTables, JobTable, EventTable {
  readonly #tx: Transaction;
  readonly #facts: JobFacts;
  readonly #hosts: HostIds;
  #now = 0;
  readonly #jobs = new Map<number, JobRow>();
  readonly #changed = new Set<JobRow>();
  readonly #entries = new Map<number, FrontierEntry>();
  readonly #known = new Map<string, Known>();
  readonly #pageKeys = new Map<string, string>();
  readonly #eventIds: number[] = [];
  readonly #added: Added[] = [];
  readonly #reopened: Reopened[] = [];
  readonly #nearer = new Map<number, { readonly job: number; readonly depth: number }>();
  readonly #lastmods = new Map<string, { readonly job: number; readonly key: string; readonly lastmod: string }>();
  readonly #removed: number[] = [];
  readonly #postponed: { readonly id: number; readonly notBefore: number }[] = [];
  readonly #ends: EntryEnd[] = [];
  readonly #pages: AddedPage[] = [];
  readonly #newPageKeys: { readonly job: number; readonly key: string; readonly entry: number }[] = [];
  readonly #endedTemplates = new Set<string>();
  readonly #templates: { readonly job: number; readonly template: string }[] = [];
  readonly #events: {
    readonly id: number;
    readonly job: number;
    readonly url: string;
    readonly event: WebhookEvent;
    readonly now: number;
    dueAt: number;
  }[] = [];
  readonly #hastened: number[] = [];
  readonly #hostsToWake = new Set<string>();
  #wakeAt = Number.POSITIVE_INFINITY;

  constructor(tx: Transaction, facts: JobFacts, hosts: HostIds) {
    this.#tx = tx;
    this.#facts = facts;
    this.#hosts = hosts;
  }

  /** By the clock of the database. */
  get now(): number {
    return this.#now;
  }

  /** Ids of jobs that changed. */
  get changedJobs(): readonly string[] {
    return [...this.#changed].map(({ id }) => id);
  }

  get hasWork(): boolean {
    return this.#hostsToWake.size > 0;
  }

  get hasEvents(): boolean {
    return this.#events.length > 0;
  }

  /** Waits for the jobs, and reads what is asked for. May be called again for other requests. */
  async read({ jobs, jobsIfFree = [], requests = [], urls, pages, templates = false }: Reading): Promise<void> {
    const waited = this.#unread(jobs);
    const free = this.#unread(jobsIfFree).filter((seq) => !waited.includes(seq));
    const seqs = [...waited, ...free];
    const events = seqs.filter((seq) => this.#facts.ofSeq(seq)?.hasWebhook === true).length * eventsPerJob;
    const [clock, rows, freeRows, entries, known, keys, ids, ended] = await allOf([
      this.#tx.query<{ now: number }>(`SELECT ${nowSql} AS now`),
      this.#ask<StoredJobRow>(
        waited.length,
        'SELECT * FROM job WHERE seq = ANY($1::bigint[]) ORDER BY seq FOR NO KEY UPDATE',
        [waited],
      ),
      this.#ask<StoredJobRow>(
        free.length,
        'SELECT * FROM job WHERE seq = ANY($1::bigint[]) ORDER BY seq FOR NO KEY UPDATE SKIP LOCKED',
        [free],
      ),
      this.#ask<FrontierEntry>(
        requests.length,
        `SELECT f.id, f.host, f.fence, f.job, l.key, l.kind, l.url, l.depth
         FROM frontier f JOIN ledger l ON l.job = f.job AND l.id = f.id WHERE f.id = ANY($1::bigint[])`,
        [requests],
      ),
      this.#ask<KnownUrl & { readonly id: number; readonly job: number; readonly key: string }>(
        urls?.keys.length ?? 0,
        `SELECT l.job, l.key, l.id, l.state, l.reason, l.depth, l.attempts
         FROM unnest($1::bigint[], $2::text[]) AS u (job, key) JOIN ledger l ON l.job = u.job AND l.key = u.key`,
        [urls?.jobs ?? [], urls?.keys ?? []],
      ),
      this.#ask<{ readonly job: number; readonly key: string; readonly url: string }>(
        pages?.keys.length ?? 0,
        // One look for each key, in this order: before there are statistics of new tables, the planner would join all with all.
        `SELECT u.job, u.key, l.url FROM unnest($1::bigint[], $2::text[]) AS u (job, key)
         CROSS JOIN LATERAL (SELECT entry FROM page_key WHERE job = u.job AND key = u.key LIMIT 1) k
         CROSS JOIN LATERAL (SELECT url FROM ledger WHERE job = u.job AND id BETWEEN k.entry AND k.entry ORDER BY id LIMIT 1) l`,
        [pages?.jobs ?? [], pages?.keys ?? []],
      ),
      this.#ask<{ readonly id: number }>(
        events,
        "SELECT nextval('delivery_id') AS id FROM generate_series(1, $1::int)",
        [events],
      ),
      this.#ask<{ readonly job: number; readonly template: string }>(
        templates ? seqs.length : 0,
        'SELECT job, template FROM ended_template WHERE job = ANY($1::bigint[])',
        [seqs],
      ),
    ]);
    this.#now = clock[0]?.now ?? 0;
    for (const row of [...rows, ...freeRows]) this.#jobs.set(row.seq, jobRowOf(row));
    for (const entry of entries) this.#entries.set(entry.id, entry);
    for (const { job, key, ...url } of known) this.#known.set(nameOf(job, key), { ...url });
    for (const { job, key, url } of keys) this.#pageKeys.set(nameOf(job, key), url);
    this.#eventIds.push(...ids.map(({ id }) => id));
    for (const { job, template } of ended) this.#endedTemplates.add(nameOf(job, template));
  }

  /** Hosts of URLs that may be queued: their numbers have to be known before the transaction writes. */
  static hostsOf(settlements: readonly Settlement[]): string[] {
    return settlements.flatMap(({ outcome }) => linksOf(outcome).flatMap(({ links }) => links.map(({ host }) => host)));
  }

  /** What has to be read to settle. */
  static readingOf(
    settlements: readonly Settlement[],
    jobOf: (id: string) => KnownJob | undefined,
    seen: SeenUrls,
  ): Reading {
    const [jobs, requests, urls, pages] = [new Set<number>(), [] as number[], new Keys(), new Keys()];
    for (const { request, outcome } of settlements) {
      const job = jobOf(request.jobId);
      if (!job) continue;
      jobs.add(job.seq);
      requests.push(request.id);
      for (const { kind, links } of linksOf(outcome)) addLinks(urls, job, kind, links, seen);
      if (outcome.kind !== 'scraped') continue;
      for (const seq of [job.seq, ...job.earlier])
        for (const key of originalKeys(request, outcome.page)) pages.add(seq, key);
    }
    const templates = settlements.some(({ endedTemplate }) => endedTemplate !== undefined);
    return { jobs: [...jobs], requests, urls, pages, templates };
  }

  // What the shared rules ask for.

  timeOfDay(): number {
    return this.#now;
  }

  /** Undefined where another transaction has the row of a job that was asked for if it is free. */
  get(seq: number): JobRow | undefined {
    return this.#jobs.get(seq);
  }

  touch(row: JobRow): void {
    this.#changed.add(row);
  }

  entry(id: number): EntryRow | undefined {
    return this.#entries.get(id);
  }

  /** Under which lease a request is taken, null where it is not, undefined where it is not in the frontier any more. */
  fenceOf(id: number): number | null | undefined {
    return this.#entries.get(id)?.fence;
  }

  endTaken(id: number, lease: Held): boolean {
    if (!this.#isHeld(id, lease)) return false;
    this.removePending(id);
    return true;
  }

  postponeTaken(id: number, lease: Held, notBefore: number): boolean {
    if (!this.#isHeld(id, lease)) return false;
    this.#entries.delete(id);
    this.#postponed.push({ id, notBefore });
    return true;
  }

  removePending(id: number): void {
    this.#entries.delete(id);
    this.#removed.push(id);
  }

  noteAttempt(entry: EntryRow, failure: Ending): void {
    this.endEntry(entry, failure, 1);
  }

  endEntry({ job, id }: EntryRow, ending: Ending, attempts: 0 | 1): void {
    this.#ends.push({ job, id, attempts, ending });
  }

  pageWith(job: number, key: string): string | undefined {
    return this.#pageKeys.get(nameOf(job, key));
  }

  addPageKey(job: number, key: string, { id, url }: EntryRow): void {
    const name = nameOf(job, key);
    if (this.#pageKeys.has(name)) return;
    this.#pageKeys.set(name, url);
    this.#newPageKeys.push({ job, key, entry: id });
  }

  addPage(job: number, number: number, record: PageRecord): void {
    this.#pages.push({ job, number, record });
  }

  addEndedTemplate(job: number, template: string): boolean {
    const name = nameOf(job, template);
    if (this.#endedTemplates.has(name)) return false;
    this.#endedTemplates.add(name);
    this.#templates.push({ job, template });
    return true;
  }

  known(job: number, key: string): KnownUrl | undefined {
    return this.#known.get(nameOf(job, key));
  }

  addUrl(url: NewUrl): boolean {
    const name = nameOf(url.job, url.key);
    if (this.#known.has(name)) return false;
    const added: Added = { ...url, isQueued: !url.discard };
    this.#added.push(added);
    this.#known.set(name, {
      state: url.discard ? 'discarded' : 'queued',
      reason: url.discard?.reason ?? null,
      depth: url.depth,
      attempts: 0,
      added,
    });
    if (added.isQueued) this.#hostsToWake.add(url.host);
    return true;
  }

  bringNearer(job: number, key: string, depth: number): void {
    const known = this.#mustKnow(job, key);
    known.depth = depth;
    if (known.added) known.added.depth = depth;
    else if (known.reopened) known.reopened.depth = depth;
    else if (known.id !== undefined) this.#nearer.set(known.id, { job, depth });
  }

  reopen(job: number, key: string, { depth, foundOn, host }: Pick<NewUrl, 'depth' | 'foundOn' | 'host'>): void {
    const known = this.#mustKnow(job, key);
    Object.assign(known, { state: 'queued', reason: null, depth });
    this.#hostsToWake.add(host);
    if (known.added) Object.assign(known.added, { isQueued: true, depth, foundOn });
    else if (known.id !== undefined) {
      known.reopened = { job, id: known.id, depth, foundOn, host };
      this.#reopened.push(known.reopened);
    }
  }

  setLastmod(job: number, key: string, lastmod: string): void {
    const added = this.#known.get(nameOf(job, key))?.added;
    if (added) added.lastmod = lastmod;
    else this.#lastmods.set(nameOf(job, key), { job, key, lastmod });
  }

  wakeHosts(at: number): void {
    this.#wakeAt = Math.min(this.#wakeAt, at);
  }

  earlierJobs(job: JobRow): readonly number[] {
    return this.#facts.ofSeq(job.seq)?.earlier ?? [];
  }

  add(row: JobRow, event: WebhookEvent, now: number, dueAt: number): number {
    const id = this.#eventIds.shift();
    if (id === undefined) throw new Error(`no number is left for an event of job ${row.id}`);
    this.#events.push({ id, job: row.seq, url: row.webhook_url ?? '', event, now, dueAt });
    return id;
  }

  hasten(id: number, now: number): void {
    const added = this.#events.find((event) => event.id === id);
    if (added) added.dueAt = now;
    else this.#hastened.push(id);
  }

  /** Sends all that changed. What becomes of it shows at the commit. */
  write(): void {
    for (const row of this.#changed) announce(row, this, this.#now);
    this.#writeUrls();
    this.#writeRequests();
    this.#writePages();
    this.#writeEvents();
    this.#writeJobs();
    this.#wakeHosts();
  }

  #writeUrls(): void {
    const added = this.#added;
    this.#send(
      added.length,
      `WITH url AS (
         SELECT * FROM unnest($1::bigint[], $2::text[], $3::text[], $4::text[], $5::int[], $6::bigint[], $7::text[], $8::text[], $9::text[], $10::bigint[], $11::int[])
           WITH ORDINALITY AS u (job, key, kind, url, depth, found_on, reason, detail, lastmod, host, priority, place)
       ), stored AS (
         INSERT INTO ledger (job, key, kind, url, depth, found_on, state, reason, detail, lastmod)
         SELECT job, key, kind, url, depth, found_on, CASE WHEN host IS NULL THEN 'discarded' ELSE 'queued' END, reason, detail, lastmod
         FROM url ORDER BY place RETURNING id, job, key
       )
       INSERT INTO frontier (id, host, job, priority)
       SELECT stored.id, url.host, url.job, url.priority FROM stored JOIN url USING (job, key) WHERE url.host IS NOT NULL`,
      [
        added.map(({ job }) => job),
        added.map(({ key }) => key),
        added.map(({ kind }) => kind),
        added.map(({ url }) => url),
        added.map(({ depth }) => depth),
        added.map(({ foundOn }) => foundOn),
        added.map(({ isQueued, discard }) => (isQueued ? null : (discard?.reason ?? null))),
        added.map(({ isQueued, discard }) => (isQueued ? null : (discard?.detail ?? null))),
        added.map(({ lastmod }) => lastmod ?? null),
        added.map(({ isQueued, host }) => (isQueued ? this.#hosts.of(host) : null)),
        added.map(priorityOf),
      ],
    );
    const reopened = this.#reopened;
    this.#send(
      reopened.length,
      `WITH url AS (SELECT * FROM unnest($1::bigint[], $2::bigint[], $3::int[], $4::bigint[], $5::bigint[]) AS u (job, id, depth, found_on, host)),
       opened AS (
         UPDATE ledger l SET state = 'queued', reason = NULL, detail = NULL, depth = u.depth, found_on = u.found_on
         FROM url u WHERE l.job = u.job AND l.id = u.id)
       INSERT INTO frontier (id, host, job, priority) SELECT id, host, job, depth FROM url`,
      [
        reopened.map(({ job }) => job),
        reopened.map(({ id }) => id),
        reopened.map(({ depth }) => depth),
        reopened.map(({ foundOn }) => foundOn),
        reopened.map(({ host }) => this.#hosts.of(host)),
      ],
    );
    const nearer = [...this.#nearer];
    this.#send(
      nearer.length,
      `WITH url AS (SELECT * FROM unnest($1::bigint[], $2::bigint[], $3::int[]) AS u (id, job, depth)),
       listed AS (UPDATE ledger l SET depth = u.depth FROM url u WHERE l.job = u.job AND l.id = u.id)
       UPDATE frontier f SET priority = u.depth FROM url u WHERE f.id = u.id`,
      [nearer.map(([id]) => id), nearer.map(([, { job }]) => job), nearer.map(([, { depth }]) => depth)],
    );
    const lastmods = [...this.#lastmods.values()];
    this.#send(
      lastmods.length,
      `UPDATE ledger l SET lastmod = u.lastmod FROM unnest($1::bigint[], $2::text[], $3::text[]) AS u (job, key, lastmod)
       WHERE l.job = u.job AND l.key = u.key AND l.lastmod IS DISTINCT FROM u.lastmod`,
      [lastmods.map(({ job }) => job), lastmods.map(({ key }) => key), lastmods.map(({ lastmod }) => lastmod)],
    );
  }

  #writeRequests(): void {
    this.#send(this.#removed.length, 'DELETE FROM frontier WHERE id = ANY($1::bigint[])', [this.#removed]);
    this.#send(
      this.#postponed.length,
      `UPDATE frontier f SET fence = NULL, not_before = u.not_before, deaths = 0, alone = false
       FROM unnest($1::bigint[], $2::bigint[]) AS u (id, not_before) WHERE f.id = u.id`,
      [this.#postponed.map(({ id }) => id), this.#postponed.map(({ notBefore }) => notBefore)],
    );
    const ends = this.#ends;
    this.#send(
      ends.length,
      `UPDATE ledger l SET attempts = l.attempts + u.attempts, state = u.state, reason = u.reason, detail = u.detail, page = u.page, status_code = u.status_code
       FROM unnest($1::bigint[], $2::bigint[], $3::int[], $4::text[], $5::text[], $6::text[], $7::int[], $8::int[])
         AS u (job, id, attempts, state, reason, detail, page, status_code) WHERE l.job = u.job AND l.id = u.id`,
      [
        ends.map(({ job }) => job),
        ends.map(({ id }) => id),
        ends.map(({ attempts }) => attempts),
        ends.map(({ ending }) => ending.state),
        ends.map(({ ending }) => ending.reason ?? null),
        ends.map(({ ending }) => ending.detail ?? null),
        ends.map(({ ending }) => ending.page ?? null),
        ends.map(({ ending }) => ending.statusCode ?? null),
      ],
    );
  }

  /** All bytes in one value, which is sent as it is: an array of them would be sent as text. */
  #writePages(): void {
    const pages = this.#pages;
    if (pages.length === 0) return;
    const [jobs, numbers] = [pages.map(({ job }) => job), pages.map(({ number }) => number)];
    const metas = joined(pages.map(({ record }) => record.meta));
    this.#tx.send(
      `INSERT INTO page (job, page, meta, crc) SELECT u.job, u.page, substring($3::bytea FROM u.start FOR u.length), u.crc
       FROM unnest($1::bigint[], $2::int[], $4::int[], $5::int[], $6::bigint[]) AS u (job, page, start, length, crc)`,
      [jobs, numbers, metas.bytes, metas.starts, metas.lengths, pages.map(({ record }) => metaChecksum(record.meta))],
    );
    const bodies = joined(pages.map(({ record }) => record.body.deflated));
    this.#tx.send(
      `INSERT INTO body (job, page, deflated, crc, length) SELECT u.job, u.page, substring($3::bytea FROM u.start FOR u.bytes), u.crc, u.length
       FROM unnest($1::bigint[], $2::int[], $4::int[], $5::int[], $6::bigint[], $7::int[]) AS u (job, page, start, bytes, crc, length)`,
      [
        jobs,
        numbers,
        bodies.bytes,
        bodies.starts,
        bodies.lengths,
        pages.map(({ record }) => record.body.crc),
        pages.map(({ record }) => record.body.length),
      ],
    );
    const keys = this.#newPageKeys;
    this.#send(
      keys.length,
      'INSERT INTO page_key (job, key, entry) SELECT * FROM unnest($1::bigint[], $2::text[], $3::bigint[]) ON CONFLICT DO NOTHING',
      [keys.map(({ job }) => job), keys.map(({ key }) => key), keys.map(({ entry }) => entry)],
    );
  }

  #writeEvents(): void {
    this.#send(
      this.#templates.length,
      'INSERT INTO ended_template (job, template) SELECT * FROM unnest($1::bigint[], $2::text[]) ON CONFLICT DO NOTHING',
      [this.#templates.map(({ job }) => job), this.#templates.map(({ template }) => template)],
    );
    this.#send(
      this.#hastened.length,
      "UPDATE delivery SET next_at = $2 WHERE id = ANY($1::bigint[]) AND status = 'pending' AND attempts = 0",
      [this.#hastened, this.#now],
    );
    const events = this.#events;
    this.#send(
      events.length,
      `INSERT INTO delivery (id, job, url, event, created_at, next_at)
       SELECT * FROM unnest($1::bigint[], $2::bigint[], $3::text[], $4::text[], $5::bigint[], $6::bigint[])`,
      [
        events.map(({ id }) => id),
        events.map(({ job }) => job),
        events.map(({ url }) => url),
        events.map(({ event }) => event),
        events.map(({ now }) => now),
        events.map(({ dueAt }) => dueAt),
      ],
    );
  }

  #writeJobs(): void {
    const rows = [...this.#changed];
    const columns = columnNames.map((name) =>
      rows.map((row) => (name === 'reasons' ? JSON.stringify(row.reasons) : row[name])),
    );
    this.#send(rows.length, updateJobsSql, [rows.map(({ seq }) => seq), ...columns]);
    const ended = rows.filter(({ status }) => hasEnded(status)).map(({ seq }) => seq);
    this.#send(ended.length, 'DELETE FROM job_headers WHERE job = ANY($1::bigint[])', [ended]);
  }

  /**
   * Locked even where there is nothing to change: whoever gives a host back looks for work under this lock, so that what is
   * queued here is either seen by then, or wakes the host after.
   */
  #wakeHosts(): void {
    const ids = [...this.#hostsToWake].map((host) => this.#hosts.of(host));
    this.#send(
      ids.length,
      'SELECT FROM host_slot WHERE host = ANY($1::bigint[]) AND slot = 0 ORDER BY host FOR NO KEY UPDATE',
      [ids],
    );
    this.#send(
      ids.length,
      `UPDATE host_slot SET ready_at = greatest(next_at, $2)
       WHERE host = ANY($1::bigint[]) AND slot = 0 AND (ready_at IS NULL OR ready_at > greatest(next_at, $2))`,
      [ids, Math.min(this.#wakeAt, this.#now)],
    );
  }

  #unread(jobs: readonly number[]): number[] {
    return [...new Set(jobs)].filter((seq) => !this.#jobs.has(seq)).toSorted((a, b) => a - b);
  }

  #ask<Row>(count: number, text: string, values: readonly Value[]): Promise<Row[]> {
    return count === 0 ? Promise.resolve([]) : this.#tx.query<Row>(text, values);
  }

  #send(count: number, text: string, values: readonly Value[]): void {
    if (count > 0) this.#tx.send(text, values);
  }

  #isHeld(id: number, { hostId, fence }: Held): boolean {
    const entry = this.#entries.get(id);
    return entry?.fence === fence && entry.host === hostId;
  }

  #mustKnow(job: number, key: string): Known {
    const known = this.#known.get(nameOf(job, key));
    if (!known) throw new Error(`job ${job} has no entry ${key}`);
    return known;
  }
}

/** A transaction stores so many events of a job at most: that it has started, its progress, its end. */
const eventsPerJob = 3;

interface LinksOfKind {
  readonly kind: RequestKind;
  readonly links: readonly Link[];
}

function linksOf(outcome: Settlement['outcome']): readonly LinksOfKind[] {
  switch (outcome.kind) {
    case 'scraped':
      return [{ kind: 'page', links: outcome.links }];
    case 'discarded':
      return [{ kind: 'page', links: outcome.links ?? [] }];
    case 'sitemap':
      return [
        { kind: 'page', links: outcome.urls },
        { kind: 'sitemap', links: outcome.sitemaps },
      ];
    case 'retry':
    case 'failed':
      return [];
  }
}

/** The URLs of a job that have to be looked up: those that were not seen of late. */
export function addLinks(
  urls: Keys,
  job: KnownJob,
  kind: RequestKind,
  links: readonly Link[],
  seen: SeenUrls | undefined,
): void {
  for (const link of links) {
    const key = ledgerKey(kind, link);
    if (seen?.has(job.seq, key, followedFrom(link)) === true) continue;
    for (const seq of [job.seq, ...job.earlier]) urls.add(seq, key);
  }
}

function nameOf(job: number, key: string): string {
  return `${job} ${key}`;
}

interface Joined {
  readonly bytes: Uint8Array;
  /** From 1 on, as SQL counts. */
  readonly starts: readonly number[];
  readonly lengths: readonly number[];
}

function joined(parts: readonly Uint8Array[]): Joined {
  let at = 1;
  const lengths = parts.map(({ length }) => length);
  const starts = lengths.map((length) => {
    const start = at;
    at += length;
    return start;
  });
  return { bytes: Buffer.concat(parts), starts, lengths };
}

/** All of them, or the first failure: those behind it only say that the transaction has failed. */
async function allOf<const Promises extends readonly Promise<unknown>[]>(
  promises: Promises,
): Promise<{ -readonly [Index in keyof Promises]: Awaited<Promises[Index]> }> {
  const results = await Promise.allSettled(promises);
  return results.map((result) => {
    if (result.status === 'rejected') throw result.reason;
    return result.value;
  }) as { -readonly [Index in keyof Promises]: Awaited<Promises[Index]> };
}
