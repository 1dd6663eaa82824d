import { failPoint } from '../../../core/process/fail-point.ts';
import type { ExtractedPage } from '../../../core/ports/reextractions.ts';
import type { BaselinePage } from '../../../core/baseline.ts';
import type { PageRecord, PlacedScreenshot } from '../../../core/page.ts';
import type { Segment, SegmentPlace, StoredSlice } from '../../../core/ports/blobs.ts';
import type { Finding } from '../../../core/request.ts';
import {
  type CrawlTables,
  type Ending,
  type EntryRow,
  type Held,
  type KnownPage,
  type KnownUrl,
  type NewUrl,
  type Place,
  priorityOf,
} from '../../rules/frontier/crawl-tables.ts';
import type { JobRow } from '../../rules/jobs/job-row.ts';
import { lineOf } from '../../rules/frontier/lease-turns.ts';
import { earlierJobsMax } from '../../rules/frontier/ledger.ts';
import { baselinePageOf, baselineSql, type BaselineRow, earlierColumns } from '../../rules/jobs/baseline-rows.ts';
import { packedChecksum } from '../../rules/pages/checksums.ts';
import { earlierKeys } from '../../rules/jobs/shared-pages.ts';
import { isAliveSql } from '../../rules/pages/segment-objects.ts';
import { screenshotChecksum } from '../../rules/pages/screenshots.ts';
import type { Database, Statement } from '../file/database.ts';
import type { Hosts } from './hosts.ts';
import { pageId } from '../../rules/jobs/page-id.ts';

type Nullable = string | number | null;
type StoredEntry = Omit<EntryRow, 'earlier'> & BaselineRow;
type KnownRow = Omit<KnownUrl, 'byScript'> & { readonly id: number; readonly by_script: number };

/** Each call is a statement; all run inside a transaction of the writer. */
export class SqliteTables implements CrawlTables {
  readonly jobUrlsMax: number;
  readonly #hosts: Hosts;
  /** Hosts of queued URLs. */
  readonly #toWake = new Set<number>();
  /** By job: the jobs that it retries. */
  readonly #earlier = new Map<number, readonly number[]>();
  readonly #entry: Statement<[number], StoredEntry>;
  readonly #remove: Statement<[number, number, number]>;
  readonly #removePending: Statement<[number]>;
  readonly #postpone: Statement<[number, number, number, number]>;
  readonly #move: Statement<Nullable[]>;
  readonly #end: Statement<Nullable[]>;
  readonly #endPage: Statement<Nullable[]>;
  readonly #endKept: Statement<Nullable[]>;
  readonly #baseline: Statement<[number, string], BaselineRow>;
  readonly #removePageKey: Statement<[number, string, number]>;
  readonly #pageKey: Statement<[number, string], { url: string; awaited: number }>;
  readonly #addPageKey: Statement<[number, string, number]>;
  readonly #addPage: Statement<[number, Uint8Array, number, number, number, number | null]>;
  readonly #addBody: Statement<[number, Uint8Array, number, number, number, number | null]>;
  readonly #addScreenshot: Statement<[number, string, Uint8Array, number]>;
  readonly #addRawPage: Statement<[number, number, number, number, number]>;
  readonly #addSegment: Statement<(number | string | Uint8Array | null)[]>;
  readonly #nameObject: Statement<[string]>;
  /** Ids of the segments that this transaction has stored. */
  #segments = new WeakMap<Segment, number>();
  readonly #addEndedTemplate: Statement<[number, string]>;
  readonly #addExtracted: Statement<Nullable[]>;
  readonly #insert: Statement<Nullable[]>;
  readonly #queue: Statement<[number | bigint, number, number, number]>;
  readonly #known: Statement<[number, string], KnownRow>;
  readonly #bringNearer: Statement<[number, number, number, number]>;
  readonly #queueNearer: Statement<[number, number]>;
  readonly #reopen: Statement<[number, number, number, number | null, number]>;
  readonly #left: Statement<[number], { url: string }>;
  readonly #setLastmod: Statement<[string, number, string]>;
  readonly #jobById: Statement<[string], { seq: number; retry_of: string | null }>;

  constructor(db: Database, hosts: Hosts, jobUrlsMax: number) {
    this.#hosts = hosts;
    this.jobUrlsMax = jobUrlsMax;
    this.#entry = db.prepare(`SELECT id, job, key, kind, url, depth, ${earlierColumns} FROM ledger l WHERE id = ?`);
    this.#remove = db.prepare('DELETE FROM frontier WHERE id = ? AND host = ? AND fence = ?');
    this.#removePending = db.prepare('DELETE FROM frontier WHERE id = ?');
    this.#postpone = db.prepare(
      'UPDATE frontier SET fence = NULL, not_before = ?, deaths = 0, alone = 0 WHERE id = ? AND host = ? AND fence = ?',
    );
    this.#move = db.prepare(`
      UPDATE frontier SET fence = NULL, not_before = ?, deaths = 0, alone = 0, host = ?, chain = ?, priority = ?
      WHERE id = ? AND host = ? AND fence = ?`);
    const ended =
      'attempts = attempts + ?, attempted_at = coalesce(?, attempted_at), state = ?, reason = ?, detail = ?, page = ?, status_code = ?';
    this.#end = db.prepare(`UPDATE ledger SET ${ended} WHERE id = ?`);
    this.#endPage = db.prepare(
      `UPDATE ledger SET ${ended}, change = ?, change_number = ?, earlier_hash = CASE WHEN text_of IS NULL THEN NULL ELSE hash END, hash = ?, copy_key = ?, validator = ?, traits = ? WHERE id = ?`,
    );
    this.#endKept = db.prepare(
      `UPDATE ledger SET ${ended}, change = ?, change_number = ?, doubt = ?, doubt_runs = ? WHERE id = ?`,
    );
    this.#baseline = db.prepare(`SELECT ${baselineSql} FROM ledger l WHERE job = ? AND key = ?`);
    this.#removePageKey = db.prepare('DELETE FROM page_key WHERE job = ? AND key = ? AND entry = ?');
    this.#pageKey = db.prepare(
      "SELECT l.url, l.text_of IS NOT NULL AND l.state = 'queued' AS awaited FROM page_key k JOIN ledger l ON l.id = k.entry WHERE k.job = ? AND k.key = ?",
    );
    this.#addPageKey = db.prepare('INSERT INTO page_key (job, key, entry) VALUES (?, ?, ?) ON CONFLICT DO NOTHING');
    this.#addPage = db.prepare(
      'INSERT INTO page (id, deflated, crc, length, packed_crc, text_of) VALUES (?, ?, ?, ?, ?, ?)',
    );
    this.#addBody = db.prepare(
      'INSERT INTO body (id, deflated, crc, length, packed_crc, text_of) VALUES (?, ?, ?, ?, ?, ?)',
    );
    this.#addScreenshot = db.prepare('INSERT INTO screenshot (id, type, bytes, crc) VALUES (?, ?, ?, ?)');
    this.#addRawPage = db.prepare('INSERT INTO raw_page (id, segment, at, length, crc) VALUES (?, ?, ?, ?, ?)');
    this.#addSegment = db.prepare(
      'INSERT INTO raw_segment (id, bytes, length, object, object_at, size) VALUES (?, ?, ?, ?, ?, ?)',
    );
    this.#nameObject = db.prepare(`UPDATE raw_object SET state = 'live' WHERE name = ? AND ${isAliveSql}`);
    this.#addEndedTemplate = db.prepare(
      'INSERT INTO ended_template (job, template) VALUES (?, ?) ON CONFLICT DO NOTHING',
    );
    this.#insert = db.prepare(`
      INSERT INTO ledger (job, key, kind, url, depth, self_fed, by_script, found_on, state, reason, detail, lastmod, text_of, hash, copy_key, validator, traits, doubt, doubt_runs, asked_at, asked_lastmod)
      VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
      ON CONFLICT DO NOTHING`);
    this.#addExtracted = db.prepare(`
      INSERT INTO ledger (job, key, kind, url, depth, state, reason, detail, page, status_code)
      VALUES (?, ?, 'page', ?, ?, 'scraped', ?, ?, ?, ?)`);
    this.#queue = db.prepare('INSERT INTO frontier (id, host, job, priority) VALUES (?, ?, ?, ?)');
    this.#known = db.prepare(
      'SELECT id, state, reason, detail, depth + self_fed * 0.5 AS rank, by_script, attempts FROM ledger WHERE job = ? AND key = ?',
    );
    this.#bringNearer = db.prepare('UPDATE ledger SET depth = ?, self_fed = ?, by_script = ? WHERE id = ?');
    this.#queueNearer = db.prepare('UPDATE frontier SET priority = ? WHERE id = ? AND chain IS NULL');
    this.#reopen = db.prepare(
      "UPDATE ledger SET state = 'queued', reason = NULL, detail = NULL, depth = ?, self_fed = ?, by_script = ?, found_on = ?, attempts = 0, attempted_at = NULL WHERE id = ?",
    );
    this.#left = db.prepare(
      "SELECT url FROM ledger INDEXED BY ledger_in_order WHERE job = ? AND state = 'queued' AND kind = 'page' ORDER BY id LIMIT 1",
    );
    this.#setLastmod = db.prepare('UPDATE ledger SET lastmod = ? WHERE job = ? AND key = ?');
    this.#jobById = db.prepare('SELECT seq, retry_of FROM job WHERE id = ?');
  }

  timeOfDay(): number {
    return Date.now();
  }

  entry(id: number): EntryRow | undefined {
    const row = this.#entry.get(id);
    if (!row) return undefined;
    // Named one by one: a spread of a row of the driver takes V8's slow path, 3 us.
    const { job, key, kind, url, depth, lastmod } = row;
    return { id, job, key, kind, url, depth, lastmod, earlier: baselinePageOf(row) };
  }

  endTaken(id: number, lease: Held): boolean {
    return this.#remove.run(id, lease.hostId, lease.fence).changes > 0;
  }

  postponeTaken(id: number, lease: Held, notBefore: number): boolean {
    return this.#postpone.run(notBefore, id, lease.hostId, lease.fence).changes > 0;
  }

  moveTaken(id: number, lease: Held, { job, host, chain, priority, notBefore, wakeAt }: Place): boolean {
    const hostId = this.#hosts.idOf(host);
    const { changes } = this.#move.run(notBefore, hostId, chain, priority, id, lease.hostId, lease.fence);
    if (changes > 0) {
      // The request itself still counts as in flight.
      const line = lineOf({ ...job, in_flight: job.in_flight - 1 });
      this.#hosts.wake(hostId, wakeAt, { line, queued: job.queued });
    }
    return changes > 0;
  }

  removePending(id: number): void {
    this.#removePending.run(id);
  }

  endEntry({ id }: EntryRow, ending: Ending, attempts: 0 | 1): void {
    const { state, reason, detail, page, statusCode, version, change, changeNumber, doubt } = ending;
    const attemptedAt = attempts === 0 ? null : this.timeOfDay();
    const ended = [attempts, attemptedAt, state, reason ?? null, detail ?? null, page ?? null, statusCode ?? null];
    const changed = [change ?? null, changeNumber ?? null];
    if (version) {
      const { hash, copyKey = null, validator = null, traits = null } = version;
      this.#endPage.run(...ended, ...changed, hash, copyKey, validator, traits, id);
    } else if (change !== undefined)
      this.#endKept.run(...ended, ...changed, doubt?.kind ?? null, doubt?.runs ?? null, id);
    else this.#end.run(...ended, id);
  }

  pageWith(job: number, key: string): KnownPage | undefined {
    const row = this.#pageKey.get(job, key);
    return row && { url: row.url, isAwaited: row.awaited === 1 };
  }

  removePageKey(job: number, key: string, entry: EntryRow): void {
    this.#removePageKey.run(job, key, entry.id);
  }

  baselineOf(job: number, key: string): BaselinePage | undefined {
    const row = this.#baseline.get(job, key);
    return (row && baselinePageOf(row)) ?? undefined;
  }

  addPageKey(job: number, key: string, entry: EntryRow): void {
    this.#addPageKey.run(job, key, entry.id);
  }

  addPage(job: number, number: number, page: PageRecord): void {
    const { meta, body, screenshot, placedScreenshot, rawSlice, textOf } = page;
    const id = pageId(job, number);
    this.#addPage.run(id, meta.deflated, meta.crc, meta.length, packedChecksum(number, meta), textOf ?? null);
    failPoint('settle.page');
    this.#addBody.run(id, body.deflated, body.crc, body.length, packedChecksum(number, body), textOf ?? null);
    if (screenshot) this.#addScreenshot.run(id, screenshot.type, screenshot.bytes, screenshotChecksum(screenshot));
    if (placedScreenshot) this.#addPlaced(id, placedScreenshot);
    if (rawSlice) this.#addRaw(id, rawSlice);
  }

  #addPlaced(id: number, { type, crc, place }: PlacedScreenshot): void {
    this.#name(place);
    failPoint('settle.picture');
    this.#addScreenshot.run(id, type, new Uint8Array(), crc);
    this.#addSegment.run(-id, null, place.size, place.object, place.at, place.size);
  }

  #name({ object }: SegmentPlace): void {
    if (this.#nameObject.run(object).changes === 0) throw new Error(`object ${object} is dead`);
  }

  #addRaw(id: number, { segment, at, length, crc }: StoredSlice): void {
    const known = this.#segments.get(segment);
    if (known === undefined) {
      failPoint('settle.raw');
      const { bytes, length, place } = segment;
      if (place) this.#name(place);
      this.#addSegment.run(
        id,
        place ? null : bytes,
        length,
        place?.object ?? null,
        place?.at ?? null,
        place?.size ?? null,
      );
      this.#segments.set(segment, id);
    }
    this.#addRawPage.run(id, known ?? id, at, length, crc);
  }

  addExtracted(job: number, number: number, { url, key, depth, page, problem }: ExtractedPage): void {
    const reason = problem === undefined ? null : 'no_raw';
    this.#addExtracted.run(job, key, url, depth, reason, problem ?? null, number, page.statusCode);
  }

  addEndedTemplate(job: number, template: string): boolean {
    return this.#addEndedTemplate.run(job, template).changes > 0;
  }

  known(job: number, key: string): KnownUrl | undefined {
    const row = this.#known.get(job, key);
    return row && { ...row, byScript: row.by_script === 1 };
  }

  addUrl(url: NewUrl): boolean {
    const { job, key, kind, depth, selfFed, byScript, foundOn, discard, lastmod, earlier } = url;
    const { changes, lastInsertRowid } = this.#insert.run(
      job,
      key,
      kind,
      url.url,
      depth,
      Number(selfFed ?? false),
      Number(byScript ?? false),
      foundOn,
      discard ? 'outside' : 'queued',
      discard?.reason ?? null,
      discard?.detail ?? null,
      lastmod ?? null,
      earlier?.textOf ?? null,
      earlier?.hash ?? null,
      earlier?.copyKey ?? null,
      earlier?.validator ?? null,
      earlier?.traits ?? null,
      earlier?.doubt?.kind ?? null,
      earlier?.doubt?.runs ?? null,
      earlier?.asked?.at ?? null,
      earlier?.asked?.lastmod ?? null,
    );
    if (changes === 0) return false;
    if (earlier) for (const name of earlierKeys(earlier)) this.#addPageKey.run(job, name, lastInsertRowid);
    if (!discard) this.#toFrontier(lastInsertRowid, url);
    return true;
  }

  bringNearer(job: number, key: string, { depth, selfFed = false, byScript = false }: Finding): void {
    const { id } = this.#idOf(job, key);
    this.#bringNearer.run(depth, Number(selfFed), Number(byScript), id);
    this.#queueNearer.run(depth, id);
  }

  reopen(job: number, key: string, url: Pick<NewUrl, 'depth' | 'selfFed' | 'byScript' | 'foundOn' | 'host'>): void {
    const { id } = this.#idOf(job, key);
    this.#reopen.run(url.depth, Number(url.selfFed ?? false), Number(url.byScript ?? false), url.foundOn, id);
    this.#toFrontier(id, { ...url, job, kind: 'page' });
  }

  /** The first page of a job that is queued or in flight. */
  leftOf(job: number): string | undefined {
    return this.#left.get(job)?.url;
  }

  setLastmod(job: number, key: string, lastmod: string): void {
    this.#setLastmod.run(lastmod, job, key);
  }

  wakeHosts(job: JobRow, at: number): void {
    let isFirst = true;
    for (const host of this.#toWake) {
      this.#hosts.wake(host, at, { line: lineOf(job, isFirst), queued: job.queued });
      isFirst = false;
    }
    this.#toWake.clear();
  }

  earlierJobs(job: JobRow): readonly number[] {
    if (job.retry_of === null) return [];
    const known = this.#earlier.get(job.seq);
    if (known) return known;
    const jobs: number[] = [];
    for (let id: string | null = job.retry_of; id !== null && jobs.length < earlierJobsMax;) {
      const row = this.#jobById.get(id);
      if (row) jobs.push(row.seq);
      id = row?.retry_of ?? null;
    }
    if (this.#earlier.size >= 1_000) this.#earlier.clear();
    this.#earlier.set(job.seq, jobs);
    return jobs;
  }

  /** Call after a rollback: the memory can hold changes that were not committed. */
  forget(): void {
    this.#toWake.clear();
    this.#earlier.clear();
    this.#segments = new WeakMap();
  }

  #toFrontier(id: number | bigint, url: Pick<NewUrl, 'job' | 'kind' | 'depth' | 'host'>): void {
    const host = this.#hosts.idOf(url.host);
    this.#queue.run(id, host, url.job, priorityOf(url));
    this.#toWake.add(host);
  }

  #idOf(job: number, key: string): { readonly id: number } {
    const known = this.#known.get(job, key);
    if (!known) throw new Error(`job ${job} has no entry ${key}`);
    return known;
  }
}
