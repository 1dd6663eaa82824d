import { z } from 'zod';
import { createJob } from '../../jobs/create-job.ts';
import { callOf } from '../response/call.ts';
import { oneLine } from '../response/cut-text.ts';
import { defineTool, extractArgument } from '../tool.ts';

const pagesUsual = 100;
const globs = z.array(z.string()).optional();

export const crawlStart = defineTool({
  name: 'crawl_start',
  title: 'Start to crawl a site',
  description:
    'Starts to crawl a site; returns the job at once. It follows links and sitemaps, politely, and keeps every page as Markdown. Call crawl_status next, to wait; search, pages and page work meanwhile. One crawl and searches are cheaper than many scrapes.',
  kind: 'starts',
  input: z.strictObject({
    url: z.string().describe('Where to start: an absolute http or https URL.'),
    page_limit: z
      .int()
      .min(1)
      .max(10_000_000)
      .default(pagesUsual)
      .describe('Pages at most. A large manual has thousands.'),
    scope: z
      .enum(['host', 'path', 'subdomains'])
      .default('host')
      .describe(
        'host: follow links to the same host; path: only below the directory of the URL; subdomains: also subdomains.',
      ),
    max_depth: z
      .int()
      .min(0)
      .max(1_000)
      .optional()
      .describe('Links away from the start at most. 0: only the URL itself.'),
    include_globs: globs.describe(
      'Only URLs that match one of these, such as /docs/** . * stops at a slash, ** does not.',
    ),
    deliver_globs: globs.describe('Keep only pages that match one of these; others are read for their links.'),
    exclude_globs: globs.describe('No URL that matches one of these.'),
    extract: extractArgument,
    include_linked_files: z.boolean().optional().describe('true: linked PDF, Office and text files become pages too.'),
  }),
  run: async ({ parts, caller }, { url, ...options }) => {
    const given = Object.entries(options).filter(([, value]) => value !== undefined);
    const job = await createJob(parts, caller, { urls: [url], ...Object.fromEntries(given) });
    const pages = job.spec.pageLimit === 1 ? '1 page' : `${job.spec.pageLimit} pages`;
    return [
      `Job ${job.id} crawls ${oneLine(url, 300)}, up to ${pages}.`,
      `Next: ${callOf('crawl_status', { job: job.id, wait: 30 })}`,
    ].join('\n');
  },
});
