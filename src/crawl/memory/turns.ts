/** Turns that are taken by few at a time, in order. */
export class Turns {
  #free: number;
  readonly #waiting: (() => void)[] = [];

  constructor(atOnce: number) {
    this.#free = atOnce;
  }

  /** Returns a function that gives the turn back; undefined if the time was over before, or the signal fired. */
  async take(withinMs: number, signal: AbortSignal): Promise<(() => void) | undefined> {
    if (this.#free > 0) this.#free--;
    else if (!(await this.#wait(withinMs, signal))) return undefined;
    let isBack = false;
    return () => {
      if (isBack) return;
      isBack = true;
      const next = this.#waiting.shift();
      if (next) next();
      else this.#free++;
    };
  }

  #wait(withinMs: number, signal: AbortSignal): Promise<boolean> {
    return new Promise((resolve) => {
      const end = (hasTurn: boolean): void => {
        clearTimeout(timer);
        signal.removeEventListener('abort', leave);
        resolve(hasTurn);
      };
      const got = (): void => end(true);
      const leave = (): void => {
        const at = this.#waiting.indexOf(got);
        if (at !== -1) this.#waiting.splice(at, 1);
        end(false);
      };
      const timer = setTimeout(leave, Math.max(0, withinMs));
      this.#waiting.push(got);
      if (signal.aborted) leave();
      else signal.addEventListener('abort', leave, { once: true });
    });
  }
}
