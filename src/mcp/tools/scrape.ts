import { z } from 'zod';
import { scrapePage } from '../../jobs/scrape-page.ts';
import { textResponse } from '../response/text-response.ts';
import { defineTool, extractArgument, maxChars, usualChars } from '../tool.ts';
import { clientGone, notFetched } from './not-fetched.ts';

/** Clients give up after a minute. */
const secondsMax = 50;

export const scrape = defineTool({
  name: 'scrape',
  title: 'Fetch one page',
  description:
    'Fetches one web page (or PDF, Word, Excel, PowerPoint, EPUB, CSV file) now and returns its main content as Markdown. Obeys robots.txt. For many pages of a site use crawl_start.',
  kind: 'starts',
  input: z.strictObject({
    url: z.string().describe('The page: an absolute http or https URL.'),
    use_browser: z
      .boolean()
      .optional()
      .describe(
        'true: run the JavaScript of the page; false: never. Default: only if the page has no text without it.',
      ),
    extract: extractArgument,
    timeout: z.int().min(1).max(secondsMax).default(45).describe('Seconds to wait for the page at most.'),
    max_chars: maxChars,
  }),
  run: async ({ parts, caller, signal }, { url, use_browser, extract, timeout, max_chars }) => {
    const options = { ...(use_browser !== undefined && { use_browser }), ...(extract !== undefined && { extract }) };
    const body = { url, timeout, ...options };
    const response = await scrapePage(parts, caller, body, signal);
    if (!response) throw clientGone();
    if (response.status === 'failed') throw notFetched(response.error);
    const { url: from, text, extracted } = response;
    const { fetchedUrl, ...metadata } = response.meta;
    const meta = { page: 1, url: from, fetchedUrl, meta: metadata };
    const page = { meta, text, ...(extracted !== undefined && { extracted }) };
    const isOwnBudget = max_chars !== undefined;
    return textResponse({ jobId: response.jobId, page, offset: 0, maxChars: max_chars ?? usualChars, isOwnBudget });
  },
});
