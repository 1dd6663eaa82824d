// Reads for those who watch a crawl, and for the owners of its jobs.
import { hasEnded, type JobStatus } from '../../core/job.ts';
import type { CrawlStatus, PendingHost } from '../../core/ports/crawl-status.ts';
import {
  hostPairsMax,
  type HostQuery,
  type HostSlice,
  type JobStore,
  jobsOfHostMax,
  type WaitingHost,
} from '../../core/ports/stores.ts';
import { monotonicNow } from '../../core/process/monotonic-time.ts';
import {
  counterColumns,
  type CounterRow,
  countersOf,
  sampleColumns,
  sampleOf,
  type SampleRow,
} from '../rules/jobs/job-counters.ts';
import { openOf, openOfAll, sumOf, waitingAndOpen } from '../rules/jobs/requested-now.ts';
import { all, one, openHere, type OperationsOf } from './operation.ts';
import { either, elsewhere, elsewhereOfJob, frontierClock, isIn, joined, raw, sql } from './sql.ts';

const hostsMax = 1_000;
const atWork = raw('finished_at IS NULL AND stopped_at IS NULL');
const elsewhereOfAll = elsewhere(raw('(SELECT sum(pages::int) FROM jsonb_each_text(w.open_pages) AS e (id, pages))'));

/** The lease `s` of the host `h`. */
const leaseOf = either(raw('JOIN host s ON s.id = h.id'), raw('JOIN host_slot s ON s.host = h.id'));
const isLeased = either(raw('s.leased'), raw('CASE WHEN s.owner IS NULL THEN 0 ELSE 1 END'));
const freeHosts = either(raw('host WHERE leased = 0'), raw('host_slot WHERE owner IS NULL'));
const linesOfHosts = [either(raw('in_line = 1'), raw('in_line')), either(raw('in_line = 0'), raw('NOT in_line'))];

/** SQL: all requests of the frontier `f`, one part for each partial index. */
const partsOfFrontier = [
  'f.fence IS NULL AND f.not_before = 0',
  'f.fence IS NULL AND f.not_before > 0',
  'f.fence IS NULL AND f.not_before < 0',
  'f.fence IS NOT NULL',
];

export const crawlStatus: OperationsOf<CrawlStatus> = {
  load: {
    kind: 'snapshot',
    *steps() {
      const rows = yield* all<LoadRow>(
        sql`SELECT status, count(*) AS jobs, CAST(sum(queued) AS bigint) AS queued, CAST(sum(in_flight) AS bigint) AS in_flight,
          ${elsewhereOfAll} AS elsewhere FROM job WHERE ${atWork} GROUP BY status`,
      );
      const longest = linesOfHosts.map(
        (line) =>
          sql`SELECT * FROM (SELECT ready_at FROM ${freeHosts} AND ${line} AND ready_at <= ${frontierClock} ORDER BY ready_at LIMIT 1) line`,
      );
      const due = yield* one<{ readonly for_ms: number | null }>(
        sql`SELECT max(${frontierClock} - ready_at) AS for_ms FROM (${joined(' UNION ALL ', longest)}) due`,
      );
      // The index holds only these rows.
      const outbox = yield* one<{ readonly pending: number }>(
        sql`SELECT count(*) AS pending FROM work WHERE kind = 'webhook' AND status = 'pending'`,
      );
      const of = (status: JobStatus): number => rows.find((row) => row.status === status)?.jobs ?? 0;
      const forMs = due?.for_ms ?? null;
      return {
        starting: of('starting'),
        running: of('running'),
        ...waitingAndOpen(sumOf(rows), openOfAll(yield* openHere(), rows[0]?.elsewhere ?? null)),
        dueSince: forMs === null ? null : monotonicNow() - forMs,
        deliveries: outbox?.pending ?? 0,
      };
    },
  },
  unfinished: {
    kind: 'read',
    *steps(max: number) {
      const rows = yield* all<CounterRow>(
        sql`SELECT ${raw(counterColumns)} FROM job WHERE ${atWork} ORDER BY seq LIMIT ${max}`,
      );
      return rows.map(countersOf);
    },
  },
  sample: {
    kind: 'read',
    *steps(jobIds: readonly string[]) {
      const rows = yield* all<SampleRow & { readonly elsewhere: number | null }>(
        sql`SELECT ${raw(sampleColumns)}, ${elsewhereOfJob} AS elsewhere FROM job WHERE id ${isIn(jobIds)}`,
      );
      const here = yield* openHere();
      return rows.map((row) => sampleOf(row, openOf(here, row.id, row.elsewhere)));
    },
  },
  pending: {
    kind: 'snapshot',
    *steps(jobId: string) {
      const row = yield* one<CounterRow>(sql`SELECT ${raw(counterColumns)} FROM job WHERE id = ${jobId}`);
      if (!row || hasEnded(row.status)) return undefined;
      // PostgreSQL 18 skips from host to host in the first index, which has nearly all of them. PostgreSQL 17 and before scan
      // that index, but not the table. SQLite goes host by host, which is the order of the frontier.
      const requests = partsOfFrontier.map(
        (part) =>
          sql`SELECT f.host FROM ${either(raw('host h CROSS JOIN frontier f'), raw('frontier f'))}
            WHERE ${either(raw('f.host = h.id AND'), raw(''))} f.job = ${row.seq} AND ${raw(part)}`,
      );
      const rows = yield* all<PendingRow>(
        sql`SELECT h.name AS host, ${isLeased} AS leased, s.fence, s.ready_at - ${frontierClock} AS wait, r.requests
          FROM (SELECT host, count(*) AS requests FROM (${joined(' UNION ALL ', requests)}) f GROUP BY host) r
          JOIN host h ON h.id = r.host ${leaseOf}`,
      );
      const now = monotonicNow();
      const hosts = rows.slice(0, hostsMax).map(({ host, requests, leased, fence, wait }): PendingHost => ({
        host,
        requests,
        fence,
        isLeased: leased === 1,
        readyAt: wait === null ? null : now + wait,
      }));
      return { counters: countersOf(row), hosts, requests: rows.reduce((sum, host) => sum + host.requests, 0) };
    },
  },
};

interface LoadRow {
  readonly status: JobStatus;
  readonly jobs: number;
  readonly queued: number;
  readonly in_flight: number;
  readonly elsewhere: number | null;
}

interface PendingRow extends Pick<PendingHost, 'host' | 'fence' | 'requests'> {
  readonly leased: 0 | 1;
  readonly wait: number | null;
}

/** Unfinished jobs of an org that are looked at. */
const jobsLookedAt = 1_000;
const hostsMin = 40;

export const hostLists: OperationsOf<Pick<JobStore, 'hosts'>> = {
  hosts: {
    kind: 'snapshot',
    isLong: true,
    *steps(org: string, query: HostQuery) {
      const { after, q = '', jobId } = query;
      const isWanted = jobId === undefined ? raw('TRUE') : sql`id = ${jobId}`;
      const jobs = yield* all<{ readonly seq: number }>(
        sql`SELECT seq FROM job WHERE org = ${org} AND ${atWork} AND ${isWanted} ORDER BY id LIMIT ${jobsLookedAt}`,
      );
      if (jobs.length === 0) return { hosts: [] };
      const max = hostsLookedAt(jobs.length);
      const looked = yield* all<HostRow>(
        sql`SELECT h.id, h.name, h.delay_ms, ${isLeased} AS leased, s.ready_at - ${frontierClock} AS wait
          FROM (SELECT id, name, delay_ms FROM host WHERE id > ${after} ORDER BY id LIMIT ${max}) h ${leaseOf} ORDER BY h.id`,
      );
      const named = looked.filter(({ name }) => name.includes(q.toLowerCase()));
      const ofHost = sql`SELECT j.id FROM job j WHERE j.seq ${isIn(jobs.map(({ seq }) => seq))} AND (${raw(hasRequests('h.id', 'j.seq'))}) LIMIT ${jobsOfHostMax}`;
      const ids = either(raw("group_concat(id, ' ')"), raw("string_agg(id, ' ')"));
      const found = yield* all<{ readonly id: number; readonly jobs: string | null }>(
        sql`SELECT h.id, (SELECT ${ids} FROM (${ofHost}) j) AS jobs FROM host h WHERE h.id ${isIn(named.map(({ id }) => id))}`,
      );
      const jobsOf = new Map(found.map((row) => [row.id, row.jobs]));
      const hosts = named.flatMap(({ id, name, leased, delay_ms: delayMs, wait }) => {
        const has = jobsOf.get(id)?.split(' ').toSorted();
        if (!has) return [];
        const waitMs = Math.max(0, Math.ceil(wait ?? 0));
        return [{ id, host: { host: name, jobs: has, isLeased: leased === 1, delayMs, waitMs } }];
      });
      return sliceOfHosts(query, { hosts: looked.length, max, last: looked.at(-1)?.id ?? after }, hosts);
    },
  },
};

interface HostRow {
  readonly id: number;
  readonly name: string;
  readonly delay_ms: number;
  readonly leased: 0 | 1;
  readonly wait: number | null;
}

/** Hosts that one read looks at, if it compares each with this many jobs. */
function hostsLookedAt(jobs: number): number {
  return Math.max(hostsMin, Math.floor(hostPairsMax / Math.max(1, jobs)));
}

/** SQL: the job has requests of the host. */
function hasRequests(host: string, job: string): string {
  return partsOfFrontier
    .map((part) => `EXISTS (SELECT 1 FROM frontier f WHERE f.host = ${host} AND f.job = ${job} AND ${part})`)
    .join(' OR ');
}

/** `read`: how many hosts were looked at, and the last of them. `found`: those with jobs, in order. */
function sliceOfHosts(
  { limit }: HostQuery,
  read: { readonly hosts: number; readonly max: number; readonly last: number },
  found: readonly { readonly id: number; readonly host: WaitingHost }[],
): HostSlice {
  const some = found.slice(0, limit);
  const hosts = some.map(({ host }) => host);
  const last = found.length > limit ? some.at(-1)?.id : undefined;
  const next = last ?? (read.hosts === read.max ? read.last : undefined);
  return next === undefined ? { hosts } : { hosts, next };
}
