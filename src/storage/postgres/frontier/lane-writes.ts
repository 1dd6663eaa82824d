import { failPoint } from '../../../core/process/fail-point.ts';
import type { HostLease, Patience, Settlement } from '../../../core/ports/frontier.ts';
import { hasEnded } from '../../../core/job.ts';
import { Ledger } from '../../rules/frontier/ledger.ts';
import { SeenUrls } from '../../rules/frontier/seen-urls.ts';
import { Settling } from '../../rules/frontier/settling.ts';
import { change } from '../change/change.ts';
import type { FreedHost } from '../change/free-hosts.ts';
import type { Transaction } from '../connection/connections.ts';
import type { TakenRequest } from './host-leases.ts';
import { returnToQueue } from '../../rules/frontier/taking.ts';
import { JointCommits, type Written } from './joint-commits.ts';
import type { StoreParts } from '../change/parts.ts';
import { hostsOf, readingOf } from '../change/read-rows.ts';
import { isAlive } from '../change/sending.ts';
import { all } from '../../shared/operation.ts';
import { runSteps } from '../connection/run-steps.ts';
import { stillDue, type Take, type Taken, takeRequests } from './take-requests.ts';
import type { WorkingSet } from '../change/working-set.ts';

/** Outcomes per transaction at most: more would hold its jobs' rows for too long. */
const outcomesPerCommit = 400;
/** Hosts for which one transaction takes at most. */
const takesPerCommit = 64;
/** Jobs of takes in one transaction, for which others wait: at this number, no further take joins it. */
const jobsPerCommit = 64;
const commitsMax = 3;

interface Outcomes {
  readonly lease: HostLease;
  readonly settlements: readonly Settlement[];
  /** Requests to hand back. */
  readonly left: readonly TakenRequest[];
  /** If set, the host is released as well. */
  readonly release: FreedHost | undefined;
}

type Item =
  | (Outcomes & { readonly kind: 'settle'; readonly jobs: readonly string[] })
  | (Take & { readonly kind: 'take' });
type Settle = Extract<Item, { kind: 'settle' }>;
/** Of a settlement, whether the host was released. */
type Result = boolean | Taken;

const nothing: Taken = { requests: [], lastJob: undefined, isPartial: false, isStale: false };

/**
 * Settles and takes for all lanes of a process. What comes in meanwhile is one transaction, for however many hosts: each
 * changes the row of a job once.
 *
 * A transaction waits for the jobs of its first item only. It includes items whose jobs nobody holds at the moment; the
 * others follow later. If it waited for all, each process would hold the jobs that the next one waits for: with 40 jobs,
 * 4 processes were half as fast as one.
 */
export class LaneWrites {
  readonly #parts: StoreParts;
  /** Undefined while this process cannot take. */
  readonly #worker: () => number | undefined;
  readonly #commits: JointCommits<Item, Result>;

  constructor(parts: StoreParts, worker: () => number | undefined) {
    this.#parts = parts;
    this.#worker = worker;
    this.#commits = new JointCommits({
      commitsMax,
      jobsOf: (item) => this.#seqsOf(item),
      fits,
      write: (items) => this.#write(items),
    });
  }

  /** Returns true if the host was released. It is not released while another request is taken under the lease. */
  async settle(outcomes: Outcomes, patience?: Patience): Promise<boolean> {
    const { settlements, left } = outcomes;
    const jobs = [...new Set([...settlements.map(({ request }) => request), ...left].map(({ jobId }) => jobId))];
    return (await this.#commits.add({ kind: 'settle', ...outcomes, jobs }, patience)) === true;
  }

  async take(take: Take, patience?: Patience): Promise<Taken> {
    const result = await this.#commits.add({ kind: 'take', ...take }, patience);
    return typeof result === 'object' ? result : nothing;
  }

  /** The facts of a job are known in the process that took its requests. */
  #seqsOf(item: Item): readonly number[] {
    return item.kind === 'take' ? item.due.jobs : item.jobs.flatMap((id) => this.#parts.facts.of(id)?.seq ?? []);
  }

  async #write(items: readonly Item[]): Promise<readonly Written<Result>[]> {
    const { facts, hosts } = this.#parts;
    const [settles, takes] = [items.filter(isSettle), items.filter((item) => item.kind === 'take')];
    const settlements = settles.flatMap((item) => item.settlements);
    await facts.learn(settles.flatMap(({ jobs }) => jobs));
    await hosts.learn(hostsOf(settlements));
    const run = async (set: WorkingSet, tx: Transaction): Promise<Settled> => {
      // URLs seen here count for other transactions after the commit.
      const seen = new SeenUrls(this.#parts.seen);
      const reading = readingOf(settlements, (id) => facts.of(id), seen);
      const left = settles.flatMap((item) => item.left.map(({ id }) => id));
      // Sent at once, in this order: what is read after the jobs is read under their locks.
      const reads = set.read({
        ...reading,
        requests: [...(reading.requests ?? []), ...left],
        jobs: items.slice(0, 1).flatMap((item) => this.#seqsOf(item)),
        jobsIfFree: items.flatMap((item) => this.#seqsOf(item)),
      });
      const leaving = settles.flatMap(({ lease, release }) => (release ? [lease.fence] : []));
      const [, taken, mayTake, due] = await Promise.all([
        reads,
        takenUnder(tx, leaving),
        this.#mayTake(set, tx, takes),
        stillDue(set, tx, takes),
      ]);
      const settling = new Settling(set, set, new Ledger(set, seen));
      const written = items.map((item): Written<Result> => {
        if (item.kind === 'settle') return this.#settle(set, settling, item, { isFirst: item === items[0], taken });
        const result = mayTake ? takeRequests(set, item, due) : nothing;
        return result.isPartial && result.requests.length === 0 ? 'later' : { result };
      });
      failPoint('settle.ending');
      const ended = settles
        .flatMap((item) => this.#seqsOf(item))
        .filter((seq) => {
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

  #settle(
    set: WorkingSet,
    settling: Settling,
    item: Settle,
    { isFirst, taken }: { readonly isFirst: boolean; readonly taken: readonly TakenUnder[] },
  ): Written<boolean> {
    if (!isFirst && this.#seqsOf(item).some((seq) => set.get(seq) === undefined)) return 'later';
    const { lease, settlements, left, release } = item;
    for (const settlement of settlements) settling.settle(lease, settlement, set.now);
    for (const { id } of left) handBack(set, lease, id);
    const done = new Set([...settlements.map(({ request }) => request), ...left].map(({ id }) => id));
    const isFree = release !== undefined && !taken.some(({ id, fence }) => fence === lease.fence && !done.has(id));
    if (isFree) set.freed.push(release);
    return { result: isFree };
  }

  /** False if others have taken this process for dead: then its leases are over. */
  async #mayTake(set: WorkingSet, tx: Transaction, takes: readonly Take[]): Promise<boolean> {
    const worker = this.#worker();
    if (worker === undefined || takes.length === 0) return false;
    set.taker = worker;
    return !set.isLocking || (await runSteps(tx, all(isAlive(worker)))).length > 0;
  }
}

function isSettle(item: Item): item is Settle {
  return item.kind === 'settle';
}

function fits(together: readonly Item[], item: Item): boolean {
  if (item.kind === 'settle')
    return together.filter(isSettle).reduce((sum, { settlements }) => sum + settlements.length, 0) < outcomesPerCommit;
  const takes = together.filter((other) => other.kind === 'take');
  return (
    takes.length < takesPerCommit &&
    new Set(takes.flatMap(({ due }) => due.jobs)).size < jobsPerCommit &&
    // Two takes of one host would get the same requests.
    takes.every(({ lease }) => lease.hostId !== item.lease.hostId)
  );
}

/** Makes a request that was read, and is taken under the lease, available again. */
export function handBack(set: WorkingSet, { fence }: Pick<HostLease, 'fence'>, id: number): void {
  const entry = set.entry(id);
  if (!entry || set.fenceOf(id) !== fence) return;
  set.handBack(id, fence);
  failPoint('release.writing');
  returnToQueue(set, set.get(entry.job), entry.kind, set.now);
}

interface TakenUnder {
  readonly id: number;
  readonly fence: number;
}

async function takenUnder(tx: Transaction, fences: readonly number[]): Promise<readonly TakenUnder[]> {
  if (fences.length === 0) return [];
  return tx.query<TakenUnder>('SELECT id, fence FROM frontier WHERE fence = ANY($1::bigint[])', [fences]);
}

interface Settled {
  readonly written: readonly Written<Result>[];
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
