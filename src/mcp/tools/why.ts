import { z } from 'zod';
import { UserError } from '../../core/errors.ts';
import { meaningOf } from '../../core/reasons.ts';
import type { LedgerEntry } from '../../core/ports/stores.ts';
import { explainUrl } from '../../jobs/explain-url.ts';
import { getJob } from '../../jobs/get-job.ts';
import { listUrls, type UrlList } from '../../jobs/list-urls.ts';
import { callOf } from '../response/call.ts';
import { oneLine } from '../response/cut-text.ts';
import { listResponse } from '../response/list-response.ts';
import { Marker } from '../response/untrusted.ts';
import { defineTool, jobArgument, maxChars, type ToolContext, usualChars } from '../tool.ts';

const urlCharsMax = 1_000;
const sentenceCharsMax = 1_000;
const detailCharsMax = 300;
const tailChars = 500;

export const why = defineTool({
  name: 'why',
  title: 'Explain why a URL is not a page',
  description:
    'Explains what became of one URL of a crawl (`url`), or lists the URLs with one reason (`reason`, as crawl_status names them, such as http_404).',
  kind: 'reads',
  input: z.strictObject({
    job: jobArgument,
    url: z.string().optional().describe('The URL to explain.'),
    reason: z.string().max(100).optional().describe('Instead of `url`: list the URLs with this reason.'),
    limit: z.int().min(1).max(400).default(50).describe('With `reason`: URLs at most.'),
    cursor: z.string().optional().describe('With `reason`: from the previous response, for the URLs after it.'),
    max_chars: maxChars,
  }),
  run: async (context, { url, reason, ...rest }) => {
    if ((url === undefined) === (reason === undefined))
      throw new UserError('invalid_parameter', 'Give either `url` or `reason`.');
    return url === undefined ? listReason(context, { reason: reason ?? '', ...rest }) : explain(context, rest.job, url);
  },
});

async function explain({ parts, caller }: ToolContext, job: string, url: string): Promise<string> {
  const { entry, sentences } = await explainUrl(parts.jobs, caller.org, job, url);
  const page = entry?.page ?? null;
  const lines = [oneLine(entry?.url ?? url, urlCharsMax), ...sentences.map((one) => oneLine(one, sentenceCharsMax))];
  const next = page === null ? '' : `Read it with ${callOf('page', { job, page })}`;
  return `One URL of job ${job}:\n${new Marker().enclose(lines.join('\n'))}${next}`.trimEnd();
}

interface ReasonQuery {
  readonly job: string;
  readonly reason: string;
  readonly limit: number;
  readonly cursor?: string | undefined;
  readonly max_chars?: number | undefined;
}

async function listReason(context: ToolContext, query: ReasonQuery): Promise<string> {
  const { parts, caller, signal } = context;
  const { job, reason, limit, cursor, max_chars } = query;
  const { reasons } = await getJob(parts.jobs, caller.org, job);
  const count = reasons[reason] ?? 0;
  const find = (max: number): Promise<UrlList> =>
    listUrls(
      parts,
      caller.org,
      job,
      { limit: max, reason, kind: 'page', waitMs: 0, ...(cursor !== undefined && { cursor }) },
      signal,
    );
  const found = await find(limit);
  if (found.urls.length === 0 && cursor === undefined) {
    const known = Object.entries(reasons).map(([name, number]) => `${name} (${number})`);
    return `No URL of job ${job} has the reason ${oneLine(reason, 100)}. It has: ${known.join(', ') || 'none'}.`;
  }
  const tail = async (shown: number): Promise<string> => {
    // A cursor continues after all URLs of its list, so a shorter response needs the cursor of a shorter list.
    const next = shown === found.urls.length ? found.cursor : (await find(shown)).cursor;
    if (next === undefined) return '';
    const args = { job, reason, limit, cursor: next, max_chars };
    return `More: ${callOf('why', args)}`;
  };
  return listResponse({
    head: `${count} URLs of job ${job} have the reason ${reason}. ${meaningOf(reason)}`.trimEnd(),
    lines: found.urls.map(showUrl),
    tail,
    tailChars,
    maxChars: max_chars ?? usualChars,
  });
}

function showUrl({ url, detail, foundOn, foundBy }: LedgerEntry): string {
  const why = detail === null ? '' : `\t${oneLine(detail, detailCharsMax)}`;
  const where =
    foundOn === null
      ? ''
      : `\t${foundBy === 'script' ? 'made by scripts' : 'found'} on ${oneLine(foundOn, detailCharsMax)}`;
  return `${oneLine(url, urlCharsMax)}${why}${where}`;
}
