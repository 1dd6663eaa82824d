import { ExitError, exitCodes } from '../../core/errors.ts';
import { withAccess } from '../access.ts';
import type { Flags } from '../flags.ts';
import { countOf } from '../output/progress-display.ts';
import type { Program } from '../program.ts';

/** Forgets one page. Its number stays. */
export function runErase(program: Program, id: string, page: string, flags: Flags): Promise<number> {
  if (!/^[1-9]\d{0,7}$/.test(page))
    throw new ExitError(
      exitCodes.usage,
      `${page} is not the number of a page. \`${program.command} get ${id} --meta\` lists the numbers.`,
    );
  return withAccess(program, flags, async ({ client }) => {
    const withUrl = flags['url'] === true;
    const { jobs } = await client.erasePage(id, Number(page), { url: withUrl });
    const what = withUrl ? 'text and URL' : 'text';
    const where = jobs.length > 1 ? `, in ${countOf(jobs.length, 'job')} that share its raw body` : '';
    process.stderr.write(
      `Job ${id}: ${what} of page ${page} erased${where}. Backups of before still have it: make a new one, and remove them.\n`,
    );
    return exitCodes.done;
  });
}
