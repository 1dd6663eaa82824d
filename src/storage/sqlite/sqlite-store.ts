import { randomBytes } from 'node:crypto';
import type { Database } from './database.ts';
import { ExitError, exitCodes } from '../../core/errors.ts';
import { unendingLife } from '../../core/frontier.ts';
import type { Job } from '../../core/job.ts';
import type { Log } from '../../core/log.ts';
import type { Store } from '../../core/stores.ts';
import { Changes } from '../rules/changes.ts';
import { jobOf } from '../rules/job-of-row.ts';
import type { JobRow } from '../rules/job-row.ts';
import { checkJobs } from './check-database.ts';
import { DeliveryReads } from './delivery-rows.ts';
import { lockForCrawling } from './crawl-lock.ts';
import { explained } from './faults.ts';
import { JobReads } from './job-reads.ts';
import { openDatabase } from './open-database.ts';
import { Reader } from './reader.ts';
import { StandingReads } from './standing-reads.ts';
import { findToken, listTokens } from './tokens.ts';
import { Writer } from './writer.ts';

/** How long a hint may be missing before a waiter looks for itself: another process may have written. */
const pollMs = 500;
const workTopic = 'work';
const eventsTopic = 'events';

/**
 * A store in one directory. Small reads run here, on a connection of their own; all writes run in one thread, and reads of pages
 * in another, so that neither an fsync nor a checkpoint nor a hundred rows ever stall the main thread.
 *
 * With `crawling`, this process becomes the only one that leases from the directory; everything else works beside it.
 */
export function openSqliteStore(dir: string, options: SqliteStoreOptions): Store {
  const unlock = options.crawling ? lockForCrawling(dir) : undefined;
  try {
    return createStore(dir, options, unlock);
  } catch (error) {
    unlock?.();
    throw error;
  }
}

export interface SqliteStoreOptions {
  readonly crawling: boolean;
  /** While less than so many MiB are free on the disk, a crawling store writes nothing new. @default 0, which takes no care */
  readonly diskFreeMb?: number;
  /** Told when writing pauses, and when it goes on. */
  readonly log?: Log;
}

function createStore(dir: string, options: SqliteStoreOptions, unlock: (() => void) | undefined): Store {
  const { crawling, diskFreeMb = 0, log } = options;
  const changes = new Changes();
  const failure = new AbortController();
  const db = openDatabase(dir, 'reader');
  const secret = openedWith(db, dir, crawling);
  const writer = new Writer(
    { dir, isPatient: crawling, diskFreeMb: crawling ? diskFreeMb : 0 },
    {
      onChange: ({ jobs: ids, haveWork, haveEvents }) =>
        changes.announce([...ids, ...(haveWork ? [workTopic] : []), ...(haveEvents ? [eventsTopic] : [])]),
      onFault: (error) => {
        if (error) log?.error('writing pauses, and goes on by itself when it can', { error: error.message });
        else log?.warn('writing goes on');
      },
      onEnd: (error, death) => {
        if (death !== undefined) log?.error('the thread that writes died', { error: death });
        failure.abort(error);
      },
    },
  );
  const read = async <Result>(run: () => Result | Promise<Result>): Promise<Result> => {
    try {
      return await run();
    } catch (error) {
      const known = explained(error, dir);
      // Whatever else is read may be wrong as well.
      if (known instanceof ExitError && known.exitCode === exitCodes.databaseDamaged) failure.abort(known);
      throw known;
    }
  };
  const jobs = new JobReads(db);
  const reader = new Reader(dir, (cause) => log?.error('the thread that reads died', { error: cause }));
  const deliveries = new DeliveryReads(db);

  return {
    secret,
    standing: new StandingReads(db),
    frontier: {
      recover: async (recovery) => ({ ...(await writer.call('recover', recovery)), ...unendingLife }),
      leaseHost: () => writer.call('leaseHost'),
      take: (lease, max) => writer.call('take', lease, max),
      takeSuspect: (aloneDeaths) => writer.call('takeSuspect', aloneDeaths),
      settle: (lease, settlements) => writer.call('settle', lease, settlements),
      release: (lease, release = {}) => writer.call('release', lease, release),
      giveUp: (lease, error, notice) => writer.call('giveUp', lease, error, notice),
      noteDelay: (host, delayMs) => writer.call('noteDelay', host, delayMs),
      crawlJob: (id) => read(() => jobs.crawlJob(id)),
      endedJobs: (ids) => read(() => jobs.ended(ids)),
      waitForWork: (maxMs, signal) => changes.wait(workTopic, maxMs, signal),
    },
    jobs: {
      create: async (job) => jobOrRefusal(await writer.call('createJob', job)),
      retry: async (org, id, retry) => jobOrRefusal(await writer.call('retryJob', org, id, retry)),
      get: (org, id) => read(() => jobs.get(org, id)),
      countUnfinished: (org) => read(() => jobs.countUnfinished(org)),
      list: (org, query) => read(() => jobs.list(org, query)),
      cancel: async (org, id, now) => jobIfAny(await writer.call('cancelJob', org, id, now)),
      delete: async (org, id, now) => jobIfAny(await writer.call('deleteJob', org, id, now)),
      listUrls: (jobId, query) => read(() => jobs.listUrls(jobId, query)),
      findUrl: (jobId, key) => read(() => jobs.findUrl(jobId, key)),
      waitForChange: (jobId, maxMs, signal) => changes.wait(jobId, Math.min(maxMs, pollMs), signal),
    },
    pages: { read: (query) => read(() => reader.read(query)) },
    tokens: {
      add: (token, hash) => writer.call('addToken', token, hash),
      find: (hash) => read(() => findToken(db, hash)),
      list: () => read(() => listTokens(db)),
      revoke: (id, now) => writer.call('revokeToken', id, now),
    },
    outbox: {
      claim: (query) => writer.call('claimDeliveries', query),
      settle: (id, result) => writer.call('settleDelivery', id, result),
      list: (jobId, query) => read(() => deliveries.list(jobId, query)),
      replay: (jobId, id) => writer.call('replayDelivery', jobId, id),
      keys: (org) => writer.call('webhookKeys', org),
      rotateKey: (org) => writer.call('rotateWebhookKey', org),
      waitForDue: (maxMs, signal) => changes.wait(eventsTopic, maxMs, signal),
    },
    sweep: (now) => writer.call('sweep', now),
    ping: () => writer.call('ping'),
    failed: failure.signal,
    stopWaiting: () => writer.stopWaiting(),
    close: async () => {
      await Promise.all([writer.close(), reader.close()]);
      db.close();
      unlock?.();
    },
  };
}

function jobOrRefusal<Refusal extends string>(written: JobRow | Refusal): Job | Refusal {
  return typeof written === 'string' ? written : jobOf(written);
}

function jobIfAny(row: JobRow | undefined): Job | undefined {
  return row && jobOf(row);
}

/** The secret. A connection that cannot be used is closed. */
function openedWith(db: Database, dir: string, crawling: boolean): Uint8Array {
  try {
    if (crawling) checkJobs(db, dir);
    return secretOf(db, dir);
  } catch (error) {
    db.close();
    throw explained(error, dir);
  }
}

/** The secret is made with the database: cursors stay good for as long as it exists. */
function secretOf(reader: Database, dir: string): Uint8Array {
  const select = "SELECT value FROM setting WHERE name = 'secret'";
  const known = reader.prepare<[], { value: Uint8Array }>(select).get();
  if (known) return known.value;
  const db = openDatabase(dir, 'writer');
  try {
    db.prepare("INSERT INTO setting (name, value) VALUES ('secret', ?) ON CONFLICT DO NOTHING").run(randomBytes(32));
    const made = db.prepare<[], { value: Uint8Array }>(select).get();
    if (!made) throw new Error('the secret was not stored');
    return made.value;
  } finally {
    db.close();
  }
}
