import { withAccess } from '../access.ts';
import { exitCodes } from '../../core/errors.ts';
import type { Flags } from '../flags.ts';
import { countOf } from '../output/progress-display.ts';
import type { Program } from '../program.ts';

/** Ends a job; its pages stay readable. A job that has ended stays as it is. */
export function runCancel(program: Program, id: string, flags: Flags): Promise<number> {
  return withAccess(program, flags, async ({ client }) => {
    const { status, progress } = await client.cancel(id);
    process.stderr.write(`Job ${id}: ${status}, ${countOf(progress.scraped, 'page')} kept.\n`);
    return exitCodes.done;
  });
}

/** Ends a job and deletes its pages. */
export function runDelete(program: Program, id: string, flags: Flags): Promise<number> {
  return withAccess(program, flags, async ({ client }) => {
    const { progress } = await client.delete(id);
    process.stderr.write(`Job ${id}: ${countOf(progress.scraped, 'page')} deleted.\n`);
    return exitCodes.done;
  });
}
