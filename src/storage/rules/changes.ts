/** Wakes those who wait for something to happen to a job, or for work; both are hints, and polling is the truth. */
export class Changes {
  readonly #waiting = new Map<string, Set<() => void>>();

  announce(topics: readonly string[]): void {
    for (const topic of topics) {
      const waiting = this.#waiting.get(topic);
      if (!waiting) continue;
      this.#waiting.delete(topic);
      for (const wake of waiting) wake();
    }
  }

  /** Resolves at the next announcement of the topic, after `maxMs`, or when the signal fires. */
  wait(topic: string, maxMs: number, signal: AbortSignal): Promise<void> {
    if (signal.aborted) return Promise.resolve();
    return new Promise((resolve) => {
      const done = (): void => {
        clearTimeout(timer);
        signal.removeEventListener('abort', done);
        const waiting = this.#waiting.get(topic);
        waiting?.delete(done);
        if (waiting?.size === 0) this.#waiting.delete(topic);
        resolve();
      };
      const timer = setTimeout(done, maxMs);
      signal.addEventListener('abort', done);
      const waiting = this.#waiting.get(topic) ?? new Set();
      waiting.add(done);
      this.#waiting.set(topic, waiting);
    });
  }
}
