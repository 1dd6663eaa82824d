import { ledgerSlices } from '../../jobs/list-urls.ts';
import { z } from 'zod';
import { UserError } from '../../core/errors.ts';
import type { LedgerEntry } from '../../core/ports/stores.ts';
import { getKept } from '../../jobs/get-job.ts';
import { mapSite, type SiteMap } from '../../jobs/map-site.ts';
import { callOf } from '../response/call.ts';
import { oneLine } from '../response/cut-text.ts';
import { listResponse } from '../response/list-response.ts';
import { defineTool, maxChars, type ToolContext, usualChars } from '../tool.ts';
import { clientGone, notFetched } from './not-fetched.ts';

/** Clients give up after a minute. */
const secondsMax = 50;
/** More than the largest response can show. */
const urlsPerRead = 5_000;
const urlCharsMax = 2_000;
const queryCharsMax = 200;
const tailChars = 2 * queryCharsMax + 500;
/** The reason of everything that a map lists besides the page itself. */
const listed = 'depth';

export const map = defineTool({
  name: 'map',
  title: 'List the URLs of a site',
  description:
    'Lists the URLs of a site from its sitemaps and the links of one page, without fetching them: what a site has, before crawl_start. To continue a list, give `job` and `after` as the response says, instead of `url`.',
  kind: 'starts',
  input: z.strictObject({
    url: z.string().optional().describe('A page of the site, mostly its start: an absolute http or https URL.'),
    q: z.string().max(queryCharsMax).optional().describe('Only URLs that contain this.'),
    timeout: z.int().min(1).max(secondsMax).default(45).describe('Seconds to look for URLs at most.'),
    job: z.string().optional().describe('To continue: the id of the map.'),
    after: z.int().min(0).max(1_000_000_000).default(0).describe('To continue: from the previous response.'),
    max_chars: maxChars,
  }),
  run: async (context, { url, q, timeout, job, after, max_chars }) => {
    if ((url === undefined) === (job === undefined))
      throw new UserError('invalid_parameter', 'Give either `url` or `job`.');
    const query = { q: q === undefined || q === '' ? undefined : q, maxChars: max_chars };
    if (job !== undefined) return showMap(await readOn(context, { job, after, q: query.q }), query);
    const { parts, caller, signal } = context;
    const body = { url, timeout, limit: urlsPerRead, ...(query.q !== undefined && { q: query.q }) };
    const found = await mapSite(parts, caller, body, signal);
    if (!found) throw clientGone();
    if (found.status === 'failed') throw notFetched(found.error ?? { reason: 'unknown', detail: '' });
    const { jobId, urls, truncatedBy } = found;
    return showMap({ job: jobId, urls, more: truncatedBy === 'limit', missing: missingOf(found) }, query);
  },
});

interface MapPart {
  readonly job: string;
  readonly urls: readonly LedgerEntry[];
  /** More URLs follow in the ledger. */
  readonly more: boolean;
  /** Why URLs are missing; empty if none are known to be. */
  readonly missing: string;
}

/** The URLs of an earlier map after one of its ledger entries. */
async function readOn(
  { parts, caller }: ToolContext,
  { job, after, q }: { readonly job: string; readonly after: number; readonly q: string | undefined },
): Promise<MapPart> {
  await getKept(parts.jobs, caller.org, job);
  const urls: LedgerEntry[] = [];
  for await (const entries of ledgerSlices(parts.jobs, job, { reason: listed, ...(q !== undefined && { q }) }, after)) {
    urls.push(...entries);
    if (urls.length >= urlsPerRead) return { job, urls: urls.slice(0, urlsPerRead), more: true, missing: '' };
  }
  return { job, urls, more: false, missing: '' };
}

function missingOf({ truncatedBy, error }: SiteMap): string {
  if (truncatedBy === 'timeout')
    return ' The time was up before all sitemaps were read: call again with a longer `timeout`.';
  if (truncatedBy === 'unread') return ' A part of the site could not be read, so URLs are missing.';
  return error ? ` The page itself could not be read (${error.reason}), so its links are missing.` : '';
}

function showMap(
  { job, urls, more, missing }: MapPart,
  { q, maxChars: given }: { readonly q: string | undefined; readonly maxChars: number | undefined },
): Promise<string> {
  const tail = (shown: number): string => {
    if (shown === urls.length && !more) return '';
    const after = urls[shown - 1]?.entry ?? 0;
    const next = { job, after, q, max_chars: given };
    const left = urls.length - shown;
    return `${more ? `More than ${left}` : left} URLs are left. Continue with ${callOf('map', next)}`;
  };
  const number = more ? `More than ${urls.length}` : String(urls.length);
  return listResponse({
    head: `${number} URLs.${missing} ${urls.length === 0 ? '' : 'They have not been fetched.'}`.trimEnd(),
    lines: urls.map(({ url }) => oneLine(url, urlCharsMax)),
    tail,
    tailChars,
    maxChars: given ?? usualChars,
  });
}
