import path from 'node:path';
import type { BackupSummary } from '../../core/backup.ts';
import { exitCodes } from '../../core/errors.ts';
import type { Flags } from '../flags.ts';
import { countOf } from '../output/progress-display.ts';
import type { Program } from '../program.ts';

/** Copies what is stored into one file. The service may run meanwhile. */
export async function runBackup(program: Program, file: string, flags: Flags): Promise<number> {
  const { config } = program.readConfig(flags);
  const target = path.resolve(file);
  const summary = program.backUp(config, target, { overwrite: flags['force'] === true });
  process.stderr.write(
    `Backed up ${contents(summary)}, to ${target}. Keep it as safe as the data directory: with it come tokens (hashed) and the secret of cursors.\n`,
  );
  return exitCodes.done;
}

export function contents({ jobs, pages, bytes }: BackupSummary): string {
  return `${countOf(jobs, 'job')} with ${countOf(pages, 'page')}, ${(bytes / 1e6).toFixed(1)} MB`;
}
