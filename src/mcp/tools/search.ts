import { z } from 'zod';
import { hasEnded } from '../../core/job.ts';
import type { SearchHit } from '../../core/ports/search.ts';
import { searchPages, type SearchResults } from '../../jobs/search-pages.ts';
import { callOf } from '../response/call.ts';
import { oneLine } from '../response/cut-text.ts';
import { listResponse } from '../response/list-response.ts';
import { defineTool, jobArgument, maxChars, usualChars } from '../tool.ts';

const queryCharsMax = 200;
const titleCharsMax = 120;
const urlCharsMax = 300;
const snippetCharsMax = 400;
/** How long to wait for the index. The pages of a large job take longer: the response says how many were searched. */
const indexWaitMs = 20_000;
const tailChars = 2 * queryCharsMax + 500;

export const search = defineTool({
  name: 'search',
  title: 'Search the pages of a job',
  description:
    'Finds pages of a crawl that have all of the words; the best first, each with a snippet. Works while the crawl runs. Use few words that the page itself would use. `page` reads one.',
  kind: 'reads',
  input: z.strictObject({
    job: jobArgument,
    q: z
      .string()
      .max(queryCharsMax)
      .describe(
        'Words, and phrases in double quotes. A page must have all of them. The last word also finds longer words. No operators.',
      ),
    limit: z.int().min(1).max(50).default(8).describe('Hits at most.'),
    cursor: z.string().optional().describe('From the previous response, for the hits after it.'),
    max_chars: maxChars,
  }),
  run: async ({ parts, caller }, { job, q, limit, cursor, max_chars }) => {
    const find = (count: number): Promise<SearchResults> =>
      searchPages(parts, caller.org, job, {
        text: q,
        limit: count,
        waitMs: indexWaitMs,
        ...(cursor !== undefined && { cursor }),
      });
    const found = await find(limit);
    const { hits, pages, indexedPages, damagedPages, status } = found;
    const tail = async (shown: number): Promise<string> => {
      if (hits.length === 0 && cursor === undefined) return nothing(found);
      // A cursor continues after all hits of its list, so a shorter response needs the cursor of a shorter list.
      const next = shown === hits.length ? found.cursor : (await find(shown)).cursor;
      if (next === undefined) return 'No more hits.';
      const args = { job, q, limit, cursor: next, max_chars };
      return `More hits: ${callOf('search', args)}`;
    };
    const covered =
      indexedPages < pages
        ? ` Only ${indexedPages} of ${pages} pages are indexed yet: search again for the others.`
        : '';
    const running = hasEnded(status) ? '' : ' The crawl is running and finds more pages.';
    const damage = damagedPages === 0 ? '' : ` ${damagedPages} damaged pages were left out.`;
    return listResponse({
      head: `${hits.length} hits in ${indexedPages} pages of job ${job}.${covered}${running}${damage}`,
      lines: hits.map(showHit),
      tail,
      tailChars,
      maxChars: max_chars ?? usualChars,
    });
  },
});

function showHit({ page, title, url, snippet }: SearchHit): string {
  const text = snippet.map((part) => part.text).join('');
  return `Page ${page}: ${oneLine(title, titleCharsMax)}\n  ${oneLine(url, urlCharsMax)}\n  ${oneLine(text, snippetCharsMax)}`;
}

function nothing({ pages }: SearchResults): string {
  return pages === 0
    ? 'The job has no pages yet. crawl_status waits for them.'
    : 'No page has all of these words. Search for fewer words, or for others that the pages would use.';
}
