import { spawn } from 'node:child_process';
import type { Config } from '../../config/config.ts';
import { ExitError, exitCodes } from '../../core/errors.ts';
import type { Store } from '../../core/ports/stores.ts';
import { getJob } from '../../jobs/get-job.ts';
import { createLoginCode } from '../../jobs/sessions.ts';
import { defaultOrg } from '../../jobs/tokens.ts';
import type { Flags } from '../flags.ts';
import { loginToken } from '../login-token.ts';
import { desktopOpener } from '../output/terminal.ts';
import type { Program } from '../program.ts';
import { serviceBeside } from '../service-beside.ts';

/** Prints a link to a job in the dashboard of the service that runs on this data, and opens it in a browser if it can. */
export async function runOpen(program: Program, id: string, flags: Flags): Promise<number> {
  const { config } = program.readConfig(flags);
  const store = await program.openStore(config, { crawling: false });
  try {
    await getJob(store.jobs, defaultOrg, id);
    const origin = await serviceBeside(program, store);
    if (origin === undefined)
      throw new ExitError(exitCodes.failed, `No service runs on this data. Start one: ${program.command} serve`);
    return show(await linkTo(config, store, origin, id), flags);
  } finally {
    await store.close();
  }
}

/** The link signs one browser in, if there is a token whose rights it can give. */
async function linkTo(config: Config, { tokens, sessions }: Store, origin: string, id: string): Promise<string> {
  const token = await loginToken(config, tokens);
  if (!token) return `${origin}/jobs/${id}`;
  return `${origin}/login?code=${await createLoginCode(sessions, token.id)}&job=${id}`;
}

function show(link: string, flags: Flags): number {
  process.stdout.write(`${link}\n`);
  const opener = flags['print'] === true || process.stdout.isTTY !== true ? undefined : desktopOpener();
  if (opener === undefined) return exitCodes.done;
  const child = spawn(opener, [link], { detached: true, stdio: 'ignore' });
  child.on('error', () => process.stderr.write('No browser could be started. Open the link yourself.\n'));
  child.unref();
  return exitCodes.done;
}
