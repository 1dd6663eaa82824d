// Claims the objects at the start of a process. While their store is away it tries again, so that a service can start
// meanwhile: it stores nothing before.
import { setTimeout as sleep } from 'node:timers/promises';
import { ExitError, exitCodes } from '../../core/errors.ts';
import type { Log } from '../../core/ports/log.ts';
import type { ObjectStore, SegmentObjects } from '../../core/ports/object-store.ts';
import { monotonicNow } from '../../core/process/monotonic-time.ts';
import { claimObjects } from './owner.ts';

/** How long a start waits for a response. */
const startMs = 5_000;
const retryMs = 2_000;

export class ObjectsClaim {
  /** Resolves when they are claimed. Rejects with an `ExitError` if they cannot be, or if this was stopped. */
  readonly done: Promise<void>;
  readonly #ended = new AbortController();
  readonly #away = Promise.withResolvers<void>();
  #isDone = false;

  constructor(objects: ObjectStore, rows: SegmentObjects, log: Log) {
    this.done = this.#claim(objects, rows, log);
    // It is awaited where something waits to be stored.
    this.done.catch(() => {});
  }

  /** Resolves when they are claimed, or else when it is clear that their store is away. Rejects as `done` does. */
  async started(): Promise<void> {
    const late = new AbortController();
    await Promise.race([this.done, this.#away.promise, sleep(startMs, undefined, { signal: late.signal })]).finally(
      () => late.abort(),
    );
  }

  get isDone(): boolean {
    return this.#isDone;
  }

  get isStopped(): boolean {
    return this.#ended.signal.aborted;
  }

  stop(): void {
    this.#ended.abort();
  }

  async #claim(objects: ObjectStore, rows: SegmentObjects, log: Log): Promise<void> {
    const { signal } = this.#ended;
    const since = monotonicNow();
    for (let tries = 0; ; tries++) {
      try {
        await claimObjects(objects, rows);
        this.#isDone = true;
        if (tries > 0) log.warn('the object store is back', { seconds: Math.round((monotonicNow() - since) / 1000) });
        return;
      } catch (error) {
        if (!(error instanceof ExitError) || error.exitCode !== exitCodes.storageFailed || signal.aborted) throw error;
        if (tries === 0)
          log.error('the object store is away: crawls that store raw bodies or screenshots wait for it', {
            error: error.message,
          });
        this.#away.resolve();
      }
      await sleep(retryMs, undefined, { signal }).catch(() => {});
      if (signal.aborted)
        throw new ExitError(
          exitCodes.storageFailed,
          'The program stops, and the object store is still away.',
          'unavailable',
        );
    }
  }
}
