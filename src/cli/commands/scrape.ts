import { writeFileSync } from 'node:fs';
import type { Hayrake, ScrapeResponse } from '../../../packages/client/index.ts';
import { ExitError, exitCodes } from '../../core/errors.ts';
import { type Flags, textFlag } from '../flags.ts';
import { onePageNow } from '../one-page-now.ts';
import { optionFields } from '../option-flags.ts';
import { OutputError } from '../output/output-error.ts';
import { loginHint } from '../output/login-hint.ts';
import { printable, printableLines } from '../output/terminal.ts';
import type { Program } from '../program.ts';
import { withHeaders, withoutLogin } from '../url-login.ts';

/** Writes one page to standard output, and nothing else there; the reason for a failure goes to standard error. */
export async function runScrape(program: Program, given: string, flags: Flags): Promise<number> {
  if (flags['formats'] !== undefined && flags['json'] !== true)
    throw new ExitError(exitCodes.usage, '--formats needs --json.');
  const { urls, headers } = withoutLogin([given]);
  const [url = ''] = urls;
  const options = withHeaders(optionFields(flags, 'scrape'), headers);
  const ask = (client: Hayrake, signal: AbortSignal): Promise<ScrapeResponse> =>
    client.scrape(url, options, { signal });
  const file = textFlag(flags, 'out') ?? '-';
  const write = (text: string): void => {
    if (file === '-') process.stdout.write(text);
    else writeOutput(file, text);
  };
  return onePageNow(program, flags, { place: 'scrape', url, ask }, (response) => {
    if (flags['json'] === true) write(`${JSON.stringify(response)}\n`);
    else if (response.status === 'scraped') write(file === '-' ? shownText(response.text) : `${response.text}\n`);
    if (response.status === 'scraped') return exitCodes.done;
    const { reason, detail } = response.error;
    process.stderr.write(`hayrake: ${printable(`${response.url}: ${reason}: ${detail}`)}\n`);
    const hint = loginHint(reason);
    if (hint !== undefined) process.stderr.write(`  ${hint}\n`);
    return exitCodes.failed;
  });
}

function writeOutput(file: string, text: string): void {
  try {
    writeFileSync(file, text);
  } catch (error) {
    throw new OutputError(file, error);
  }
}

/** A pipe or a file gets the page unchanged; on a terminal it could contain control sequences. */
function shownText(text: string): string {
  return `${process.stdout.isTTY === true ? printableLines(text) : text}\n`;
}
