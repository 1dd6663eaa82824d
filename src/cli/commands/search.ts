import { ExitError, exitCodes } from '../../core/errors.ts';
import type { SearchHit } from '../../core/ports/search.ts';
import { searchPages } from '../../jobs/search-pages.ts';
import { defaultOrg } from '../../jobs/tokens.ts';
import type { Flags } from '../flags.ts';
import { numberFlag } from '../flags.ts';
import { fitted, printable, type Terminal, terminalOf } from '../output/terminal.ts';
import type { Program } from '../program.ts';

/** How long one look at a growing index lasts. */
const lookMs = 5_000;

/** Searches the pages of a job. A service can run meanwhile. Waits until all pages are indexed. */
export async function runSearch(program: Program, id: string, words: readonly string[], flags: Flags): Promise<number> {
  const { config } = program.readConfig(flags);
  const limit = numberFlag(flags, 'limit', '--limit') ?? 10;
  if (limit < 1 || limit > 100) throw new ExitError(exitCodes.usage, '--limit takes a whole number from 1 to 100.');
  const store = await program.openStore(config, { crawling: false });
  try {
    const parts = { search: config.search === 'on' ? store.search : undefined, cursors: program.cursorsOf(store) };
    const progress = terminalOf(process.stderr);
    const query = { text: words.join(' '), limit, waitMs: lookMs };
    let found = await searchPages(parts, defaultOrg, id, query);
    const { pages } = found;
    while (found.indexedPages < pages) {
      const share = `${found.indexedPages.toLocaleString('en')} of ${pages.toLocaleString('en')}`;
      progress.stream.write(`  ${share} pages are indexed ...\n`);
      found = await searchPages(parts, defaultOrg, id, query);
    }
    const terminal = terminalOf(process.stdout);
    for (const hit of found.hits)
      process.stdout.write(flags['json'] === true ? `${JSON.stringify(lineOf(hit))}\n` : rowOf(hit, terminal));
    process.stderr.write(`  ${summary(found)}\n`);
    return exitCodes.done;
  } finally {
    await store.close();
  }
}

function summary(found: Awaited<ReturnType<typeof searchPages>>): string {
  const { hits, cursor, indexedPages, damagedPages } = found;
  const shown = hits.length === 0 ? 'No hits' : `${hits.length} ${hits.length === 1 ? 'hit' : 'hits'}`;
  const more = cursor === undefined ? '' : ', and more: --limit shows them';
  const damage =
    damagedPages === 0 ? '' : ` ${damagedPages} damaged pages were left out: \`hayrake check\` lists them.`;
  return `${shown} in ${indexedPages.toLocaleString('en')} pages${more}.${damage}`;
}

function lineOf({ snippet, ...hit }: SearchHit): object {
  return { ...hit, snippet: snippet.map(({ text }) => text).join(''), snippetParts: snippet };
}

/** Number and title, the URL, and the snippet with its hits in colour. */
function rowOf({ page, title, url, snippet }: SearchHit, terminal: Terminal): string {
  const width = terminal.isLive ? terminal.columns : Number.POSITIVE_INFINITY;
  const [number, indent] = [String(page).padStart(7), ' '.repeat(9)];
  const text = snippet
    .map((part) => (part.hit ? terminal.yellow(printable(part.text)) : printable(part.text)))
    .join('');
  const name = fitted(printable(title === '' ? url : title), width - indent.length);
  return `${number}  ${name}\n${indent}${terminal.dim(fitted(printable(url), width - indent.length))}\n${indent}${text}\n\n`;
}
