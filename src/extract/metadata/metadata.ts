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
  const lists = metaLists(elements, ({ property, name }) => property ?? name);
  const itempropLists = metaLists(elements, ({ itemprop }) => itemprop);
  const { hostname: host = '', pathname: path = '' } = URL.parse(url) ?? {};
  let byline: Byline | undefined;
  const page: Stated = {
    elements,
    url,
    place: { host, path },
    urls,
    statements,
    meta,
    metas: (name) => lists.get(name)?.map(tidy) ?? [],
    itemprops: (name) => itempropLists.get(name)?.map(tidy) ?? [],
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
  for (const [name, sources] of fields) {
    const value = firstOf(sources, page);
    if (value !== undefined) metadata[name] = value;
  }
  return { title: '', description: '', ...metadata };
}

const fields = Object.entries(metadataSources);

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

/** All contents of each name, as written. */
function metaLists({ metas }: PageElements, nameOf: NameOf): ReadonlyMap<string, readonly string[]> {
  const lists = new Map<string, string[]>();
  for (const { attribs } of metas) {
    const name = nameOf(attribs)?.trim().toLowerCase();
    if (name === undefined) continue;
    const list = lists.get(name);
    const content = attribs['content'] ?? '';
    if (list === undefined) lists.set(name, [content]);
    else if (list.length < listLengthMax) list.push(content);
  }
  return lists;
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
