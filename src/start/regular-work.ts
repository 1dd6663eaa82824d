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
const browserCheckMs = 10_000;
/** How long a service waits for a browser: a worker can be away for that long, for example during an upgrade. */
export const browserMissingMs = 600_000;
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

/**
 * Fails the remaining URLs of jobs that need a browser when no live process has had one for `missingMs`, as this process
 * saw it. Only processes without a browser do this.
 */
export async function giveUpForBrowserRegularly(
  store: Pick<Store, 'frontier' | 'hasBrowser'>,
  { missingMs, checkMs = browserCheckMs }: { readonly missingMs: number; readonly checkMs?: number },
  signal: AbortSignal,
  log: Log,
): Promise<void> {
  let missingSince: number | undefined;
  const message =
    missingMs === 0
      ? 'The job needs a browser, and there is none.'
      : `The job needs a browser, and no crawling process has had one for ${missingMs / 60_000} minutes.`;
  while (!signal.aborted) {
    try {
      missingSince = (await store.hasBrowser()) ? undefined : (missingSince ?? monotonicNow());
      if (missingSince !== undefined && monotonicNow() - missingSince >= missingMs)
        while (!signal.aborted && (await store.frontier.giveUpForBrowser({ reason: 'browser_missing', message })));
    } catch (error) {
      // The store itself says that it is away.
      if (!(error instanceof ExitError)) log.error('the check for a browser failed', { error });
    }
    await pause(checkMs, signal);
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
