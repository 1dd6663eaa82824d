import { randomBytes } from 'node:crypto';
import { ExitError, exitCodes } from '../../core/errors.ts';
import type { Log } from '../../core/ports/log.ts';
import { Changes, topicsOf } from '../rules/frontier/changes.ts';
import { usualJobUrlsMax } from '../rules/frontier/crawl-tables.ts';
import { isJobRow, jobOf } from '../rules/jobs/job-of-row.ts';
import { openOf } from '../rules/jobs/requested-now.ts';
import { type OperationName, operationOf, type SharedPorts, sharedPorts } from '../shared/shared-ports.ts';
import type { Database } from './file/database.ts';
import { explained } from './file/faults.ts';
import { runSteps } from './file/run-steps.ts';
import { Reader } from './thread/reader.ts';
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

/** What the ports of a store work with: the connection of this thread, the threads, and the operations of both stores. */
export class StoreParts {
  readonly dir: string;
  readonly db: Database;
  readonly changes = new Changes();
  readonly failure = new AbortController();
  readonly writer: Writer;
  readonly pageReader: Reader;
  /** Its own thread: scanning the ledger of a million URLs takes a second, and reads of pages do not wait for it. */
  readonly longReader: Reader;
  readonly shared: SharedPorts;
  /** No other process crawls on this directory, so only this one needs to know. */
  hasBrowser = false;
  openPages: ReadonlyMap<string, number> | undefined;

  constructor(dir: string, db: Database, options: SqliteStoreOptions) {
    const { log } = options;
    this.dir = dir;
    this.db = db;
    this.writer = this.#openWriter(options);
    const onDeath = (cause: string): void => log?.error('the thread that reads died', { error: cause });
    this.pageReader = new Reader(dir, onDeath);
    this.longReader = new Reader(dir, onDeath);
    this.shared = sharedPorts((name, args) => {
      const operation = operationOf(name);
      if (operation.kind === 'write') return this.writer.call('shared', name, args);
      if (operation.kind === 'jobs') return this.#changedJob(name, args);
      const { isLong = false, ofPages = false } = operation;
      const reader = ofPages ? this.pageReader : this.longReader;
      if (isLong || ofPages) return this.read(() => reader.run(name, args, this.openPages));
      const run = (): unknown => runSteps(db, operation.steps(...args), { openPages: this.openPages });
      return this.read(() => (operation.kind === 'read' ? run() : db.transaction('deferred', run)));
    });
  }

  /** Errors of the database are explained. A damaged one ends the store: other data can be wrong as well. */
  readonly read = async <Result>(run: () => Result | Promise<Result>): Promise<Result> => {
    try {
      return await run();
    } catch (error) {
      const known = explained(error, this.dir);
      if (known instanceof ExitError && known.exitCode === exitCodes.databaseDamaged) this.failure.abort(known);
      throw known;
    }
  };

  /** A job that was written is returned as clients see it. */
  async #changedJob(name: OperationName, args: readonly unknown[]): Promise<unknown> {
    const written = await this.writer.call('shared', name, args);
    return isJobRow(written) ? jobOf(written, Date.now(), openOf(this.openPages, written.id)) : written;
  }

  #openWriter({ crawling, diskFreeMb = 0, jobUrlsMax = usualJobUrlsMax, log }: SqliteStoreOptions): Writer {
    return new Writer(
      {
        dir: this.dir,
        jobUrlsMax,
        retries: crawling,
        diskFreeMb: crawling ? diskFreeMb : 0,
        ...(crawling && { bootId: randomBytes(16).toString('hex') }),
      },
      {
        onChange: (changed) => this.changes.announce(topicsOf(changed)),
        onFault: (error) => {
          if (error)
            log?.error('writing is paused and resumes as soon as the database can be written', {
              error: error.message,
            });
          else log?.warn('writing resumes');
        },
        onEnd: (error, death) => {
          if (death !== undefined) log?.error('the thread that writes died', { error: death });
          this.failure.abort(error);
        },
      },
    );
  }
}
