import { setTimeout as sleep } from 'node:timers/promises';
import type { Log } from '../../core/log.ts';
import { ExitError, exitCodes } from '../../core/errors.ts';
import { explained, isPassing } from './faults.ts';

const firstPauseMs = 100;
const pauseMaxMs = 2_000;

/**
 * While the database cannot be used, writes of the engine wait and are tried again, each of which somebody awaits with nothing
 * else to do; whatever a client waits for is refused at once.
 */
export class Patience {
  readonly #log: Log | undefined;
  readonly #ended = new AbortController();
  readonly #running = new Set<Promise<unknown>>();
  #isClosed = false;
  #failing = 0;

  constructor(log: Log | undefined) {
    this.#log = log;
  }

  /** Whether the engine's writes wait at the moment. */
  get isWaiting(): boolean {
    return this.#failing > 0;
  }

  /** For the engine. What is run must bear to be run again when it is not known whether it was committed. */
  wait<Result>(run: () => Promise<Result>): Promise<Result> {
    return this.#noted(() => this.#wait(run));
  }

  async #wait<Result>(run: () => Promise<Result>): Promise<Result> {
    let pauseMs = firstPauseMs;
    let wasTold = false;
    try {
      for (;;) {
        try {
          return await run();
        } catch (error) {
          if (!isPassing(error) || this.#ended.signal.aborted) throw explained(error);
          if (!wasTold && this.#failing++ === 0) this.#tell(error);
          wasTold = true;
        }
        // Not all at once, when it is there again.
        await sleep(pauseMs * (0.5 + Math.random()), undefined, { signal: this.#ended.signal }).catch(() => {});
        pauseMs = Math.min(pauseMaxMs, pauseMs * 2);
      }
    } finally {
      if (wasTold && --this.#failing === 0) this.#log?.warn('writing goes on');
    }
  }

  /** For clients. */
  refuse<Result>(run: () => Promise<Result>): Promise<Result> {
    return this.#noted(async () => {
      try {
        return await run();
      } catch (error) {
        throw explained(error);
      }
    });
  }

  stopWaiting(): void {
    this.#ended.abort();
  }

  /** Resolves when all that was asked for before is done; what is asked for from now on is refused. */
  async close(): Promise<void> {
    this.#isClosed = true;
    this.stopWaiting();
    await Promise.allSettled(this.#running);
  }

  async #noted<Result>(run: () => Promise<Result>): Promise<Result> {
    if (this.#isClosed) throw new ExitError(exitCodes.storageFailed, 'The store is closed.');
    const running = run();
    this.#running.add(running);
    try {
      return await running;
    } finally {
      this.#running.delete(running);
    }
  }

  #tell(error: unknown): void {
    const known = explained(error);
    const message = known instanceof ExitError ? known.message : String(known);
    this.#log?.error('writing pauses, and goes on by itself when it can', { error: message });
  }
}
