import { type CheckedObjects, inWords } from '../../core/ports/check.ts';
import { ExitError, exitCodes } from '../../core/errors.ts';
import type { Flags } from '../flags.ts';
import { placeOf } from '../output/place.ts';
import { countOf } from '../output/progress-display.ts';
import type { Program } from '../program.ts';

/** Reads all stored data, and names the damaged pages. The service can run meanwhile. */
export async function runCheck(program: Program, flags: Flags): Promise<number> {
  const { config } = program.readConfig(flags);
  const isQuick = flags['quick'] === true;
  const { jobs, pages, damaged, damagedParts, objects } = await program.check(config, { isQuick });
  for (const part of damaged) process.stdout.write(`damaged: ${inWords(part)}\n`);
  const more = damagedParts - damaged.length;
  if (more > 0) process.stdout.write(`and ${more} more\n`);
  const what = `${countOf(jobs, 'job')} with ${countOf(pages, 'page')} in ${placeOf(config)}`;
  if (objects) process.stderr.write(`${objectsText(objects)}\n`);
  if (objects && objects.missing > 0 && damagedParts === 0)
    throw new ExitError(
      exitCodes.databaseDamaged,
      `Checked ${what}: ${countOf(objects.missing, 'object')} outside the database ${objects.missing === 1 ? 'is' : 'are'} missing or changed. Restore them, for example from a version that the object store keeps.`,
    );
  if (damagedParts > 0) {
    throw new ExitError(
      exitCodes.databaseDamaged,
      `Checked ${what}: ${damagedParts === 1 ? 'one text or metadata is' : `${damagedParts} texts or metadata are`} damaged. The results leave these pages out. Check the disk, and restore a backup from before the damage.`,
    );
  }
  const how = isQuick
    ? 'The structure is intact, and the counters of every job add up. No page was read.'
    : 'Nothing is damaged.';
  process.stderr.write(`Checked ${what}. ${how}\n`);
  return exitCodes.done;
}

function objectsText({ objects, missing, unnamed }: CheckedObjects): string {
  const extra = unnamed === 0 ? '' : `, and ${unnamed} that no page names: they are deleted when they are old enough`;
  return `Objects outside the database: ${objects}, of which ${missing} missing or changed${extra}.`;
}
