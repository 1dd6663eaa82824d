// Periodic work besides the crawl.
import { setTimeout as sleep } from 'node:timers/promises';
import { ExitError } from '../core/errors.ts';
import type { Log } from '../core/ports/log.ts';
import { monotonicNow } from '../core/process/monotonic-time.ts';
import type { Store } from '../core/ports/stores.ts';
import type { CrawlMetrics } from '../observe/crawl-metrics.ts';
import { type JobRecorder, sampleEveryMs } from '../observe/job-recorder.ts';
import { lookEveryMs } from '../observe/worker-load.ts';
import type { Watchdog } from '../observe/watchdog.ts';

const sweepEveryMs = 60_000;
const watchEveryMs = 60_000;
const hourMs = 3_600_000;
const clockAhead =
  'the clock is far ahead of the last time that the database has seen, so nothing is deleted for an hour. If the clock is wrong, correct it within this hour, and no result is lost. If hayrake was off for that long, do nothing';

/** `isServing`: only a service reports a doubted clock. A command leaves the deletion to the next process. */
export async function sweepRegularly(store: Store, signal: AbortSignal, log: Log, isServing: boolean): Promise<void> {
  let wasTold = false;
  while (!signal.aborted) {
    try {
      const { more, clockAheadMs } = await store.sweep();
      if (!more) await store.search.sweep();
      if (isServing && clockAheadMs !== undefined && !wasTold)
        log.warn(clockAhead, { aheadHours: Math.round(clockAheadMs / hourMs) });
      wasTold = clockAheadMs !== undefined;
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

/** A point that could not be read or stored is in the next one, because points have totals. */
export async function recordRegularly(recorder: JobRecorder, signal: AbortSignal, log: Log): Promise<void> {
  const tell = (error: unknown): void => {
    if (!(error instanceof ExitError)) log.error('the progress of jobs could not be recorded', { error });
  };
  while (!signal.aborted) {
    await pause(sampleEveryMs, signal);
    await recorder.sample(Date.now()).catch(tell);
  }
}

/** Without a database there is no load to measure, and no further worker would help. */
export async function lookAtLoadRegularly(metrics: CrawlMetrics, signal: AbortSignal, log: Log): Promise<void> {
  while (!signal.aborted) {
    await pause(lookEveryMs, signal);
    await metrics.lookAtLoad().catch((error: unknown) => {
      if (!(error instanceof ExitError)) log.error('the load could not be measured', { error });
    });
  }
}

/** Resolves after `ms`, or when the signal fires. */
async function pause(ms: number, signal: AbortSignal): Promise<void> {
  await sleep(ms, undefined, { signal }).catch(() => {});
}
