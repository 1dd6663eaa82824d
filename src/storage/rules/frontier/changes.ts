/** What one transaction changed, for the callers that wait for it. */
export interface Changed {
  /** Job ids. */
  readonly jobs: readonly string[];
  /** True if a host can have become due. */
  readonly haveWork: boolean;
  /** True if durable work was stored. */
  readonly haveEvents: boolean;
}

export const nothingChanged: Changed = { jobs: [], haveWork: false, haveEvents: false };

export const workTopic = 'work';
export const eventsTopic = 'events';

/** The topics to announce after a transaction. */
export function topicsOf({ jobs, haveWork, haveEvents }: Changed): readonly string[] {
  return [...jobs, ...(haveWork ? [workTopic] : []), ...(haveEvents ? [eventsTopic] : [])];
}

/** Wakes callers that wait for a change of a job, or for work. Both are hints: polling finds what a hint missed. */
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
