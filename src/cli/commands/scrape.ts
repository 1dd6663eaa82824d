import { exitCodes, UserError } from '../../core/errors.ts';
import { permissions } from '../../core/permissions.ts';
import type { Store } from '../../core/ports/stores.ts';
import { type ScrapeAnswer, scrapePage } from '../../jobs/scrape-page.ts';
import { defaultOrg } from '../../jobs/tokens.ts';
import type { Config } from '../../config/config.ts';
import { withCrawlingStore } from '../crawling-store.ts';
import type { Flags } from '../flags.ts';
import { givenUrl } from '../given-url.ts';
import { inTermsOfFlags, optionFields } from '../option-flags.ts';
import { printable, printableLines } from '../output/terminal.ts';
import type { Engine, Program } from '../program.ts';
import { stopSignals } from '../stop-signals.ts';

/** Writes one page to standard output, and nothing else there; the reason for a failure goes to standard error. */
export function runScrape(program: Program, given: string, flags: Flags): Promise<number> {
  const body = { url: givenUrl(given), ...optionFields(flags, 'scrape') };
  return withCrawlingStore(program, flags, async (config, store) => {
    const answer = await scrape(program, config, store, body);
    if (!answer) return exitCodes.interrupted;
    if (flags['json'] === true) process.stdout.write(`${JSON.stringify(answer)}\n`);
    else if (answer.status === 'scraped') process.stdout.write(shownText(answer.text));
    if (answer.status === 'scraped') return exitCodes.done;
    const { reason, detail } = answer.error;
    process.stderr.write(`hayrake: ${printable(`${answer.url}: ${reason}: ${detail}`)}\n`);
    return exitCodes.failed;
  });
}

async function scrape(
  program: Program,
  config: Config,
  store: Store,
  body: { readonly url: string },
): Promise<ScrapeAnswer | undefined> {
  const destinations = program.createDestinations(config);
  const stops = stopSignals();
  const failure = new AbortController();
  let engine: Engine | undefined;
  const begin = async (onlyJob: string): Promise<void> => {
    engine = await program.startEngine(config, store, { onlyJob }, program.createLog(config));
    // The engine ends by itself only if the store fails; stopping it below reports that.
    engine.done.catch(() => failure.abort());
  };
  try {
    const hasBrowser = (): Promise<boolean> => program.hasBrowser(config);
    const parts = { jobs: store.jobs, pages: store.pages, destinations, hasBrowser, begin };
    const caller = { org: defaultOrg, permissions };
    return await scrapePage(parts, caller, body, AbortSignal.any([stops.signal, failure.signal]));
  } catch (error) {
    throw error instanceof UserError ? inTermsOfFlags(error, 'scrape', [body.url]) : error;
  } finally {
    await engine?.stop();
    await destinations.close();
  }
}

/** A pipe or a file gets the page unchanged; on a terminal it could contain control sequences. */
function shownText(text: string): string {
  return `${process.stdout.isTTY === true ? printableLines(text) : text}\n`;
}
