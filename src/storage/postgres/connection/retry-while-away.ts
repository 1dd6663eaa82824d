import { setTimeout as sleep } from 'node:timers/promises';
import type { Log } from '../../../core/ports/log.ts';
import { ExitError, exitCodes } from '../../../core/errors.ts';
import { explained, inTime, isOfOthers, isPassing } from './faults.ts';

const firstPauseMs = 100;
const pauseMaxMs = 2_000;
const probeEveryMs = 1_000;
/** The longest wait of a client's request while the database is away. */
const awayMs = 5_000;

export interface RetryWhileAwayOptions {
  readonly log: Log | undefined;
  /** Rejects while the database cannot be written. */
  readonly probe: () => Promise<unknown>;
}

/**
 * While the database cannot be used, the engine's writes wait and are retried, because their callers have nothing else
 * to do. Requests of clients are rejected at once. The log has one line when the outage begins and one when it is over.
 */
export class RetryWhileAway {
  readonly #options: RetryWhileAwayOptions;
  readonly #ended = new AbortController();
  readonly #running = new Set<Promise<unknown>>();
  #isClosed = false;
  #isAway = false;

  constructor(options: RetryWhileAwayOptions) {
    this.#options = options;
  }

  /** For the engine. `run` must be safe to repeat if it is not known whether it was committed. */
  wait<Result>(run: () => Promise<Result>): Promise<Result> {
    return this.#noted(async () => {
      for (let pauseMs = firstPauseMs; ; pauseMs = Math.min(pauseMaxMs, pauseMs * 2)) {
        try {
          return await run();
        } catch (error) {
          this.note(error);
          if (!isPassing(error) || this.#ended.signal.aborted) throw explained(error);
        }
        // Random, so that not all retry at the same moment when the database is back.
        await sleep(pauseMs * (0.5 + Math.random()), undefined, { signal: this.#ended.signal }).catch(() => {});
      }
    });
  }

  /** For clients. */
  refuse<Result>(run: () => Promise<Result>): Promise<Result> {
    return this.#noted(async () => {
      try {
        return await (this.#isAway ? inTime(run(), awayMs) : run());
      } catch (error) {
        this.note(error);
        throw explained(error);
      }
    });
  }

  stopWaiting(): void {
    this.#ended.abort();
  }

  /** Resolves when all running operations are done. New ones are rejected. */
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

  /** Notes that the database is away, and logs it. Two transactions in each other's way are no sign of that. */
  note(error: unknown): void {
    if (this.#isAway || !isPassing(error) || isOfOthers(error) || this.#ended.signal.aborted) return;
    this.#isAway = true;
    const known = explained(error);
    const message = known instanceof ExitError ? known.message : String(known);
    this.#options.log?.error('writing is paused and resumes as soon as the database can be written', {
      error: message,
    });
    void this.#untilBack();
  }

  async #untilBack(): Promise<void> {
    const { log, probe } = this.#options;
    const { signal } = this.#ended;
    const since = performance.now();
    for (;;) {
      await sleep(probeEveryMs, undefined, { signal, ref: false }).catch(() => {});
      if (signal.aborted) return;
      try {
        await probe();
        break;
      } catch {
        // Still away.
      }
    }
    this.#isAway = false;
    log?.warn('writing resumes', { seconds: Math.round((performance.now() - since) / 1000) });
  }
}
