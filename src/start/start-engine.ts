import { affordable } from '../api/guard/connection-limits.ts';
import type { Engine, EngineOptions } from '../cli/program.ts';
import type { Config } from '../config/config.ts';
import type { MemoryPlan } from '../config/memory-plan.ts';
import type { Frontier, Life } from '../core/ports/frontier.ts';
import type { Log } from '../core/ports/log.ts';
import type { Store } from '../core/ports/stores.ts';
import { failPoint } from '../core/process/fail-point.ts';
import { codeKey } from '../core/process/program-files.ts';
import { Counts } from '../crawl/counts.ts';
import { converterModule } from '../crawl/convert/thread/converter-pool.ts';
import { JobCookies } from '../crawl/job/job-cookies.ts';
import { OutcomeWatch } from '../crawl/memory/outcome-watch.ts';
import { RenderMemory } from '../crawl/memory/render-memory.ts';
import { ResourceCache } from '../crawl/memory/resource-cache.ts';
import { ScriptLinks } from '../crawl/memory/script-links.ts';
import { TemplateWatch } from '../crawl/memory/template-watch.ts';
import { Pacer } from '../crawl/pace/politeness.ts';
import { BodyBudget } from '../crawl/path/body-budget.ts';
import { previewCrawl } from '../crawl/path/preview-crawl.ts';
import type { ProcessorOptions } from '../crawl/path/request-path.ts';
import { createHttpFetcher } from '../fetch/http/http-fetcher.ts';
import { CrawlMetrics } from '../observe/crawl-metrics.ts';
import { JobRecorder } from '../observe/job-recorder.ts';
import { Watchdog } from '../observe/watchdog.ts';
import type { BrowserRenderer } from '../render/browser-renderer.ts';
import { crawlUntilOver, type Lasting } from './crawl-life.ts';
import { openBrowser } from './open-browser.ts';
import { openConverters } from './open-converters.ts';
import { openNetworks, userAgent } from './outgoing.ts';
import { planOf } from './plan-of.ts';
import { startWork } from './start-work.ts';

/** Wall clock for one fetch: 20 MiB at 70 kB/s. */
const fetchDeadlineMs = 300_000;
/**
 * Wall clock to the head of a response, and the longest time without a byte of its body. Most sites have a proxy that
 * waits for a page no longer.
 */
const fetchSilenceMs = 60_000;
/** One body, compressed; decompressed it can be as large. */
const bodyBytesMax = 20 * 2 ** 20;
/** How long a host that has never answered is tried, if a job does not say. */
const unansweredMs = 20_000;
/** The first back-off before a failed request is retried. */
const retryBaseMs = 1_000;
/** Time for requests in flight to finish when the program stops. */
export const drainMs = 15_000;

/** Starts crawling on a store. */
export async function startEngine(config: Config, store: Store, options: EngineOptions, log: Log): Promise<Engine> {
  const { lanesPerOrg } = config;
  const { onlyJob, ownPort } = options;
  const concurrency = affordableConcurrency(config, log);
  const plan = planOf(config);
  const opened = await openBrowser(config, log);
  const openPages = new Counts();
  const beginLife = (): Promise<Life> =>
    recover(store, {
      delayMs: config.hostDelayMs,
      hasBrowser: opened !== undefined,
      openPages: openPages.all,
      ...(onlyJob !== undefined && { onlyJob }),
    });
  const firstLife = await beginLife();
  failPoint('start.recovered');
  const stop = new AbortController();
  const abort = new AbortController();
  const networks = await openNetworks(config, store, { ownPort, signal: stop.signal, log });
  const { egress } = networks;
  const pacer = new Pacer(
    { concurrency: config.hostConcurrency, delayMs: config.hostDelayMs },
    { giveUpMs: config.unreachableSeconds * 1000, unansweredMs },
    log,
    egress,
  );
  const { metrics, watchdog, recorder } = observe(store, { pacer, concurrency, config, browser: opened, log });
  const frontier = recorder.frontier(metrics.frontier(store.frontier));
  const httpFetcher = metrics.fetcher(createHttpFetcher({ egress, userAgent: userAgent(config) }));
  const shared = { config, store, metrics, hasBrowser: opened !== undefined, log };
  const { plain, converter } = openConverters({ ...shared, plan, firstLife });
  const endAtOnce = (): void => {
    abort.abort();
    void converter.close();
    void opened?.close();
  };
  const path = memoryOf(plan, config, { pacer, log });
  const pathOptions = pathOptionsOf(plan);
  const lasting: Lasting = {
    path: { ...path, converter, browser: browserOf(config, plan, metrics, opened) },
    pathOptions,
    frontier,
    httpFetcher,
    egress,
    cacheBytes: plan.cacheBytes,
    worker: { concurrency, openPages, abort: endAtOnce, ...(lanesPerOrg > 0 && { lanesPerOrg }) },
    stop: stop.signal,
    abort: abort.signal,
    log,
  };
  const work = startWork({
    ...shared,
    frontier,
    converter,
    networks,
    recorder,
    watchdog,
    onlyJob,
    signal: stop.signal,
  });
  const close = async (): Promise<void> => {
    for (const each of work) await each;
    await converter.close();
    await opened?.close();
    await networks.close();
  };
  // Nothing fetched from now on could be stored.
  store.failed.addEventListener('abort', () => {
    stop.abort();
    endAtOnce();
  });
  const done = crawlLives({ firstLife, beginLife, lasting, stop, recorder, close }, store);
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
        { ...path, fetcher: httpFetcher, converter: plain, networks: egress },
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

interface Crawling {
  readonly firstLife: Life;
  readonly beginLife: () => Promise<Life>;
  readonly lasting: Lasting;
  readonly stop: AbortController;
  readonly recorder: JobRecorder;
  readonly close: () => Promise<void>;
}

/** Crawls one life after the other. Rejects if the store failed. */
async function crawlLives(
  { firstLife, beginLife, lasting, stop, recorder, close }: Crawling,
  store: Store,
): Promise<void> {
  try {
    for (let life = firstLife; !stop.signal.aborted; life = await beginLife()) {
      await crawlUntilOver(life, lasting);
      if (stop.signal.aborted) break;
    }
    store.failed.throwIfAborted();
  } finally {
    stop.abort();
    store.stopWaiting();
    // The last counters, if the store works. The next process continues from what is stored.
    await recorder
      .finish(Date.now())
      .catch((error: unknown) => lasting.log.debug('the progress of jobs was not recorded', { error }));
    await close();
  }
}

/** What the path remembers of sites from one life to the next. */
function memoryOf(
  plan: MemoryPlan,
  { unreachableSeconds }: Config,
  parts: { readonly pacer: Pacer; readonly log: Log },
) {
  return {
    ...parts,
    watch: new TemplateWatch(),
    outcomes: new OutcomeWatch({ patienceMs: unreachableSeconds * 1000 }),
    scriptLinks: new ScriptLinks(),
    bodyBudget: new BodyBudget(plan.bodiesBytes),
    cookies: new JobCookies(plan.cacheBytes),
  };
}

function pathOptionsOf({ waitingBytes }: MemoryPlan): ProcessorOptions {
  const program = codeKey(converterModule);
  return { program, retry: { baseMs: retryBaseMs }, fetchDeadlineMs, fetchSilenceMs, bodyBytesMax, waitingBytes };
}

function browserOf(config: Config, plan: MemoryPlan, metrics: CrawlMetrics, opened: BrowserRenderer | undefined) {
  return (
    opened && {
      renderer: metrics.renderer(opened),
      memory: new RenderMemory(),
      resources: new ResourceCache(plan.cacheBytes),
      userAgent: userAgent(config),
      isUnsandboxed: config.browserSandbox === 'off',
    }
  );
}

function affordableConcurrency(config: Config, log: Log): number {
  const concurrency = Math.min(config.concurrency, affordable(config.concurrency));
  if (concurrency < config.concurrency) {
    log.warn(
      'the process can open only few files, so it runs fewer requests in flight: allow more with `ulimit -n 1024`',
      { concurrency },
    );
  }
  return concurrency;
}

async function recover({ frontier, work }: Store, how: Parameters<Frontier['recover']>[0]): Promise<Life> {
  const life = await frontier.recover(how);
  await work.recover();
  return life;
}

function observe(
  { crawlStatus, jobs }: Store,
  of: { pacer: Pacer; concurrency: number; config: Config; browser: BrowserRenderer | undefined; log: Log },
): { metrics: CrawlMetrics; watchdog: Watchdog; recorder: JobRecorder } {
  const { pacer, browser } = of;
  const watchdog = new Watchdog({
    crawlStatus,
    log: of.log,
    whyPaused: (host) => pacer.whyPaused(host),
    onViolation: () => metrics.violated(),
  });
  const metrics = new CrawlMetrics({
    crawlStatus,
    openCircuits: () => pacer.openCircuits(),
    stalledJobs: () => watchdog.stalledJobs,
    fetchesMax: of.concurrency,
    converterThreads: of.config.converterThreads,
    browser: browser && (() => browser.status()),
  });
  const recorder = new JobRecorder(crawlStatus, jobs, (findings) => metrics.found(findings));
  return { metrics, watchdog, recorder };
}
