import path from 'node:path';
import { type CheckSummary, Damage } from '../../../core/ports/check.ts';
import { failed, summaryOf } from './backup.ts';
import { damageIn, whatIsWrong } from './check-database.ts';
import { databaseFile, sizeOf } from '../file/database-file.ts';
import { Database } from '../file/database.ts';
import { damaged, explained } from '../file/faults.ts';
import { knownVersion } from '../file/schema.ts';

/**
 * Checks the database of a data directory while a process crawls: its structure, that every job adds up, and, unless
 * `isQuick`, that every page is what was stored. Writes nothing. Throws if the structure is damaged. Blocks until done.
 */
export function check(dir: string, { isQuick }: { readonly isQuick: boolean }): CheckSummary {
  const file = path.join(dir, databaseFile);
  if (sizeOf(file) === undefined) throw failed(`There is no database in ${dir}.`);
  let db: Database | undefined;
  try {
    const source = new Database(file, { busyMs: 5_000, readOnly: true });
    db = source;
    if (knownVersion(source) < 1) throw damaged(dir, 'it has no tables');
    const now = Date.now();
    // One snapshot: jobs that are still running add up within it.
    const wrong = source.transaction('deferred', () => whatIsWrong(source, now));
    if (wrong !== undefined) throw damaged(dir, wrong);
    const { jobs, pages } = summaryOf(source, file);
    const { damaged: found, damagedParts } = isQuick ? new Damage() : damageIn(source, now);
    return { jobs, pages, damaged: found, damagedParts };
  } catch (error) {
    throw explained(error, dir);
  } finally {
    db?.close();
  }
}
