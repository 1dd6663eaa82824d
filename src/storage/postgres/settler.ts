import { failPoint } from '../../core/fail-point.ts';
import type { HostLease, Settlement } from '../../core/frontier.ts';
import { Ledger } from '../rules/ledger.ts';
import { SeenUrls } from '../rules/seen-urls.ts';
import { Settling } from '../rules/settling.ts';
import { isPassing } from './faults.ts';
import { change, type StoreParts } from './parts.ts';
import { WorkingSet } from './working-set.ts';

/** Transactions of one process at a time that settle: some wait for a job that another process has. */
const commitsMax = 4;
/** Requests in one transaction at most: more would keep its jobs' rows from others for long. */
const requestsPerCommit = 400;

interface Batch {
  readonly lease: HostLease;
  readonly settlements: readonly Settlement[];
  readonly jobs: readonly string[];
  readonly resolve: () => void;
  readonly reject: (error: unknown) => void;
}

/**
 * Settles for all lanes of a process: what came in while a transaction was being committed goes into the next one together.
 *
 * A transaction waits for the jobs of its first batch only, and takes along those that nobody has at the moment; the others have
 * their turn later. If it waited for all of them, each process would hold the jobs that the next one waits for: with 40
 * jobs, 4 processes were half as fast as one.
 */
export class Settler {
  readonly #parts: StoreParts;
  #waiting: Batch[] = [];
  #commits = 0;
  /** Jobs of the transactions that are under way: a second one would wait for the first, and might overtake it. */
  readonly #busy = new Set<string>();

  constructor(parts: StoreParts) {
    this.#parts = parts;
  }

  settle(lease: HostLease, settlements: readonly Settlement[]): Promise<void> {
    return new Promise((resolve, reject) => {
      const jobs = [...new Set(settlements.map(({ request }) => request.jobId))];
      this.#waiting.push({ lease, settlements, jobs, resolve, reject });
      this.#next();
    });
  }

  #next(): void {
    if (this.#commits >= commitsMax || this.#waiting.length === 0) return;
    const together: Batch[] = [];
    const jobs = new Set<string>();
    let requests = 0;
    this.#waiting = this.#waiting.filter((batch) => {
      const isNow = requests < requestsPerCommit && batch.jobs.every((job) => !this.#busy.has(job));
      if (!isNow) return true;
      together.push(batch);
      requests += batch.settlements.length;
      for (const job of batch.jobs) jobs.add(job);
      return false;
    });
    if (together.length === 0) return;
    for (const job of jobs) this.#busy.add(job);
    this.#commits++;
    void this.#commit(together).finally(() => {
      this.#commits--;
      for (const job of jobs) this.#busy.delete(job);
      this.#next();
    });
    this.#next();
  }

  /** Together where possible; when one of them fails, each alone, so that the others do not pay for it. */
  async #commit(batches: readonly Batch[]): Promise<void> {
    try {
      const late = await this.#write(batches);
      for (const batch of batches) if (!late.has(batch)) batch.resolve();
      this.#waiting.unshift(...late);
    } catch (error) {
      if (batches.length === 1 || isPassing(error)) for (const { reject } of batches) reject(error);
      else for (const batch of batches) await this.#commit([batch]);
    }
  }

  /** Answers those whose turn comes later. */
  async #write(batches: readonly Batch[]): Promise<ReadonlySet<Batch>> {
    const { facts, hosts } = this.#parts;
    const settlements = batches.flatMap((batch) => batch.settlements);
    await facts.learn(settlements.map(({ request }) => request.jobId));
    await hosts.learn(WorkingSet.hostsOf(settlements));
    // What is seen here is known to others once it is committed.
    const seen = new SeenUrls(this.#parts.seen);
    const seqsOf = ({ jobs }: Batch): number[] => jobs.flatMap((id) => facts.of(id)?.seq ?? []);
    const [first] = batches;
    const late = await change(this.#parts, async (set) => {
      const reading = WorkingSet.readingOf(settlements, (id) => facts.of(id), seen);
      await set.read({ ...reading, jobs: first ? seqsOf(first) : [], jobsIfFree: reading.jobs });
      const others = batches.filter(
        (batch) => batch !== first && seqsOf(batch).some((seq) => set.get(seq) === undefined),
      );
      const settling = new Settling(set, set, new Ledger(set, seen));
      for (const batch of batches) {
        if (others.includes(batch)) continue;
        for (const settlement of batch.settlements) settling.settle(batch.lease, settlement, set.now);
      }
      failPoint('settle.ending');
      return others;
    });
    seen.commit();
    return new Set(late);
  }
}
