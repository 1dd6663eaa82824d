import { exitCodes } from '../../core/errors.ts';
import type { Flags } from '../flags.ts';
import { countOf } from '../output/progress-display.ts';
import type { Program } from '../program.ts';
import { withVerbs } from '../verbs/with-verbs.ts';

/** Ends a job; its pages stay readable. A job that has ended stays as it is. */
export function runCancel(program: Program, id: string, flags: Flags): Promise<number> {
  return withVerbs(program, flags, async (verbs) => {
    const { status, progress } = await verbs.cancelJob(id);
    process.stderr.write(`Job ${id}: ${status}, ${countOf(progress.scraped, 'page')} kept.\n`);
    return exitCodes.done;
  });
}

/** Ends a job and deletes its pages. */
export function runDelete(program: Program, id: string, flags: Flags): Promise<number> {
  return withVerbs(program, flags, async (verbs) => {
    const { progress } = await verbs.deleteJob(id);
    process.stderr.write(`Job ${id}: ${countOf(progress.scraped, 'page')} deleted.\n`);
    return exitCodes.done;
  });
}
