import { existsSync } from 'node:fs';
import path from 'node:path';
import type { Diagnosis } from '../../../core/ports/diagnosis.ts';
import { clockRecordOf, clockSetting } from '../../rules/jobs/clock-trust.ts';
import { databaseFile } from '../file/database-file.ts';
import { Database } from '../file/database.ts';
import { hasLog } from '../file/clean-stop.ts';
import { schemaDiagnosis } from '../file/schema.ts';

export interface ExaminedDatabase {
  readonly diagnosis: Diagnosis;
  /** The latest time of day that is stored, in milliseconds since the epoch. */
  readonly newestMs?: number;
  /** How far the clock was ahead when it was last doubted. */
  readonly doubtedMs?: number;
}

/** Examines the database of a data directory while a process crawls. Writes nothing, and creates no file. */
export function examineDatabase(dir: string): ExaminedDatabase {
  const name = 'database';
  const file = path.join(dir, databaseFile);
  if (!existsSync(file)) return { diagnosis: { name, state: 'ok', message: 'SQLite, created at the first start' } };
  const db = openUntouched(dir, file);
  try {
    const diagnosis = schemaDiagnosis(db);
    if (diagnosis.state !== 'ok') return { diagnosis };
    const setting = db.get<{ value: Uint8Array }>('SELECT value FROM setting WHERE name = ?', clockSetting);
    const clock = clockRecordOf(setting?.value);
    const newest = db.get<{ at: number | null }>('SELECT max(created_at) AS at FROM job')?.at ?? 0;
    const newestMs = Math.max(clock?.seen ?? 0, newest);
    const doubted = clock?.doubted ?? null;
    return {
      diagnosis,
      ...(newestMs > 0 && { newestMs }),
      ...(clock && doubted !== null && { doubtedMs: doubted - clock.seen }),
    };
  } finally {
    db.close();
  }
}

/** A reader creates missing files of the log. Without them, nobody has the database open, so it counts as immutable. */
function openUntouched(dir: string, file: string): Database {
  const url = `file:${encodeURI(file).replaceAll('?', '%3f').replaceAll('#', '%23')}?immutable=1`;
  return new Database(hasLog(dir) ? file : url, { busyMs: 5_000, readOnly: true });
}
