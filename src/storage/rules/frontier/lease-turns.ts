// Whose host is leased next: an org with few lanes before one with many, and within an org a job with few lanes before
// one with many.
//
// Each due host waits in the line of one of its jobs: (org, rank, job). A lease looks at a few orgs and a few jobs,
// each found by one index step, so its cost depends neither on the number of hosts nor on the number of jobs.
import type { JobSpec } from '../../../core/job.ts';
import type { JobRow } from '../jobs/job-row.ts';

/** A job without a page after this many fetches is no longer new. */
export const newFetchesMax = 3;
/** Rank of a job that a client waits for: the first of its org. */
export const awaitedRank = -1;
/** Rank of a job without a page yet: the next one. Ranks up to this are urgent, and have lanes that are kept free. */
export const urgentRank = 0;
const ranks: Readonly<Record<JobSpec['priority'], number>> = { high: 1, normal: 2, low: 3 };
/** In the order in which they come. */
export const urgentRanks: readonly number[] = [awaitedRank, urgentRank];
/** Turns per rank, of an org's 21, if hosts of all three ranks wait. */
const sharesOfRanks: readonly (readonly [rank: number, share: number])[] = [
  [1, 16],
  [2, 4],
  [3, 1],
];
/** Orgs and jobs that one lease looks at, starting after the one that was served last. */
export const orgsPerLease = 64;
export const jobsPerLease = 16;
/** Hosts that became due and that one lease puts into the lines of their jobs. */
export const promotedPerLease = 100;
/** Orgs whose last job is remembered. */
const orgsMax = 10_000;

export interface LineOfJob {
  readonly org: string;
  readonly rank: number;
  readonly job: number;
}

export function rankOf(priority: JobSpec['priority'], isInteractive: boolean): number {
  return isInteractive ? awaitedRank : ranks[priority];
}

/** The line in which a host waits for a job. Only the first host of a new job is urgent. */
export function lineOf(job: JobRow, isFirstHost = true): LineOfJob {
  const { org, seq, rank } = job;
  return { org, job: seq, rank: isFirstHost && isNew(job) ? Math.min(urgentRank, rank) : rank };
}

/** 0 if the job has its hosts leased before they may be asked: its URLs end when they get no turn in their time. */
export function awaitsRest({ kind }: Pick<JobRow, 'kind'>): 0 | 1 {
  return kind === 'batch' ? 0 : 1;
}

/** True if the job has no page yet. Its first URL can redirect a few times. */
function isNew({ scraped, fetches, in_flight: inFlight }: JobRow): boolean {
  return scraped + inFlight === 0 && fetches < newFetchesMax;
}

/** Which of the job's requests taken now are urgent. Call before they are taken. */
export function urgentPlaces(job: JobRow): (place: number) => boolean {
  const hasFirst = isNew(job);
  return (place) => job.rank <= urgentRank || (hasFirst && place === 0);
}

/** The ranks in the order in which a lease tries them: urgent first, then by their shares. `chance`: 0 to 1. */
export function ranksInTurn(chance: number): readonly number[] {
  const all = sharesOfRanks.reduce((sum, [, share]) => sum + share, 0);
  let left = chance * all;
  const [first] = sharesOfRanks.find(([, share]) => (left -= share) < 0) ?? [ranks.normal];
  return [...urgentRanks, first, ...sharesOfRanks.flatMap(([rank]) => (rank === first ? [] : [rank]))];
}

/** The job's share of a host's turn, relative to other jobs of its org. */
export function shareOfJob({ rank }: JobRow): number {
  return sharesOfRanks.find(([other]) => other === rank)?.[1] ?? 16;
}

/** The lanes of one process, and the orgs and jobs that it served last. */
export class LeaseTurns {
  readonly #lanes = new Map<number, LineOfJob>();
  readonly #lastJobs = new Map<string, number>();
  #lastOrg = '';

  /** `lane`: a number that no other lane has. */
  leased(lane: number, line: LineOfJob): void {
    this.#lanes.set(lane, line);
    this.#lastOrg = line.org;
    if (this.#lastJobs.size >= orgsMax) this.#lastJobs.clear();
    this.#lastJobs.delete(line.org);
    this.#lastJobs.set(line.org, line.job);
  }

  released(lane: number): void {
    this.#lanes.delete(lane);
  }

  forget(lanes: Iterable<readonly [number, LineOfJob]> = []): void {
    this.#lanes.clear();
    for (const [lane, line] of lanes) this.#lanes.set(lane, line);
  }

  get lastOrg(): string {
    return this.#lastOrg;
  }

  lastJobOf(org: string): number {
    return this.#lastJobs.get(org) ?? 0;
  }

  /** Orgs that have lanes, and orgs that were served last. */
  knownOrgs(): readonly string[] {
    return [...new Set([...this.lanesByOrg().keys(), ...[...this.#lastJobs.keys()].slice(-orgsPerLease)])];
  }

  lanesByOrg(): ReadonlyMap<string, number> {
    return countBy([...this.#lanes.values()].map(({ org }) => org));
  }

  lanesByJob(): ReadonlyMap<number, number> {
    return countBy([...this.#lanes.values()].map(({ job }) => job));
  }
}

function countBy<Key>(keys: readonly Key[]): ReadonlyMap<Key, number> {
  const counts = new Map<Key, number>();
  for (const key of keys) counts.set(key, (counts.get(key) ?? 0) + 1);
  return counts;
}
