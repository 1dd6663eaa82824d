import type { BusyJobs } from './busy-jobs.ts';
import { isPassing } from './faults.ts';

/** Transactions of one process at a time: some wait for a job that another process has. */
const commitsMax = 4;

/** What came of one of several that were written together: its answer, or that its turn comes later, since others have its jobs. */
export type Written<Answer> = { readonly answer: Answer } | 'later';

export interface JointCommitsOptions<Item, Answer> {
  readonly busy: BusyJobs;
  readonly jobsOf: (item: Item) => readonly number[];
  /** Whether a transaction with these takes one more along. */
  readonly fits: (together: readonly Item[], item: Item) => boolean;
  /** In one transaction. The first of them is never told to come later: it waits for its jobs. */
  readonly write: (items: readonly Item[]) => Promise<readonly Written<Answer>[]>;
}

interface Waiting<Item, Answer> {
  readonly item: Item;
  readonly resolve: (answer: Answer) => void;
  readonly reject: (error: unknown) => void;
}

/**
 * Writes for all lanes of a process: what came in while a transaction was being committed goes into the next one together, and
 * no two of them are about the same job, where the second would wait for the first and might overtake it.
 */
export class JointCommits<Item, Answer> {
  readonly #options: JointCommitsOptions<Item, Answer>;
  #waiting: Waiting<Item, Answer>[] = [];
  #commits = 0;

  constructor(options: JointCommitsOptions<Item, Answer>) {
    this.#options = options;
    options.busy.onFree(() => this.#next());
  }

  add(item: Item): Promise<Answer> {
    return new Promise((resolve, reject) => {
      this.#waiting.push({ item, resolve, reject });
      this.#next();
    });
  }

  #next(): void {
    if (this.#commits >= commitsMax) return;
    const { busy, jobsOf, fits } = this.#options;
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

  /** Together where possible; when one of them fails, each alone, so that the others do not pay for it. */
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
