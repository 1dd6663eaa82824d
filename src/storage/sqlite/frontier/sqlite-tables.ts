import { failPoint } from '../../../core/process/fail-point.ts';
import type { ExtractedPage } from '../../../core/ports/reextractions.ts';
import type { BaselinePage } from '../../../core/baseline.ts';
import type { SQLInputValue } from 'node:sqlite';
import type { Fragment, PageRecord, PlacedScreenshot } from '../../../core/page.ts';
import type { Segment, StoredSlice } from '../../../core/ports/blobs.ts';
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
import { addedColumns, addedRow, extractedColumns, extractedRow } from '../../shared/ledger-rows.ts';
import type { Columns, RowOf } from '../../shared/operation.ts';
import { packedChecksum } from '../../rules/pages/checksums.ts';
import { earlierKeys } from '../../rules/jobs/shared-pages.ts';
import { isAliveSql, type NewSegment, segmentColumns } from '../../rules/pages/segment-objects.ts';
import { screenshotChecksum } from '../../rules/pages/screenshots.ts';
import type { Database } from '../file/database.ts';
import type { Hosts } from './hosts.ts';
import { pageId } from '../../rules/jobs/page-id.ts';

/** Each call is a statement; all run inside a transaction of the writer. */
export class SqliteTables implements CrawlTables {
  readonly jobUrlsMax: number;
  readonly #hosts: Hosts;
  /** Hosts of queued URLs. */
  readonly #toWake = new Set<number>();
  /** By job: the jobs that it retries. */
  readonly #earlier = new Map<number, readonly number[]>();
  /** Ids of the segments that this transaction has stored. */
  #segments = new WeakMap<Segment, number>();
  readonly #db: Database;

  constructor(db: Database, hosts: Hosts, jobUrlsMax: number) {
    this.#db = db;
    this.#hosts = hosts;
    this.jobUrlsMax = jobUrlsMax;
  }

  timeOfDay(): number {
    return Date.now();
  }

  entry(id: number): EntryRow | undefined {
    const select = `SELECT id, job, key, kind, url, depth, found_on AS "foundOn", ${earlierColumns} FROM ledger l WHERE id = ?`;
    const row = this.#db.get<Omit<EntryRow, 'earlier'> & BaselineRow>(select, id);
    if (!row) return undefined;
    // Named one by one: a spread of a row of the driver takes V8's slow path, 3 us.
    const { job, key, kind, url, depth, foundOn, lastmod } = row;
    return { id, job, key, kind, url, depth, foundOn, lastmod, earlier: baselinePageOf(row) };
  }

  endTaken(id: number, { hostId, fence }: Held): boolean {
    return this.#db.run(`DELETE FROM frontier WHERE ${isTaken}`, id, hostId, fence).changes > 0;
  }

  postponeTaken(id: number, { hostId, fence }: Held, notBefore: number): boolean {
    return this.#db.run(`UPDATE frontier SET ${back} WHERE ${isTaken}`, notBefore, id, hostId, fence).changes > 0;
  }

  moveTaken(id: number, lease: Held, { job, host, chain, priority, notBefore, wakeAt }: Place): boolean {
    const hostId = this.#hosts.idOf(host);
    const move = `UPDATE frontier SET ${back}, host = ?, chain = ?, priority = ? WHERE ${isTaken}`;
    const { changes } = this.#db.run(move, notBefore, hostId, chain, priority, id, lease.hostId, lease.fence);
    if (changes > 0) {
      // The request itself still counts as in flight.
      this.#hosts.wake(hostId, wakeAt, job, lineOf({ ...job, in_flight: job.in_flight - 1 }));
    }
    return changes > 0;
  }

  removePending(id: number): void {
    this.#db.run('DELETE FROM frontier WHERE id = ?', id);
  }

  endEntry({ id }: Pick<EntryRow, 'id'>, ending: Ending, attempts: 0 | 1): void {
    const { state, reason, detail, page, statusCode, version, change, changeNumber, doubt, cause } = ending;
    const attemptedAt = attempts === 0 ? null : this.timeOfDay();
    const ended = [attempts, attemptedAt, state, reason ?? null, detail ?? null, page ?? null, statusCode ?? null];
    const changed = [change ?? null, changeNumber ?? null];
    if (version) {
      const { hash, copyKey, validator, traits } = version;
      this.#db.run(endPage, ...ended, ...changed, hash, copyKey, validator, traits, cause ?? null, id);
    } else if (change !== undefined)
      this.#db.run(endKept, ...ended, ...changed, doubt?.kind ?? null, doubt?.runs ?? null, id);
    else this.#db.run(end, ...ended, id);
  }

  pageWith(job: number, key: string): KnownPage | undefined {
    const row = this.#db.get<Omit<KnownPage, 'isAwaited'> & { readonly awaited: number }>(findPage, job, key);
    return row && { id: row.id, key: row.key, url: row.url, isAwaited: row.awaited === 1 };
  }

  removePageKey(job: number, key: string, entry: EntryRow): void {
    this.#db.run('DELETE FROM page_key WHERE job = ? AND key = ? AND entry = ?', job, key, entry.id);
  }

  baselineOf(job: number, key: string): BaselinePage | undefined {
    const row = this.#db.get<BaselineRow>(`SELECT ${baselineSql} FROM ledger l WHERE job = ? AND key = ?`, job, key);
    return (row && baselinePageOf(row)) ?? undefined;
  }

  delivered(job: number, key: string): ReturnType<CrawlTables['delivered']> {
    const select = "SELECT hash, traits FROM ledger WHERE job = ? AND key = ? AND state = 'scraped'";
    return this.#db.get(select, job, key);
  }

  addPageKey(job: number, key: string, entry: Pick<EntryRow, 'id'>): void {
    this.#db.run('INSERT INTO page_key (job, key, entry) VALUES (?, ?, ?) ON CONFLICT DO NOTHING', job, key, entry.id);
  }

  addPage(job: number, number: number, page: PageRecord): void {
    const { meta, body, screenshot, placedScreenshot, rawSlice, textOf = null } = page;
    const id = pageId(job, number);
    const add = (table: string, fragment: Fragment): void => {
      const { deflated, crc, length } = fragment;
      this.#db.run(
        `INSERT INTO ${table} ${fragmentValues}`,
        id,
        deflated,
        crc,
        length,
        packedChecksum(number, fragment),
        textOf,
      );
    };
    add('page', meta);
    failPoint('settle.page');
    add('body', body);
    if (screenshot) this.#db.run(addScreenshot, id, screenshot.type, screenshot.bytes, screenshotChecksum(screenshot));
    if (placedScreenshot) this.#addPlaced(id, placedScreenshot);
    if (rawSlice) this.#addRaw(id, rawSlice);
  }

  #addPlaced(id: number, { type, crc, place }: PlacedScreenshot): void {
    failPoint('settle.picture');
    this.#db.run(addScreenshot, id, type, new Uint8Array(), crc);
    this.#addSegment(-id, { bytes: null, length: place.size, place });
  }

  #addRaw(id: number, { segment, at, length, crc }: StoredSlice): void {
    const known = this.#segments.get(segment);
    if (known === undefined) {
      failPoint('settle.raw');
      this.#addSegment(id, segment);
      this.#segments.set(segment, id);
    }
    const add = 'INSERT INTO raw_page (id, segment, at, length, crc) VALUES (?, ?, ?, ?, ?)';
    this.#db.run(add, id, known ?? id, at, length, crc);
  }

  #addSegment(id: number, segment: NewSegment): void {
    const { place } = segment;
    const name = `UPDATE raw_object SET state = 'live' WHERE name = ? AND ${isAliveSql}`;
    if (place && this.#db.run(name, place.object).changes === 0) throw new Error(`object ${place.object} is dead`);
    const add = 'INSERT INTO raw_segment (id, bytes, length, object, object_at, size) VALUES (?, ?, ?, ?, ?, ?)';
    const { bytes, length, object, object_at: at, size } = segmentColumns(segment);
    this.#db.run(add, id, bytes, length, object, at, size);
  }

  addExtracted(job: number, number: number, page: ExtractedPage): void {
    this.#db.run(addExtracted, ...cellsOf(extractedColumns, extractedRow(job, number, page)));
  }

  addEndedTemplate(job: number, template: string): boolean {
    const add = 'INSERT INTO ended_template (job, template) VALUES (?, ?) ON CONFLICT DO NOTHING';
    return this.#db.run(add, job, template).changes > 0;
  }

  known(job: number, key: string): (KnownUrl & { readonly id: number }) | undefined {
    const row = this.#db.get<KnownRow>(findUrl, job, key);
    return row && { ...row, byScript: row.by_script === 1 };
  }

  addUrl(url: NewUrl): boolean {
    const { changes, lastInsertRowid: id } = this.#db.run(addUrl, ...cellsOf(addedColumns, addedRow(url)));
    if (changes === 0) return false;
    if (url.earlier) for (const name of earlierKeys(url.earlier)) this.addPageKey(url.job, name, { id });
    if (!url.discard) this.#toFrontier(id, url);
    return true;
  }

  bringNearer(job: number, key: string, { depth, selfFed = false, byScript = false }: Finding): void {
    const id = this.#idOf(job, key);
    const bring = 'UPDATE ledger SET depth = ?, self_fed = ?, by_script = ? WHERE id = ?';
    this.#db.run(bring, depth, Number(selfFed), Number(byScript), id);
    this.#db.run('UPDATE frontier SET priority = ? WHERE id = ? AND chain IS NULL', depth, id);
  }

  reopen(job: number, key: string, url: Pick<NewUrl, 'depth' | 'selfFed' | 'byScript' | 'foundOn' | 'host'>): void {
    const id = this.#idOf(job, key);
    this.#db.run(reopen, url.depth, Number(url.selfFed ?? false), Number(url.byScript ?? false), url.foundOn, id);
    this.#toFrontier(id, { ...url, job, kind: 'page' });
  }

  /** The first page of a job that is queued or in flight. */
  leftOf(job: number): string | undefined {
    return this.#db.get<{ readonly url: string }>(findLeft, job)?.url;
  }

  setLastmod(job: number, key: string, lastmod: string): void {
    this.#db.run('UPDATE ledger SET lastmod = ? WHERE job = ? AND key = ?', lastmod, job, key);
  }

  wakeHosts(job: JobRow, at: number): void {
    let isFirst = true;
    for (const host of this.#toWake) {
      this.#hosts.wake(host, at, job, lineOf(job, isFirst));
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
      const row: Pick<JobRow, 'seq' | 'retry_of'> | undefined = this.#db.get(
        'SELECT seq, retry_of FROM job WHERE id = ?',
        id,
      );
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

  #toFrontier(id: number, url: Pick<NewUrl, 'job' | 'kind' | 'depth' | 'host'>): void {
    const host = this.#hosts.idOf(url.host);
    const queue = 'INSERT INTO frontier (id, host, job, priority) VALUES (?, ?, ?, ?)';
    this.#db.run(queue, id, host, url.job, priorityOf(url));
    this.#toWake.add(host);
  }

  #idOf(job: number, key: string): number {
    const known = this.known(job, key);
    if (!known) throw new Error(`job ${job} has no entry ${key}`);
    return known.id;
  }
}

type KnownRow = Omit<KnownUrl, 'byScript'> & { readonly id: number; readonly by_script: number };

const isTaken = 'id = ? AND host = ? AND fence = ?';
const back = 'fence = NULL, not_before = ?, deaths = 0, alone = 0';
const ended =
  'attempts = attempts + ?, attempted_at = coalesce(?, attempted_at), state = ?, reason = ?, detail = ?, page = ?, status_code = ?';
const end = `UPDATE ledger SET ${ended} WHERE id = ?`;
const endPage = `UPDATE ledger SET ${ended}, change = ?, change_number = ?, earlier_hash = CASE WHEN text_of IS NULL THEN NULL ELSE hash END,
  hash = ?, copy_key = ?, validator = ?, traits = ?, doubt = coalesce(?, doubt) WHERE id = ?`;
const endKept = `UPDATE ledger SET ${ended}, change = ?, change_number = ?, doubt = ?, doubt_runs = ? WHERE id = ?`;
const findPage = `SELECT l.id, l.key, l.url, l.text_of IS NOT NULL AND l.state = 'queued' AS awaited
  FROM page_key k JOIN ledger l ON l.id = k.entry WHERE k.job = ? AND k.key = ?`;
const fragmentValues = '(id, deflated, crc, length, packed_crc, text_of) VALUES (?, ?, ?, ?, ?, ?)';
const addScreenshot = 'INSERT INTO screenshot (id, type, bytes, crc) VALUES (?, ?, ?, ?)';
const addUrl = `${insertOf('ledger', addedColumns)} ON CONFLICT DO NOTHING`;
const addExtracted = insertOf('ledger', extractedColumns);
const findUrl =
  'SELECT id, state, reason, detail, depth + self_fed * 0.5 AS rank, by_script, attempts FROM ledger WHERE job = ? AND key = ?';
const reopen = `UPDATE ledger SET state = 'queued', reason = NULL, detail = NULL, depth = ?, self_fed = ?, by_script = ?, found_on = ?,
  attempts = 0, attempted_at = NULL WHERE id = ?`;
const findLeft =
  "SELECT url FROM ledger INDEXED BY ledger_in_order WHERE job = ? AND state = 'queued' AND kind = 'page' ORDER BY id LIMIT 1";

function insertOf(table: string, columns: Columns): string {
  const names = Object.keys(columns);
  return `INSERT INTO ${table} (${names.join(', ')}) VALUES (${names.map(() => '?').join(', ')})`;
}

function cellsOf<Of extends Columns>(columns: Of, row: RowOf<Of>): readonly SQLInputValue[] {
  return Object.keys(columns).map((name) => (row as Readonly<Record<string, SQLInputValue>>)[name] ?? null);
}
