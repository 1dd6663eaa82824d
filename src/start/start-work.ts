// What a crawling process does besides the crawl, until its signal fires.
import type { Config } from '../config/config.ts';
import type { Frontier } from '../core/ports/frontier.ts';
import type { Log } from '../core/ports/log.ts';
import type { Store } from '../core/ports/stores.ts';
import type { Converter } from '../crawl/convert/converter.ts';
import { reextractJobs } from '../crawl/reextract.ts';
import { seedJobs } from '../crawl/seed.ts';
import { createWebhookSender } from '../fetch/http/webhook-sender.ts';
import { Cursors } from '../jobs/cursor.ts';
import { feedCursor } from '../jobs/schedules/feed-cursor.ts';
import { ScheduleRunner } from '../jobs/schedules/schedule-runner.ts';
import { Notifier } from '../notify/notifier.ts';
import type { CrawlMetrics } from '../observe/crawl-metrics.ts';
import type { JobRecorder } from '../observe/job-recorder.ts';
import type { Watchdog } from '../observe/watchdog.ts';
import { type OwnNetworks, userAgent } from './outgoing.ts';
import {
  browserMissingMs,
  giveUpForBrowserRegularly,
  lookAtLoadRegularly,
  recordRegularly,
  sweepRegularly,
  watchRegularly,
} from './regular-work.ts';

interface Needs {
  readonly config: Config;
  readonly store: Store;
  readonly frontier: Frontier;
  readonly converter: Converter;
  readonly networks: OwnNetworks;
  readonly hasBrowser: boolean;
  readonly onlyJob: string | undefined;
  readonly metrics: CrawlMetrics;
  readonly recorder: JobRecorder;
  readonly watchdog: Watchdog;
  readonly signal: AbortSignal;
  readonly log: Log;
}

/** Starts all of it. Each promise is one kind of work, and resolves when it has ended. */
export function startWork(needs: Needs): readonly Promise<void>[] {
  const { store, recorder, metrics, watchdog, onlyJob, signal, log } = needs;
  // A command that crawls one job sends no webhooks: a service sends the stored events later.
  const isServing = onlyJob === undefined;
  // The user of a command waits for its job, so a missing browser is reported at once.
  const missingMs = isServing ? browserMissingMs : 0;
  return [
    sweepRegularly(store, signal, log, isServing),
    ...(needs.hasBrowser ? [] : [giveUpForBrowserRegularly(store, { missingMs }, signal, log)]),
    ...(isServing
      ? [
          notifierOf(needs).run(signal),
          schedulesOf(needs).run(signal),
          watchRegularly(watchdog, signal, log),
          lookAtLoadRegularly(metrics, signal, log),
        ]
      : []),
    reextractJobs({ ...store, frontier: needs.frontier, converter: needs.converter, log, onlyJob }, signal),
    seedJobs({ ...store, frontier: needs.frontier, log, onlyJob }, signal),
    recordRegularly(recorder, signal, log),
  ];
}

function notifierOf({ config, store, networks, log }: Needs): Notifier {
  const cursors = new Cursors(store.secret);
  return new Notifier(
    store.outbox,
    createWebhookSender(networks.forWebhooks),
    {
      userAgent: userAgent(config),
      feedCursor: (schedule, run) => feedCursor(cursors, schedule, { job: run, change: 0 }),
    },
    log,
  );
}

function schedulesOf({ config, store, networks, metrics, log }: Needs): ScheduleRunner {
  return new ScheduleRunner({
    store,
    // As for the jobs of the API.
    destinations: networks.egress,
    hasBrowser: () => store.hasBrowser(),
    hasModel: config.modelUrl !== undefined,
    webhookHttp: config.webhookHttp,
    outputExpirySeconds: config.outputExpirySeconds,
    log,
    onRun: (outcome) => metrics.ran(outcome),
  });
}
