import type { SearchResults } from '../../../packages/client/index.ts';
import { grouped } from '../../core/grouped.ts';
import { ExitError, exitCodes } from '../../core/errors.ts';
import { withAccess } from '../access.ts';
import type { Flags } from '../flags.ts';
import { numberFlag } from '../flags.ts';
import { fitted, printable, type Terminal, terminalOf } from '../output/terminal.ts';
import type { Program } from '../program.ts';

/** Searches the pages of a job. Waits until all pages are indexed. */
export async function runSearch(program: Program, id: string, words: readonly string[], flags: Flags): Promise<number> {
  const limit = numberFlag(flags, 'limit', '--limit') ?? 10;
  if (limit < 1 || limit > 100) throw new ExitError(exitCodes.usage, '--limit takes a whole number from 1 to 100.');
  return withAccess(program, flags, async ({ client }) => {
    const progress = terminalOf(process.stderr);
    let found = await client.search(id, words.join(' '), { limit });
    const { pages } = found;
    while (found.indexedPages < pages) {
      const share = `${grouped(found.indexedPages)} of ${grouped(pages)}`;
      progress.stream.write(`  ${share} pages are indexed ...\n`);
      found = await client.search(id, words.join(' '), { limit });
    }
    const terminal = terminalOf(process.stdout);
    for (const hit of found.data)
      process.stdout.write(flags['json'] === true ? `${JSON.stringify(hit)}\n` : rowOf(hit, terminal));
    process.stderr.write(`  ${summary(found)}\n`);
    return exitCodes.done;
  });
}

function summary({ data: hits, cursor, indexedPages, damagedPages = 0 }: SearchResults): string {
  const shown = hits.length === 0 ? 'No hits' : `${hits.length} ${hits.length === 1 ? 'hit' : 'hits'}`;
  const more = cursor === undefined ? '' : ', and more: --limit shows them';
  const damage =
    damagedPages === 0 ? '' : ` ${damagedPages} damaged pages were left out: \`hayrake check\` lists them.`;
  return `${shown} in ${grouped(indexedPages)} pages${more}.${damage}`;
}

/** Number and title, the URL, and the snippet with its hits in colour. */
function rowOf({ page, title, url, snippetParts }: SearchResults['data'][number], terminal: Terminal): string {
  const width = terminal.isLive ? terminal.columns : Number.POSITIVE_INFINITY;
  const [number, indent] = [String(page).padStart(7), ' '.repeat(9)];
  const text = snippetParts
    .map((part) => (part.hit ? terminal.yellow(printable(part.text)) : printable(part.text)))
    .join('');
  const name = fitted(printable(title === '' ? url : title), width - indent.length);
  return `${number}  ${name}\n${indent}${terminal.dim(fitted(printable(url), width - indent.length))}\n${indent}${text}\n\n`;
}
