import { spawn } from 'node:child_process';
import { exitCodes } from '../../core/errors.ts';
import { withAccess } from '../access.ts';
import type { Flags } from '../flags.ts';
import { desktopOpener } from '../output/terminal.ts';
import type { Program } from '../program.ts';

/** Prints a link to a job in the dashboard of the service, and opens it in a browser if there is a desktop. */
export function runOpen(program: Program, id: string, flags: Flags): Promise<number> {
  return withAccess(program, flags, async ({ client, linkTo }) => {
    await client.job(id);
    const link = await linkTo(id);
    process.stdout.write(`${link}\n`);
    const opener = flags['print'] === true || process.stdout.isTTY !== true ? undefined : desktopOpener();
    if (opener === undefined) return exitCodes.done;
    const child = spawn(opener, [link], { detached: true, stdio: 'ignore' });
    child.on('error', () => process.stderr.write('No browser could be started. Open the link yourself.\n'));
    child.unref();
    return exitCodes.done;
  });
}
