import type { Hayrake, Job } from '../../../packages/client/index.ts';
import type { Place } from '../../options/option.ts';
import { crawlWith } from '../crawl-with.ts';
import { type Flags, textFlag } from '../flags.ts';
import { crawlsOf, withLastCrawl } from '../last-crawl.ts';
import { optionFields } from '../option-flags.ts';
import { outputOf, probeOutput, refuseLostFormats } from '../output/page-sink.ts';
import type { Program } from '../program.ts';
import { withHeaders } from '../url-login.ts';
import { urlsOf } from '../urls-from.ts';

/** Crawls, and writes pages as they arrive. */
export async function runCrawl(program: Program, given: readonly string[], flags: Flags): Promise<number> {
  const { urls, names, headers } = await urlsOf(given, textFlag(flags, 'urlsFrom'));
  await probeOutput(outputOf(flags), process.stdout);
  refuseLostFormats(flags, process.stdout);
  const options = withHeaders(optionFields(flags, 'crawl'), headers);
  return crawlWith(program, flags, {
    place: 'crawl',
    names,
    begin: async (client) => client.crawl(urls, await withLastCrawl(urls, options, () => crawlsOf(client), tell)),
  });
}

const tell = (text: string): void => void process.stderr.write(`${text}\n`);

/** Continues a job. Pages already written are written again, unchanged. */
export function runResume(program: Program, id: string, flags: Flags): Promise<number> {
  return crawlAgain(program, flags, 'crawl', (client) => client.resume(id));
}

/** Crawls the failed URLs of a job again, as a new job. */
export function runRetry(program: Program, id: string, flags: Flags): Promise<number> {
  return crawlAgain(program, flags, 'retry', (client, options) => client.retry(id, options));
}

/** Converts the pages of a job again, as a new job. */
export function runReextract(program: Program, id: string, flags: Flags): Promise<number> {
  return crawlAgain(program, flags, 'reextract', (client, options) => client.reextract(id, options));
}

async function crawlAgain(
  program: Program,
  flags: Flags,
  place: Place,
  begin: (client: Hayrake, options: Record<string, unknown>) => Promise<Job>,
): Promise<number> {
  await probeOutput(outputOf(flags), process.stdout);
  const options = optionFields(flags, place);
  return crawlWith(program, flags, { place, names: [], begin: (client) => begin(client, options) });
}
