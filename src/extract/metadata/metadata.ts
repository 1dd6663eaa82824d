/** Reads the metadata that a page states in elements, JSON-LD and headers. */
import type { PageMetadata } from '../../core/page.ts';
import { type Byline, readByline } from './byline.ts';
import type { DayOrder } from './iso-date.ts';
import { type MetadataSource, metadataSources, type Stated } from './metadata-sources.ts';
import { listLengthMax, tidy, type Value } from './metadata-values.ts';
import type { PageStatements } from '../scan/page-statements.ts';
import type { PageUrls } from '../scan/page-urls.ts';
import type { PageElements } from '../scan/scan-page.ts';
import { pageSubject } from '../declared/page-subject.ts';
import { structuredData } from './structured-data.ts';

/** `title` and `description` are always set, other fields only if the page has them. `url` is the fetched URL. */
export function extractMetadata(
  elements: PageElements,
  urls: PageUrls,
  statements: PageStatements,
  url: string,
): PageMetadata {
  const data = structuredData(statements.things, pageSubject(elements, urls), statements.marked);
  const dayOrder = dayOrderOf(elements.html?.attribs['lang'] ?? '');
  const meta = metaValues(elements, ({ property, name, 'http-equiv': header }) => property ?? name ?? header);
  const isProduct = data.product !== undefined || /(?:^|:)product/.test(meta('og:type') ?? '');
  let byline: Byline | undefined;
  const page: Stated = {
    elements,
    url,
    urls,
    statements,
    meta,
    metas: (wanted) => allOf(elements, wanted, ({ property, name }) => property ?? name),
    itemprops: (wanted) => allOf(elements, wanted, ({ itemprop }) => itemprop),
    itemprop: metaValues(elements, ({ property, name, itemprop }) =>
      (property ?? name) === undefined ? itemprop : undefined,
    ),
    data,
    dayOrder,
    isProduct,
    // Names and dates next to a product come from its buyers.
    byline: () => (byline ??= isProduct ? {} : readByline(elements.mainHeadings, dayOrder)),
  };
  const metadata: Record<string, Value> = {};
  for (const [name, sources] of Object.entries(metadataSources)) {
    const value = firstOf(sources, page);
    if (value !== undefined) metadata[name] = value;
  }
  return { title: '', description: '', ...metadata };
}

/** Returns undefined if the page does not state its language. */
function dayOrderOf(language: string): DayOrder | undefined {
  if (language === '') return undefined;
  return /^en(?:[-_](?:us|ph|ca))?$/i.test(language.trim()) ? 'month' : 'day';
}

function firstOf(sources: readonly MetadataSource[], page: Stated): Value | undefined {
  for (const { read } of sources) {
    const value = read(page);
    if (value !== undefined && (typeof value === 'number' || value.length > 0)) return value;
  }
  return undefined;
}

type NameOf = (attributes: Readonly<Record<string, string | undefined>>) => string | undefined;

function allOf({ metas }: PageElements, wanted: string, nameOf: NameOf): readonly string[] {
  return metas
    .filter(({ attribs }) => nameOf(attribs)?.trim().toLowerCase() === wanted)
    .slice(0, listLengthMax)
    .map(({ attribs }) => tidy(attribs['content'] ?? ''));
}

function metaValues({ metas }: PageElements, nameOf: NameOf): Stated['meta'] {
  const values = new Map<string, string>();
  for (const { attribs } of metas) {
    const name = nameOf(attribs)?.trim().toLowerCase();
    const content = attribs['content'];
    if (name === undefined || content === undefined || values.has(name)) continue;
    const value = tidy(content);
    if (value !== '') values.set(name, value);
  }
  return (name) => values.get(name);
}
