// The response of a preview.
import { grouped } from '../../core/grouped.ts';
import { z } from 'zod';
import { previewFetchesMax, previewLinksMax, previewTextMax } from '../../core/ports/preview.ts';
import { discardReasons, errorReasons } from '../../core/reasons.ts';
import { pageMetadata, maybe } from './schemas.ts';

const discardReason = z.enum(Object.keys(discardReasons) as (keyof typeof discardReasons)[]);
const errorReason = z.enum(Object.keys(errorReasons) as (keyof typeof errorReasons)[]);

export const crawlPreview = z
  .object({
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
      meta: pageMetadata.optional(),
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
  })
  .meta({ id: 'CrawlPreview' });
