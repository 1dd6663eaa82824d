import type { z } from 'zod';
import { grouped } from '../grouped.ts';
import type { RequestHeaders, JobSpec } from '../job.ts';
import type { PageMetadata } from '../page.ts';
import { type DiscardReason, discardReasons, type ErrorReason, errorReasons } from '../reasons.ts';
import { type Builder, maybe } from '../resource.ts';

/** Shows what a crawl would begin with. Stores nothing. */
export interface Previewer {
  /**
   * Fetches robots.txt, the first start URL and a sitemap, in this order, with at most {@link previewFetchesMax} requests
   * in {@link previewMsMax}. It waits for the turn of the host like a crawl. Failures of the site are values. Rejects
   * when the signal fires.
   */
  preview(job: PreviewJob, signal: AbortSignal): Promise<CrawlPreview>;
}

/** Redirects count. */
export const previewFetchesMax = 3;
export const previewMsMax = 20_000;
/** Characters of the text of the page. */
export const previewTextMax = 100_000;
/** Links with their verdict. */
export const previewLinksMax = 200;

/** A job that is not stored. */
export interface PreviewJob {
  readonly spec: JobSpec;
  readonly scopeHosts: readonly string[];
  readonly headers: RequestHeaders;
  /** The crawl would read sitemaps. */
  readonly readsSitemaps: boolean;
}

/** What a crawl would begin with. `meta`: the schema of the metadata of a page. */
export const crawlPreview = <Meta extends z.ZodType>(z: Builder, meta: Meta) => {
  const discardReason = z.enum(Object.keys(discardReasons) as DiscardReason[]);
  const errorReason = z.enum(Object.keys(errorReasons) as ErrorReason[]);
  return z.object({
    url: z.string().describe('The first start URL. Only this one is fetched.'),
    fetches: z.int().describe(`Requests that were sent: at most ${previewFetchesMax}, redirects included.`),
    robots: z.object({
      url: z.string(),
      status: z
        .enum(['read', 'unreachable', 'not_read'])
        .describe('`unreachable`: it could not be read, so nothing may be fetched.'),
      isObeyed: z.boolean().describe('False with `respect_robots: false`.'),
      isAllowed: maybe(z.boolean(), 'The rules allow the start URL.'),
      rule: maybe(z.string(), 'What forbids the start URL.'),
      crawlDelaySeconds: z.number().optional(),
      sitemaps: z.int().describe('Sitemaps that the file names.'),
      message: z.string().optional(),
    }),
    page: z.object({
      status: z
        .enum(['read', 'redirected', 'discarded', 'failed', 'not_read'])
        .describe('`redirected`: it leads to another origin, which the preview does not fetch; a crawl does.'),
      statusCode: z.int().optional(),
      redirectsTo: z.string().optional(),
      reason: z.union([discardReason, errorReason]).optional(),
      message: z.string().optional(),
      fetchedUrl: z.string().optional(),
      meta: meta.optional(),
      text: maybe(z.string(), `The page in the output format: the first ${grouped(previewTextMax)} characters.`),
      isTextCut: z.boolean().optional(),
      needsBrowser: maybe(z.literal(true), 'A browser could show more of the page. The preview never uses one.'),
    }),
    links: z.object({
      found: z.int().describe('Distinct links of the page.'),
      followed: z.int().describe('Those that the crawl would follow, within its other limits.'),
      delivered: z.int().describe('Those of them whose pages would be delivered, as far as `deliver_globs` decides.'),
      reasons: z.record(z.string(), z.int()).describe('Number of the others, by reason.'),
      data: z
        .array(
          z.object({
            url: z.string(),
            verdict: z.enum(['follow', 'discard']),
            reason: discardReason.optional(),
            detail: maybe(z.string(), 'The glob or the line of robots.txt that decides.'),
          }),
        )
        .describe(`The first ${previewLinksMax} links.`),
      isRobotsChecked: z
        .boolean()
        .describe('False if robots.txt is so large that some links were not compared with it.'),
    }),
    sitemap: z.object({
      status: z.enum(['read', 'missing', 'unreadable', 'not_read']),
      url: z.string().optional(),
      urls: maybe(z.int(), 'URLs that it names.'),
      followed: maybe(z.int(), 'Those that the crawl would fetch, as far as its options decide.'),
      sitemaps: maybe(z.int(), 'Further sitemaps that it names.'),
      message: z.string().optional(),
    }),
  });
};
export type CrawlPreview = z.output<ReturnType<typeof crawlPreview<z.ZodType<PageMetadata>>>>;
