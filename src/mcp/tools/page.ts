import { z } from 'zod';
import { UserError } from '../../core/errors.ts';
import { hasEnded } from '../../core/job.ts';
import { readResults, type ResultsQuery } from '../../jobs/read-results.ts';
import { type PageJson, parsePage } from '../../page/decode.ts';
import { textResponse } from '../response/text-response.ts';
import { defineTool, jobArgument, maxChars, type ToolContext, usualChars } from '../tool.ts';

export const page = defineTool({
  name: 'page',
  title: 'Read one page of a job',
  description:
    'Returns the text of one stored page as Markdown, without fetching it again. A long one comes in parts: the response ends with the call for the next.',
  kind: 'reads',
  input: z.strictObject({
    job: jobArgument,
    page: z.int().min(1).max(10_000_000).describe('The number of the page, from search or pages.'),
    part: z.enum(['text', 'record']).default('text').describe('record: its data, as JSON.'),
    offset: z.int().min(0).max(100_000_000).default(0).describe('Characters of it to skip.'),
    max_chars: maxChars,
  }),
  run: (context, { job, page: number, part, offset, max_chars }) =>
    context.parts.withMemory(context.caller.org, context.signal, async () =>
      textResponse({
        jobId: job,
        page: await readPage(context, job, number),
        part,
        offset,
        maxChars: max_chars ?? usualChars,
        isOwnBudget: max_chars !== undefined,
      }),
    ),
});

async function readPage({ parts, caller, signal }: ToolContext, job: string, number: number): Promise<PageJson> {
  const query: ResultsQuery = { after: number - 1, limit: 1, withText: true, bytesMax: 1, waitMs: 0 };
  const { pages, total, status, damagedPage, release } = await readResults(parts, caller.org, job, query, signal);
  const [stored] = pages;
  if (stored) {
    const parsed = parsePage(stored);
    release();
    return parsed;
  }
  release();
  if (damagedPage !== undefined)
    throw new UserError(
      'page_damaged',
      `Page ${number} is damaged: the stored bytes have changed. Scrape its URL to get it again.`,
    );
  const sofar = hasEnded(status) ? '' : ' so far';
  throw new UserError(
    'invalid_parameter',
    `\`page\`: The job has ${total} pages${sofar}, and none with the number ${number}.`,
  );
}
