import type { Patience } from '../../../core/ports/frontier.ts';
import { monotonicNow } from '../../../core/process/monotonic-time.ts';
import { isPassing } from '../connection/faults.ts';

/** The result of one item of a batch: its response, or `later` if other transactions hold its jobs. */
export type Written<Result> = { readonly result: Result } | 'later';

export interface JointCommitsOptions<Item, Result> {
  /**
   * Concurrent transactions. Some wait for a job that another process holds. The others must leave connections for
   * leases and for the API.
   */
  readonly commitsMax: number;
  readonly jobsOf: (item: Item) => readonly number[];
  /** True if a transaction with these items can include one more. */
  readonly fits: (together: readonly Item[], item: Item) => boolean;
  /** Writes the items in one transaction. Never returns `later` for the first one: it waits for its jobs. */
  readonly write: (items: readonly Item[]) => Promise<readonly Written<Result>[]>;
}

/** What is patient waits so long at most for the end of a transaction that holds a job of its like. */
const patienceMs = 400;

interface Waiting<Item, Result> {
  readonly item: Item;
  /** Until then, on the monotonic clock, a transaction is not worth its cost without its like. */
  readonly patientUntil: number;
  readonly resolve: (result: Result) => void;
  readonly reject: (error: unknown) => void;
}

/**
 * Batches writes of all lanes of a process: items that arrive during a commit go into the next one together. No two
 * of these transactions work on the same job, because the second would wait for the first and could overtake it. Patient
 * items begin no transaction while jobs of others of them are busy: many small ones would cost more than one.
 */
export class JointCommits<Item, Result> {
  readonly #options: JointCommitsOptions<Item, Result>;
  #waiting: Waiting<Item, Result>[] = [];
  /** Jobs that a transaction of this process works on: a second one would wait for the row lock that the first one holds. */
  readonly #busy = new Set<number>();
  #commits = 0;
  #asking: NodeJS.Immediate | undefined;
  #timer: NodeJS.Timeout | undefined;

  constructor(options: JointCommitsOptions<Item, Result>) {
    this.#options = options;
  }

  add(item: Item, { isPatient = false }: Patience = {}): Promise<Result> {
    return new Promise((resolve, reject) => {
      const patientUntil = isPatient ? monotonicNow() + patienceMs : 0;
      this.#waiting.push({ item, patientUntil, resolve, reject });
      // Others can add theirs in the same turn of the event loop.
      this.#asking ??= setImmediate(() => this.#next());
    });
  }

  #next(): void {
    clearImmediate(this.#asking);
    this.#asking = undefined;
    const { commitsMax, jobsOf, fits } = this.#options;
    if (this.#commits >= commitsMax || this.#isWorthWaiting()) return;
    const together: Waiting<Item, Result>[] = [];
    const items: Item[] = [];
    this.#waiting = this.#waiting.filter((waiting) => {
      const isNow = !this.#isBusy(waiting) && fits(items, waiting.item);
      if (!isNow) return true;
      together.push(waiting);
      items.push(waiting.item);
      return false;
    });
    if (together.length === 0) return;
    const jobs = new Set(items.flatMap(jobsOf));
    for (const job of jobs) this.#busy.add(job);
    this.#commits++;
    void this.#commit(together).finally(() => {
      this.#commits--;
      for (const job of jobs) this.#busy.delete(job);
      this.#next();
    });
    this.#next();
  }

  #isBusy({ item }: Waiting<Item, Result>): boolean {
    return this.#options.jobsOf(item).some((job) => this.#busy.has(job));
  }

  /** True if only patient items could be written now, and jobs of others of them will be free soon. */
  #isWorthWaiting(): boolean {
    clearTimeout(this.#timer);
    const waitMs = Math.min(...this.#waiting.map(({ patientUntil }) => patientUntil)) - monotonicNow();
    if (waitMs <= 0 || !this.#waiting.some((waiting) => this.#isBusy(waiting))) return false;
    if (Number.isFinite(waitMs)) this.#timer = setTimeout(() => this.#next(), Math.ceil(waitMs));
    return true;
  }

  /** Writes them together. If one fails, writes each alone, so that the others succeed. */
  async #commit(together: readonly Waiting<Item, Result>[]): Promise<void> {
    try {
      const written = await this.#options.write(together.map(({ item }) => item));
      const late = together.filter((waiting, index) => {
        const what = written[index];
        if (what === undefined || what === 'later') return true;
        waiting.resolve(what.result);
        return false;
      });
      this.#waiting.unshift(...late);
    } catch (error) {
      if (together.length === 1 || isPassing(error)) for (const { reject } of together) reject(error);
      else for (const one of together) await this.#commit([one]);
    }
  }
}
