import { crawlWith } from '../crawl-with.ts';
import type { Flags } from '../flags.ts';
import { optionFields } from '../option-flags.ts';
import { outputOf, probeOutput } from '../output/page-sink.ts';
import type { Program } from '../program.ts';

/** Converts the pages of a job again, as a new job, and writes them as they come. */
export async function runReextract(program: Program, id: string, flags: Flags): Promise<number> {
  await probeOutput(outputOf(flags), process.stdout);
  const options = optionFields(flags, 'reextract');
  return crawlWith(program, flags, {
    place: 'reextract',
    names: [],
    begin: (client) => client.reextract(id, options),
  });
}
