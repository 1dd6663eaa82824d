import { setTimeout as sleep } from 'node:timers/promises';
import type { Log } from '../../core/ports/log.ts';
import { ExitError, exitCodes } from '../../core/errors.ts';
import type { Store } from '../../core/ports/stores.ts';
import type { WorkQueue } from '../../core/ports/work.ts';
import { usualJobUrlsMax } from '../rules/frontier/crawl-tables.ts';
import { outboxOf } from '../rules/outbox/deliveries.ts';
import { SeenUrls } from '../rules/frontier/seen-urls.ts';
import { Connections } from './connection/connections.ts';
import { explained, explainedAtStart, inTime, isOfSetting, isPassing } from './connection/faults.ts';
import { PostgresFrontier } from './frontier/frontier.ts';
import { HostIds } from './change/host-ids.ts';
import { IdleHosts } from './change/idle-hosts.ts';
import { JobFacts } from './change/job-facts.ts';
import { listHosts } from './jobs/host-reads.ts';
import { crawlJob, endedJobs, knownUrl } from '../shared/job-reads.ts';
import { readTexts } from './jobs/text-reads.ts';
import { JobWrites, pingSql } from './jobs/jobs.ts';
import { OpenPages } from './jobs/open-pages.ts';
import { PageReads } from './jobs/page-reads.ts';
import { PostgresSegmentObjects } from './jobs/segment-objects.ts';
import { countTree } from './jobs/tree-reads.ts';
import { RetryWhileAway } from './connection/retry-while-away.ts';
import { migrate } from './connection/schema.ts';
import { isPooledByTransaction } from './connection/sessions.ts';
import { operationOf, sharedPorts } from '../shared/shared-ports.ts';
import { runOperation, runSteps } from './jobs/run-steps.ts';
import { planAhead } from '../shared/schedules.ts';
import { openSearch } from './search/open-search.ts';
import { sweepSearch } from './search/postgres-search.ts';
import { Signals } from './connection/signals.ts';
import { CrawlStatusReads } from './jobs/crawl-status-reads.ts';
import { PostgresWorkQueue } from './outbox/work-queue.ts';
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
  const { url, jobUrlsMax = usualJobUrlsMax, log } = options;
  const applicationName = `hayrake ${process.pid}`;
  const connections = new Connections({
    url,
    applicationName,
    max: options.connections,
    onError: (error) => log?.debug('a connection to the database broke', { error: error.message }),
  });
  const secret = await opened(connections, options);
  const ping = (): Promise<unknown> => inTime(connections.query(pingSql), pingMs);
  const whileAway = new RetryWhileAway({ log, probe: ping });
  const session = { url: options.directUrl ?? url, applicationName };
  const signals = new Signals({ ...session, onSilence: (error) => whileAway.note(error) });
  signals.listen();
  const facts = new JobFacts(connections);
  const parts = {
    connections,
    facts,
    hosts: new HostIds(connections),
    signals,
    idle: new IdleHosts(),
    statistics: new Statistics(connections, log),
    jobUrlsMax,
    seen: new SeenUrls(),
  };
  const workers = new Workers(parts, {
    ...session,
    leaseMs: options.leaseMs,
    ...(log && { log }),
  });
  const openPages = new OpenPages(workers);
  const pages = new PageReads(connections, facts);
  const writes = new JobWrites(parts, openPages);
  const objects = new PostgresSegmentObjects(connections);
  const shared = sharedPorts((name, args) => {
    const operation = operationOf(name);
    const run = async (): Promise<unknown> => {
      const result = await runOperation(connections, operation, args, openPages);
      if (operation.addsWork === true) signals.announce({ jobs: [], haveWork: false, haveEvents: true });
      return result;
    };
    return operation.waits === true ? whileAway.wait(run) : whileAway.refuse(run);
  });
  const queue = new PostgresWorkQueue(parts, openPages);
  const work: WorkQueue = {
    claim: (query) => whileAway.wait(() => queue.claim(query)),
    settle: (id, result, now) => whileAway.wait(() => queue.settle(id, result, now)),
    recover: () => whileAway.wait(() => queue.recover()),
    waitUntilDue: (maxMs, signal) => queue.waitUntilDue(Math.min(maxMs, pollMs), signal),
    ...shared.work,
  };
  const frontier = new PostgresFrontier({
    ...parts,
    workers,
    whileAway,
    crawlJob: (id) => runSteps(connections, crawlJob(id), openPages),
    knownUrl: (jobId, key) => runSteps(connections, knownUrl(jobId, key), openPages),
    endedJobs: async (ids) => {
      const { ended, isAnyOverdue } = await runSteps(connections, endedJobs(ids), openPages);
      if (!isAnyOverdue) return ended;
      await writes.sweep();
      return (await runSteps(connections, endedJobs(ids), openPages)).ended;
    },
  });
  const crawlStatus = new CrawlStatusReads(connections, openPages);
  const search = openSearch({ url, applicationName, hasSessions: connections.hasSessions }, (cause) =>
    log?.error('the thread that searches died', { error: cause }),
  );
  const failed = new AbortController();

  return {
    secret,
    frontier,
    crawlStatus: {
      load: () => whileAway.refuse(() => crawlStatus.load()),
      unfinished: (max) => whileAway.refuse(() => crawlStatus.unfinished(max)),
      sample: (jobIds) => whileAway.refuse(() => crawlStatus.sample(jobIds)),
      pending: (jobId) => whileAway.refuse(() => crawlStatus.pending(jobId)),
    },
    jobs: {
      ...shared.jobs,
      create: (job) => whileAway.refuse(() => writes.create(job)),
      retry: (org, id, retry) => whileAway.refuse(() => writes.retry(org, id, retry)),
      cancel: (org, id, now) => whileAway.refuse(() => writes.cancel(org, id, now)),
      delete: (org, id, now) => whileAway.refuse(() => writes.delete(org, id, now)),
      retire: (org, id, now) => whileAway.refuse(() => writes.retire(org, id, now)),
      setExpiry: (org, id, expiry, now) => whileAway.refuse(() => writes.setExpiry(org, id, expiry, now)),
      acceptChanges: (org, id) => whileAway.refuse(() => writes.acceptChanges(org, id)),
      stop: (org, id, now) => whileAway.refuse(() => writes.stop(org, id, now)),
      resume: (org, id) =>
        whileAway.refuse(async () => {
          const job = await writes.resume(org, id);
          signals.announce({ jobs: [], haveWork: true, haveEvents: false });
          return job;
        }),
      addNotice: (id, notice) => whileAway.refuse(() => writes.addNotice(id, notice)),
      hosts: (org, query) => whileAway.refuse(() => listHosts(connections, org, query)),
      countTree: (jobId, query) => whileAway.refuse(() => countTree(connections, jobId, query, openPages)),
      waitForChange: (jobId, maxMs, signal) => signals.wait(jobId, Math.min(maxMs, pollMs), signal),
    },
    pages: {
      read: (query) => whileAway.refuse(() => pages.read(query)),
      screenshot: (query) => whileAway.refuse(() => pages.screenshot(query)),
    },
    erasures: { erase: (erasure, now) => whileAway.refuse(() => writes.erase(erasure, now)) },
    baselines: {
      ...shared.baselines,
      add: (jobId, urls) => whileAway.wait(() => writes.addSeeds(jobId, urls)),
    },
    changes: { ...shared.changes, texts: (query) => whileAway.refuse(() => readTexts(connections, query)) },
    reextractions: {
      ...shared.reextractions,
      commit: (jobId, after, pages, isLast) => whileAway.refuse(() => writes.addExtracted(jobId, after, pages, isLast)),
    },
    lessons: shared.lessons,
    heldPages: shared.heldPages,
    objects: {
      register: (name, bytes, jobs) => whileAway.wait(() => objects.register(name, bytes, jobs)),
      areAlive: (names) => whileAway.wait(() => objects.areAlive(names)),
      nextMove: (bytesMax) => whileAway.refuse(() => objects.nextMove(bytesMax)),
      move: (name, move, places) => whileAway.refuse(() => objects.move(name, move, places)),
      segmentOf: (jobId, page) => whileAway.refuse(() => objects.segmentOf(jobId, page)),
      takeIn: (segment, bytes) => whileAway.refuse(() => objects.takeIn(segment, bytes)),
      keepSmallTexts: (bytesMin) => whileAway.refuse(() => objects.keepSmallTexts(bytesMin)),
      nextTexts: (bytesMax) => whileAway.refuse(() => objects.nextTexts(bytesMax)),
      placeTexts: (move, placed) => whileAway.refuse(() => objects.placeTexts(move, placed)),
      pageTexts: (query) => whileAway.refuse(() => objects.pageTexts(query)),
      textsAt: (places) => whileAway.refuse(() => objects.textsAt(places)),
      textsOutside: (after) => whileAway.refuse(() => objects.textsOutside(after)),
      markDead: (keptMs) => whileAway.refuse(() => objects.markDead(keptMs)),
      dead: (sinceMs) => whileAway.refuse(() => objects.dead(sinceMs)),
      lost: (sinceMs) => whileAway.refuse(() => objects.lost(sinceMs)),
      forget: (names) => whileAway.refuse(() => objects.forget(names)),
      known: (names) => whileAway.refuse(() => objects.known(names)),
      live: (after) => whileAway.refuse(() => objects.live(after)),
      jobsOutside: () => whileAway.refuse(() => objects.jobsOutside()),
      identity: () => whileAway.refuse(() => objects.identity()),
      setIdentity: (identity, replaces) => whileAway.refuse(() => objects.setIdentity(identity, replaces)),
    },
    blobs: { readRaw: (query) => whileAway.refuse(() => pages.readRaw(query)) },
    schedules: {
      ...shared.schedules,
      run: (run, now) => whileAway.refuse(() => writes.run(run, now)),
    },
    search: {
      search: (query) => whileAway.refuse(() => search.search(query)),
      sweep: () => whileAway.refuse(() => sweepSearch(connections)),
      status: () => search.status(),
      readSegments: (read) => search.readSegments(read),
    },
    tokens: shared.tokens,
    sessions: shared.sessions,
    work,
    outbox: outboxOf(work, shared.webhookKeys),
    ...shared.listeners,
    sweep: (now) =>
      whileAway.wait(async () => {
        await connections.transaction((tx) => runSteps(tx, planAhead(now), openPages));
        return writes.sweep(now);
      }),
    hasBrowser: () => whileAway.refuse(() => workers.haveBrowser()),
    ping: () =>
      whileAway.refuse(async () => {
        await ping();
      }),
    connections: () => connections.counts,
    failed: failed.signal,
    stopWaiting: () => whileAway.stopWaiting(),
    close: async () => {
      await search.close();
      await whileAway.close();
      await workers.close();
      await signals.close();
      await connections.close();
    },
  };
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
