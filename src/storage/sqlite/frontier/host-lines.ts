import {
  jobsPerLease,
  LeaseTurns,
  type LineOfJob,
  orgsPerLease,
  promotedPerLease,
  ranksInTurn,
  urgentRank,
  urgentRanks,
} from '../../rules/frontier/lease-turns.ts';
import type { Database } from '../file/database.ts';

export interface LeaseWish {
  readonly now: number;
  readonly isUrgentOnly: boolean;
  readonly lanesPerOrg: number;
  /** 0 to 1. */
  readonly chance: number;
}

/** Due hosts, in the lines of their jobs: see `lease-turns.ts`. */
export class HostLines {
  readonly #turns = new LeaseTurns();
  readonly #db: Database;

  constructor(db: Database) {
    this.#db = db;
  }

  /** The host whose turn it is. */
  next({
    now,
    isUrgentOnly,
    lanesPerOrg,
    chance,
  }: LeaseWish): { readonly id: number; readonly line: LineOfJob } | undefined {
    this.#db.run(promote, now, promotedPerLease);
    const org = this.#nextOrg(isUrgentOnly, lanesPerOrg);
    if (!org) return undefined;
    const wanted = org.isUrgentOnly ? urgentRanks : ranksInTurn(chance);
    const rank = wanted.find((one) => this.#db.get(hasRank, org.name, one) !== undefined);
    if (rank === undefined) return undefined;
    const lanes = this.#turns.lanesByJob();
    const jobs = this.#jobsFrom(org.name, rank).toSorted((a, b) => (lanes.get(a) ?? 0) - (lanes.get(b) ?? 0));
    for (const job of jobs) {
      const host = this.#db.get<{ readonly id: number }>(findFirst, org.name, rank, job, now);
      if (host) return { id: host.id, line: { org: org.name, rank, job } };
    }
    return undefined;
  }

  /** True if any host waits in a line. Call after {@link next}. */
  hasAny(now: number): boolean {
    return this.#db.get('SELECT 1 FROM host WHERE in_line = 1 AND ready_at <= ? LIMIT 1', now) !== undefined;
  }

  leased(id: number, line: LineOfJob): void {
    this.#turns.leased(id, line);
  }

  released(id: number): void {
    this.#turns.released(id);
  }

  /** Call after a rollback: the memory can hold changes that were not committed. */
  forget(): void {
    const leased = this.#db.all<LineOfJob & { id: number }>('SELECT id, org, rank, job FROM host WHERE leased = 1');
    this.#turns.forget(leased.map(({ id, ...line }) => [id, line]));
  }

  /** Orgs with urgent hosts first, then the one with the fewest lanes. At its limit, an org gets urgent hosts only. */
  #nextOrg(isUrgentOnly: boolean, lanesPerOrg: number): { name: string; isUrgentOnly: boolean } | undefined {
    const lanes = this.#turns.lanesByOrg();
    let best: { name: string; isUrgentOnly: boolean; weight: number } | undefined;
    for (const { org, rank } of this.#orgsFrom(this.#turns.lastOrg)) {
      const count = lanes.get(org) ?? 0;
      const isFull = isUrgentOnly || count >= lanesPerOrg;
      if (isFull && rank > urgentRank) continue;
      const weight = count + (rank <= urgentRank ? 0 : 1_000_000);
      if (!best || weight < best.weight) best = { name: org, isUrgentOnly: isFull, weight };
    }
    return best;
  }

  #orgsFrom(last: string): readonly { org: string; rank: number }[] {
    const after = (at: string): { org: string; rank: number } | undefined => this.#db.get(orgAfter, at);
    return inRing(after, ({ org }) => org, { last, first: '', most: orgsPerLease });
  }

  #jobsFrom(org: string, rank: number): readonly number[] {
    const after = (at: number): number | undefined =>
      this.#db.get<{ readonly job: number | null }>(jobAfter, org, rank, at)?.job ?? undefined;
    return inRing(after, (job) => job, { last: this.#turns.lastJobOf(org), first: -1, most: jobsPerLease });
  }
}

const promote = `UPDATE host SET in_line = 1 WHERE id IN (
  SELECT id FROM host WHERE leased = 0 AND in_line = 0 AND ready_at IS NOT NULL AND ready_at <= ? ORDER BY ready_at LIMIT ?)`;
const orgAfter = 'SELECT org, rank FROM host WHERE in_line = 1 AND org > ? ORDER BY org, rank LIMIT 1';
const hasRank = 'SELECT 1 FROM host WHERE in_line = 1 AND org = ? AND rank = ? LIMIT 1';
const jobAfter = 'SELECT min(job) AS job FROM host WHERE in_line = 1 AND org = ? AND rank = ? AND job > ?';
const findFirst =
  'SELECT id FROM host WHERE in_line = 1 AND org = ? AND rank = ? AND job = ? AND ready_at <= ? ORDER BY ready_at LIMIT 1';

/** All, starting after the last one. `first`: comes before all of them. */
function inRing<Item, Key>(
  after: (key: Key) => Item | undefined,
  keyOf: (item: Item) => Key,
  { last, first, most }: { readonly last: Key; readonly first: Key; readonly most: number },
): readonly Item[] {
  const found: Item[] = [];
  for (let at = last, isAround = false; found.length < most;) {
    const next = after(at);
    if (next !== undefined && (!isAround || keyOf(next) <= last)) {
      found.push(next);
      at = keyOf(next);
    } else if (isAround) break;
    else {
      isAround = true;
      at = first;
    }
  }
  return found;
}
