/** Of so many requests in flight one is kept free for what is urgent. */
const requestsPerReserved = 16;

/** For whom room is wanted. */
export interface Entering {
  readonly org?: string;
  readonly jobId: string;
  readonly isUrgent?: boolean;
}

/**
 * Requests in flight over all hosts. Who finds no room is called when there is some: what is urgent first, then the org and the job that
 * have the fewest requests in flight, then who has waited longest. The last room is for what is urgent.
 */
export class Concurrency {
  readonly #reserved: number;
  #free: number;
  readonly #waiting = new Map<() => void, Entering>();
  readonly #ofOrg = new Counts();
  readonly #ofJob = new Counts();

  constructor(max: number) {
    this.#free = max;
    this.#reserved = Math.floor(max / requestsPerReserved);
  }

  /** True when room was taken; else `retry` is called once when it is worth trying again. */
  tryEnter(who: Entering, retry: () => void): boolean {
    if (!this.#hasRoomFor(who)) {
      this.#waiting.set(retry, who);
      return false;
    }
    this.#free--;
    this.#ofOrg.add(who.org ?? '', 1);
    this.#ofJob.add(who.jobId, 1);
    return true;
  }

  leave({ org = '', jobId }: Entering): void {
    this.#free++;
    this.#ofOrg.add(org, -1);
    this.#ofJob.add(jobId, -1);
    // Who waited may have no use for the room any more: then it is the next one's.
    for (let next = this.#next(); next; next = this.#next()) {
      this.#waiting.delete(next);
      next();
    }
  }

  #hasRoomFor({ isUrgent = false }: Entering): boolean {
    return this.#free > (isUrgent ? 0 : this.#reserved);
  }

  #next(): (() => void) | undefined {
    if (this.#free === 0) return undefined;
    let best: { readonly retry: () => void; readonly weight: number } | undefined;
    for (const [retry, who] of this.#waiting) {
      if (!this.#hasRoomFor(who)) continue;
      const weight =
        (who.isUrgent === true ? 0 : 1e6) +
        this.#ofOrg.of(who.org ?? '') * 1e3 +
        Math.min(999, this.#ofJob.of(who.jobId));
      if (!best || weight < best.weight) best = { retry, weight };
    }
    return best?.retry;
  }
}

class Counts {
  readonly #counts = new Map<string, number>();

  of(name: string): number {
    return this.#counts.get(name) ?? 0;
  }

  add(name: string, count: 1 | -1): void {
    const left = this.of(name) + count;
    if (left === 0) this.#counts.delete(name);
    else this.#counts.set(name, left);
  }
}
