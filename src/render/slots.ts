/** Slots for pages, first come first served. */
export class Slots {
  readonly #max: number;
  readonly #waiting: (() => void)[] = [];
  #taken = 0;

  constructor(max: number) {
    this.#max = max;
  }

  get areAllFree(): boolean {
    return this.#taken === 0;
  }

  /** Returns false if the signal fired before the turn came. */
  async take(signal: AbortSignal): Promise<boolean> {
    if (signal.aborted) return false;
    if (this.#taken < this.#max) {
      this.#taken++;
      return true;
    }
    return new Promise((resolve) => {
      const turn = (): void => {
        signal.removeEventListener('abort', leave);
        resolve(true);
      };
      const leave = (): void => {
        this.#waiting.splice(this.#waiting.indexOf(turn), 1);
        resolve(false);
      };
      this.#waiting.push(turn);
      signal.addEventListener('abort', leave, { once: true });
    });
  }

  /** Passes the slot to the page that has waited longest. */
  giveBack(): void {
    const next = this.#waiting.shift();
    if (next) next();
    else this.#taken--;
  }
}
