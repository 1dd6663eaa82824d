/** What waits for others waits this long. */
export const gatherMs = 400;
/** This many do not wait for more. */
const gatheredMax = 200;
/** A host that rests for less is not delayed by a commit. */
export const longRestMs = 2 * gatherMs;

/**
 * Lanes whose hosts rest do together what the store would otherwise do for each alone: settle, or take. A polite host
 * delivers one page in a while; two transactions for each would cost more than the page.
 */
export class Gathering {
  #waiting: PromiseWithResolvers<void> | undefined;
  #timer: NodeJS.Timeout | undefined;
  #count = 0;

  /** Resolves when those that wait may go on, all in the same turn of the event loop. `count`: what the caller adds. */
  join(count: number): Promise<void> {
    this.#waiting ??= Promise.withResolvers();
    const { promise } = this.#waiting;
    this.#count += count;
    if (this.#count >= gatheredMax) this.flush();
    else this.#timer ??= setTimeout(() => this.flush(), gatherMs);
    return promise;
  }

  /** Nobody waits any longer. */
  flush(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    this.#count = 0;
    this.#waiting?.resolve();
    this.#waiting = undefined;
  }
}
