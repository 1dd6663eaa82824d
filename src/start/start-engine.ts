import { randomUUID } from 'node:crypto';
import { affordable } from '../api/guard/connection-limits.ts';
import { failPoint } from '../core/process/fail-point.ts';
import type { Config } from '../config/config.ts';
import type { Life } from '../core/ports/frontier.ts';
import type { Log } from '../core/ports/log.ts';
import type { Store } from '../core/ports/stores.ts';
import type { Engine, EngineOptions } from '../cli/program.ts';
import type { Converter } from '../crawl/convert/converter.ts';
import { ApartConverter } from '../crawl/convert/thread/apart-converter.ts';
import { ConverterPool } from '../crawl/convert/thread/converter-pool.ts';
import { HostGate } from '../crawl/pace/host-gate.ts';
import { JobCache } from '../crawl/job/job-cache.ts';
import { JobCookies } from '../crawl/job/job-cookies.ts';
import { JobEnds } from '../crawl/job/job-ends.ts';
import { createPoliteFetcher, Pacer } from '../crawl/pace/politeness.ts';
import { previewCrawl } from '../crawl/path/preview-crawl.ts';
import { createProcessor } from '../crawl/path/process-request.ts';
import { RedirectTargets } from '../crawl/memory/redirect-targets.ts';
import { RobotsGate } from '../crawl/pace/robots-gate.ts';
import { CopyWatch } from '../crawl/memory/copy-watch.ts';
import { ScriptLinks } from '../crawl/memory/script-links.ts';
import { TemplateWatch } from '../crawl/memory/template-watch.ts';
import { BodyBudget } from '../crawl/path/body-budget.ts';
import { RenderMemory } from '../crawl/memory/render-memory.ts';
import { ResourceCache } from '../crawl/memory/resource-cache.ts';
import { Counts } from '../crawl/counts.ts';
import { LearningConverter } from '../crawl/lessons/learning-converter.ts';
import { PageKeeper } from '../crawl/lessons/page-keeper.ts';
import { packingRawPages } from '../crawl/pack-raw-pages.ts';
import { reextractJobs } from '../crawl/reextract.ts';
import { seedJobs } from '../crawl/seed.ts';
import { runWorker } from '../crawl/worker.ts';
import { createHttpFetcher } from '../fetch/http/http-fetcher.ts';
import { ChatModel } from '../fetch/http/chat-model.ts';
import { createWebhookSender } from '../fetch/http/webhook-sender.ts';
import { Notifier } from '../notify/notifier.ts';
import { CrawlMetrics } from '../observe/crawl-metrics.ts';
import { JobRecorder } from '../observe/job-recorder.ts';
import { Cursors } from '../jobs/cursor.ts';
import { feedCursor } from '../jobs/schedules/feed-cursor.ts';
import { ScheduleRunner } from '../jobs/schedules/schedule-runner.ts';
import { Watchdog } from '../observe/watchdog.ts';
import { egressOf, userAgent } from './outgoing.ts';
import { shareListeners } from './own-listeners.ts';
import { openBrowser } from './open-browser.ts';
import { planOf } from './plan-of.ts';
import {
  browserMissingMs,
  giveUpForBrowserRegularly,
  lookAtLoadRegularly,
  recordRegularly,
  sweepRegularly,
  watchRegularly,
} from './regular-work.ts';

/** Wall clock for one fetch: 20 MiB at 70 kB/s. */
const fetchDeadlineMs = 300_000;
/** Wall clock to the head of a response, and the longest time without a byte of its body. */
const fetchSilenceMs = 30_000;
/** A host that does not even send robots.txt in time is skipped for now, so that it does not hold up others. */
const robotsDeadlineMs = 15_000;
/** One body, compressed; decompressed it can be as large. */
const bodyBytesMax = 20 * 2 ** 20;
/** How long a host that has never answered is tried, if a job does not say. */
const unansweredMs = 20_000;
/** The first back-off before a failed request is retried. */
const retryBaseMs = 1_000;
const convertDeadlineMs = 5_000;
/** Wall clock of one call of the model: small machines take a minute. */
const modelDeadlineMs = 120_000;
/** The first pause before a call of the model is repeated. */
const modelRetryMs = 500;
/** How long a model is left alone after it failed repeatedly. */
const modelPauseMs = 60_000;
/** A PDF of 2,000 full pages takes 4 s. */
const convertFileDeadlineMs = 20_000;
/**
 * How long pages are converted one at a time in a separate process, after a death of this process or of such a
 * converter.
 */
const apartMs = 60_000;
/** Time for requests in flight to finish when the program stops. */
export const drainMs = 15_000;

/** Starts crawling on a store. */
export async function startEngine(config: Config, store: Store, options: EngineOptions, log: Log): Promise<Engine> {
  const { hostConcurrency, hostDelayMs, converterThreads, lanesPerOrg } = config;
  const concurrency = Math.min(config.concurrency, affordable(config.concurrency));
  if (concurrency < config.concurrency) {
    log.warn(
      'the process can open only few files, so it runs fewer requests in flight: allow more with `ulimit -n 1024`',
      {
        concurrency,
      },
    );
  }
  const plan = planOf(config);
  const opened = await openBrowser(config, log);
  const openPages = new Counts();
  const beginLife = async (): Promise<Life> => {
    const life = await store.frontier.recover({
      delayMs: hostDelayMs,
      hasBrowser: opened !== undefined,
      openPages: openPages.all,
      ...(options.onlyJob !== undefined && { onlyJob: options.onlyJob }),
    });
    await store.work.recover();
    return life;
  };
  const firstLife = await beginLife();
  failPoint('start.recovered');
  const stop = new AbortController();
  const abort = new AbortController();
  const egress = egressOf(config);
  if (options.ownPort !== undefined) egress.setOwnPort(options.ownPort);
  await shareListeners(store, { egress, signal: stop.signal, log });
  // A receiver of webhooks is always resolved and judged here.
  const forWebhooks = config.proxyResolves ? egressOf({ ...config, proxyResolves: false }) : egress;
  if (forWebhooks !== egress) {
    if (options.ownPort !== undefined) forWebhooks.setOwnPort(options.ownPort);
    await shareListeners(store, { egress: forWebhooks, signal: stop.signal, log });
  }
  const pacer = new Pacer(
    { concurrency: hostConcurrency, delayMs: hostDelayMs },
    { giveUpMs: config.unreachableSeconds * 1000, unansweredMs },
    log,
    egress,
  );
  const watchdog = new Watchdog({
    crawlStatus: store.crawlStatus,
    log,
    whyPaused: (host) => pacer.whyPaused(host),
    onViolation: () => metrics.violated(),
  });
  const metrics = new CrawlMetrics({
    crawlStatus: store.crawlStatus,
    openCircuits: () => pacer.openCircuits(),
    stalledJobs: () => watchdog.stalledJobs,
    fetchesMax: concurrency,
    converterThreads,
    browser: opened && (() => opened.status()),
  });
  const recorder = new JobRecorder(store.crawlStatus, store.jobs, (findings) => metrics.found(findings));
  const frontier = packingRawPages(recorder.frontier(metrics.frontier(store.frontier)));
  const httpFetcher = metrics.fetcher(createHttpFetcher({ egress, userAgent: userAgent(config) }));
  const converterLimits = {
    deadlineMs: convertDeadlineMs,
    fileDeadlineMs: convertFileDeadlineMs,
    memoryMbMax: plan.converterMb,
    sharedMbMax: plan.converterSharedMb,
    youngMbMax: plan.converterYoungMb,
  };
  const pool = new ConverterPool({ ...converterLimits, threads: converterThreads }, log);
  const isAfterDeath = firstLife.isAfterDeath || firstLife.suspects > 0;
  const apart = isAfterDeath ? new ApartConverter({ limits: converterLimits, apartMs }, log) : undefined;
  const converter: Converter = {
    convertPage: (input) => metrics.conversion(apart?.checkOn() ? apart.convertPage(input) : pool.convertPage(input)),
    readSitemap: (input) => pool.readSitemap(input),
    committed: (conversions) => pool.committed(conversions),
    close: async () => {
      apart?.close();
      await pool.close();
    },
  };
  const learning =
    config.modelUrl &&
    new LearningConverter({
      converter,
      teacher: pool,
      model: new ChatModel({
        url: config.modelUrl,
        model: config.model,
        key: config.modelKey,
        deadlineMs: modelDeadlineMs,
        retryMs: modelRetryMs,
        pauseMs: modelPauseMs,
      }),
      lessons: store.lessons,
      callsPerDay: config.modelCallsPerDay,
      hasBrowser: opened !== undefined,
      log,
    });
  const crawlConverter: Converter = learning ?? converter;
  const keeper =
    learning &&
    new PageKeeper({
      heldPages: store.heldPages,
      study: (input) => learning.study(input),
      // The only process that crawls continues after a crash at once.
      holder: store.frontier.isShared ? randomUUID() : 'only',
      log,
      signal: AbortSignal.any([stop.signal, abort.signal]),
    });
  const endAtOnce = (): void => {
    abort.abort();
    void crawlConverter.close();
    void opened?.close();
  };
  const browser = opened && {
    renderer: metrics.renderer(opened),
    memory: new RenderMemory(),
    resources: new ResourceCache(plan.cacheBytes),
    userAgent: userAgent(config),
    isUnsandboxed: config.browserSandbox === 'off',
  };
  const path = {
    pacer,
    watch: new TemplateWatch(),
    copies: new CopyWatch(),
    scriptLinks: new ScriptLinks(),
    bodyBudget: new BodyBudget(plan.bodiesBytes),
    log,
  };
  const pathOptions = {
    retry: { baseMs: retryBaseMs },
    fetchDeadlineMs,
    fetchSilenceMs,
    bodyBytesMax,
    waitingBytes: plan.waitingBytes,
  };
  const cookies = new JobCookies(plan.cacheBytes);
  /**
   * Crawls until a life is over. Each life gets new parts, because another process might have taken over the leases.
   */
  const live = async ({ suspects, lost, isHeld }: Life): Promise<void> => {
    const ending = AbortSignal.any([stop.signal, lost]);
    const { isShared } = frontier;
    const fetcher = createPoliteFetcher(httpFetcher, pacer, ending, isHeld);
    const gate = new HostGate({
      robots: new RobotsGate(fetcher, { deadlineMs: robotsDeadlineMs, cacheBytes: plan.cacheBytes }),
      pacer,
      isShared,
      noteDelay: (host, delayMs) => frontier.noteDelay(host, delayMs),
    });
    const abortNow = AbortSignal.any([abort.signal, lost]);
    const jobEnds = new JobEnds(frontier, abortNow);
    const targets = new RedirectTargets(frontier, { isShared });
    const jobs = new JobCache(frontier, egress);
    const parts = {
      ...path,
      converter: crawlConverter,
      browser,
      keeper,
      fetcher,
      gate,
      cookies,
      targets,
      jobs,
      jobEnds,
    };
    const processor = createProcessor(parts, pathOptions, abortNow);
    // After the end of the life nothing is stored, so the links must not count as known.
    const settled: typeof processor.settled = (processed) => {
      if (isHeld()) processor.settled(processed);
    };
    await runWorker(
      frontier,
      { ...processor, settled },
      { concurrency, pacer, openPages, suspects, abort: endAtOnce, ...(lanesPerOrg > 0 && { lanesPerOrg }) },
      ending,
      log,
    );
  };
  const seeding = seedJobs({ ...store, frontier, log, onlyJob: options.onlyJob }, stop.signal);
  const reextracting = reextractJobs(
    { ...store, frontier, converter: crawlConverter, log, onlyJob: options.onlyJob },
    stop.signal,
  );
  // A command that crawls one job sends no webhooks: a service sends the stored events later.
  const isServing = options.onlyJob === undefined;
  // The user of a command waits for its job, so a missing browser is reported at once.
  const missingMs = isServing ? browserMissingMs : 0;
  const givingUp = opened ? undefined : giveUpForBrowserRegularly(store, { missingMs }, stop.signal, log);
  const sweeping = sweepRegularly(store, stop.signal, log, isServing);
  const cursors = new Cursors(store.secret);
  const notifier = new Notifier(
    store.outbox,
    createWebhookSender(forWebhooks),
    {
      userAgent: userAgent(config),
      feedCursor: (schedule, run) => feedCursor(cursors, schedule, { job: run, change: 0 }),
    },
    log,
  );
  const schedules = new ScheduleRunner({
    store,
    // As for the jobs of the API.
    destinations: egress,
    hasBrowser: () => store.hasBrowser(),
    webhookHttp: config.webhookHttp,
    outputExpirySeconds: config.outputExpirySeconds,
    log,
    onRun: (outcome) => metrics.ran(outcome),
  });
  const scheduling = isServing ? schedules.run(stop.signal) : undefined;
  const notifying = isServing ? notifier.run(stop.signal) : undefined;
  const watching = isServing ? watchRegularly(watchdog, stop.signal, log) : undefined;
  const recording = recordRegularly(recorder, stop.signal, log);
  const looking = isServing ? lookAtLoadRegularly(metrics, stop.signal, log) : undefined;
  const crawl = async (): Promise<void> => {
    try {
      for (let life = firstLife; !stop.signal.aborted; life = await beginLife()) {
        await live(life);
        if (stop.signal.aborted) break;
      }
      store.failed.throwIfAborted();
    } finally {
      stop.abort();
      store.stopWaiting();
      // The last counters, if the store works. The next process continues from what is stored.
      await recorder
        .finish(Date.now())
        .catch((error: unknown) => log.debug('the progress of jobs was not recorded', { error }));
      await sweeping;
      await givingUp;
      await notifying;
      await scheduling;
      await watching;
      await looking;
      await reextracting;
      await seeding;
      await recording;
      await crawlConverter.close();
      await opened?.close();
      await egress.close();
      if (forWebhooks !== egress) await forWebhooks.close();
    }
  };
  // Nothing fetched from now on could be stored.
  store.failed.addEventListener('abort', () => {
    stop.abort();
    endAtOnce();
  });
  const done = crawl();
  // The caller that awaits `done` gets the failure; until then, it must not end the process.
  done.catch(() => {});
  return {
    done,
    isRunning: () => !stop.signal.aborted,
    metrics: () => metrics.text(),
    hostState: (host) => pacer.stateOf(host),
    preview: (job, signal) =>
      previewCrawl(
        job,
        { ...path, fetcher: httpFetcher, converter, networks: egress },
        pathOptions,
        AbortSignal.any([signal, stop.signal]),
      ),
    stop: async () => {
      failPoint('stop.asked');
      stop.abort();
      const patience = setTimeout(() => {
        log.warn('fetches that did not end are given up', { afterMs: drainMs });
        endAtOnce();
      }, drainMs);
      await done.finally(() => clearTimeout(patience));
      failPoint('stop.drained');
    },
  };
}
