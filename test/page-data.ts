/** Reads the data of a page as a job does. */
import type { ExtractOption } from '../src/core/extract.ts';
import { extractPage } from '../src/extract/extract-page.ts';
import { type PageData, wantedData } from '../src/extract/fields/page-data.ts';

export function dataOf(html: string, option: Partial<ExtractOption>, isWanted = true): PageData {
  const wanted = wantedData({ schema: null, fields: {}, declared: true, declared_things: false, when: [], ...option });
  const { data } = extractPage(html, {
    url: 'https://example.com/shop/rake',
    headers: { link: '', refresh: '', contentLanguage: '' },
    robotsTag: new Set(),
    outputFormat: 'markdown',
    content: 'auto',
    excludeElements: null,
    data: { wanted, isWanted },
  });
  if (!data) throw new Error('no data');
  return data;
}

/** The value of the field `value` beside another one, and its problem. */
export function valueIn(html: string, option: Partial<ExtractOption>): readonly [unknown, string | undefined] {
  const { extracted, metadata } = dataOf(html, {
    when: ['/**'],
    ...option,
    fields: { heading: { css: 'h1' }, ...option.fields },
  });
  const record = (extracted ?? {}) as Readonly<Record<string, unknown>>;
  return [record['value'] ?? null, metadata.extractedFrom?.problems['value']];
}
