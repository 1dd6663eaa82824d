// What remains of a page that was erased, and of its URLs in the row of its job: the same in every store.
import type { JobSpec } from '../../../core/job.ts';
import { ExitError, exitCodes } from '../../../core/errors.ts';
import type { Slice } from '../../../core/ports/blobs.ts';
import { erasedUrl } from '../../../core/ports/erasures.ts';
import type { Fragment, PageRecord } from '../../../core/page.ts';
import { encodePage } from '../../../page/encode.ts';
import { inflateFragment } from '../../../page/inflate-fragment.ts';
import type { JobRow } from '../jobs/job-row.ts';

/** What is done to one page. */
export interface PageErasure {
  readonly record: Pick<PageRecord, 'meta' | 'body'>;
  readonly erasedAt: number;
  /** The URLs that the page had; those that are forgotten already are left out. */
  readonly urls: readonly string[];
}

interface StoredFacts {
  readonly url: string;
  readonly fetchedUrl: string;
  readonly meta: Readonly<Record<string, unknown>>;
}

/**
 * `meta`: as stored; undefined if it is damaged. Only facts of the response stay: everything else can say what the page
 * said.
 */
export function erasureOf(meta: Fragment | undefined, { url: listed, spec, withUrl, now }: ErasureQuery): PageErasure {
  const stored = factsIn(meta) ?? { url: listed, fetchedUrl: listed, meta: {} };
  const { statusCode, contentType, erasedAt: before } = stored.meta;
  const erasedAt = typeof before === 'number' ? before : now;
  const record = encodePage({
    url: withUrl ? erasedUrl : stored.url,
    fetchedUrl: withUrl ? erasedUrl : stored.fetchedUrl,
    metadata: {
      title: '',
      description: '',
      ...(typeof statusCode === 'number' && { statusCode }),
      ...(typeof contentType === 'string' && { contentType }),
      erasedAt,
    },
    text: '',
    extracted: spec.extract ? null : undefined,
    formats: spec.formats.length > 0 ? {} : undefined,
  });
  const urls = [...new Set([stored.url, stored.fetchedUrl, listed])].filter((url) => url !== erasedUrl);
  return { record, erasedAt, urls };
}

interface ErasureQuery {
  /** As the ledger has it. */
  readonly url: string;
  readonly spec: JobSpec;
  readonly withUrl: boolean;
  readonly now: number;
}

function factsIn(meta: Fragment | undefined): StoredFacts | undefined {
  const bytes = meta && inflateFragment(meta);
  return bytes && (JSON.parse(`{${bytes.toString()}`) as StoredFacts);
}

/** Throws if the raw body is in an object: its segment has to be taken into the database first. */
export function refuseOutside(segment: { readonly object: string | null } | undefined): void {
  if (!segment || segment.object === null) return;
  throw new ExitError(
    exitCodes.storageFailed,
    'The raw body of this page is in object storage, and cannot be erased without it. Is HAYRAKE_BLOBS set?',
    'unavailable',
  );
}

/** The marker in place of a raw body: a slice of no bytes. See `isErasedSlice`. */
export const erasedSlice: Slice = { at: 0, length: 0, crc: 0 };

type UrlColumns = Pick<JobRow, 'notices' | 'tally' | 'examples' | 'moved_starts'>;

/** The columns of a job that name URLs, without these. */
export function withoutUrls(row: UrlColumns, urls: readonly string[]): UrlColumns {
  const clean = (value: unknown): unknown => {
    if (typeof value === 'string') return urls.reduce(withoutUrl, value);
    if (Array.isArray(value)) return value.map(clean);
    if (typeof value !== 'object' || value === null) return value;
    return Object.fromEntries(Object.entries(value).map(([name, of]) => [clean(name), clean(of)]));
  };
  return {
    notices: JSON.stringify(clean(JSON.parse(row.notices))),
    moved_starts: JSON.stringify(clean(JSON.parse(row.moved_starts))),
    tally: clean(row.tally) as UrlColumns['tally'],
    examples: clean(row.examples) as UrlColumns['examples'],
  };
}

/** A longer URL that begins with this one is another. */
export function withoutUrl(text: string, url: string): string {
  const parts = text.split(url);
  return parts.reduce(
    (clean, part) => clean + (/^(?:$|[\s"'<>`)\]},;]|[.:!?](?:\s|$))/.test(part) ? erasedUrl : url) + part,
  );
}
