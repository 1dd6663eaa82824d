/** A commit of hosts that rest waits this long for others. */
const gatherMs = 400;
/** This many outcomes do not wait for more. */
const gatheredMax = 200;
/** A host that rests for less is not delayed by a commit. */
export const longRestMs = 2 * gatherMs;

/**
 * Lanes whose hosts rest settle together. A polite host delivers one page in a while; a transaction for each would cost
 * more than the page.
 */
export class JointCommits {
  #waiting: PromiseWithResolvers<void> | undefined;
  #timer: NodeJS.Timeout | undefined;
  #outcomes = 0;

  /** Resolves when the lanes that wait may settle, all in the same turn of the event loop. */
  join(outcomes: number): Promise<void> {
    this.#waiting ??= Promise.withResolvers();
    const { promise } = this.#waiting;
    this.#outcomes += outcomes;
    if (this.#outcomes >= gatheredMax) this.flush();
    else this.#timer ??= setTimeout(() => this.flush(), gatherMs);
    return promise;
  }

  /** Nobody waits any longer. */
  flush(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    this.#outcomes = 0;
    this.#waiting?.resolve();
    this.#waiting = undefined;
  }
}
