import type { HostLease } from '../../../core/ports/frontier.ts';
import type { Connections, Transaction } from '../connection/connections.ts';
import { nowSql } from '../connection/schema.ts';
import { dueJobsSql, jobsPerTake } from '../change/ready-sql.ts';

type Held = Pick<HostLease, 'hostId' | 'fence'>;

export interface DueJobsOptions {
  readonly connections: Connections;
  /** False: jobs that need a browser are left out. */
  readonly hasBrowser: () => boolean;
  /** The first and the last job that this process works on. */
  readonly jobRange: () => readonly [number, number];
}

/** Hosts for which one statement asks. */
const hostsPerAsk = 64;
/** Rows whose pause is over that become due with one look at a host. */
const promotedPerHost = 1_000;
/** Rows of ended jobs removed with one look: queued requests of a finished job are closed lazily. */
const leftoversPerLook = 1_000;
const endedJobsPerLook = 4;

interface DueRow {
  readonly place: number;
  /** Null: the host has requests whose pause is over. */
  readonly job: number | null;
  readonly ended: boolean;
  readonly needs_browser: boolean;
}

/** The jobs that have something due on a host, starting after the job that was served last. */
const dueSql = `
  SELECT u.place, d.job, d.turn, j.finished_at IS NOT NULL AS ended, j.needs_browser
  FROM unnest($1::int[], $2::bigint[], $3::bigint[]) AS u (place, host, fence)
  JOIN host_slot s ON s.host = u.host AND s.fence = u.fence AND s.next_at <= ${nowSql}
  CROSS JOIN LATERAL (
    SELECT job, 0 AS turn FROM ${dueJobsSql('u.host', 'greatest(s.last_job, $4::bigint - 1)', '$5::bigint')} a
    UNION ALL SELECT job, 1 FROM ${dueJobsSql('u.host', '$4::bigint - 1', 'least(s.last_job, $5::bigint)')} b) d
  JOIN job j ON j.seq = d.job
  UNION ALL
  SELECT u.place, NULL, 0, false, false FROM unnest($1::int[], $2::bigint[]) AS u (place, host)
  WHERE EXISTS (SELECT FROM frontier WHERE host = u.host AND fence IS NULL AND not_before > 0 AND not_before <= ${nowSql})
  ORDER BY place, turn, job`;

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
  readonly lease: Held;
  readonly resolve: (jobs: readonly number[]) => void;
  readonly reject: (error: unknown) => void;
}

/**
 * Finds the jobs that have something due on leased hosts, and that this process may work on. Lanes ask for this much
 * more often than they find something, so what they ask while one statement runs is asked with the next one together.
 */
export class DueJobs {
  readonly #options: DueJobsOptions;
  #waiting: Asking[] = [];
  #isAsking = false;

  constructor(options: DueJobsOptions) {
    this.#options = options;
  }

  /** Of one host, outside of a transaction. In the order of their turns. */
  ask(lease: Held): Promise<readonly number[]> {
    return new Promise((resolve, reject) => {
      this.#waiting.push({ lease, resolve, reject });
      if (this.#isAsking) return;
      this.#isAsking = true;
      // Other lanes can ask in the same turn of the event loop.
      setImmediate(() => void this.#askAll());
    });
  }

  /** Of several hosts, in their order. */
  async of(leases: readonly Held[], connections: Pick<Transaction, 'query'>): Promise<readonly (readonly number[])[]> {
    if (leases.length === 0) return [];
    let rows = await this.#rows(leases, connections);
    const paused = new Set(rows.flatMap(({ place, job }) => (job === null ? [place] : [])));
    if (paused.size > 0) {
      await connections.query(promoteSql, [[...paused].flatMap((place) => leases[place]?.hostId ?? [])]);
      rows = await this.#rows(leases, connections);
    }
    const byPlace = Map.groupBy(rows, ({ place }) => place);
    return Promise.all(leases.map((lease, place) => this.#jobsOf(lease, byPlace.get(place) ?? [], connections)));
  }

  async #askAll(): Promise<void> {
    while (this.#waiting.length > 0) {
      const asking = this.#waiting.splice(0, hostsPerAsk);
      try {
        const found = await this.of(
          asking.map(({ lease }) => lease),
          this.#options.connections,
        );
        for (const [place, { resolve }] of asking.entries()) resolve(found[place] ?? []);
      } catch (error) {
        for (const { reject } of asking) reject(error);
      }
    }
    this.#isAsking = false;
  }

  #rows(leases: readonly Held[], connections: Pick<Transaction, 'query'>): Promise<DueRow[]> {
    return connections.query<DueRow>(dueSql, [
      leases.map((_, place) => place),
      leases.map(({ hostId }) => hostId),
      leases.map(({ fence }) => fence),
      ...this.#options.jobRange(),
    ]);
  }

  async #jobsOf(
    { hostId, fence }: Held,
    found: readonly DueRow[],
    connections: Pick<Transaction, 'query'>,
  ): Promise<number[]> {
    const rows = found.flatMap(({ job, ended, needs_browser: needs }) => (job === null ? [] : [{ job, ended, needs }]));
    for (const { job } of rows.filter(({ ended }) => ended).slice(0, endedJobsPerLook)) {
      await connections.query(removeLeftoversSql, [hostId, job]);
    }
    const hasBrowser = this.#options.hasBrowser();
    const jobs = rows.flatMap(({ job, ended, needs }) => (ended || (needs && !hasBrowser) ? [] : [job]));
    const looked = rows.slice(0, jobsPerTake).at(-1);
    // Many jobs that need a browser must not hide one that does not.
    if (jobs.length === 0 && looked && rows.length >= jobsPerTake) {
      await connections.query('UPDATE host_slot SET last_job = $3 WHERE host = $1 AND fence = $2', [
        hostId,
        fence,
        looked.job,
      ]);
    }
    return jobs.slice(0, jobsPerTake);
  }
}
