import type { BusyJobs } from './busy-jobs.ts';
import { isPassing } from '../connection/faults.ts';

/** The result of one item of a batch: its answer, or `later` if other transactions hold its jobs. */
export type Written<Answer> = { readonly answer: Answer } | 'later';

export interface JointCommitsOptions<Item, Answer> {
  readonly busy: BusyJobs;
  /**
   * Concurrent transactions. Some wait for a job that another process holds. The others must leave connections for
   * leases and for the API.
   */
  readonly commitsMax: number;
  readonly jobsOf: (item: Item) => readonly number[];
  /** True if a transaction with these items can include one more. */
  readonly fits: (together: readonly Item[], item: Item) => boolean;
  /** Writes the items in one transaction. Never returns `later` for the first one: it waits for its jobs. */
  readonly write: (items: readonly Item[]) => Promise<readonly Written<Answer>[]>;
}

interface Waiting<Item, Answer> {
  readonly item: Item;
  readonly resolve: (answer: Answer) => void;
  readonly reject: (error: unknown) => void;
}

/**
 * Batches writes of all lanes of a process: items that arrive during a commit go into the next one together. No two
 * of these transactions work on the same job, because the second would wait for the first and could overtake it.
 */
export class JointCommits<Item, Answer> {
  readonly #options: JointCommitsOptions<Item, Answer>;
  #waiting: Waiting<Item, Answer>[] = [];
  #commits = 0;
  #asking: NodeJS.Immediate | undefined;

  constructor(options: JointCommitsOptions<Item, Answer>) {
    this.#options = options;
    options.busy.onFree(() => this.#next());
  }

  add(item: Item): Promise<Answer> {
    return new Promise((resolve, reject) => {
      this.#waiting.push({ item, resolve, reject });
      // Others can add theirs in the same turn of the event loop.
      this.#asking ??= setImmediate(() => this.#next());
    });
  }

  #next(): void {
    clearImmediate(this.#asking);
    this.#asking = undefined;
    const { busy, commitsMax, jobsOf, fits } = this.#options;
    if (this.#commits >= commitsMax) return;
    const together: Waiting<Item, Answer>[] = [];
    const items: Item[] = [];
    this.#waiting = this.#waiting.filter((waiting) => {
      const isNow = jobsOf(waiting.item).every((job) => !busy.has(job)) && fits(items, waiting.item);
      if (!isNow) return true;
      together.push(waiting);
      items.push(waiting.item);
      return false;
    });
    if (together.length === 0) return;
    const jobs = new Set(items.flatMap(jobsOf));
    busy.add(jobs);
    this.#commits++;
    void this.#commit(together).finally(() => {
      this.#commits--;
      busy.free(jobs);
    });
    this.#next();
  }

  /** Writes them together. If one fails, writes each alone, so that the others succeed. */
  async #commit(together: readonly Waiting<Item, Answer>[]): Promise<void> {
    try {
      const written = await this.#options.write(together.map(({ item }) => item));
      const late = together.filter((waiting, index) => {
        const what = written[index];
        if (what === undefined || what === 'later') return true;
        waiting.resolve(what.answer);
        return false;
      });
      this.#waiting.unshift(...late);
    } catch (error) {
      if (together.length === 1 || isPassing(error)) for (const { reject } of together) reject(error);
      else for (const one of together) await this.#commit([one]);
    }
  }
}
