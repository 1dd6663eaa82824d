import { randomBytes } from 'node:crypto';
import type { Database } from './file/database.ts';
import { ExitError, exitCodes } from '../../core/errors.ts';
import { unendingLife } from '../../core/ports/frontier.ts';
import type { Job } from '../../core/job.ts';
import type { Log } from '../../core/ports/log.ts';
import type { Store } from '../../core/ports/stores.ts';
import type { WorkQueue } from '../../core/ports/work.ts';
import { usualJobUrlsMax } from '../rules/frontier/crawl-tables.ts';
import { Changes, eventsTopic, topicsOf, workTopic } from '../rules/frontier/changes.ts';
import { outboxOf } from '../rules/outbox/deliveries.ts';
import { jobOf } from '../rules/jobs/job-of-row.ts';
import type { JobRow } from '../rules/jobs/job-row.ts';
import { openOf } from '../rules/jobs/requested-now.ts';
import { checkJobs } from './maintain/check-database.ts';
import { hasLog, lossAfter, noteLogOfCrash, readMark } from './file/clean-stop.ts';
import { removeRestoreCopies, whatOthersCanRead } from './file/database-file.ts';
import { lockForCrawling } from './file/crawl-lock.ts';
import { explained } from './file/faults.ts';
import { crawlJob, endedJobs, knownUrl } from '../shared/job-reads.ts';
import { readTexts } from './jobs/text-reads.ts';
import { SegmentObjectReads } from './jobs/segment-objects.ts';
import { operationOf, sharedPorts } from '../shared/shared-ports.ts';
import { runSteps } from './file/run-steps.ts';
import { openDatabase } from './file/open-database.ts';
import { Reader } from './thread/reader.ts';
import { openSearch } from './search/open-search.ts';
import { searchBytes } from './search/search-file.ts';
import { CrawlStatusReads } from './jobs/crawl-status-reads.ts';
import { Writer } from './thread/writer.ts';

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

export interface SqliteStoreOptions {
  readonly crawling: boolean;
  /** While fewer MiB than this are free on the disk, a crawling store writes nothing new, and the search index does not grow.
   * @default 0: no check */
  readonly diskFreeMb?: number;
  /** URLs that the ledger keeps per job at most. @default 1,000,000 */
  readonly jobUrlsMax?: number;
  /** Reports when writing pauses and continues, and other faults. */
  readonly log?: Log;
}

function createStore(dir: string, options: SqliteStoreOptions, unlock: (() => void) | undefined): Store {
  const { crawling, diskFreeMb = 0, jobUrlsMax = usualJobUrlsMax, log } = options;
  const changes = new Changes();
  const failure = new AbortController();
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
  const writer = new Writer(
    {
      dir,
      jobUrlsMax,
      retries: crawling,
      diskFreeMb: crawling ? diskFreeMb : 0,
      ...(crawling && { bootId: randomBytes(16).toString('hex') }),
    },
    {
      onChange: (changed) => changes.announce(topicsOf(changed)),
      onFault: (error) => {
        if (error)
          log?.error('writing is paused and resumes as soon as the database can be written', { error: error.message });
        else log?.warn('writing resumes');
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
      // Other data can be wrong as well.
      if (known instanceof ExitError && known.exitCode === exitCodes.databaseDamaged) failure.abort(known);
      throw known;
    }
  };
  // No other process crawls on this directory, so only this one needs to know.
  let hasBrowser = false;
  let openPages: ReadonlyMap<string, number> | undefined;
  const shown = <Other extends string | undefined>(written: JobRow | Other): Job | Other =>
    typeof written === 'object' ? jobOf(written, Date.now(), openOf(openPages, written.id)) : written;
  const objects = new SegmentObjectReads(db);
  const onDeath = (cause: string): void => log?.error('the thread that reads died', { error: cause });
  const pageReader = new Reader(dir, onDeath);
  // Its own thread: scanning the ledger of a million URLs takes a second, and reads of pages do not wait for it.
  const longReader = new Reader(dir, onDeath);
  const shared = sharedPorts((name, args) => {
    const operation = operationOf(name);
    if (operation.kind === 'write') return writer.call('shared', name, args);
    if (operation.isLong === true) return read(() => longReader.run(name, args, openPages));
    const run = (): unknown => runSteps(db, operation.steps(...args), openPages);
    return read(() => (operation.kind === 'read' ? run() : db.transaction('deferred', run)));
  });
  const search = openSearch({ dir, diskFreeMb }, (cause) =>
    log?.error('the thread that searches died', { error: cause }),
  );
  const work: WorkQueue = {
    claim: (query) => writer.call('claimWork', { ...query, openPages }),
    settle: (id, result, now) => writer.call('settleWork', id, result, now),
    recover: () => writer.call('recoverWork'),
    waitUntilDue: (maxMs, signal) => changes.wait(eventsTopic, maxMs, signal),
    ...shared.work,
  };

  return {
    secret,
    crawlStatus: new CrawlStatusReads(db, () => openPages),
    frontier: {
      isShared: false,
      mayKeepHosts: () => true,
      recover: async ({ openPages: counted, ...recovery }) => {
        hasBrowser = recovery.hasBrowser ?? false;
        openPages = counted;
        return { ...(await writer.call('recover', recovery)), ...unendingLife };
      },
      leaseHosts: (options = {}) => writer.call('leaseHosts', options),
      leaseUrgentHosts: (most) => writer.call('leaseUrgentHosts', most),
      take: (lease, max) => writer.call('take', lease, max),
      takeSuspect: (aloneDeaths) => writer.call('takeSuspect', aloneDeaths),
      settle: async (lease, settlements, release) => {
        const settled = writer.call('settle', lease, settlements);
        // Requests sent together share a transaction, unless one of them fails.
        await Promise.all([settled, release && writer.call('release', lease, release)]);
      },
      release: (lease, release = {}) => writer.call('release', lease, release),
      giveUp: (lease, error, notice, onlyJob) => writer.call('giveUp', lease, error, notice, onlyJob),
      giveUpForBrowser: (error) => writer.call('giveUpForBrowser', error),
      noteDelay: (host, delayMs) => writer.call('noteDelay', host, delayMs),
      noteNetworks: (jobId, networks) => writer.call('noteNetworks', jobId, networks),
      crawlJob: (id) => read(() => runSteps(db, crawlJob(id))),
      knownUrl: (jobId, key) => read(() => runSteps(db, knownUrl(jobId, key))),
      endedJobs: async (ids) => {
        const { ended, isAnyOverdue } = await read(() => runSteps(db, endedJobs(ids)));
        if (!isAnyOverdue) return ended;
        await writer.call('sweep', Date.now());
        return (await read(() => runSteps(db, endedJobs(ids)))).ended;
      },
      waitForWork: (maxMs, signal) => changes.wait(workTopic, maxMs, signal),
    },
    jobs: {
      ...shared.jobs,
      create: async (job) => shown(await writer.call('createJob', job)),
      retry: async (org, id, retry) => shown(await writer.call('retryJob', org, id, retry)),
      cancel: async (org, id, now = Date.now()) => shown(await writer.call('cancelJob', org, id, now)),
      delete: async (org, id, now = Date.now()) => shown(await writer.call('deleteJob', org, id, now)),
      retire: async (org, id, now = Date.now()) => shown(await writer.call('retireJob', org, id, now)),
      setExpiry: async (org, id, expiry, now = Date.now()) => {
        const changed = await writer.call('setExpiry', org, id, expiry, now);
        return shown(changed);
      },
      acceptChanges: async (org, id) => shown(await writer.call('acceptChanges', org, id)),
      stop: async (org, id, now = Date.now()) => shown(await writer.call('stopJob', org, id, now)),
      resume: async (org, id) => shown(await writer.call('resumeJob', org, id)),
      addNotice: (id, notice) => writer.call('addNotice', id, notice),
      hosts: (org, query) => read(() => longReader.listHosts(org, query)),
      countTree: (jobId, query) => read(() => longReader.countTree(jobId, query)),
      waitForChange: (jobId, maxMs, signal) => changes.wait(jobId, Math.min(maxMs, pollMs), signal),
    },
    pages: {
      read: (query) => read(() => pageReader.read(query)),
      screenshot: (query) => read(() => pageReader.screenshot(query)),
    },
    objects: {
      register: (name, bytes, jobs) => writer.call('registerObject', name, bytes, jobs),
      areAlive: (names) => read(() => objects.areAlive(names)),
      nextMove: (bytesMax) => read(() => objects.nextMove(bytesMax)),
      move: (name, move, places) => writer.call('moveSegments', name, move, places),
      segmentOf: (jobId, page) => read(() => objects.segmentOf(jobId, page)),
      takeIn: (segment, bytes) => writer.call('takeSegmentIn', segment, bytes),
      keepSmallTexts: (bytesMin) => writer.call('keepSmallTexts', bytesMin),
      nextTexts: (bytesMax) => read(() => longReader.texts('nextTexts', bytesMax)),
      placeTexts: (move, placed) => writer.call('placeTexts', move, placed),
      pageTexts: (query) => read(() => pageReader.texts('pageTexts', query)),
      textsAt: (places) => read(() => pageReader.texts('textsAt', places)),
      textsOutside: (after) => read(() => longReader.texts('textsOutside', after)),
      markDead: (keptMs) => writer.call('markObjectsDead', keptMs),
      dead: (sinceMs) => read(() => objects.dead(sinceMs)),
      lost: (sinceMs) => read(() => objects.lost(sinceMs)),
      forget: (names) => writer.call('forgetObjects', names),
      known: (names) => read(() => objects.known(names)),
      live: (after) => read(() => objects.live(after)),
      jobsOutside: () => read(() => objects.jobsOutside()),
      identity: () => read(() => objects.identity()),
      setIdentity: (identity, replaces) => writer.call('setObjectsIdentity', identity, replaces),
    },
    blobs: { readRaw: (query) => read(() => pageReader.readRaw(query)) },
    erasures: {
      erase: async (erasure, now = Date.now()) => {
        const erased = await writer.call('erasePage', erasure, now);
        // The index file is no part of the transaction: an index of before is outdated, and the regular sweep removes it too.
        if (typeof erased === 'object' && searchBytes(dir) !== undefined)
          await search.sweep().catch((error: unknown) => log?.warn('the search index is removed later', { error }));
        return erased;
      },
    },
    baselines: {
      ...shared.baselines,
      add: (jobId, urls) => writer.call('seedJob', jobId, urls),
    },
    changes: { ...shared.changes, texts: (query) => read(() => readTexts(db, query)) },
    reextractions: {
      ...shared.reextractions,
      commit: (jobId, after, pages, isLast) => writer.call('addExtracted', jobId, after, pages, isLast),
    },
    schedules: {
      ...shared.schedules,
      run: async (run, now = Date.now()) => shown(await writer.call('runSchedule', run, now)),
    },
    lessons: shared.lessons,
    heldPages: shared.heldPages,
    search: {
      search: (query) => read(() => search.search(query)),
      // Without the file there is nothing to remove, and no thread is started.
      sweep: () => (searchBytes(dir) === undefined ? Promise.resolve() : search.sweep()),
      status: () => search.status(),
      readSegments: (read) => search.readSegments(read),
    },
    tokens: shared.tokens,
    sessions: shared.sessions,
    work,
    outbox: outboxOf(work, shared.webhookKeys),
    ...shared.listeners,
    sweep: (now = Date.now()) => writer.call('sweep', now),
    hasBrowser: () => Promise.resolve(hasBrowser),
    ping: () => writer.call('ping'),
    failed: failure.signal,
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
