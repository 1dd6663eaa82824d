// From a converted page to its outcome for the store.
import { type Screenshot, screenshotBytesMax } from '../../core/page.ts';
import type { Outcome } from '../../core/request.ts';
import type { ConvertedPage } from '../convert/converter.ts';
import type { CachedJob } from '../job/job-cache.ts';
import type { Fetched } from './asking.ts';
import type { Shown } from './render-page.ts';
import type { PathParts } from './request-path.ts';
import type { StartList } from './start-list.ts';
import { hasMovedScope } from './start-scope.ts';

export function pageOutcome(
  fetched: Fetched,
  { page, links }: Extract<ConvertedPage, { kind: 'page' }>,
  { detail, picture }: Omit<Shown, 'converted'>,
  named: StartList | undefined,
  parts: PathParts,
): Outcome {
  const { job, url } = fetched;
  const screenshot = screenshotOf(job, picture);
  if (job.brief.spec.screenshot && !screenshot) parts.remarks.push('no_screenshot');
  if (screenshot) parts.screenshots.add(screenshot.bytes.length);
  return {
    kind: 'scraped',
    page: screenshot ? { ...page, screenshot } : page,
    links: named ? [...links, ...named.links] : links,
    ...(named && { sitemaps: named.sitemaps }),
    ...(hasMovedScope(fetched) && { movedTo: url.href }),
    ...(detail !== undefined && { detail }),
  };
}

export function shortOutcome(
  { detail, links }: Extract<ConvertedPage, { kind: 'short' }>,
  statusCode: number,
): Outcome {
  return { kind: 'discarded', reason: 'below_min_length', detail, links, statusCode };
}

function screenshotOf({ brief: { spec } }: CachedJob, bytes: Uint8Array | undefined): Screenshot | undefined {
  if (!spec.screenshot || !bytes || bytes.length > screenshotBytesMax) return undefined;
  return { type: `image/${spec.screenshot.format}`, bytes };
}
