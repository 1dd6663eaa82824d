import { controlPriority, lastPriority, movedPriority } from '../../rules/frontier/crawl-tables.ts';
import { type PendingRow, pendingColumns } from '../../rules/frontier/taking.ts';
import { dueJobsSql, jobsPerTake, roomSql } from '../change/ready-sql.ts';
import type { JobRange } from '../../shared/frontier-rows.ts';
import type { Connections, Transaction } from '../connection/connections.ts';
import { nowSql } from '../connection/schema.ts';

/** A leased host of which a lane wants requests. */
export interface Wanted {
  readonly hostId: number;
  /** The job that was served last: the next one has its turn. */
  readonly lastJob: number;
  /** Requests to read of each job at most. */
  readonly room: number;
}

/** What is due on a host. Nothing of it is locked. */
export interface DueWork {
  /** The jobs that this process may work on, in the order of their turns. */
  readonly jobs: readonly number[];
  /** Their first requests, by job. */
  readonly requests: ReadonlyMap<number, readonly DueRequest[]>;
  /** The last of many jobs, none of which this process may work on: the next turn begins after it. */
  readonly passed?: number;
}

export interface DueRequest extends PendingRow {
  readonly job: number;
  readonly priority: number;
}

export interface DueReaderOptions {
  readonly connections: Connections;
  readonly range: () => JobRange;
}

/** Hosts for which one statement asks. */
const hostsPerAsk = 64;
/** Rows whose pause is over that become due with one look at a host. */
const promotedPerHost = 1_000;
/** Rows of ended jobs removed with one look: queued requests of a finished job are closed lazily. */
const leftoversPerLook = 1_000;
const endedJobsPerLook = 4;

interface Due {
  readonly place: number;
  readonly ended: boolean;
  readonly needs_browser: 0 | 1;
}
/** A job with one of its requests, or with none that may be taken now. */
type DueRow = Due & ((Omit<DueRequest, 'id'> & { readonly id: number | null }) | Paused);
/** The host has requests whose pause is over. */
interface Paused {
  readonly job: null;
}

/**
 * The jobs that have something due on a host, starting after the job that was served last, each with its first
 * requests. A job that has all its pages still gives sitemaps.
 */
const dueSql = `
  SELECT u.place, d.job, d.turn, j.finished_at IS NOT NULL AS ended, j.needs_browser, f.priority, ${pendingColumns}
  FROM unnest($1::int[], $2::bigint[], $3::bigint[], $6::int[]) AS u (place, host, last_job, room)
  CROSS JOIN LATERAL (
    SELECT job, 0 AS turn FROM ${dueJobsSql('u.host', 'greatest(u.last_job, $4::bigint - 1)', '$5::bigint')} a
    UNION ALL SELECT job, 1 FROM ${dueJobsSql('u.host', '$4::bigint - 1', 'least(u.last_job, $5::bigint)')} b) d
  JOIN job j ON j.seq = d.job
  LEFT JOIN LATERAL (
    SELECT * FROM frontier f WHERE j.finished_at IS NULL AND f.host = u.host AND f.job = d.job AND f.fence IS NULL AND f.not_before = 0
      AND f.priority BETWEEN CASE WHEN ${roomSql} > 0 THEN ${movedPriority} ELSE ${controlPriority} END
        AND CASE WHEN ${roomSql} > 0 THEN ${lastPriority} ELSE ${controlPriority} END
    ORDER BY f.priority, f.id LIMIT u.room) f ON true
  LEFT JOIN ledger l ON l.job = f.job AND l.id = f.id
  UNION ALL
  SELECT u.place, NULL, 0, false, 0, 0, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL
  FROM unnest($1::int[], $2::bigint[]) AS u (place, host)
  WHERE EXISTS (SELECT FROM frontier WHERE host = u.host AND fence IS NULL AND not_before > 0 AND not_before <= ${nowSql})
  ORDER BY place, turn, job, priority, id`;

// Materialized, here and below, so that it runs once and keeps to its limit: the planner can run a subquery per row.
const promoteSql = `
  WITH due AS MATERIALIZED (
    SELECT f.id FROM unnest($1::bigint[]) AS u (host) CROSS JOIN LATERAL (
      SELECT id FROM frontier WHERE host = u.host AND fence IS NULL AND not_before > 0 AND not_before <= ${nowSql}
      ORDER BY not_before LIMIT ${promotedPerHost} FOR UPDATE SKIP LOCKED) f)
  UPDATE frontier f SET not_before = 0 FROM due WHERE f.id = due.id`;

const removeLeftoversSql = `
  WITH left_over AS MATERIALIZED (
    SELECT id FROM frontier WHERE host = $1 AND job = $2 AND fence IS NULL AND not_before = 0 LIMIT ${leftoversPerLook} FOR UPDATE SKIP LOCKED)
  DELETE FROM frontier f USING left_over WHERE f.id = left_over.id`;

interface Asking {
  readonly wanted: Wanted;
  readonly resolve: (due: DueWork) => void;
  readonly reject: (error: unknown) => void;
}

/**
 * Finds what is due on leased hosts, of jobs that this process may work on. Lanes ask for this much more often than they
 * find something, so what they ask while one statement runs is asked with the next one together.
 */
export class DueReader {
  readonly #options: DueReaderOptions;
  #waiting: Asking[] = [];
  #isAsking = false;

  constructor(options: DueReaderOptions) {
    this.#options = options;
  }

  /** Of one host, outside of a transaction. */
  ask(wanted: Wanted): Promise<DueWork> {
    return new Promise((resolve, reject) => {
      this.#waiting.push({ wanted, resolve, reject });
      if (this.#isAsking) return;
      this.#isAsking = true;
      // Other lanes can ask in the same turn of the event loop.
      setImmediate(() => void this.#askAll());
    });
  }

  /** Of several hosts, in their order. */
  async of(wanted: readonly Wanted[], connections: Pick<Transaction, 'query'>): Promise<readonly DueWork[]> {
    if (wanted.length === 0) return [];
    let rows = await this.#rows(wanted, connections);
    const paused = new Set(rows.flatMap(({ place, job }) => (job === null ? [place] : [])));
    if (paused.size > 0) {
      await connections.query(promoteSql, [[...paused].flatMap((place) => wanted[place]?.hostId ?? [])]);
      rows = await this.#rows(wanted, connections);
    }
    const byPlace = Map.groupBy(rows, ({ place }) => place);
    return Promise.all(wanted.map(({ hostId }, place) => this.#dueOf(hostId, byPlace.get(place) ?? [], connections)));
  }

  async #askAll(): Promise<void> {
    while (this.#waiting.length > 0) {
      const asking = this.#waiting.splice(0, hostsPerAsk);
      try {
        const found = await this.of(
          asking.map(({ wanted }) => wanted),
          this.#options.connections,
        );
        for (const [place, { resolve }] of asking.entries()) resolve(found[place] ?? nothing);
      } catch (error) {
        for (const { reject } of asking) reject(error);
      }
    }
    this.#isAsking = false;
  }

  #rows(wanted: readonly Wanted[], connections: Pick<Transaction, 'query'>): Promise<DueRow[]> {
    const { first, last } = this.#options.range();
    return connections.query<DueRow>(dueSql, [
      wanted.map((_, place) => place),
      wanted.map(({ hostId }) => hostId),
      wanted.map(({ lastJob }) => lastJob),
      first,
      last,
      wanted.map(({ room }) => room),
    ]);
  }

  async #dueOf(hostId: number, rows: readonly DueRow[], connections: Pick<Transaction, 'query'>): Promise<DueWork> {
    const { hasBrowser } = this.#options.range();
    const [all, ended, requests] = [new Set<number>(), new Set<number>(), new Map<number, DueRequest[]>()];
    for (const row of rows) {
      if (row.job === null) continue;
      all.add(row.job);
      if (row.ended) ended.add(row.job);
      if (row.ended || (row.needs_browser === 1 && !hasBrowser)) continue;
      const ofJob = requests.get(row.job) ?? [];
      requests.set(row.job, ofJob);
      const { id } = row;
      if (id !== null) ofJob.push({ ...row, id });
    }
    for (const job of [...ended].slice(0, endedJobsPerLook)) await connections.query(removeLeftoversSql, [hostId, job]);
    const passed = [...all].slice(0, jobsPerTake).at(-1);
    // Many jobs that need a browser must not hide one that does not.
    const hidesOthers = requests.size === 0 && passed !== undefined && all.size >= jobsPerTake;
    return { jobs: [...requests.keys()].slice(0, jobsPerTake), requests, ...(hidesOthers && { passed }) };
  }
}

const nothing: DueWork = { jobs: [], requests: new Map() };
