import { exitCodes } from '../../core/errors.ts';
import type { Flags } from '../flags.ts';
import { printable } from '../output/terminal.ts';
import type { Program } from '../program.ts';
import { withVerbs } from '../verbs/with-verbs.ts';

/** Explains why a URL is, or is not, among the pages of a job. */
export function runWhy(program: Program, id: string, url: string, flags: Flags): Promise<number> {
  return withVerbs(program, flags, async (verbs) => {
    const { url: known, sentences } = await verbs.explainUrl(id, url);
    const lines = [known, ...sentences.map((sentence) => `  ${sentence}`)];
    process.stdout.write(`${lines.map(printable).join('\n')}\n`);
    return exitCodes.done;
  });
}
