import type { Hayrake } from '../../packages/client/index.ts';
import { ExitError, exitCodes } from '../core/errors.ts';
import { canonicalJobId, isJobId } from '../jobs/job-id.ts';
import { withAccess } from './access.ts';
import type { Flags } from './flags.ts';
import type { Program } from './program.ts';

/** Ids that an error message lists. */
const listedMax = 5;
const jobsPerRead = 400;

/**
 * Returns the id that a user means: an id in upper or lower case, the beginning of exactly one, or `last` for the newest
 * job. Other text is returned unchanged, and refused later.
 */
export async function namedJob(program: Program, given: string, flags: Flags): Promise<string> {
  const id = canonicalJobId(given);
  if (isJobId(id) || (given !== 'last' && !isBeginning(given))) return id;
  let found: string | undefined;
  await withAccess(program, flags, async ({ client, place }) => {
    found = given === 'last' ? await newest(client, place) : await beginningWith(client, given.toUpperCase());
    return exitCodes.done;
  });
  return found ?? id;
}

async function newest(client: Hayrake, place: string): Promise<string> {
  for await (const { id } of client.jobs({ limit: 1 })) return id;
  throw new ExitError(exitCodes.failed, `There is no job in ${place} yet.`);
}

/** Jobs are listed in the order of their ids. */
async function beginningWith(client: Hayrake, prefix: string): Promise<string | undefined> {
  const found: { readonly id: string }[] = [];
  for await (const { id } of client.jobs({ limit: jobsPerRead })) {
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
