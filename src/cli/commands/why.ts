import type { Dropped, Hayrake } from '../../../packages/client/index.ts';
import { grouped } from '../../core/grouped.ts';
import { exitCodes } from '../../core/errors.ts';
import { withAccess } from '../access.ts';
import type { Flags } from '../flags.ts';
import { givenUrl } from '../../core/given-url.ts';
import { fitted, printable } from '../output/terminal.ts';
import type { Program } from '../program.ts';

/** Explains why a URL is, or is not, among the pages of a job. With `--text`, what was left out of its page. */
export function runWhy(program: Program, id: string, given: string, flags: Flags): Promise<number> {
  return withAccess(program, flags, async ({ client }) => {
    const asked = await wholeUrl(client, id, given);
    const { data, explanation: sentences = [] } = await client.why(id, asked);
    const { url = asked, page } = data[0] ?? {};
    if (flags['text'] === true && page !== undefined) {
      write(linesOf(await client.dropped(id, page)));
      return exitCodes.done;
    }
    write([url, ...sentences.map((sentence) => `  ${sentence}`)]);
    if (flags['text'] !== true) return exitCodes.done;
    process.stderr.write('hayrake: The URL has no page in this job, so nothing was left out of one.\n');
    return exitCodes.failed;
  });
}

/** A path is one of the host of the job's first URL. */
async function wholeUrl(client: Hayrake, id: string, given: string): Promise<string> {
  if (!given.startsWith('/')) return givenUrl(given);
  const { urls } = await client.job(id);
  return URL.parse(given, urls[0])?.href ?? given;
}

/** Columns of the beginning of a text. */
const beginningMax = 80;

function linesOf({ url, page, data, words }: Dropped): string[] {
  const ruleColumns = Math.max(...data.map(({ rule }) => rule.length), 0);
  const wordColumns = Math.max(...data.map((each) => grouped(each.words).length), 0);
  const texts = data.map(
    (each) =>
      `  ${each.rule.padEnd(ruleColumns)}  ${grouped(each.words).padStart(wordColumns)}  ${fitted(printable(each.text), beginningMax)}`,
  );
  return [
    `${url} (page ${page})`,
    ...(data.length === 0
      ? ['  Nothing is left out.']
      : [
          `  Left out: ${grouped(words)} ${words === 1 ? 'word' : 'words'}, by rule, words and beginning:`,
          '',
          ...texts,
          '',
          `  To keep a part: crawl with --include-elements and its CSS selectors, or all of the page with --full`,
          '  (`include_elements`, `content: full`). A rule that takes what matters is a defect: please report it.',
        ]),
  ];
}

function write(lines: readonly string[]): void {
  process.stdout.write(`${lines.map(printable).join('\n')}\n`);
}
