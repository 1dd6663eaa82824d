// The loop that makes runs of schedules. Each process that crawls has one; a due run is claimed by one of them.
import { setTimeout as sleep } from 'node:timers/promises';
import { ExitError } from '../../core/errors.ts';
import type { ClaimedWork } from '../../core/ports/work.ts';
import { type ScheduleWorkParts, workOnSchedule } from './work-on-schedule.ts';

/** Runs that are made side by side. */
const attemptsMax = 16;
/** How long to wait before looking for due runs without a hint that there are some. */
const idleMs = 1_000;
/** How long to pause after the store failed. */
const troubleMs = 5_000;

export class ScheduleRunner {
  readonly #parts: ScheduleWorkParts;
  /** By schedule. */
  readonly #attempts = new Map<string, Promise<void>>();
  /** Fires when the store must be asked again: an attempt has ended. */
  #wake = new AbortController();

  constructor(parts: ScheduleWorkParts) {
    this.#parts = parts;
  }

  /** Works until `stop`, and resolves when the attempts in progress have ended. Never rejects. */
  async run(stop: AbortSignal): Promise<void> {
    const { store, log } = this.#parts;
    stop.addEventListener('abort', () => this.#wake.abort());
    while (!stop.aborted) {
      this.#wake = new AbortController();
      const { signal } = this.#wake;
      try {
        for (const piece of await this.#claim()) this.#start(piece);
        await store.work.waitUntilDue(idleMs, signal);
      } catch (error) {
        // The store itself says that it is away.
        if (!(error instanceof ExitError)) log.error('the schedules could not be read', { error });
        await sleep(troubleMs, undefined, { signal: stop }).catch(() => {});
      }
    }
    await Promise.all(this.#attempts.values());
  }

  async #claim(): Promise<readonly ClaimedWork[]> {
    const max = attemptsMax - this.#attempts.size;
    if (max === 0) return [];
    return this.#parts.store.work.claim({ kind: 'schedule', max, busyKeys: [...this.#attempts.keys()] });
  }

  #start(piece: ClaimedWork): void {
    const attempt = workOnSchedule(this.#parts, piece)
      // It is due again when its claim ends.
      .catch((error: unknown) => {
        if (!(error instanceof ExitError))
          this.#parts.log.error('the time of a schedule could not be settled', { schedule: piece.owner, error });
      })
      .finally(() => {
        this.#attempts.delete(piece.key);
        this.#wake.abort();
      });
    this.#attempts.set(piece.key, attempt);
  }
}
