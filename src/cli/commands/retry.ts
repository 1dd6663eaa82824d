import { crawlWith } from '../crawl-with.ts';
import type { Flags } from '../flags.ts';
import { optionFields } from '../option-flags.ts';
import { outputOf, probeOutput } from '../output/page-sink.ts';
import type { Program } from '../program.ts';

/** Crawls the failed URLs of a job again, as a new job, and writes its pages as they arrive. */
export async function runRetry(program: Program, id: string, flags: Flags): Promise<number> {
  await probeOutput(outputOf(flags), process.stdout);
  const options = optionFields(flags, 'retry');
  return crawlWith(program, flags, {
    place: 'retry',
    names: [],
    begin: (client) => client.retry(id, options),
  });
}
