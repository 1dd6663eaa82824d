import { monotonicNow } from '../../../core/process/monotonic-time.ts';
import { type HostQuery, type HostSlice, jobsOfHostMax } from '../../../core/ports/stores.ts';
import { hasRequests, hostsLookedAt, jobsLookedAt, sliceOfHosts } from '../../rules/jobs/host-lists.ts';
import type { Database, Statement } from '../file/database.ts';

interface HostRow {
  readonly id: number;
  readonly name: string;
  readonly leased: number;
  readonly ready_at: number | null;
  readonly delay_ms: number;
}

/** Reads of hosts for the owners of jobs. */
export class HostReads {
  readonly #db: Database;
  readonly #jobs: Statement<[{ org: string; job: string | null; max: number }], { seq: number; id: string }>;
  readonly #hosts: Statement<[number, number], HostRow>;
  readonly #has: Statement<[{ host: number; job: number }], { has: number }>;

  constructor(db: Database) {
    this.#db = db;
    this.#jobs = db.prepare(
      'SELECT seq, id FROM job WHERE org = @org AND finished_at IS NULL AND stopped_at IS NULL AND (@job IS NULL OR id = @job) ORDER BY id LIMIT @max',
    );
    this.#hosts = db.prepare('SELECT id, name, leased, ready_at, delay_ms FROM host WHERE id > ? ORDER BY id LIMIT ?');
    this.#has = db.prepare(`SELECT (${hasRequests('@host', '@job')}) AS has`);
  }

  list(org: string, query: HostQuery): HostSlice {
    return this.#db.transaction('deferred', () => {
      const { after, q = '', jobId = null } = query;
      const jobs = this.#jobs.all({ org, job: jobId, max: jobsLookedAt });
      if (jobs.length === 0) return { hosts: [] };
      const max = hostsLookedAt(jobs.length);
      const rows = this.#hosts.all(after, max);
      const now = monotonicNow();
      const found = rows
        .filter(({ name }) => name.includes(q.toLowerCase()))
        .map(({ id, name, leased, ready_at: readyAt, delay_ms: delayMs }) => ({
          id,
          host: {
            host: name,
            jobs: this.#jobsOf(id, jobs),
            isLeased: leased === 1,
            delayMs,
            waitMs: readyAt === null ? 0 : Math.max(0, Math.ceil(readyAt - now)),
          },
        }))
        .filter(({ host }) => host.jobs.length > 0);
      return sliceOfHosts(query, { hosts: rows.length, max, last: rows.at(-1)?.id ?? after }, found);
    });
  }

  #jobsOf(host: number, jobs: readonly { readonly seq: number; readonly id: string }[]): readonly string[] {
    const ids: string[] = [];
    for (const { seq, id } of jobs) {
      if (ids.length === jobsOfHostMax) break;
      if (this.#has.get({ host, job: seq })?.has === 1) ids.push(id);
    }
    return ids;
  }
}
