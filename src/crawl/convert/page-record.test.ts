import { constants, inflateRawSync } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import { rowStart } from '../../page/row.ts';
import { plainPageShape } from '../../page/shaped-page.ts';
import { type PageToStore, toPageRecord } from './page-record.ts';

const page: PageToStore = {
  url: 'http://site.example/a',
  fetchedUrl: 'http://site.example/b',
  fetchedKey: 'key of b',
  metadata: { title: 'Quotes " and \u2028 lines', description: '' },
  text: '# Heading\n\n"Text" with 北海道 and 🌾.',
  statusCode: 200,
  shape: { ...plainPageShape, outputFormat: 'markdown' },
};

function inflated(deflated: Uint8Array): string {
  return inflateRawSync(deflated, { finishFlush: constants.Z_SYNC_FLUSH }).toString();
}

describe('toPageRecord', () => {
  const record = toPageRecord(page);
  const row = { meta: { page: 7, url: page.url, fetchedUrl: page.fetchedUrl, meta: page.metadata }, text: page.text };

  test('toPageRecord: inflates to the row of the API when rowStart precedes it', () => {
    expect(JSON.parse(rowStart(7) + inflated(record.body.deflated))).toEqual(row);
  });

  test('toPageRecord: contains the metadata separately', () => {
    const { text: _, ...withoutText } = row;
    expect(JSON.parse(`${rowStart(7)}${inflated(record.meta.deflated)}}`)).toEqual(withoutText);
  });

  test.each<[of: string, isSame: boolean, change: Partial<PageToStore>]>([
    ['the same page with another number', true, { text: 'Seen 8 times' }],
    ['the same page at another path', true, { fetchedUrl: 'http://site.example/c/d', text: 'Seen 7 times /c/d' }],
    ['the same page with another token', true, { text: 'Seen a8f times' }],
    ['another page', false, { text: 'Read 7 times' }],
    ['a page with another title', false, { metadata: { title: 'another', description: '' } }],
  ])('toPageRecord: makes a form key of short pages: %s', (_, isSame, change) => {
    const formOf = (text: Partial<PageToStore>): string | undefined => toPageRecord({ ...page, ...text }).formKey;
    const own = formOf({ text: 'Seen 7 times' });
    expect(own).toBeDefined();
    expect(formOf({ text: 'Seen 7 times', ...change }) === own).toBe(isSame);
    expect([formOf({ text: 'long '.repeat(1_000) }), formOf({ text: '' })]).toEqual([undefined, undefined]);
  });

  test('toPageRecord: makes the content key from title and text', () => {
    const keyOf = (change: Partial<PageToStore>): string | undefined => toPageRecord({ ...page, ...change }).contentKey;
    expect(keyOf({ url: 'http://site.example/c', statusCode: 203 })).toBe(record.contentKey);
    expect(keyOf({ text: 'another' })).not.toBe(record.contentKey);
    expect(keyOf({ metadata: { title: 'another', description: '' } })).not.toBe(record.contentKey);
    expect(keyOf({ text: '' })).toBeUndefined();
  });
});
