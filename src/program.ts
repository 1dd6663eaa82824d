// The only place that builds adapters and gives them to the parts that need them.
import { readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { createServer } from './api/server.ts';
import { Authenticator } from './api/authenticate.ts';
import { type Config, type Settings, settings } from './config.ts';
import { ExitError, exitCodes } from './core/errors.ts';
import type { Log } from './core/log.ts';
import type { Store } from './core/stores.ts';
import { runCli } from './cli/cli.ts';
import type { Engine, EngineOptions, Listening, Program } from './cli/program.ts';
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
import { Cursors } from './jobs/cursor.ts';
import { createLogger } from './observe/logger.ts';
import { type ReadConfig, readConfig } from './read-config.ts';
import { hasWalBug, walBugWarning } from './storage/sqlite/open-database.ts';
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

const version = readVersion();
const settingsTable: Settings = settings({ checkCidrs: (text) => void parseCidrs(text) });

/** Runs the command line; answers the exit code. */
export function runProgram(args: readonly string[]): Promise<number> {
  return runCli(program, args);
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
  openStore: (config, { crawling }) => {
    if (crawling && hasWalBug(process.versions['sqlite'] ?? '')) process.stderr.write(`hayrake: ${walBugWarning}\n`);
    return openSqliteStore(config.data, { crawling });
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
  const { suspects } = await store.frontier.recover({
    delayMs: hostDelayMs,
    ...(options.onlyJob !== undefined && { onlyJob: options.onlyJob }),
  });
  const stop = new AbortController();
  const abort = new AbortController();
  const egress = createEgress(egressOptions(config));
  if (options.ownPort !== undefined) egress.setOwnPort(options.ownPort);
  const pacer = new Pacer(
    { concurrency: hostConcurrency, delayMs: hostDelayMs },
    { giveUpMs: config.unreachableSeconds * 1000 },
  );
  const fetcher = createPoliteFetcher(createHttpFetcher({ egress, userAgent: userAgent(config) }), pacer, stop.signal);
  const converter = new ConverterPool(
    {
      threads: converterThreads,
      deadlineMs: convertDeadlineMs,
      fileDeadlineMs: convertFileDeadlineMs,
      heapMbMax: converterHeapMb,
    },
    log,
  );
  const gate = new HostGate({
    robots: new RobotsGate(fetcher, { deadlineMs: robotsDeadlineMs }),
    pacer,
    noteDelay: (host, delayMs) => store.frontier.noteDelay(host, delayMs),
  });
  const processor = createProcessor(
    { fetcher, pacer, converter, gate, watch: new TemplateWatch(), jobs: new JobCache(store.frontier), log },
    { retry: { baseMs: retryBaseMs }, fetchDeadlineMs, bodyBytesMax },
    abort.signal,
  );
  const sweeping = sweepRegularly(store, stop.signal, log);
  const crawl = async (): Promise<void> => {
    try {
      await runWorker(store.frontier, processor, { concurrency, pacer, suspects }, stop.signal, log);
    } finally {
      stop.abort();
      await sweeping;
      await converter.close();
      await egress.close();
    }
  };
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
    stop: async () => {
      stop.abort();
      const patience = setTimeout(endAtOnce, drainMs);
      await done.finally(() => clearTimeout(patience));
    },
  };
}

/** The API on an address. */
async function listen(config: Config, store: Store, engine: () => Engine | undefined, log: Log): Promise<Listening> {
  const egress: Egress = createEgress(egressOptions(config));
  const stopping = new AbortController();
  const server = await createServer(
    {
      jobs: store.jobs,
      pages: store.pages,
      cursors: new Cursors(store.secret),
      destinations: egress,
      ping: () => store.ping(),
      isCrawling: () => engine()?.isRunning() ?? false,
      stopping: stopping.signal,
    },
    { version, authenticator: new Authenticator(store.tokens, config.token), log },
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
