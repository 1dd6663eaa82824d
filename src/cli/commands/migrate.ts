import { grouped } from '../../core/grouped.ts';
import path from 'node:path';
import { ExitError, exitCodes } from '../../core/errors.ts';
import type { MovedTable } from '../../core/ports/move.ts';
import type { Flags } from '../flags.ts';
import { placeOf } from '../output/place.ts';
import { countOf } from '../output/progress-display.ts';
import type { Program } from '../program.ts';

/** Copies a data directory to a PostgreSQL database. No process may crawl with either meanwhile. */
export async function runMigrate(program: Program, flags: Flags): Promise<number> {
  const from = path.resolve(String(flags['from']));
  const url = targetOf(program, flags);
  const place = placeOf({ databaseUrl: url, data: from });
  const begun = performance.now();
  const tables = await program.migrate(from, url, (step, table) => {
    if (process.stderr.isTTY) process.stderr.write(`\r\u001B[K${step} ${table}`);
  });
  if (process.stderr.isTTY) process.stderr.write('\r\u001B[K');
  process.stdout.write(shown(tables));
  const seconds = ((performance.now() - begun) / 1_000).toFixed(1);
  process.stderr.write(
    [
      `Moved ${countOf(rowsOf(tables, 'job'), 'job')} with ${countOf(rowsOf(tables, 'page'), 'page')} to ${place} in ${seconds} s, read everything back, and found it identical.`,
      `Next: set HAYRAKE_DATABASE_URL to this database, and start the service: ${program.command} serve`,
      `Do not serve ${from} any longer: both would crawl the same sites and send the same webhooks. It is unchanged; keep it until you are sure.`,
      '',
    ].join('\n'),
  );
  return exitCodes.done;
}

function targetOf(program: Program, flags: Flags): string {
  const to = flags['to'];
  if (typeof to !== 'string') {
    const { databaseUrl } = program.readConfig(flags).config;
    if (databaseUrl !== undefined) return databaseUrl;
    throw new ExitError(
      exitCodes.usage,
      'Name the target: set HAYRAKE_DATABASE_URL, or pass --to postgres://user@db.example:5432/hayrake.',
    );
  }
  try {
    const url = program.settings.databaseUrl.parse(to);
    if (url !== undefined) return url;
    throw new Error('it is empty.');
  } catch (error) {
    // Not repeated: it can contain a password.
    throw new ExitError(exitCodes.usage, `--to cannot be used: ${error instanceof Error ? error.message : ''}`);
  }
}

/** One line per table: rows, and the start of their checksum, in the directory and in the database. */
function shown(tables: readonly MovedTable[]): string {
  const count = (rows: number): string => grouped(rows).padStart(15);
  const lines = tables.map(
    ({ name, source, target }) =>
      `${name.padEnd(15)}${count(source.rows)}${count(target.rows)}   ${source.checksum.slice(0, 16)}   ${target.checksum.slice(0, 16)}`,
  );
  const head = `${'table'.padEnd(15)}${'rows in DIR'.padStart(15)}${'in PostgreSQL'.padStart(15)}   SHA-256 in DIR     in PostgreSQL`;
  return `${[head, ...lines].join('\n')}\n`;
}

function rowsOf(tables: readonly MovedTable[], name: string): number {
  return tables.find((table) => table.name === name)?.target.rows ?? 0;
}
