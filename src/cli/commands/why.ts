import { exitCodes } from '../../core/errors.ts';
import { explainUrl } from '../../jobs/explain-url.ts';
import { defaultOrg } from '../../jobs/tokens.ts';
import type { Flags } from '../flags.ts';
import { printable } from '../output/terminal.ts';
import type { Program } from '../program.ts';

/** Explains why a URL is, or is not, among the pages of a job. A service can run meanwhile. */
export async function runWhy(program: Program, id: string, url: string, flags: Flags): Promise<number> {
  const { config } = program.readConfig(flags);
  const store = await program.openStore(config, { crawling: false });
  try {
    const { entry, sentences } = await explainUrl(store.jobs, defaultOrg, id, url);
    const lines = [entry?.url ?? url, ...sentences.map((sentence) => `  ${sentence}`)];
    process.stdout.write(`${lines.map(printable).join('\n')}\n`);
    return exitCodes.done;
  } finally {
    await store.close();
  }
}
