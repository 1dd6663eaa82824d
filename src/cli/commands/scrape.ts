import type { Hayrake, ScrapeAnswer as ClientAnswer } from '../../../packages/client/index.ts';
import { exitCodes } from '../../core/errors.ts';
import { type ScrapeAnswer, scrapePage } from '../../jobs/scrape-page.ts';
import type { Flags } from '../flags.ts';
import { onePageNow } from '../one-page-now.ts';
import { optionFields } from '../option-flags.ts';
import { printable, printableLines } from '../output/terminal.ts';
import type { Program } from '../program.ts';

/** Writes one page to standard output, and nothing else there; the reason for a failure goes to standard error. */
export async function runScrape(program: Program, url: string, flags: Flags): Promise<number> {
  const options = optionFields(flags, 'scrape');
  const there = (client: Hayrake, signal: AbortSignal): Promise<ClientAnswer> =>
    client.scrape(url, options, { signal });
  const request = { place: 'scrape', body: { url, ...options }, run: scrapePage, there } as const;
  return onePageNow(program, flags, request, (answer: ScrapeAnswer | ClientAnswer) => {
    if (flags['json'] === true) process.stdout.write(`${JSON.stringify(answer)}\n`);
    else if (answer.status === 'scraped') process.stdout.write(shownText(answer.text));
    if (answer.status === 'scraped') return exitCodes.done;
    const { reason, detail } = answer.error;
    process.stderr.write(`hayrake: ${printable(`${answer.url}: ${reason}: ${detail}`)}\n`);
    return exitCodes.failed;
  });
}

/** A pipe or a file gets the page unchanged; on a terminal it could contain control sequences. */
function shownText(text: string): string {
  return `${process.stdout.isTTY === true ? printableLines(text) : text}\n`;
}
