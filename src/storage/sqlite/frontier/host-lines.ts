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
import type { Database, Statement } from '../file/database.ts';

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
  readonly #promote: Statement<[number, number]>;
  readonly #orgAfter: Statement<[string], { org: string; rank: number }>;
  readonly #hasRank: Statement<[string, number]>;
  readonly #jobAfter: Statement<[string, number, number], { job: number | null }>;
  readonly #first: Statement<[string, number, number, number], { id: number }>;
  readonly #leased: Statement<[], LineOfJob & { id: number }>;
  readonly #anyDue: Statement<[number]>;

  constructor(db: Database) {
    this.#promote = db.prepare(`
      UPDATE host SET in_line = 1 WHERE id IN (
        SELECT id FROM host WHERE leased = 0 AND in_line = 0 AND ready_at IS NOT NULL AND ready_at <= ? ORDER BY ready_at LIMIT ?)`);
    this.#orgAfter = db.prepare('SELECT org, rank FROM host WHERE in_line = 1 AND org > ? ORDER BY org, rank LIMIT 1');
    this.#hasRank = db.prepare('SELECT 1 FROM host WHERE in_line = 1 AND org = ? AND rank = ? LIMIT 1');
    this.#jobAfter = db.prepare(
      'SELECT min(job) AS job FROM host WHERE in_line = 1 AND org = ? AND rank = ? AND job > ?',
    );
    this.#first = db.prepare(
      'SELECT id FROM host WHERE in_line = 1 AND org = ? AND rank = ? AND job = ? AND ready_at <= ? ORDER BY ready_at LIMIT 1',
    );
    this.#leased = db.prepare('SELECT id, org, rank, job FROM host WHERE leased = 1');
    this.#anyDue = db.prepare('SELECT 1 FROM host WHERE in_line = 1 AND ready_at <= ? LIMIT 1');
  }

  /** The host whose turn it is. */
  next({
    now,
    isUrgentOnly,
    lanesPerOrg,
    chance,
  }: LeaseWish): { readonly id: number; readonly line: LineOfJob } | undefined {
    this.#promote.run(now, promotedPerLease);
    const org = this.#nextOrg(isUrgentOnly, lanesPerOrg);
    if (!org) return undefined;
    const wanted = org.isUrgentOnly ? urgentRanks : ranksInTurn(chance);
    const rank = wanted.find((one) => this.#hasRank.get(org.name, one) !== undefined);
    if (rank === undefined) return undefined;
    const lanes = this.#turns.lanesByJob();
    const jobs = this.#jobsFrom(org.name, rank).toSorted((a, b) => (lanes.get(a) ?? 0) - (lanes.get(b) ?? 0));
    for (const job of jobs) {
      const host = this.#first.get(org.name, rank, job, now);
      if (host) return { id: host.id, line: { org: org.name, rank, job } };
    }
    return undefined;
  }

  /** True if any host waits in a line. Call after {@link next}. */
  hasAny(now: number): boolean {
    return this.#anyDue.get(now) !== undefined;
  }

  leased(id: number, line: LineOfJob): void {
    this.#turns.leased(id, line);
  }

  released(id: number): void {
    this.#turns.released(id);
  }

  /** Call after a rollback: the memory can hold changes that were not committed. */
  forget(): void {
    this.#turns.forget(this.#leased.all().map(({ id, ...line }) => [id, line]));
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
    const after = (at: string): { org: string; rank: number } | undefined => this.#orgAfter.get(at);
    return inRing(after, ({ org }) => org, { last, first: '', most: orgsPerLease });
  }

  #jobsFrom(org: string, rank: number): readonly number[] {
    const after = (at: number): number | undefined => this.#jobAfter.get(org, rank, at)?.job ?? undefined;
    return inRing(after, (job) => job, { last: this.#turns.lastJobOf(org), first: -1, most: jobsPerLease });
  }
}

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
