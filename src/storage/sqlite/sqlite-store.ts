import { randomBytes } from 'node:crypto';
import type { Database } from './database.ts';
import type { Store } from '../../core/stores.ts';
import { Changes } from './changes.ts';
import { DeliveryReads } from './delivery-rows.ts';
import { lockForCrawling } from './crawl-lock.ts';
import { JobReads } from './job-reads.ts';
import { openDatabase } from './open-database.ts';
import { PageReads } from './page-reads.ts';
import { findToken, listTokens } from './tokens.ts';
import { Writer } from './writer.ts';

/** How long a hint may be missing before a waiter looks for itself: another process may have written. */
const pollMs = 500;
const workTopic = 'work';
const eventsTopic = 'events';

/**
 * A store in one directory. Reads run here, on a connection of their own; all writes run in one thread, so that neither an
 * fsync nor a checkpoint ever stalls the main thread.
 *
 * With `crawling`, this process becomes the only one that leases from the directory; everything else works beside it.
 */
export function openSqliteStore(dir: string, options: { readonly crawling: boolean }): Store {
  const unlock = options.crawling ? lockForCrawling(dir) : undefined;
  try {
    return createStore(dir, unlock);
  } catch (error) {
    unlock?.();
    throw error;
  }
}

function createStore(dir: string, unlock: (() => void) | undefined): Store {
  const changes = new Changes();
  const db = openDatabase(dir, 'reader');
  const secret = secretOf(db, dir);
  const writer = new Writer(dir, ({ jobs: ids, haveWork, haveEvents }) =>
    changes.announce([...ids, ...(haveWork ? [workTopic] : []), ...(haveEvents ? [eventsTopic] : [])]),
  );
  const jobs = new JobReads(db);
  const pages = new PageReads(db, jobs);
  const deliveries = new DeliveryReads(db);

  return {
    secret,
    frontier: {
      recover: (recovery) => writer.call('recover', recovery),
      leaseHost: () => writer.call('leaseHost'),
      take: (lease, max) => writer.call('take', lease, max),
      takeSuspect: () => writer.call('takeSuspect'),
      settle: (lease, settlements) => writer.call('settle', lease, settlements),
      release: (lease, release = {}) => writer.call('release', lease, release),
      giveUp: (lease, error, notice) => writer.call('giveUp', lease, error, notice),
      noteDelay: (host, delayMs) => writer.call('noteDelay', host, delayMs),
      crawlJob: async (id) => jobs.crawlJob(id),
      waitForWork: (maxMs, signal) => changes.wait(workTopic, maxMs, signal),
    },
    jobs: {
      create: (job) => writer.call('createJob', job),
      retry: (org, id, retry) => writer.call('retryJob', org, id, retry),
      get: async (org, id) => jobs.get(org, id),
      countUnfinished: async (org) => jobs.countUnfinished(org),
      list: async (org, query) => jobs.list(org, query),
      cancel: (org, id, now) => writer.call('cancelJob', org, id, now),
      delete: (org, id, now) => writer.call('deleteJob', org, id, now),
      listUrls: async (jobId, query) => jobs.listUrls(jobId, query),
      findUrl: async (jobId, key) => jobs.findUrl(jobId, key),
      waitForChange: (jobId, maxMs, signal) => changes.wait(jobId, Math.min(maxMs, pollMs), signal),
    },
    pages: { read: async (query) => pages.read(query) },
    tokens: {
      add: (token, hash) => writer.call('addToken', token, hash),
      find: async (hash) => findToken(db, hash),
      list: async () => listTokens(db),
      revoke: (id, now) => writer.call('revokeToken', id, now),
    },
    outbox: {
      claim: (query) => writer.call('claimDeliveries', query),
      settle: (id, result) => writer.call('settleDelivery', id, result),
      list: async (jobId, query) => deliveries.list(jobId, query),
      replay: (jobId, id) => writer.call('replayDelivery', jobId, id),
      keys: (org) => writer.call('webhookKeys', org),
      rotateKey: (org) => writer.call('rotateWebhookKey', org),
      waitForDue: (maxMs, signal) => changes.wait(eventsTopic, maxMs, signal),
    },
    sweep: (now) => writer.call('sweep', now),
    ping: () => writer.call('ping'),
    close: async () => {
      await writer.close();
      db.close();
      unlock?.();
    },
  };
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
