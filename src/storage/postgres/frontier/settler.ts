import { failPoint } from '../../../core/process/fail-point.ts';
import type { HostLease, Patience, ReleaseOptions, Settlement } from '../../../core/ports/frontier.ts';
import { hasEnded } from '../../../core/job.ts';
import { Ledger } from '../../rules/frontier/ledger.ts';
import { SeenUrls } from '../../rules/frontier/seen-urls.ts';
import { Settling } from '../../rules/frontier/settling.ts';
import type { BusyJobs } from './busy-jobs.ts';
import { change } from '../change/change.ts';
import type { Transaction } from '../connection/connections.ts';
import { freedHostOf, type TakenRequest } from './host-leases.ts';
import { endIfDone } from '../../rules/jobs/job-end.ts';
import { JointCommits, type Written } from './joint-commits.ts';
import type { StoreParts } from '../change/parts.ts';
import { hostsOf, readingOf } from '../change/read-rows.ts';
import type { Workers } from './workers.ts';
import type { WorkingSet } from '../change/working-set.ts';

/** Requests per transaction at most: more would hold its jobs' rows for too long. */
const requestsPerCommit = 400;
const commitsMax = 3;

export interface SettlerParts extends StoreParts {
  readonly workers: Workers;
}

interface Outcomes {
  readonly lease: HostLease;
  readonly settlements: readonly Settlement[];
  /** Requests to hand back. */
  readonly left: readonly TakenRequest[];
  /** If set, the host is released as well. */
  readonly release: ReleaseOptions | undefined;
}

interface Batch extends Outcomes {
  readonly jobs: readonly string[];
}

/**
 * Settles for all lanes of a process.
 *
 * A transaction waits for the jobs of its first batch only. It includes batches whose jobs nobody holds at the moment;
 * the others follow later. If it waited for all, each process would hold the jobs that the next one waits for: with 40
 * jobs, 4 processes were half as fast as one.
 */
export class Settler {
  readonly #parts: SettlerParts;
  readonly #commits: JointCommits<Batch, boolean>;

  constructor(parts: SettlerParts, busy: BusyJobs) {
    this.#parts = parts;
    this.#commits = new JointCommits({
      busy,
      commitsMax,
      // The facts of a job are known in the process that took its requests.
      jobsOf: ({ jobs }) => jobs.flatMap((id) => parts.facts.of(id)?.seq ?? []),
      fits: (together) => together.reduce((sum, { settlements }) => sum + settlements.length, 0) < requestsPerCommit,
      write: (batches) => this.#write(batches),
    });
  }

  /** Returns true if the host was released. It is not released while another request is taken under the lease. */
  settle(outcomes: Outcomes, patience?: Patience): Promise<boolean> {
    const { settlements, left } = outcomes;
    const jobs = [...new Set([...settlements.map(({ request }) => request), ...left].map(({ jobId }) => jobId))];
    return this.#commits.add({ ...outcomes, jobs }, patience);
  }

  async #write(batches: readonly Batch[]): Promise<readonly Written<boolean>[]> {
    const { facts, hosts } = this.#parts;
    const settlements = batches.flatMap((batch) => batch.settlements);
    const left = batches.flatMap((batch) => batch.left);
    await facts.learn(batches.flatMap(({ jobs }) => jobs));
    await hosts.learn(hostsOf(settlements));
    const seqsOf = ({ jobs }: Batch): number[] => jobs.flatMap((id) => facts.of(id)?.seq ?? []);
    const [first] = batches;
    const leaving = batches.flatMap(({ lease, release }) => (release ? [lease.fence] : []));
    const run = async (set: WorkingSet, tx: Transaction): Promise<Settled> => {
      // URLs seen here count for other transactions after the commit.
      const seen = new SeenUrls(this.#parts.seen);
      const reading = readingOf(settlements, (id) => facts.of(id), seen);
      const read = set.read({
        ...reading,
        requests: [...(reading.requests ?? []), ...left.map(({ id }) => id)],
        jobs: first ? seqsOf(first) : [],
        jobsIfFree: batches.flatMap(seqsOf),
      });
      const taking = takenUnder(tx, leaving);
      await read;
      const taken = await taking;
      const settling = new Settling(set, set, new Ledger(set, seen));
      const written = batches.map((batch): Written<boolean> => {
        if (batch !== first && seqsOf(batch).some((seq) => set.get(seq) === undefined)) return 'later';
        for (const settlement of batch.settlements) settling.settle(batch.lease, settlement, set.now);
        for (const { id } of batch.left) handBack(set, batch.lease, id);
        return { answer: this.#free(set, batch, taken) };
      });
      failPoint('settle.ending');
      const ended = batches.flatMap(seqsOf).filter((seq) => {
        const job = set.get(seq);
        return job !== undefined && hasEnded(job.status);
      });
      return { written, ended, seen };
    };
    const { written, ended, seen } = await change(this.#parts, run, { locksLast: settlements.every(onlyCounts) });
    for (const seq of ended) {
      seen.forgetJob(seq);
      this.#parts.seen.forgetJob(seq);
    }
    seen.commit();
    return written;
  }

  /** Releases the host of a batch if nothing else is taken under its lease. */
  #free(set: WorkingSet, { lease, settlements, left, release }: Batch, taken: readonly TakenUnder[]): boolean {
    const worker = this.#parts.workers.id;
    if (!release || worker === undefined) return false;
    const { fence } = lease;
    const done = new Set([...settlements.map(({ request }) => request), ...left].map(({ id }) => id));
    if (taken.some((row) => row.fence === fence && !done.has(row.id))) return false;
    set.free(freedHostOf(lease, worker, release));
    return true;
  }
}

/** Makes a request that was read, and is taken under the lease, available again. */
export function handBack(set: WorkingSet, { fence }: Pick<HostLease, 'fence'>, id: number): void {
  const entry = set.entry(id);
  if (!entry || set.fenceOf(id) !== fence) return;
  set.handBack(id, fence);
  failPoint('release.writing');
  const job = set.get(entry.job);
  if (!job || hasEnded(job.status) || entry.kind !== 'page') return;
  job.in_flight--;
  job.queued++;
  set.touch(job);
  endIfDone(job, set.now);
}

interface TakenUnder {
  readonly id: number;
  readonly fence: number;
}

/** Not async: the caller awaits it after other statements, which can fail before. */
function takenUnder(tx: Transaction, fences: readonly number[]): Promise<readonly TakenUnder[]> {
  if (fences.length === 0) return Promise.resolve([]);
  return tx.query<TakenUnder>('SELECT id, fence FROM frontier WHERE fence = ANY($1::bigint[])', [fences]);
}

interface Settled {
  readonly written: readonly Written<boolean>[];
  /** Jobs that have ended. */
  readonly ended: readonly number[];
  readonly seen: SeenUrls;
}

/** True if the outcome itself changes nothing of the job but its counters. */
function onlyCounts({ outcome, endedTemplate, remarks = [], notice }: Settlement): boolean {
  if (endedTemplate || notice || remarks.length > 0 || outcome.kind === 'sitemap') return false;
  if (outcome.kind !== 'scraped' && outcome.kind !== 'discarded') return true;
  return outcome.movedTo === undefined && outcome.sitemaps === undefined;
}
