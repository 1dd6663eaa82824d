import path from 'node:path';
import { exitCodes } from '../../core/errors.ts';
import type { Flags } from '../flags.ts';
import type { Program } from '../program.ts';
import { contents, refuseDatabase } from './backup.ts';

/** Restores a backup into a data directory without a database. */
export async function runRestore(program: Program, file: string, flags: Flags): Promise<number> {
  const read = program.readConfig(flags);
  refuseDatabase(read);
  const { config } = read;
  const summary = program.restore(config, path.resolve(file));
  process.stderr.write(
    `Restored ${contents(summary)}, into ${config.data}. To continue jobs that were running: ${program.command} serve --data ${config.data}\n`,
  );
  return exitCodes.done;
}
