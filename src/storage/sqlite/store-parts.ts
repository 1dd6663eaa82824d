import { randomBytes } from 'node:crypto';
import { ExitError, exitCodes } from '../../core/errors.ts';
import type { Log } from '../../core/ports/log.ts';
import { Changes, topicsOf } from '../rules/frontier/changes.ts';
import { usualJobUrlsMax } from '../rules/frontier/crawl-tables.ts';
import { isJobRow, jobOf } from '../rules/jobs/job-of-row.ts';
import { openOf } from '../rules/jobs/requested-now.ts';
import { operationOf, sharedPorts } from '../shared/shared-ports.ts';
import type { Database } from './file/database.ts';
import { explained } from './file/faults.ts';
import { runSteps } from './file/run-steps.ts';
import { Reader } from './thread/reader.ts';
import type { OpenPages } from './thread/reader-thread.ts';
import { Writer } from './thread/writer.ts';

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

export type StoreParts = ReturnType<typeof openParts>;

/** What the ports of a store work with: the threads, and the operations of both stores. `db`: the connection of this thread. */
export function openParts(dir: string, db: Database, options: SqliteStoreOptions) {
  const { log } = options;
  const changes = new Changes();
  const failure = new AbortController();
  // No other process crawls on this directory, so only this one needs to know.
  const own: { hasBrowser: boolean; openPages: OpenPages } = { hasBrowser: false, openPages: undefined };
  const writer = openWriter(dir, options, changes, failure);
  const onDeath = (cause: string): void => log?.error('the thread that reads died', { error: cause });
  const pageReader = new Reader(dir, onDeath);
  // Its own thread: scanning the ledger of a million URLs takes a second, and reads of pages do not wait for it.
  const longReader = new Reader(dir, onDeath);

  /** Errors of the database are explained. A damaged one ends the store: other data can be wrong as well. */
  const read = async <Result>(run: () => Result | Promise<Result>): Promise<Result> => {
    try {
      return await run();
    } catch (error) {
      const known = explained(error, dir);
      if (known instanceof ExitError && known.exitCode === exitCodes.databaseDamaged) failure.abort(known);
      throw known;
    }
  };
  /** Clients see a job, not its row. */
  const shown = (written: unknown): unknown =>
    isJobRow(written) ? jobOf(written, Date.now(), openOf(own.openPages, written.id)) : written;
  const shared = sharedPorts((name, args) => {
    const operation = operationOf(name);
    const { kind, isLong = false, ofPages = false } = operation;
    if (kind === 'write') return writer.call('shared', name, args);
    if (kind === 'jobs') return writer.call('shared', name, args).then(shown);
    const reader = ofPages ? pageReader : longReader;
    if (isLong || ofPages) return read(() => reader.run(name, args, own.openPages));
    const run = (): unknown => runSteps(db, operation.steps(...args), own);
    return read(() => (kind === 'read' ? run() : db.transaction('deferred', run)));
  });
  return { changes, failure, writer, pageReader, longReader, shared, read, own };
}

function openWriter(dir: string, options: SqliteStoreOptions, changes: Changes, failure: AbortController): Writer {
  const { crawling, diskFreeMb = 0, jobUrlsMax = usualJobUrlsMax, log } = options;
  const bootId = crawling ? { bootId: randomBytes(16).toString('hex') } : {};
  return new Writer(
    { dir, jobUrlsMax, retries: crawling, diskFreeMb: crawling ? diskFreeMb : 0, ...bootId },
    {
      onChange: (changed) => changes.announce(topicsOf(changed)),
      onFault: (error) => {
        const paused = 'writing is paused and resumes as soon as the database can be written';
        if (error) log?.error(paused, { error: error.message });
        else log?.warn('writing resumes');
      },
      onEnd: (error, death) => {
        if (death !== undefined) log?.error('the thread that writes died', { error: death });
        failure.abort(error);
      },
    },
  );
}
