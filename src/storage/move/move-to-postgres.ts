import path from 'node:path';
import { DatabaseError } from 'pg';
import { ExitError, exitCodes } from '../../core/errors.ts';
import type { MovedTable } from '../../core/ports/move.ts';
import { Connections, type Transaction } from '../postgres/connection/connections.ts';
import { explained as explainedTarget } from '../postgres/connection/faults.ts';
import { migrate, migrationLock, nowSql } from '../postgres/connection/schema.ts';
import { failed } from '../sqlite/maintain/backup.ts';
import { whatIsWrong } from '../sqlite/maintain/check-database.ts';
import { lockForCrawling } from '../sqlite/file/crawl-lock.ts';
import { databaseFile, sizeOf } from '../sqlite/file/database-file.ts';
import { Database, sqliteCode } from '../sqlite/file/database.ts';
import { damaged, explained as explainedSource } from '../sqlite/file/faults.ts';
import { isNewest } from '../sqlite/file/schema.ts';
import { type MovedTableShape, movedTables, sequences } from './moved-tables.ts';
import { copyTable, readBack } from './table-copy.ts';

/** No pause of a host or of a request is longer. */
const pauseMaxMs = 3_600_000;
/** The worker in the target database that stands for the directory's last process, which is dead. */
const workerName = 'the last one before the move';

export interface MoveOptions {
  /** A data directory that no process crawls with. */
  readonly from: string;
  /** `postgres://user:password@host:port/database`. */
  readonly url: string;
  /** Called for each table before it is copied, and before it is read back. */
  readonly onStep?: (step: 'copying' | 'reading back', table: string) => void;
}

/**
 * Copies everything in a data directory to an empty PostgreSQL database, and reads it back there. Jobs, pages, URLs and
 * events keep their numbers. The secret moves too, so cursors stay valid. Requests and leases that the directory's last
 * process held when it died belong to a dead worker in the new database: the first process that crawls there gives them
 * back.
 *
 * One transaction: after any failure, nothing is there. The directory is only read, in one snapshot.
 */
export async function moveToPostgres({ from, url, onStep }: MoveOptions): Promise<readonly MovedTable[]> {
  if (sizeOf(path.join(from, databaseFile)) === undefined) throw failed(`There is no database in ${from}.`);
  const unlock = lockForCrawling(from);
  const applicationName = `hayrake ${process.pid} migrate`;
  const connections = new Connections({ url, applicationName, max: 1 });
  let source: Database | undefined;
  let isRead = false;
  try {
    const db = openSource(from);
    source = db;
    await connections.learnPooling();
    await migrate(connections);
    const tables = await connections.transaction(async (tx) => {
      const shapes = await movedTables(db, tx);
      await takeTarget(tx, applicationName, shapes);
      const moved = await copyAll(db, tx, shapes, onStep);
      isRead = true;
      return moved;
    });
    // Gives the planner statistics for the first minute; after that, autovacuum collects them.
    for (const { name } of tables) await connections.query(`ANALYZE ${name}`).catch(() => {});
    return tables;
  } catch (error) {
    throw told(error, from, isRead);
  } finally {
    source?.close();
    await connections.close();
    unlock();
  }
}

/** Opens it for reading only. An incomplete or damaged database is not moved. */
function openSource(dir: string): Database {
  const db = new Database(path.join(dir, databaseFile), { busyMs: 5_000, readOnly: true });
  try {
    if (!isNewest(db))
      throw failed(
        `The database in ${dir} was made by an older version of hayrake. Upgrade it with any command of this version, such as: hayrake jobs --data ${dir}`,
      );
    db.exec('BEGIN');
    const wrong = whatIsWrong(db, Date.now());
    if (wrong !== undefined) throw damaged(dir, wrong);
    return db;
  } catch (error) {
    db.close();
    throw error;
  }
}

/** No process starts to use the database before the transaction ends, and none uses it now. */
async function takeTarget(tx: Transaction, applicationName: string, shapes: readonly MovedTableShape[]): Promise<void> {
  tx.send('SET LOCAL statement_timeout = 0');
  tx.send('SET LOCAL idle_in_transaction_session_timeout = 0');
  await tx.query('SELECT pg_advisory_xact_lock($1)', [migrationLock]);
  const [users] = await tx.query<{ others: number }>(
    `SELECT count(*) AS others FROM pg_stat_activity
     WHERE datname = current_database() AND application_name LIKE 'hayrake %' AND application_name <> $1`,
    [applicationName],
  );
  if (users && users.others > 0)
    throw failed(
      'Another hayrake process already uses the database. Stop it first: it would not notice the migration.',
    );
  // Left by a service that ran on the empty database: a login code that was printed, the operator's sessions.
  tx.send('DELETE FROM session');
  for (const { name } of shapes) {
    const [row] = await tx.query<{ used: boolean }>(`SELECT EXISTS (SELECT FROM ${name}) AS used`);
    if (row?.used !== true) continue;
    const what = name === 'job' ? 'jobs' : `rows in its table ${name}`;
    throw failed(`The database already has ${what}. Use an empty one.`);
  }
}

async function copyAll(
  source: Database,
  tx: Transaction,
  shapes: readonly MovedTableShape[],
  onStep: MoveOptions['onStep'],
): Promise<MovedTable[]> {
  const [clock] = await tx.query<{ now: number }>(`SELECT ${nowSql} AS now`);
  const [worker] = await tx.query<{ id: number }>(
    'INSERT INTO worker (name, lease_until, dead) VALUES ($1, 0, true) RETURNING id',
    [workerName],
  );
  if (!clock || !worker) throw new Error('the database did not respond');
  const values = { offset: clock.now - Date.now(), latest: clock.now + pauseMaxMs, worker: worker.id };
  const copied: Pick<MovedTable, 'source'>[] = [];
  for (const table of shapes) {
    onStep?.('copying', table.name);
    copied.push({ source: await copyTable(source, tx, table, values) });
  }
  await tx.query(
    'DELETE FROM worker WHERE id = $1 AND NOT EXISTS (SELECT FROM host_slot WHERE owner = $1) AND NOT EXISTS (SELECT FROM work WHERE claimed_by = $1)',
    [worker.id],
  );
  await takeSecret(source, tx);
  for (const { sequence, highest } of sequences) {
    const last = source.get<{ highest: number | null }>(highest)?.highest ?? 0;
    await tx.query(`SELECT setval(${sequence}, greatest($1::bigint, 1), $1::bigint > 0)`, [last]);
  }
  // Read in index order, which is the order of the rows on disk. A sort would take a minute before the first row.
  await tx.query('SET LOCAL enable_sort = off');
  const moved: MovedTable[] = [];
  for (const [index, table] of shapes.entries()) {
    onStep?.('reading back', table.name);
    const { source: read } = copied[index] ?? {};
    if (read) moved.push({ name: table.name, source: read, target: await readBack(tx, table) });
  }
  const different = moved.filter(
    (table) => table.source.rows !== table.target.rows || table.source.checksum !== table.target.checksum,
  );
  if (different.length > 0)
    throw failed(`The copy differs from the original, so it was rolled back:\n${different.map(inWords).join('\n')}`);
  return moved;
}

/** Cursors that clients hold stay valid because of it. */
async function takeSecret(source: Database, tx: Transaction): Promise<void> {
  const select = "SELECT value FROM setting WHERE name = 'secret'";
  const secret = source.get<{ value: Uint8Array }>(select);
  if (!secret) return;
  await tx.query("UPDATE setting SET value = $1 WHERE name = 'secret'", [secret.value]);
  const [stored] = await tx.query<{ value: Uint8Array }>(select);
  if (!stored || Buffer.compare(stored.value, secret.value) !== 0)
    throw failed('The database did not keep the secret.');
}

function inWords({ name, source, target }: MovedTable): string {
  return `  ${name}: ${source.rows} rows (${source.checksum.slice(0, 16)}) were sent, ${target.rows} (${target.checksum.slice(0, 16)}) were read back`;
}

function told(error: unknown, dir: string, isRead: boolean): unknown {
  if (error instanceof ExitError) return error;
  if (sqliteCode(error) !== undefined) return explainedSource(error, dir);
  if (error instanceof DatabaseError && /^(28|3D|42501)/.test(error.code ?? ''))
    return new ExitError(exitCodes.storageFailed, `The database refused: ${error.message}.`);
  const known = explainedTarget(error);
  if (!isRead || !(known instanceof ExitError)) return known;
  return new ExitError(
    known.exitCode,
    `${known.message} It happened at the very end, so the copy is either complete or empty. Run the same command again to find out.`,
  );
}
