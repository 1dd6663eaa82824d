import { setTimeout as sleep } from 'node:timers/promises';
import { ExitError } from '../../core/errors.ts';
import type { Log } from '../../core/log.ts';
import type { Store } from '../../core/stores.ts';
import { SeenUrls } from '../rules/seen-urls.ts';
import { Connections } from './connections.ts';
import { explained, explainedAtStart, inTime, isOfSetting, isPassing } from './faults.ts';
import { PostgresFrontier } from './frontier.ts';
import { HostIds } from './host-ids.ts';
import { JobFacts } from './job-facts.ts';
import { JobReads } from './job-reads.ts';
import { JobWrites, pingSql } from './jobs.ts';
import { PostgresOutbox } from './outbox.ts';
import { PageReads } from './page-reads.ts';
import { Patience } from './patience.ts';
import { migrate } from './schema.ts';
import { Signals } from './signals.ts';
import { StandingReads } from './standing-reads.ts';
import { tokensOf } from './tokens.ts';
import { Workers } from './workers.ts';

/** How long a hint may be missing before a waiter looks for itself. */
const pollMs = 500;
const retryMs = 500;
/** Who asks whether the database can be used is told so within this time. */
const pingMs = 5_000;

export interface PostgresStoreOptions {
  /** `postgres://user:password@host:port/database`. */
  readonly url: string;
  /** Connections of this process at most, beside two for what must not wait. */
  readonly connections: number;
  /** Processes that may fetch from one host with much to do at a time, each with its share of the host's limit. @default 1 */
  readonly hostSlots?: number;
  /** How long to wait for a database that cannot be reached at the start. @default 0 */
  readonly startMs?: number;
  /** How long a process that is not heard of keeps what it leased: the same for all that share the database. @default 30 s */
  readonly leaseMs?: number;
  readonly log?: Log;
}

/** A store on PostgreSQL, shared with other processes. Every process may crawl; who does is known by its leases. */
export async function openPostgresStore(options: PostgresStoreOptions): Promise<Store> {
  const { url, log } = options;
  const applicationName = `hayrake ${process.pid}`;
  const connections = new Connections({
    url,
    applicationName,
    max: options.connections,
    onError: (error) => log?.debug('a connection to the database broke', { error: error.message }),
  });
  const secret = await opened(connections, options);
  const ping = (): Promise<unknown> => inTime(connections.query(pingSql), pingMs);
  const patience = new Patience({ log, probe: ping });
  const signals = new Signals({ url, applicationName, onSilence: (error) => patience.note(error) });
  signals.listen();
  const facts = new JobFacts(connections);
  const parts = { connections, facts, hosts: new HostIds(connections), signals, seen: new SeenUrls() };
  const workers = new Workers(parts, {
    url,
    applicationName,
    leaseMs: options.leaseMs,
    ...(log && { log }),
  });
  const reads = new JobReads(connections);
  const pages = new PageReads(connections, facts);
  const writes = new JobWrites(parts);
  const tokens = tokensOf(connections);
  const outbox = new PostgresOutbox(parts, workers);
  const frontier = new PostgresFrontier({
    ...parts,
    workers,
    patience,
    hostSlots: options.hostSlots ?? 1,
    crawlJob: (id) => reads.crawlJob(id),
    endedJobs: (ids) => reads.ended(ids),
  });
  const standing = new StandingReads(connections);
  const failed = new AbortController();
  // Nothing ends: what else is stored may be well, and the other processes would meet the same.
  const told = (error: unknown): never => {
    if (error instanceof ExitError) log?.error('a page cannot be read', { error: error.message });
    throw error;
  };

  return {
    secret,
    frontier,
    standing: {
      load: () => patience.refuse(() => standing.load()),
      unfinished: (max) => patience.refuse(() => standing.unfinished(max)),
      pending: (jobId) => patience.refuse(() => standing.pending(jobId)),
    },
    jobs: {
      create: (job) => patience.refuse(() => writes.create(job)),
      retry: (org, id, retry) => patience.refuse(() => writes.retry(org, id, retry)),
      get: (org, id) => patience.refuse(() => reads.get(org, id)),
      countUnfinished: (org) => patience.refuse(() => reads.countUnfinished(org)),
      list: (org, query) => patience.refuse(() => reads.list(org, query)),
      cancel: (org, id, now) => patience.refuse(() => writes.cancel(org, id, now)),
      delete: (org, id, now) => patience.refuse(() => writes.delete(org, id, now)),
      listUrls: (jobId, query) => patience.refuse(() => reads.listUrls(jobId, query)),
      findUrl: (jobId, key) => patience.refuse(() => reads.findUrl(jobId, key)),
      waitForChange: (jobId, maxMs, signal) => signals.wait(jobId, Math.min(maxMs, pollMs), signal),
    },
    pages: { read: (query) => patience.refuse(() => pages.read(query).catch(told)) },
    tokens: {
      add: (token, hash) => patience.refuse(() => tokens.add(token, hash)),
      find: (hash) => patience.refuse(() => tokens.find(hash)),
      list: () => patience.refuse(() => tokens.list()),
      revoke: (id, now) => patience.refuse(() => tokens.revoke(id, now)),
    },
    outbox: {
      claim: (query) => patience.wait(() => outbox.claim(query)),
      settle: (id, result) => patience.wait(() => outbox.settle(id, result)),
      list: (jobId, query) => patience.refuse(() => outbox.list(jobId, query)),
      replay: (jobId, id) => patience.refuse(() => outbox.replay(jobId, id)),
      keys: (org) => patience.refuse(() => outbox.keys(org)),
      rotateKey: (org) => patience.refuse(() => outbox.rotateKey(org)),
      waitForDue: (maxMs, signal) => outbox.waitForDue(Math.min(maxMs, pollMs), signal),
    },
    sweep: (now) => patience.wait(() => writes.sweep(now)),
    ping: () =>
      patience.refuse(async () => {
        await ping();
      }),
    connections: () => connections.counts,
    failed: failed.signal,
    stopWaiting: () => patience.stopWaiting(),
    close: async () => {
      await patience.close();
      await workers.close();
      await signals.close();
      await connections.close();
    },
  };
}

/** The secret of a database that is ready. One that is only just starting is waited for. */
async function opened(connections: Connections, { startMs = 0, log }: PostgresStoreOptions): Promise<Uint8Array> {
  const until = performance.now() + startMs;
  let wasTold = false;
  for (;;) {
    try {
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
