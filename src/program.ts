// The only place that builds adapters and gives them to the parts that need them.
import { readFileSync } from 'node:fs';
import { failPoint } from './core/fail-point.ts';
import { setTimeout as sleep } from 'node:timers/promises';
import { AnswerBudget } from './api/answer-budget.ts';
import { answerBytesMax, answerMemoryShare } from './api/limits.ts';
import { memoryBytes } from './api/memory-guard.ts';
import { createServer } from './api/server.ts';
import { Authenticator } from './api/authenticate.ts';
import { type Config, type Settings, settings } from './config.ts';
import { ExitError, exitCodes } from './core/errors.ts';
import type { Life } from './core/frontier.ts';
import type { Log } from './core/log.ts';
import { monotonicNow } from './core/monotonic-time.ts';
import type { Store } from './core/stores.ts';
import { runCli } from './cli/cli.ts';
import type { Engine, EngineOptions, Listening, Program } from './cli/program.ts';
import type { Converter } from './crawl/convert/converter.ts';
import { ConverterPool } from './crawl/convert/converter-pool.ts';
import { HostGate } from './crawl/host-gate.ts';
import { JobCache } from './crawl/job-cache.ts';
import { createPoliteFetcher, Pacer } from './crawl/politeness.ts';
import { createProcessor } from './crawl/process-request.ts';
import { RobotsGate } from './crawl/robots-gate.ts';
import { TemplateWatch } from './crawl/template-watch.ts';
import { runWorker } from './crawl/worker.ts';
import { parseCidrs } from './fetch/address-policy.ts';
import { createEgress, type Egress } from './fetch/egress.ts';
import { createHttpFetcher } from './fetch/http-fetcher.ts';
import { createWebhookSender } from './fetch/webhook-sender.ts';
import { Cursors } from './jobs/cursor.ts';
import { Notifier } from './notify/notifier.ts';
import { createApiMetrics } from './observe/api-metrics.ts';
import { CrawlMetrics } from './observe/crawl-metrics.ts';
import { createLogger } from './observe/logger.ts';
import { Watchdog } from './observe/watchdog.ts';
import { type ReadConfig, readConfig } from './read-config.ts';
import { backUp } from './storage/sqlite/backup.ts';
import { hasWalBug, walBugWarning } from './storage/sqlite/open-database.ts';
import { restore } from './storage/sqlite/restore.ts';
import { openSqliteStore } from './storage/sqlite/sqlite-store.ts';

/** Wall clock for one fetch. */
const fetchDeadlineMs = 30_000;
/** A host that does not even answer this in time is left alone for now, and what it holds up is free for others. */
const robotsDeadlineMs = 15_000;
/** One body, packed; unpacked it may be as large. */
const bodyBytesMax = 20 * 2 ** 20;
/** The first pause before a failed request is tried again. */
const retryBaseMs = 1_000;
const convertDeadlineMs = 5_000;
/** A PDF of 2,000 full pages takes 4 s. */
const convertFileDeadlineMs = 20_000;
const converterHeapMb = 512;
/** How long what is in flight may take to finish when the program is asked to stop. */
const drainMs = 15_000;
const sweepEveryMs = 60_000;
/** Processes that share a host with much to do. */
const hostSlotsMax = 4;
/** How long a database that is only just starting is waited for. */
const databaseStartMs = 60_000;
const watchEveryMs = 60_000;

const version = readVersion();
const settingsTable: Settings = settings({ checkCidrs: (text) => void parseCidrs(text) });

/** Runs the command line, with other parts in the place of its own where some are given; answers the exit code. */
export function runProgram(args: readonly string[], parts: Partial<Program> = {}): Promise<number> {
  return runCli({ ...program, ...parts }, args);
}

const program: Program = {
  version,
  command: process.env['npm_lifecycle_event'] === 'hayrake' ? 'npm run hayrake --' : 'hayrake',
  settings: settingsTable,
  readConfig: (flags): ReadConfig => {
    const file = typeof flags['config'] === 'string' ? flags['config'] : process.env['HAYRAKE_CONFIG'];
    const read = readConfig(settingsTable, { flags, env: process.env, ...(file !== undefined && { file }) });
    for (const warning of read.warnings) process.stderr.write(`hayrake: ${warning}\n`);
    return read;
  },
  openStore: async (config, { crawling, waiting = false }) => {
    const { databaseUrl, databaseConnections } = config;
    if (databaseUrl !== undefined) {
      // Only here: with the driver a start takes 20 ms of processor time more.
      const { openPostgresStore } = await import('./storage/postgres/postgres-store.ts');
      return openPostgresStore({
        url: databaseUrl,
        connections: databaseConnections,
        // Where a delay is asked for, one process at a time keeps it.
        hostSlots: config.hostDelayMs > 0 ? 1 : Math.min(hostSlotsMax, config.hostConcurrency),
        startMs: waiting ? databaseStartMs : 0,
        log: createLogger(config.logLevel),
      });
    }
    if (crawling && hasWalBug(process.versions['sqlite'] ?? '')) process.stderr.write(`hayrake: ${walBugWarning}\n`);
    const { data, diskFreeMb, logLevel } = config;
    return openSqliteStore(data, { crawling, diskFreeMb, log: createLogger(logLevel) });
  },
  backUp: (config, file, options) => backUp(config.data, file, options),
  restore: (config, file) => restore(file, config.data),
  migrate: async (from, url, onStep) => {
    const { moveToPostgres } = await import('./storage/move/move-to-postgres.ts');
    return moveToPostgres({ from, url, onStep });
  },
  createLog: (config) => createLogger(config.logLevel),
  createDestinations: (config) => createEgress(egressOptions(config)),
  cursorsOf: (store) => new Cursors(store.secret),
  startEngine,
  listen,
};

/** Starts crawling on a store. */
async function startEngine(config: Config, store: Store, options: EngineOptions, log: Log): Promise<Engine> {
  const { concurrency, hostConcurrency, hostDelayMs, converterThreads } = config;
  const beginLife = (): Promise<Life> =>
    store.frontier.recover({
      delayMs: hostDelayMs,
      ...(options.onlyJob !== undefined && { onlyJob: options.onlyJob }),
    });
  const firstLife = await beginLife();
  failPoint('start.recovered');
  const stop = new AbortController();
  const abort = new AbortController();
  const egress = createEgress(egressOptions(config));
  if (options.ownPort !== undefined) egress.setOwnPort(options.ownPort);
  const pacer = new Pacer(
    { concurrency: hostConcurrency, delayMs: hostDelayMs },
    { giveUpMs: config.unreachableSeconds * 1000 },
    log,
  );
  const watchdog = new Watchdog({
    standing: store.standing,
    log,
    whyPaused: (host) => pacer.whyPaused(host),
    onViolation: () => metrics.violated(),
  });
  const metrics = new CrawlMetrics({
    standing: store.standing,
    openCircuits: () => pacer.openCircuits(),
    stalledJobs: () => watchdog.stalledJobs,
  });
  const frontier = metrics.frontier(store.frontier);
  const httpFetcher = metrics.fetcher(createHttpFetcher({ egress, userAgent: userAgent(config) }));
  const pool = new ConverterPool(
    {
      threads: converterThreads,
      deadlineMs: convertDeadlineMs,
      fileDeadlineMs: convertFileDeadlineMs,
      heapMbMax: converterHeapMb,
    },
    log,
  );
  const converter: Converter = {
    convertPage: (input) => metrics.conversion(pool.convertPage(input)),
    readSitemap: (input) => pool.readSitemap(input),
    committed: (conversions) => pool.committed(conversions),
    close: () => pool.close(),
  };
  const watch = new TemplateWatch();
  /** Until it is over: another process may have what this one had. */
  const live = async ({ suspects, lost, isHeld }: Life): Promise<void> => {
    const ending = AbortSignal.any([stop.signal, lost]);
    const fetcher = createPoliteFetcher(httpFetcher, pacer, ending, isHeld, frontier.hold);
    const gate = new HostGate({
      robots: new RobotsGate(fetcher, { deadlineMs: robotsDeadlineMs }),
      pacer,
      isShared: frontier.hold !== undefined,
      noteDelay: (host, delayMs) => frontier.noteDelay(host, delayMs),
    });
    const processor = createProcessor(
      { fetcher, pacer, converter, gate, watch, jobs: new JobCache(frontier), log },
      { retry: { baseMs: retryBaseMs }, fetchDeadlineMs, bodyBytesMax },
      AbortSignal.any([abort.signal, lost]),
    );
    // What is settled when the life is over is not stored: its links are not to be taken for known.
    const settled: typeof processor.settled = (processed) => {
      if (isHeld()) processor.settled(processed);
    };
    await runWorker(frontier, { ...processor, settled }, { concurrency, pacer, suspects }, ending, log);
  };
  const sweeping = sweepRegularly(store, stop.signal, log);
  // A command that crawls one job tells nobody: what it stores is sent when the service runs.
  const isServing = options.onlyJob === undefined;
  const notifier = new Notifier(store.outbox, createWebhookSender(egress), { userAgent: userAgent(config) }, log);
  const notifying = isServing ? notifier.run(stop.signal) : undefined;
  const watching = isServing ? watchRegularly(watchdog, stop.signal, log) : undefined;
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
      await sweeping;
      await notifying;
      await watching;
      await converter.close();
      await egress.close();
    }
  };
  // Nothing that is fetched from now on could be kept.
  store.failed.addEventListener('abort', () => {
    stop.abort();
    endAtOnce();
  });
  const done = crawl();
  // Whoever waits for `done` sees the failure; until somebody does, it must not end the process.
  done.catch(() => {});
  const endAtOnce = (): void => {
    abort.abort();
    void converter.close();
  };
  return {
    done,
    isRunning: () => !stop.signal.aborted,
    metrics: () => metrics.text(),
    stop: async () => {
      failPoint('stop.asked');
      stop.abort();
      const patience = setTimeout(endAtOnce, drainMs);
      await done.finally(() => clearTimeout(patience));
      failPoint('stop.drained');
    },
  };
}

/** The API on an address. */
async function listen(
  config: Config,
  store: Store,
  engine: () => Engine | undefined,
  { role, log }: { readonly role: 'serve' | 'api' | 'worker'; readonly log: Log },
): Promise<Listening> {
  const egress: Egress = createEgress(egressOptions(config));
  const stopping = new AbortController();
  const metrics = createApiMetrics({
    connections: () =>
      new Promise((resolve) => server.server.getConnections((error, count) => resolve(error ? 0 : count))),
    database: store.connections?.bind(store),
  });
  const server = await createServer(
    {
      jobs: store.jobs,
      pages: store.pages,
      cursors: new Cursors(store.secret),
      outbox: store.outbox,
      destinations: egress,
      webhookHttp: config.webhookHttp,
      jobsPerOrg: config.jobsPerOrg,
      answers: new AnswerBudget(Math.min(answerBytesMax, memoryBytes() * answerMemoryShare)),
      metrics: async () => (await metrics.text()) + ((await engine()?.metrics()) ?? ''),
      ping: () => store.ping(),
      isCrawling: role === 'api' ? undefined : () => engine()?.isRunning() ?? false,
      stopping: stopping.signal,
    },
    {
      version,
      authenticator: new Authenticator(store.tokens, config.token),
      log,
      limits: config,
      host: config.host,
      onAnswered: (answered) => metrics.onAnswered(answered),
      healthOnly: role === 'worker',
    },
  );
  try {
    await server.listen({ host: config.host, port: config.port });
  } catch (error) {
    await server.close();
    await egress.close();
    throw new ExitError(exitCodes.failed, cannotListen(config, error));
  }
  const address = server.server.address();
  const port = typeof address === 'object' && address !== null ? address.port : config.port;
  egress.setOwnPort(port);
  return {
    port,
    close: async () => {
      stopping.abort();
      // A client that reads slowly is not waited for longer than what the crawler has in flight.
      const patience = setTimeout(() => server.server.closeAllConnections(), drainMs);
      await server.close().finally(() => clearTimeout(patience));
      metrics.close();
      await egress.close();
    },
  };
}

function cannotListen({ host, port }: Config, error: unknown): string {
  const code = error instanceof Error && 'code' in error ? error.code : undefined;
  if (code === 'EADDRINUSE') {
    return `Port ${port} on ${host} is in use by another program. Choose another with --port (0 takes a free one), or stop that one.`;
  }
  if (code === 'EACCES') return `Port ${port} is not open to you. Choose one above 1023 with --port.`;
  if (code === 'EADDRNOTAVAIL')
    return `This machine has no address ${host}. Choose another with --host; 0.0.0.0 is all of them.`;
  return `The API cannot listen on ${host}, port ${port}: ${error instanceof Error ? error.message : String(error)}.`;
}

async function sweepRegularly(store: Store, signal: AbortSignal, log: Log): Promise<void> {
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

async function watchRegularly(watchdog: Watchdog, signal: AbortSignal, log: Log): Promise<void> {
  while (!signal.aborted) {
    await watchdog.look(monotonicNow()).catch((error: unknown) => log.error('the watchdog failed', { error }));
    await pause(watchEveryMs, signal);
  }
}

/** Resolves after so long, or when the signal fires. */
async function pause(ms: number, signal: AbortSignal): Promise<void> {
  await sleep(ms, undefined, { signal }).catch(() => {});
}

function egressOptions(config: Config): Parameters<typeof createEgress>[0] {
  return {
    allowPrivate: config.allowPrivate === '' ? [] : parseCidrs(config.allowPrivate),
    allowPorts: config.allowPorts,
    ...(config.proxy !== undefined && { proxy: config.proxy }),
  };
}

function userAgent(config: Config): string {
  return `hayrake/${version}${config.contact === undefined ? '' : ` (+${config.contact})`}`;
}

function readVersion(): string {
  const { version: text } = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8')) as {
    version: string;
  };
  return text;
}
