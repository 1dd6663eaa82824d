import { exitCodes } from '../../core/errors.ts';
import { scrapePage } from '../../jobs/scrape-page.ts';
import { withCrawlingStore } from '../crawling-store.ts';
import type { Flags } from '../flags.ts';
import { givenUrl } from '../given-url.ts';
import { onePageNow } from '../one-page-now.ts';
import { optionFields } from '../option-flags.ts';
import { printable, printableLines } from '../output/terminal.ts';
import type { Program } from '../program.ts';

/** Writes one page to standard output, and nothing else there; the reason for a failure goes to standard error. */
export function runScrape(program: Program, given: string, flags: Flags): Promise<number> {
  const body = { url: givenUrl(given), ...optionFields(flags, 'scrape') };
  return withCrawlingStore(program, flags, async (config, store) => {
    const answer = await onePageNow(program, config, store, { place: 'scrape', body, run: scrapePage });
    if (!answer) return exitCodes.interrupted;
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
