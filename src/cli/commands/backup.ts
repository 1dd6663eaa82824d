import path from 'node:path';
import type { BackupSummary } from '../../core/ports/backup.ts';
import { ExitError, exitCodes } from '../../core/errors.ts';
import type { ReadConfig } from '../../config/read-config.ts';
import type { Flags } from '../flags.ts';
import { countOf } from '../output/progress-display.ts';
import { sizeText } from '../output/size-text.ts';
import type { Program } from '../program.ts';

/** Copies the stored data into one file. The service can run meanwhile. */
export async function runBackup(program: Program, file: string, flags: Flags): Promise<number> {
  const read = program.readConfig(flags);
  refuseDatabase(read);
  const { config } = read;
  const target = path.resolve(file);
  const options = { overwrite: flags['force'] === true, isQuick: flags['quick'] === true };
  const summary = program.backUp(config, target, options);
  process.stderr.write(
    `Backed up ${contents(summary)}, to ${target}. Keep it as safe as the data directory: it contains the tokens (hashed) and the secret of cursors.\n`,
  );
  return exitCodes.done;
}

/** PostgreSQL has its own backup tools. */
export function refuseDatabase({ config, origins }: ReadConfig): void {
  if (config.databaseUrl === undefined || origins.data.origin !== 'default') return;
  throw new ExitError(
    exitCodes.usage,
    'HAYRAKE_DATABASE_URL is set. Back up and restore PostgreSQL with its own tools, such as pg_dump and pg_restore. For a directory, name it with --data.',
  );
}

export function contents({ jobs, pages, bytes }: BackupSummary): string {
  return `${countOf(jobs, 'job')} with ${countOf(pages, 'page')}, ${sizeText(bytes)}`;
}
