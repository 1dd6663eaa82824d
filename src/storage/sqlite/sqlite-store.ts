import { randomBytes } from 'node:crypto';
import type { Store } from '../../core/ports/stores.ts';
import type { WorkQueue } from '../../core/ports/work.ts';
import { eventsTopic } from '../rules/frontier/changes.ts';
import { outboxOf } from '../rules/outbox/deliveries.ts';
import { hasLog, lossAfter, noteLogOfCrash, readMark } from './file/clean-stop.ts';
import { lockForCrawling } from './file/crawl-lock.ts';
import { removeRestoreCopies, whatOthersCanRead } from './file/database-file.ts';
import type { Database } from './file/database.ts';
import { explained } from './file/faults.ts';
import { openDatabase } from './file/open-database.ts';
import { frontierOf } from './frontier/frontier-port.ts';
import { checkJobs } from './maintain/check-database.ts';
import { openSearch } from './search/open-search.ts';
import { searchBytes } from './search/search-file.ts';
import { openParts, type SqliteStoreOptions } from './store-parts.ts';

/** How long a hint can be delayed before a waiter polls: another process can have written. */
const pollMs = 500;

/**
 * A store in one directory. Small reads run here, on their own connection. All writes run in one thread, and reads of
 * pages and of ledgers in two others, so that no fsync, checkpoint or read of a hundred rows stalls the main thread.
 *
 * With `crawling`, only this process can lease from the directory; other processes can do everything else meanwhile.
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

function createStore(dir: string, options: SqliteStoreOptions, unlock: (() => void) | undefined): Store {
  const { crawling, diskFreeMb = 0, log } = options;
  const hadLog = hasLog(dir);
  const db = openDatabase(dir, 'reader');
  const secret = openedWith(db, dir, crawling);
  if (crawling) {
    removeRestoreCopies(dir);
    const loss = lossAfter(readMark(db), hadLog, dir);
    if (loss !== undefined) log?.error(loss);
    const open = whatOthersCanRead(dir);
    if (open !== undefined) log?.warn(open);
  } else noteLogOfCrash(dir, db, hadLog);
  const parts = openParts(dir, db, options);
  const { writer, pageReader, longReader, changes, read } = parts;
  const { webhookKeys, listeners, endings: _, ...ports } = parts.shared;
  const search = openSearch({ dir, diskFreeMb }, (cause) =>
    log?.error('the thread that searches died', { error: cause }),
  );
  const work: WorkQueue = {
    claim: (query) => writer.call('claimWork', { ...query, openPages: parts.own.openPages }),
    waitUntilDue: (maxMs, signal) => changes.wait(eventsTopic, maxMs, signal),
    ...ports.work,
  };

  return {
    ...ports,
    ...listeners,
    secret,
    frontier: frontierOf(parts),
    jobs: {
      ...ports.jobs,
      countTree: (jobId, query) => read(() => longReader.countTree(jobId, query)),
      waitForChange: (jobId, maxMs, signal) => changes.wait(jobId, Math.min(maxMs, pollMs), signal),
    },
    pages: { ...ports.pages, read: (query) => read(() => pageReader.read(query)) },
    erasures: {
      erase: async (...args) => {
        const erased = await ports.erasures.erase(...args);
        // The index file is no part of the transaction: an index of before is outdated, and the regular sweep removes it too.
        if (typeof erased === 'object' && searchBytes(dir) !== undefined)
          await search.sweep().catch((error: unknown) => log?.warn('the search index is removed later', { error }));
        return erased;
      },
    },
    search: {
      search: (query) => read(() => search.search(query)),
      // Without the file there is nothing to remove, and no thread is started.
      sweep: () => (searchBytes(dir) === undefined ? Promise.resolve() : search.sweep()),
      status: () => search.status(),
    },
    work,
    outbox: outboxOf(work, webhookKeys),
    sweep: (now = Date.now()) => writer.call('sweep', now),
    hasBrowser: () => Promise.resolve(parts.own.hasBrowser),
    ping: () => writer.call('ping'),
    failed: parts.failure.signal,
    stopWaiting: () => writer.stopWaiting(),
    close: async () => {
      await Promise.all([writer.close(), pageReader.close(), longReader.close(), search.close()]);
      db.close();
      unlock?.();
    },
  };
}

/** The secret. Closes the connection if the database cannot be used. */
function openedWith(db: Database, dir: string, crawling: boolean): Uint8Array {
  try {
    if (crawling) checkJobs(db, dir);
    return secretOf(db, dir);
  } catch (error) {
    db.close();
    throw explained(error, dir);
  }
}

/** The secret is created with the database: cursors stay valid as long as it exists. */
function secretOf(reader: Database, dir: string): Uint8Array {
  const select = "SELECT value FROM setting WHERE name = 'secret'";
  const known = reader.get<{ value: Uint8Array }>(select);
  if (known) return known.value;
  const db = openDatabase(dir, 'writer');
  try {
    db.run("INSERT INTO setting (name, value) VALUES ('secret', ?) ON CONFLICT DO NOTHING", randomBytes(32));
    const made = db.get<{ value: Uint8Array }>(select);
    if (!made) throw new Error('the secret was not stored');
    return made.value;
  } finally {
    db.close();
  }
}
