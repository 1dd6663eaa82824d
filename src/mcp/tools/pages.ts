import { z } from 'zod';
import { hasEnded } from '../../core/job.ts';
import { readResults } from '../../jobs/read-results.ts';
import { type PageJson, pageMetaRow } from '../../page/decode.ts';
import { callOf } from '../response/call.ts';
import { oneLine } from '../response/cut-text.ts';
import { listResponse } from '../response/list-response.ts';
import { defineTool, jobArgument, maxChars, usualChars } from '../tool.ts';

const titleCharsMax = 120;
const urlCharsMax = 1_000;

export const pages = defineTool({
  name: 'pages',
  title: 'List the pages of a job',
  description:
    'Lists the pages of a crawl in the order of storing: number, words, title, URL. To find something in them use search, which is cheaper. `page` reads one.',
  kind: 'reads',
  input: z.strictObject({
    job: jobArgument,
    after: z.int().min(0).max(10_000_000).default(0).describe('List the pages after this number.'),
    limit: z.int().min(1).max(400).default(100).describe('Pages at most; the response can end earlier.'),
    max_chars: maxChars,
  }),
  run: async ({ parts, caller, signal }, { job, after, limit, max_chars }) => {
    const query = { after, limit, withText: false, fields: ['title', 'wordCount'], waitMs: 0 };
    const found = await readResults(parts, caller.org, job, query, signal);
    const rows = found.pages.map((stored) => (JSON.parse(pageMetaRow(stored)) as Pick<PageJson, 'meta'>).meta);
    found.release();
    const isRunning = !hasEnded(found.status);
    const until = isRunning ? 'so far: the crawl is running' : found.status;
    const damaged = (position: number): string =>
      found.damagedPage === undefined || position < found.damagedPage - 1
        ? ''
        : `Page ${found.damagedPage} is damaged and cannot be read (page_damaged). Continue after it with ${callOf('pages', { job, after: found.damagedPage })}`;
    const tail = (shown: number): string => {
      const position = rows[shown - 1]?.page ?? after;
      const damage = damaged(position);
      if (damage !== '') return damage;
      if (position < found.total) {
        const next = { job, after: position, limit, max_chars };
        return `${found.total - position} more pages. Continue with ${callOf('pages', next)}`;
      }
      return isRunning ? `No more pages yet. Wait with ${callOf('crawl_status', { job, wait: 30 })}` : '';
    };
    return listResponse({
      head: `Job ${job} has ${found.total} pages (${until}). Each line: number, words, title, URL.`,
      lines: rows.map(
        ({ page, url, meta }) =>
          `${page}\t${Number(meta['wordCount'] ?? 0)}\t${oneLine(meta.title, titleCharsMax)}\t${oneLine(url, urlCharsMax)}`,
      ),
      tail,
      tailChars: 300,
      maxChars: max_chars ?? usualChars,
    });
  },
});
