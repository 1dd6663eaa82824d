// From a converted page to its outcome for the store.
import type { CountedCode } from '../../core/job-codes.ts';
import { type PageSource, withSource } from '../../core/page-traits.ts';
import { type Screenshot, screenshotBytesMax } from '../../core/page.ts';
import type { RawPage } from '../../core/raw-page.ts';
import { redirectTarget } from '../../core/baseline.ts';
import { showSameText } from '../../core/page-traits.ts';
import { type Outcome, startDepth } from '../../core/request.ts';
import { dedupeKey } from '../../url/dedupe-key.ts';
import { isDelivered, judgeStart } from '../../url/scope.ts';
import type { ConvertedPage } from '../convert/converter.ts';
import type { CachedJob } from '../job/job-cache.ts';
import type { FetchedPage } from './page-request.ts';
import type { Shown } from './render-page.ts';
import type { PathParts, Step } from './request-path.ts';
import type { StartList } from './start-list.ts';
import { hasMovedScope } from './start-scope.ts';

/** A page as it was converted: with enough text, or without. */
type ReadPage = Extract<ConvertedPage, { kind: 'page' | 'short' }>;

export interface Judged extends Omit<Shown, 'converted'> {
  readonly converted: ReadPage;
  readonly source: PageSource;
  readonly named: StartList | undefined;
  readonly statusCode: number;
  readonly raw: RawPage | undefined;
}

/** The outcome of a page, and what its owner should know about it. */
export function pageOutcome(
  fetched: FetchedPage,
  { converted, source, isRendered = false, detail, picture, named, statusCode, raw }: Judged,
  parts: PathParts,
): Pick<Step, 'outcome' | 'remarks'> {
  const found = {
    links: named ? [...converted.links, ...named.links] : converted.links,
    ...(named && { sitemaps: named.sitemaps }),
    ...(hasMovedScope(fetched) && { movedTo: fetched.url.href }),
  };
  const { remarks } = converted;
  const mayRender = isRendered || (converted.browser !== undefined && fetched.job.brief.spec.useBrowser !== false);
  if (!isWanted(fetched)) {
    const outcome = { kind: 'discarded', reason: 'not_delivered', statusCode, ...found } as const;
    return { outcome, ...(remarks && { remarks: remarks.filter((code) => !aboutText.has(code)) }) };
  }
  if (converted.kind === 'page' && isMoved(fetched, converted.page)) {
    const target = { ...judgeStart(fetched.url), depth: fetched.request.depth };
    const { url, key } = target;
    return { outcome: { kind: 'discarded', reason: 'duplicate_of', detail: url, leftTo: key, links: [target] } };
  }
  const outcome: Outcome =
    converted.kind === 'short'
      ? { kind: 'discarded', reason: 'below_min_length', detail: converted.detail, statusCode, ...found }
      : {
          kind: 'scraped',
          page: {
            ...withScreenshot(fetched.job, converted.page, picture, parts),
            traits: withSource(converted.page.traits, mayRender ? { ...source, bytes: '-' } : source, remarks),
            ...(raw && { raw }),
          },
          ...found,
          ...(detail !== undefined && { detail }),
        };
  return { outcome, ...(remarks && { remarks }) };
}

/** A redirect led to the text that the earlier job had from this URL: a request of that URL gets it. */
function isMoved({ request: { url, depth, earlier } }: FetchedPage, { fetchedKey, traits }: PageRecord): boolean {
  if (!earlier || depth === startDepth || fetchedKey === redirectTarget(earlier.validator)) return false;
  return fetchedKey !== dedupeKey(new URL(url)) && showSameText(earlier.traits, traits);
}

/** A page counts under both its URLs: a link with another form can lead to a page that the client wants. */
function isWanted({ request, job: { judged }, url }: FetchedPage): boolean {
  return isDelivered(url, judged) || isDelivered(new URL(request.url), judged);
}

/** Remarks on text, which is no loss where the text is not wanted. */
const aboutText: ReadonlySet<CountedCode> = new Set<CountedCode>(['truncated', 'no_text_layer', 'unreadable_text']);

type PageRecord = Extract<ConvertedPage, { kind: 'page' }>['page'];

function withScreenshot(
  job: CachedJob,
  page: PageRecord,
  picture: Uint8Array | undefined,
  parts: PathParts,
): PageRecord {
  const screenshot = screenshotOf(job, picture);
  if (job.brief.spec.screenshot && !screenshot) parts.remarks.push('no_screenshot');
  return screenshot ? { ...page, screenshot } : page;
}

function screenshotOf({ brief: { spec } }: CachedJob, bytes: Uint8Array | undefined): Screenshot | undefined {
  if (!spec.screenshot || !bytes || bytes.length > screenshotBytesMax) return undefined;
  return { type: `image/${spec.screenshot.format}`, bytes };
}
