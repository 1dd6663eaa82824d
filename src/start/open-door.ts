// The API without a port: commands send their requests to its handler, in this process.
import path from 'node:path';
import { duplexPair } from 'node:stream';
import type { Caller } from '../api/guard/authenticate.ts';
import { createServer } from '../api/server.ts';
import type { Service } from '../api/service.ts';
import type { Engine, Program } from '../cli/program.ts';
import type { Config } from '../config/config.ts';
import type { Log } from '../core/ports/log.ts';
import type { Store } from '../core/ports/stores.ts';
import { siteRulesReader } from '../crawl/memory/site-lessons.ts';
import type { DestinationPolicy } from '../core/ports/fetcher.ts';
import { parsePrivateNetworks } from '../fetch/guard/address-policy.ts';
import { createDestinationRules } from '../fetch/guard/destination-rule.ts';
import { refusalOf } from '../fetch/guard/refusal.ts';
import { Cursors } from '../jobs/cursor.ts';
import { FairBudget } from '../core/process/fair-budget.ts';
import { permissions } from '../core/permissions.ts';
import { fetchOver } from '../fetch/http/fetch-over.ts';
import { defaultOrg } from '../jobs/tokens.ts';
import { version } from '../version.ts';
import { systemDesk } from './system-desk.ts';

/** The owner of the machine. */
const caller = { org: defaultOrg, permissions, token: '', expiresAt: null };
const own = (): Promise<Caller> => Promise.resolve(caller);
/** One user reads as slowly, and with as many requests, as it likes. */
const limits = {
  requestsPerMinute: 0,
  waitingPerOrg: Number.POSITIVE_INFINITY,
  connections: Number.POSITIVE_INFINITY,
  memoryBytes: Number.POSITIVE_INFINITY,
};

export const openDoor: Program['openDoor'] = async (config, store, { log, engine = () => undefined, begin }) => {
  const stopping = new AbortController();
  const running = new Set<Promise<unknown>>();
  const failures = new Map<string, unknown>();
  let requests = 0;
  const { server } = await createServer(
    {
      ...serviceOf(config, store, { destinations: destinationsOf(config), engine, log }),
      pages: store.pages,
      // As the ways to the web, it is loaded only where it is needed.
      hasBrowser: async () => (await import('./open-browser.ts')).hasBrowser(config),
      responses: new FairBudget({ max: Number.POSITIVE_INFINITY, waitMs: 0, refusal: '' }),
      onExport: () => () => {},
      system: systemDesk(config, store, []),
      metrics: () => Promise.resolve(''),
      isCrawling: undefined,
      stopping: stopping.signal,
      ...(begin && { begin }),
    },
    {
      version,
      authenticator: { callerOf: own, find: own, findSession: own },
      sessions: store.sessions,
      log,
      limits,
      host: 'localhost',
      local: {
        onHandling: (done) => {
          running.add(done);
          void done.finally(() => running.delete(done));
        },
        onError: (id, error) => void failures.set(id, error),
      },
    },
  );
  const send = fetchOver(() => {
    const [ours, theirs] = duplexPair();
    // Older versions of Node leave the other end open.
    ours.once('close', () => theirs.destroy());
    server.emit('connection', theirs);
    return ours;
  });
  return {
    fetch: async (target, init) => {
      const id = String(++requests);
      const headers = { ...(init?.headers as Record<string, string>), 'x-request-id': id };
      const response = await send(target, { ...init, headers });
      const failure = failures.get(id);
      if (!failures.delete(id)) return response;
      throw failure;
    },
    close: async () => {
      stopping.abort();
      await Promise.allSettled(running);
    },
  };
};

/** Judges the URLs of requests: the engine connects, by rules of its own. */
function destinationsOf({ allowPrivate, allowPorts, proxies, proxyResolves: resolves }: Config): DestinationPolicy {
  const rules = createDestinationRules({ networks: parsePrivateNetworks(allowPrivate), allowPorts });
  const proxyResolves = resolves && proxies.some(({ name }) => name === undefined);
  return {
    privateNetworks: rules.names,
    proxyNames: proxies.flatMap(({ name }) => name ?? []),
    proxyResolves,
    refusal: (url) => refusalOf(url, rules.names, { rules, proxyResolves }),
  };
}

/** What requests need of a store and its settings, wherever they come from. */
export function serviceOf(
  config: Config,
  store: Store,
  {
    destinations,
    engine,
    log,
  }: {
    readonly destinations: DestinationPolicy;
    readonly engine: () => Engine | undefined;
    readonly log: Log;
  },
) {
  return {
    jobs: store.jobs,
    blobs: store.blobs,
    erasures: store.erasures,
    changes: store.changes,
    siteRules: siteRulesReader(store.lessons),
    // As the ways to the web, it is loaded only where it is needed.
    droppedOf: async (...asked) => (await import('./dropped-apart.ts')).droppedApart(config, log, ...asked),
    search: config.search === 'on' ? store.search : undefined,
    cursors: new Cursors(store.secret),
    tokens: store.tokens,
    schedules: store.schedules,
    outbox: store.outbox,
    destinations,
    hasModel: config.modelUrl !== undefined,
    webhookHttp: config.webhookHttp,
    schedulesPerOrg: config.schedulesPerOrg,
    loaderSeconds: config.loaderSeconds,
    outputExpirySeconds: config.outputExpirySeconds,
    exportFiles: { directory: path.join(config.data, 'exports'), diskFreeMb: config.diskFreeMb },
    hostState: (host) => engine()?.hostState(host),
    previewer: () => (engine()?.isRunning() === true ? engine() : undefined),
    ping: () => store.ping(),
    objectsProblem: store.objectsProblem?.bind(store),
  } satisfies Partial<Service>;
}
