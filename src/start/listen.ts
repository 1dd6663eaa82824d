import { Authenticator } from '../api/guard/authenticate.ts';
import { responseBytesMax, responseMemoryShare, responseWaitSeconds } from '../api/limits.ts';
import { createServer, type ServerOptions } from '../api/server.ts';
import type { Engine, Listening, Program } from '../cli/program.ts';
import type { Config } from '../config/config.ts';
import { planOf } from './plan-of.ts';
import { ExitError, exitCodes } from '../core/errors.ts';
import { registerFirecrawl } from '../firecrawl/register.ts';
import { canChooseUpgrades, isWatcher } from '../firecrawl/watch.ts';
import type { Log } from '../core/ports/log.ts';
import type { Store } from '../core/ports/stores.ts';
import { FairBudget } from '../core/process/fair-budget.ts';
import { createApiMetrics } from '../observe/api-metrics.ts';
import { DamageWatch } from '../observe/damage-watch.ts';
import { serviceOf } from './open-door.ts';
import { egressOf } from './outgoing.ts';
import { postToService } from '../fetch/http/post-to-service.ts';
import type { AskSearchEngine } from '../firecrawl/web-search.ts';
import { listenerAt, shareListeners } from './own-listeners.ts';
import { systemDesk } from './system-desk.ts';
import { drainMs } from './start-engine.ts';
import { version } from '../version.ts';

/** Limit of a response of the search engine. */
const searchBytesMax = 5 * 2 ** 20;

/** Starts the API on an address. */
export async function listen(
  config: Config,
  store: Store,
  engine: () => Engine | undefined,
  { role, log, settings }: Parameters<Program['listen']>[3],
): Promise<Listening> {
  const egress = egressOf(config);
  const stopping = new AbortController();
  const ownBytes = planOf(config).ownMb * 2 ** 20;
  const metrics = createApiMetrics({
    connections: () =>
      new Promise((resolve) => server.server.getConnections((error, count) => resolve(error ? 0 : count))),
    database: store.connections?.bind(store),
    search: () => store.search.status(),
  });
  const authenticator = new Authenticator(store, config.token);
  const server = await createServer(
    {
      ...serviceOf(config, store, { destinations: egress, engine, log }),
      pages: new DamageWatch({ pages: store.pages, jobs: store.jobs, log, onDamage: () => metrics.onDamage() }),
      hasBrowser: () => store.hasBrowser(),
      jobsPerOrg: config.jobsPerOrg,
      responses: new FairBudget({
        max: Math.min(responseBytesMax, ownBytes * responseMemoryShare),
        waitMs: responseWaitSeconds * 1000,
        refusal: 'Too many responses are still being read. Retry in a few seconds.',
      }),
      onExport: (format) => metrics.onExport(format),
      system: systemDesk(config, store, settings),
      metrics: async () => (await metrics.text()) + ((await engine()?.metrics()) ?? ''),
      isCrawling: role === 'api' ? undefined : () => engine()?.isRunning() ?? false,
      stopping: stopping.signal,
    },
    {
      version,
      authenticator,
      sessions: store.sessions,
      log,
      limits: { ...config, memoryBytes: ownBytes },
      host: config.host,
      publicUrl: config.publicUrl,
      corsOrigins: config.corsOrigins,
      onAnswered: (answered) => metrics.onAnswered(answered),
      healthOnly: role === 'worker',
      ...(config.firecrawl === 'on' && firecrawl(config, authenticator, log)),
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
  const bound = typeof address === 'object' && address !== null ? address.address : config.host;
  await shareListeners(store, { own: listenerAt(bound, port), egress, signal: stopping.signal, log });
  return {
    port,
    close: async () => {
      stopping.abort();
      // A client that reads slowly gets no more time than the crawler's pages in flight.
      const patience = setTimeout(() => {
        log.warn('connections that did not end are closed', { afterMs: drainMs });
        server.server.closeAllConnections();
      }, drainMs);
      await server.close().finally(() => clearTimeout(patience));
      metrics.close();
      await egress.close();
    },
  };
}

function firecrawl(
  { webSearchUrl, host, publicUrl }: Config,
  authenticator: Authenticator,
  log: Log,
): Pick<ServerOptions, 'facades' | 'isUpgrade'> {
  const askSearchEngine = webSearchUrl && askSearchEngineAt(webSearchUrl);
  return {
    facades: (api, service) =>
      registerFirecrawl(api, service, { authenticator, log, askSearchEngine, host, publicUrl }),
    // An older Node would take every offered upgrade, and clients that offer HTTP/2 would get no response.
    ...(canChooseUpgrades && { isUpgrade: isWatcher }),
  };
}

/** SearXNG at this address. The operator names it, so it can be on this machine. */
function askSearchEngineAt(url: URL): AskSearchEngine {
  const target = new URL('search', url.href.endsWith('/') ? url : `${url.href}/`);
  return (query, signal) =>
    postToService(target, {
      headers: { 'content-type': 'application/x-www-form-urlencoded', accept: 'application/json' },
      body: new URLSearchParams({ ...query, format: 'json' }).toString(),
      signal,
      bytesMax: searchBytesMax,
    });
}

function cannotListen({ host, port }: Config, error: unknown): string {
  const code = error instanceof Error && 'code' in error ? error.code : undefined;
  if (code === 'EADDRINUSE') {
    return `Port ${port} on ${host} is in use by another program. Choose another port with --port (0 takes a free one), or stop that program.`;
  }
  if (code === 'EACCES') return `This user may not listen on port ${port}. Choose one above 1023 with --port.`;
  if (code === 'EADDRNOTAVAIL')
    return `This machine has no address ${host}. Choose another with --host; 0.0.0.0 listens on all of them.`;
  return `The API cannot listen on ${host}, port ${port}: ${error instanceof Error ? error.message : String(error)}.`;
}
