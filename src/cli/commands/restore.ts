import path from 'node:path';
import { exitCodes } from '../../core/errors.ts';
import type { Flags } from '../flags.ts';
import type { Program } from '../program.ts';
import { contents } from './backup.ts';

/** Puts a backup into a data directory that has no database. */
export async function runRestore(program: Program, file: string, flags: Flags): Promise<number> {
  const { config } = program.readConfig(flags);
  const summary = program.restore(config, path.resolve(file));
  process.stderr.write(
    `Restored ${contents(summary)}, into ${config.data}. Jobs that were running go on with: ${program.command} serve --data ${config.data}\n`,
  );
  return exitCodes.done;
}
