// What is done every so often, beside the crawl.
import { setTimeout as sleep } from 'node:timers/promises';
import type { Log } from './core/log.ts';
import { monotonicNow } from './core/monotonic-time.ts';
import type { Store } from './core/stores.ts';
import type { Watchdog } from './observe/watchdog.ts';

const sweepEveryMs = 60_000;
const watchEveryMs = 60_000;

export async function sweepRegularly(store: Store, signal: AbortSignal, log: Log): Promise<void> {
  while (!signal.aborted) {
    try {
      const more = await store.sweep(Date.now());
      await pause(more ? 100 : sweepEveryMs, signal);
    } catch (error) {
      log.error('sweeping failed', { error });
      await pause(sweepEveryMs, signal);
    }
  }
}

export async function watchRegularly(watchdog: Watchdog, signal: AbortSignal, log: Log): Promise<void> {
  while (!signal.aborted) {
    await watchdog.look(monotonicNow()).catch((error: unknown) => log.error('the watchdog failed', { error }));
    await pause(watchEveryMs, signal);
  }
}

/** Resolves after so long, or when the signal fires. */
async function pause(ms: number, signal: AbortSignal): Promise<void> {
  await sleep(ms, undefined, { signal }).catch(() => {});
}
