import { statfsSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';
import { columnsOf } from './columns.ts';
import { eachPage, type FileRoom, type WriteFile } from './export-format.ts';
import { fullDisk, isDiskFull } from './full-disk.ts';

/** Characters of text after which the disk is checked again. */
const checkedChars = 32 * 2 ** 20;

const types = { integer: 'INTEGER', real: 'NUMERIC', flag: 'INTEGER', text: 'TEXT', json: 'TEXT' } as const;

/** A database with one table, without a journal and without waiting for the disk: a file that was not completed is worth nothing. */
export const writeSqlite: WriteFile = async (slices, job, file, room, onOpened) => {
  const columns = columnsOf(job);
  const table = columns
    .map(({ name, type }) => `  "${name}" ${types[type]}${name === 'page' ? ' PRIMARY KEY' : ''}`)
    .join(',\n');
  const db = new DatabaseSync(file);
  try {
    db.exec('PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF; PRAGMA locking_mode = EXCLUSIVE');
    db.exec('PRAGMA page_size = 4096; PRAGMA cache_size = -8192');
    db.exec(`CREATE TABLE page (\n${table}\n)`);
    onOpened?.();
    const insert = db.prepare(`INSERT INTO page VALUES (${columns.map(() => '?').join(', ')})`);
    db.exec('BEGIN');
    let unchecked = checkedChars;
    for await (const page of eachPage(slices)) {
      if (unchecked >= checkedChars) {
        refuseFullDisk(room);
        unchecked = 0;
      }
      unchecked += page.text.length;
      insert.run(
        ...columns.map((column) => {
          const value = column.of(page) ?? null;
          if (typeof value === 'boolean') return Number(value);
          return typeof value === 'object' && value !== null ? JSON.stringify(value) : value;
        }),
      );
    }
    db.exec('COMMIT');
  } catch (error) {
    throw isDiskFull(error) ? fullDisk(room, 'no free space') : error;
  } finally {
    db.close();
  }
};

/** The crawl needs the rest of the disk. */
function refuseFullDisk(room: FileRoom): void {
  const { directory, diskFreeMb } = room;
  if (diskFreeMb === 0) return;
  const { bavail, bsize } = statfsSync(directory);
  if ((bavail * bsize) / 2 ** 20 >= diskFreeMb) return;
  throw fullDisk(room, `less than ${diskFreeMb} MiB free (HAYRAKE_DISK_FREE_MB)`);
}
