import { ExitError, exitCodes } from '../core/errors.ts';
import { canonicalJobId, isJobId } from '../jobs/job-id.ts';
import type { Flags } from './flags.ts';
import type { Program } from './program.ts';
import type { Verbs } from './verbs/verbs.ts';
import { withVerbs } from './verbs/with-verbs.ts';

/** Ids that an error message lists. */
const listedMax = 5;

/**
 * Returns the id that a user means: an id in upper or lower case, the beginning of exactly one, or `last` for the newest
 * job. Other text is returned unchanged, and refused later.
 */
export async function namedJob(program: Program, given: string, flags: Flags): Promise<string> {
  const id = canonicalJobId(given);
  if (isJobId(id) || (given !== 'last' && !isBeginning(given))) return id;
  let found: string | undefined;
  await withVerbs(program, flags, async (verbs) => {
    found = given === 'last' ? await newest(verbs) : await beginningWith(verbs, given.toUpperCase());
    return exitCodes.done;
  });
  return found ?? id;
}

async function newest(verbs: Verbs): Promise<string> {
  for await (const { id } of verbs.listJobs(undefined)) return id;
  throw new ExitError(exitCodes.failed, `There is no job in ${verbs.place} yet.`);
}

/** Jobs are listed in the order of their ids. */
async function beginningWith(verbs: Verbs, prefix: string): Promise<string | undefined> {
  const found: { readonly id: string }[] = [];
  for await (const { id } of verbs.listJobs(undefined)) {
    if (id.slice(0, prefix.length) > prefix || found.length > listedMax) break;
    if (id.startsWith(prefix)) found.push({ id });
  }
  return onlyOne(found, prefix, 'jobs');
}

/** True if the text can be the beginning of an id. */
export function isBeginning(given: string): boolean {
  return /^[0-9A-HJKMNP-TV-Z]{1,25}$/iu.test(given);
}

/** Returns the only id that begins with a text; undefined if none does. */
export function onlyOne(
  all: readonly { readonly id: string }[],
  given: string,
  what: 'jobs' | 'schedules',
): string | undefined {
  const prefix = given.toUpperCase();
  const found = all.map(({ id }) => id).filter((id) => id.startsWith(prefix));
  if (found.length < 2) return found[0];
  const listed = [...found.slice(0, listedMax), ...(found.length > listedMax ? ['...'] : [])].join('\n  ');
  throw new ExitError(exitCodes.usage, `Several ${what} begin with ${prefix}. Write more of the id:\n  ${listed}`);
}
