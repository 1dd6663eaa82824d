import { setTimeout as sleep } from 'node:timers/promises';
import type { Log } from '../../core/ports/log.ts';
import { ExitError, exitCodes } from '../../core/errors.ts';
import type { Store } from '../../core/ports/stores.ts';
import type { WorkQueue } from '../../core/ports/work.ts';
import { eventsTopic } from '../rules/frontier/changes.ts';
import { usualJobUrlsMax } from '../rules/frontier/crawl-tables.ts';
import { outboxOf } from '../rules/outbox/deliveries.ts';
import { SeenUrls } from '../rules/frontier/seen-urls.ts';
import { Connections } from './connection/connections.ts';
import { explained, explainedAtStart, inTime, isOfSetting, isPassing } from './connection/faults.ts';
import { frontierOf } from './frontier/frontier.ts';
import type { StoreParts } from './change/parts.ts';
import { HostIds } from './change/host-ids.ts';
import { IdleHosts } from './change/idle-hosts.ts';
import { JobFacts } from './change/job-facts.ts';
import { endedJobsOf } from '../shared/job-reads.ts';
import { JobWrites, pingSql } from './jobs/jobs.ts';
import { readPages } from './jobs/page-reads.ts';
import { countTree } from './jobs/tree-reads.ts';
import { RetryWhileAway } from './connection/retry-while-away.ts';
import { migrate } from './connection/schema.ts';
import { isPooledByTransaction } from './connection/sessions.ts';
import { operationOf, type SharedPorts, sharedPorts } from '../shared/shared-ports.ts';
import { runOperation, runSteps } from './connection/run-steps.ts';
import { planAhead } from '../shared/schedules.ts';
import { openSearch } from './search/open-search.ts';
import { sweepSearch } from './search/postgres-search.ts';
import { Signals } from './connection/signals.ts';
import { claimWork } from './outbox/work-queue.ts';
import { Statistics } from './connection/statistics.ts';
import { Workers } from './frontier/workers.ts';

/** How long a hint can be delayed before a waiter polls. */
const pollMs = 500;
const retryMs = 500;
/** A ping succeeds or fails within this time. */
const pingMs = 5_000;

export interface PostgresStoreOptions {
  /** `postgres://user:password@host:port/database`. */
  readonly url: string;
  /**
   * A URL of the same database that keeps sessions: for hints, and for the lock on a worker's name. Needed if `url`
   * leads to a pooler that pools transactions. @default `url`
   */
  readonly directUrl?: string | undefined;
  /** Connections of this process at most, besides two for what must not wait. */
  readonly connections: number;
  /** URLs that the ledger keeps per job at most. @default 1,000,000 */
  readonly jobUrlsMax?: number;
  /** How long to wait at the start for a database that cannot be reached. @default 0 */
  readonly startMs?: number;
  /** How long a silent process keeps its leases. Must be the same for all that share the database. @default 30 s */
  readonly leaseMs?: number;
  readonly log?: Log;
}

/** A store on PostgreSQL, shared with other processes. Every process can crawl; its leases show that it does. */
export async function openPostgresStore(options: PostgresStoreOptions): Promise<Store> {
  const applicationName = `hayrake ${process.pid}`;
  const connections = new Connections({
    url: options.url,
    applicationName,
    max: options.connections,
    onError: (error) => options.log?.debug('a connection to the database broke', { error: error.message }),
  });
  const secret = await opened(connections, options);
  return createStore(connections, applicationName, secret, options);
}

function createStore(
  connections: Connections,
  applicationName: string,
  secret: Uint8Array,
  options: PostgresStoreOptions,
): Store {
  const { url, log } = options;
  const ping = (): Promise<unknown> => inTime(connections.query(pingSql), pingMs);
  const whileAway = new RetryWhileAway({ log, probe: ping });
  const session = { url: options.directUrl ?? url, applicationName };
  const signals = new Signals({ ...session, onSilence: (error) => whileAway.note(error) });
  signals.listen();
  const parts = {
    connections,
    facts: new JobFacts(connections),
    hosts: new HostIds(connections),
    signals,
    idle: new IdleHosts(),
    statistics: new Statistics(connections, log),
    jobUrlsMax: options.jobUrlsMax ?? usualJobUrlsMax,
    seen: new SeenUrls(),
  };
  const workers = new Workers(parts, { ...session, leaseMs: options.leaseMs, ...(log && { log }) });
  const writes = new JobWrites(parts, workers);
  const { webhookKeys, listeners, endings, ...ports } = sharedPortsOn(parts, workers, writes, whileAway);
  const work: WorkQueue = {
    claim: (query) => whileAway.wait(() => claimWork(parts, writes, workers, query)),
    waitUntilDue: (maxMs, signal) => signals.wait(eventsTopic, Math.min(maxMs, pollMs), signal),
    ...ports.work,
  };
  const search = openSearch({ url, applicationName, hasSessions: connections.hasSessions }, (cause) =>
    log?.error('the thread that searches died', { error: cause }),
  );

  return {
    ...ports,
    ...listeners,
    secret,
    frontier: {
      ...frontierOf({ ...parts, workers }, whileAway),
      ...ports.frontier,
      endedJobs: endedJobsOf(endings, () => whileAway.wait(() => writes.sweep())),
    },
    jobs: {
      ...ports.jobs,
      countTree: (jobId, query) => whileAway.refuse(() => countTree(connections, jobId, query)),
      waitForChange: (jobId, maxMs, signal) => signals.wait(jobId, Math.min(maxMs, pollMs), signal),
    },
    pages: { ...ports.pages, read: (query) => whileAway.refuse(() => readPages(parts, query)) },
    search: {
      search: (query) => whileAway.refuse(() => search.search(query)),
      sweep: () => whileAway.refuse(() => sweepSearch(connections)),
      status: () => search.status(),
    },
    work,
    outbox: outboxOf(work, webhookKeys),
    sweep: (now) =>
      whileAway.wait(async () => {
        await connections.transaction((tx) => runSteps(tx, planAhead(now), workers));
        return writes.sweep(now);
      }),
    hasBrowser: () => whileAway.refuse(() => workers.haveBrowser()),
    ping: async () => {
      await whileAway.refuse(ping);
    },
    connections: () => connections.counts,
    failed: new AbortController().signal,
    stopWaiting: () => whileAway.stopWaiting(),
    close: async () => {
      for (const part of [search, whileAway, workers, signals, connections]) await part.close();
    },
  };
}

function sharedPortsOn(
  { connections, signals }: Pick<StoreParts, 'connections' | 'signals'>,
  worker: Workers,
  writes: JobWrites,
  whileAway: RetryWhileAway,
): SharedPorts {
  return sharedPorts((name, args) => {
    const operation = operationOf(name);
    return whileAway[operation.waits === true ? 'wait' : 'refuse'](async () => {
      const result = await (operation.kind === 'jobs'
        ? writes.run(operation, args)
        : runOperation(connections, operation, args, worker));
      if (operation.addsWork === true) signals.announce({ jobs: [], haveWork: false, haveEvents: true });
      return result;
    });
  });
}

/** The secret of the database. Waits for a database that is still starting. */
async function opened(connections: Connections, options: PostgresStoreOptions): Promise<Uint8Array> {
  const { startMs = 0, log } = options;
  const until = performance.now() + startMs;
  let wasTold = false;
  for (;;) {
    try {
      await refuseLostSessions(connections, options);
      return await migrate(connections);
    } catch (error) {
      if (!isPassing(error) || isOfSetting(error) || performance.now() >= until) {
        await connections.close();
        throw explainedAtStart(error);
      }
      if (!wasTold) log?.warn('waiting for the database', { error: (explained(error) as Error).message });
      wasTold = true;
    }
    await sleep(retryMs);
  }
}

/** Without sessions, hints and the lock on a worker's name would be lost silently. */
async function refuseLostSessions(connections: Connections, { directUrl }: PostgresStoreOptions): Promise<void> {
  const { hasSessions } = await connections.learnPooling();
  if (!hasSessions && directUrl === undefined)
    throw new ExitError(
      exitCodes.usage,
      'HAYRAKE_DATABASE_URL leads to a pooler in transaction mode (pool_mode=transaction), but hints and the liveness of workers need sessions. Set HAYRAKE_DATABASE_DIRECT_URL to the PostgreSQL server itself, or switch the pooler to session mode.',
    );
  if (directUrl === undefined) return;
  if (await isPooledByTransaction({ url: directUrl, applicationName: `hayrake ${process.pid}` }))
    throw new ExitError(
      exitCodes.usage,
      'HAYRAKE_DATABASE_DIRECT_URL leads to a pooler in transaction mode. Set it to the PostgreSQL server itself.',
    );
}
