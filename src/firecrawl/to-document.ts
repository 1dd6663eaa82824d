// A page as the clients of this facade read it.
import { statusError } from '../core/reasons.ts';
import type { JobSpec } from '../core/job.ts';
import type { PageFormats, PageMetadata } from '../core/page.ts';
import type { PageJson } from '../page/decode.ts';

export interface ScrapedPage {
  readonly url: string;
  readonly fetchedUrl: string;
  readonly metadata: PageMetadata;
  readonly text: string;
  readonly formats?: PageFormats | undefined;
  readonly extracted?: PageJson['extracted'];
}

/** The names of fields that differ. Others have the same name. */
const metadataNames: Readonly<Record<string, string>> = {
  siteName: 'ogSiteName',
  image: 'ogImage',
  pageCount: 'numPages',
};

const sameNames = [
  'title',
  'description',
  'language',
  'keywords',
  'robots',
  'author',
  'publishedTime',
  'modifiedTime',
  'statusCode',
  'contentType',
];

/** Has a key for each format that was requested, and no other. */
export function toDocument(
  { url, fetchedUrl, metadata, text, formats = {}, extracted }: ScrapedPage,
  spec: Pick<JobSpec, 'outputFormat' | 'formats' | 'extract'>,
  scrapeId: string,
  warnings: readonly string[] = [],
) {
  const all = [...warnings, ...remarksOn(metadata, formats, spec)];
  const { markdown, html, links, images, source } = formats;
  const error = errorOf(metadata);
  return {
    ...(markdown !== undefined && { markdown }),
    ...(html !== undefined && { html }),
    ...(spec.outputFormat !== 'text' && { [spec.outputFormat]: text }),
    ...(source !== undefined && { rawHtml: source }),
    ...(spec.formats.includes('links') && { links: links ?? [] }),
    ...(spec.formats.includes('images') && { images: images ?? [] }),
    // Older clients read it under the second name.
    ...(spec.extract !== null && { json: extracted ?? null, extract: extracted ?? null }),
    ...(all.length > 0 && { warning: all.join(' ') }),
    metadata: {
      ...Object.fromEntries(sameNames.flatMap((name) => entryOf(name, metadata[name]))),
      ...Object.fromEntries(Object.entries(metadataNames).flatMap(([ours, theirs]) => entryOf(theirs, metadata[ours]))),
      sourceURL: url,
      url: fetchedUrl,
      scrapeId,
      proxyUsed: 'basic',
      cacheState: 'miss',
      creditsUsed: 1,
      ...(error !== undefined && { error }),
    },
  };
}

/** Clients look at the status of the document: a dead link must not end their loop. */
function errorOf({ statusCode }: PageMetadata): string | undefined {
  return typeof statusCode === 'number' && statusCode >= 400 ? statusError(statusCode).message : undefined;
}

/** Lists are joined: clients expect texts. */
function entryOf(name: string, value: PageMetadata[string] | undefined): [string, unknown][] {
  if (value === undefined) return [];
  return [[name, Array.isArray(value) ? value.join(', ') : value]];
}

function remarksOn(
  metadata: PageMetadata,
  { source }: PageFormats,
  { formats }: Pick<JobSpec, 'formats'>,
): readonly string[] {
  const error = errorOf(metadata);
  const remarks: string[] = error === undefined ? [] : [`${error} This is the page that it sent with this status.`];
  if (metadata['extractionMethod'] === 'include_elements_unmatched')
    remarks.push('`includeTags` matched nothing, so this is the page as without it.');
  if (metadata['truncated'] === true) remarks.push('The page is larger than the service reads: this is its beginning.');
  if (formats.includes('source') && source === undefined) remarks.push('A file has no `rawHtml`.');
  return remarks;
}
