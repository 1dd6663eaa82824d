/** Reads the metadata that a page states in elements, JSON-LD and headers. */
import type { PageMetadata } from '../../core/page.ts';
import { type Byline, readByline } from './byline.ts';
import type { DayOrder } from './iso-date.ts';
import { type Mark, type MetadataSource, metadataSources, type Stated } from './metadata-sources.ts';
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
  const named = contentsBy(elements, ({ property, name, 'http-equiv': header }) => property ?? name ?? header);
  const described = contentsBy(elements, ({ itemprop }) => itemprop);
  const meta = (name: string): string | undefined => named(name).find(isFilled);
  const isProduct = data.product !== undefined || /(?:^|:)product/.test(meta('og:type') ?? '');
  const { hostname: host = '', pathname: path = '' } = URL.parse(url) ?? {};
  let byline: Byline | undefined;
  const page: Stated = {
    elements,
    url,
    place: { host, path },
    urls,
    statements,
    meta,
    metas: named,
    itemprops: described,
    data,
    dayOrder,
    isProduct,
    // Names and dates next to a product come from its buyers.
    byline: () => (byline ??= isProduct ? {} : readByline(elements.mainHeadings, dayOrder)),
  };
  const metadata: Record<string, Value> = {};
  const isSaid: Readonly<Record<Mark, boolean>> = {
    meta: elements.metas.length > 0,
    thing: statements.things.all.length > 0 || elements.hasMarkup,
  };
  for (const [name, sources] of fieldsWith(isSaid)) {
    const value = firstOf(sources, page);
    if (value !== undefined) metadata[name] = value;
  }
  return { title: '', description: '', ...metadata };
}

type Fields = readonly (readonly [name: string, sources: readonly MetadataSource[]])[];

const fieldsByMarks = new Map<string, Fields>();

/** Returns the fields with the sources that a page with these marks can have: small pages have few. */
function fieldsWith(isSaid: Readonly<Record<Mark, boolean>>): Fields {
  const marks = `${isSaid.meta} ${isSaid.thing}`;
  let fields = fieldsByMarks.get(marks);
  if (fields === undefined) {
    fields = Object.entries(metadataSources)
      .map(([name, sources]) => [name, sources.filter(({ needs }) => needs === undefined || isSaid[needs])] as const)
      .filter(([, sources]) => sources.length > 0);
    fieldsByMarks.set(marks, fields);
  }
  return fields;
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

/** Returns a function from a name in lower case to all contents with that name, in order. */
function contentsBy({ metas }: PageElements, nameOf: NameOf): (name: string) => readonly string[] {
  const lists = new Map<string, string[]>();
  for (const { attribs } of metas) {
    const name = nameOf(attribs)?.trim().toLowerCase();
    const content = attribs['content'];
    if (name === undefined || content === undefined) continue;
    const list = lists.get(name);
    if (list === undefined) lists.set(name, [content]);
    else if (list.length < listLengthMax) list.push(content);
  }
  return (name) => lists.get(name)?.map(tidy) ?? [];
}

function isFilled(value: string): boolean {
  return value !== '';
}
