import { exitCodes } from '../../core/errors.ts';
import type { Flags } from '../flags.ts';
import type { Program } from '../program.ts';

/** Makes this database the owner of the objects of the settings, after it was restored or moved. */
export async function runBlobsAdopt(program: Program, flags: Flags): Promise<number> {
  const { config } = program.readConfig(flags);
  const place = await program.adoptBlobs(config);
  process.stderr.write(`${place} belongs to this database now. The one before does not start on it any more.\n`);
  return exitCodes.done;
}
