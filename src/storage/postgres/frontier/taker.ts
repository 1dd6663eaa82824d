import { failPoint } from '../../../core/process/fail-point.ts';
import type { HostLease, Patience } from '../../../core/ports/frontier.ts';
import { hasEnded } from '../../../core/job.ts';
import type { Request, RequestKind } from '../../../core/request.ts';
import { controlPriority, lastPriority, movedPriority } from '../../rules/frontier/crawl-tables.ts';
import { type JobRow, roomOf } from '../../rules/jobs/job-row.ts';
import { endJob, endStatus } from '../../rules/jobs/job-end.ts';
import { urgentPlaces } from '../../rules/frontier/lease-turns.ts';
import { takeInTurn } from '../../rules/frontier/turns.ts';
import type { BusyJobs } from './busy-jobs.ts';
import { change } from '../change/change.ts';
import type { Transaction } from '../connection/connections.ts';
import { JointCommits, type Written } from './joint-commits.ts';
import type { StoreParts } from '../change/parts.ts';
import { earlierOf } from '../../rules/jobs/baseline-rows.ts';
import { roomSql } from '../change/ready-sql.ts';
import type { WorkingSet } from '../change/working-set.ts';

/** Hosts for which one transaction takes at most. */
const takesPerCommit = 64;
/** Jobs locked by one transaction, for which others wait: at this number, no further take joins it. */
const jobsPerCommit = 64;
const commitsMax = 2;

export interface TakenRow {
  readonly id: number;
  readonly job: number;
  readonly url: string;
  readonly kind: RequestKind;
  readonly depth: number;
  readonly self_fed: boolean;
  readonly by_script: boolean;
  readonly text_of: number | null;
  readonly hash: string | null;
  readonly validator: string | null;
  readonly attempts: number;
  readonly priority: number;
  readonly chain: string | null;
}

interface Take {
  readonly lease: Pick<HostLease, 'hostId' | 'fence'>;
  /** The jobs that have something due on the host, in the order of their turns. */
  readonly jobs: readonly number[];
  readonly room: number;
}

/**
 * Takes requests for all lanes of a process. A take holds the row of its job, so takes of the same job share a
 * transaction, for however many hosts. The transaction waits for the jobs of its first take only, and skips others that
 * another process holds.
 */
export class Taker {
  readonly #parts: StoreParts;
  /** Undefined while this process cannot take. */
  readonly #worker: () => number | undefined;
  readonly #commits: JointCommits<Take, readonly Request[]>;

  constructor(parts: StoreParts, busy: BusyJobs, worker: () => number | undefined) {
    this.#parts = parts;
    this.#worker = worker;
    this.#commits = new JointCommits({
      busy,
      commitsMax,
      jobsOf: ({ jobs }) => jobs,
      fits,
      write: (takes) => this.#write(takes),
    });
  }

  take(what: Take, patience?: Patience): Promise<readonly Request[]> {
    return this.#commits.add(what, patience);
  }

  #write(takes: readonly Take[]): Promise<readonly Written<readonly Request[]>[]> {
    const worker = this.#worker();
    const run = async (set: WorkingSet, tx: Transaction): Promise<readonly Written<readonly Request[]>[]> => {
      const [first] = takes;
      const reading: Promise<void> = set.read({
        jobs: first?.jobs ?? [],
        jobsIfFree: takes.flatMap(({ jobs }) => jobs),
      });
      // Sent at once, in this order: jobs, then hosts, then the due requests.
      const held = heldSlots(tx, takes, worker, set.isLocking);
      const due = dueRows(tx, takes);
      await reading;
      const slots = new Set((await held).map(({ fence }) => fence));
      const rows = Map.groupBy(await due, ({ place }) => place);
      return takes.map((take, place): Written<readonly Request[]> => {
        if (!slots.has(take.lease.fence)) return { answer: [] };
        const jobs = take.jobs.flatMap((seq) => set.get(seq) ?? []);
        const requests = share(
          set,
          worker,
          take,
          jobs,
          Map.groupBy(rows.get(place) ?? [], ({ job }) => job),
        );
        return requests.length === 0 && jobs.length < take.jobs.length ? 'later' : { answer: requests };
      });
    };
    return change(this.#parts, run, { locksLast: true });
  }
}

/** Takes in a transaction that holds the hosts' slots. Does not wait: takes only of jobs that nobody holds. */
export async function takeNow(
  set: WorkingSet,
  tx: Transaction,
  worker: number | undefined,
  takes: readonly Take[],
): Promise<readonly (readonly Request[])[]> {
  const jobsIfFree = takes.flatMap(({ jobs }) => jobs);
  if (jobsIfFree.length === 0) return [];
  const reading = set.read({ jobs: [], jobsIfFree });
  const due = dueRows(tx, takes);
  await reading;
  const rows = Map.groupBy(await due, ({ place }) => place);
  return takes.map((take, place) =>
    share(
      set,
      // With one job there is no turn to note. The slot needs no check: this transaction leased it.
      take.jobs.length > 1 ? worker : undefined,
      take,
      take.jobs.flatMap((seq) => set.get(seq) ?? []),
      Map.groupBy(rows.get(place) ?? [], ({ job }) => job),
    ),
  );
}

function fits(together: readonly Take[], { lease }: Take): boolean {
  return (
    together.length < takesPerCommit &&
    new Set(together.flatMap(({ jobs }) => jobs)).size < jobsPerCommit &&
    // Two takes under one lease would get the same requests.
    together.every((other) => other.lease.hostId !== lease.hostId)
  );
}

/** Fences of the leases that this process still holds. Their rows are locked if the jobs are. */
function heldSlots(
  tx: Transaction,
  takes: readonly Take[],
  worker: number | undefined,
  isLocking: boolean,
): Promise<{ readonly fence: number }[]> {
  return tx.query(
    `SELECT s.fence FROM host_slot s JOIN unnest($1::bigint[], $2::bigint[]) AS u (host, fence) ON s.host = u.host AND s.fence = u.fence
     WHERE s.owner = $3 ORDER BY s.host ${isLocking ? 'FOR NO KEY UPDATE OF s' : ''}`,
    [takes.map(({ lease }) => lease.hostId), takes.map(({ lease }) => lease.fence), worker ?? null],
  );
}

/** The due requests of each job on each host, limited to the room. */
function dueRows(tx: Transaction, takes: readonly Take[]): Promise<(TakenRow & { readonly place: number })[]> {
  const pairs = takes.flatMap(({ lease, jobs, room }, place) =>
    jobs.map((job) => ({ place, host: lease.hostId, job, room })),
  );
  return tx.query(
    `SELECT u.place, f.id, f.job, f.priority, f.chain, l.url, l.kind, l.depth, l.self_fed, l.by_script, l.attempts, l.text_of, l.hash, l.validator
     FROM unnest($1::int[], $2::bigint[], $3::bigint[], $4::int[]) AS u (place, host, seq, room)
     JOIN job j ON j.seq = u.seq AND j.finished_at IS NULL AND j.stopped_at IS NULL
     CROSS JOIN LATERAL (
       SELECT * FROM frontier f WHERE f.host = u.host AND f.job = u.seq AND f.fence IS NULL AND f.not_before = 0
         AND f.priority BETWEEN CASE WHEN ${roomSql} > 0 THEN ${movedPriority} ELSE ${controlPriority} END
           AND CASE WHEN ${roomSql} > 0 THEN ${lastPriority} ELSE ${controlPriority} END
       ORDER BY f.priority, f.id LIMIT u.room) f
     JOIN ledger l ON l.job = f.job AND l.id = f.id ORDER BY u.place, f.job, f.priority, f.id`,
    [
      pairs.map(({ place }) => place),
      pairs.map(({ host }) => host),
      pairs.map(({ job }) => job),
      pairs.map(({ room }) => room),
    ],
  );
}

function share(
  set: WorkingSet,
  worker: number | undefined,
  { lease, room }: Take,
  jobs: readonly JobRow[],
  due: ReadonlyMap<number, TakenRow[]>,
): Request[] {
  const taken: Request[] = [];
  const lastServed = takeInTurn(jobs, room, (job, most) => {
    const rows = ofJob(set, job, due.get(job.seq) ?? [], most);
    if (rows.length > 0) taken.push(...mark(set, lease, job, rows));
    return rows.length;
  });
  if (lastServed !== undefined && worker !== undefined) {
    set.noteServed({ hostId: lease.hostId, fence: lease.fence, worker, lastJob: lastServed });
  }
  return taken;
}

/** The job's requests to take. Ends the job if its time is up. Without room for pages, it still gives sitemaps. */
function ofJob(set: WorkingSet, job: JobRow, due: TakenRow[], max: number): TakenRow[] {
  if (!hasEnded(job.status) && job.ends_by !== null && job.ends_by <= set.now) {
    endJob(job, endStatus(job), 'time_limit', set.now);
    set.touch(job);
  }
  if (hasEnded(job.status)) return [];
  const room = roomOf(job);
  if (room > 0) return due.splice(0, Math.min(max, room));
  const control = due.filter(({ priority }) => priority === controlPriority).slice(0, max);
  return control.length === 0 ? [] : due.splice(due.indexOf(control[0] as TakenRow), control.length);
}

/** Marks requests as taken under a lease. */
export function mark(
  set: WorkingSet,
  { fence }: Pick<HostLease, 'fence'>,
  job: JobRow,
  rows: readonly TakenRow[],
): Request[] {
  const isUrgent = urgentPlaces(job);
  for (const { id } of rows) set.take(id, fence);
  const pages = rows.filter(({ kind }) => kind === 'page').length;
  job.queued -= pages;
  job.in_flight += pages;
  failPoint('take.writing');
  if (job.status === 'starting') job.status = 'running';
  set.touch(job);
  return rows.map(
    ({ id, url, kind, depth, self_fed: selfFed, by_script: byScript, attempts, chain, ...row }, place) => ({
      id,
      jobId: job.id,
      jobVersion: job.version,
      kind,
      url,
      depth,
      selfFed,
      byScript,
      attempts,
      org: job.org,
      isUrgent: isUrgent(place),
      isOnlyOne: job.queued === 0,
      ...(chain !== null && { chain }),
      ...(job.since !== null && { earlier: earlierOf(row) }),
    }),
  );
}
