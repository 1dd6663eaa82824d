import * as fc from 'fast-check';
import { constants, crc32, inflateRawSync } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import { type PageToStore, toFragment, toPageRecord } from './page-record.ts';

const page: PageToStore = {
  url: 'http://site.example/a',
  fetchedUrl: 'http://site.example/b',
  fetchedKey: 'key of b',
  metadata: { title: 'Quotes " and \u2028 lines', description: '' },
  text: '# Heading\n\n"Text" with 北海道 and 🌾.',
  statusCode: 200,
};

function inflated(deflated: Uint8Array): string {
  return inflateRawSync(deflated, { finishFlush: constants.Z_SYNC_FLUSH }).toString();
}

describe('a page record', () => {
  const record = toPageRecord(page);
  const row = { meta: { page: 7, url: page.url, fetchedUrl: page.fetchedUrl, meta: page.metadata }, text: page.text };

  test('inflates to the row of the API, once the number is put before it', () => {
    expect(JSON.parse(`{"meta":{"page":7,${inflated(record.body.deflated)}`)).toEqual(row);
  });

  test('has the metadata alone as well', () => {
    const { text: _, ...withoutText } = row;
    expect(JSON.parse(`{"meta":{"page":7,${new TextDecoder().decode(record.meta)}}`)).toEqual(withoutText);
  });

  test('knows its content by title and text', () => {
    const keyOf = (change: Partial<PageToStore>): string | undefined => toPageRecord({ ...page, ...change }).contentKey;
    expect(keyOf({ url: 'http://site.example/c', statusCode: 203 })).toBe(record.contentKey);
    expect(keyOf({ text: 'another' })).not.toBe(record.contentKey);
    expect(keyOf({ metadata: { title: 'another', description: '' } })).not.toBe(record.contentKey);
    expect(keyOf({ text: '' })).toBeUndefined();
  });
});

test('fragments have memory of their own, and join into one stream whatever they hold', () => {
  fc.assert(
    fc.property(fc.array(fc.uint8Array({ maxLength: 2_000 }), { minLength: 1, maxLength: 5 }), (pieces) => {
      const fragments = pieces.map(toFragment);
      for (const [index, { deflated, crc, length }] of fragments.entries()) {
        expect(deflated.byteLength).toBe(deflated.buffer.byteLength);
        expect([crc, length]).toEqual([crc32(pieces[index]!), pieces[index]!.length]);
      }
      const joined = inflateRawSync(Buffer.concat(fragments.map(({ deflated }) => deflated)), {
        finishFlush: constants.Z_SYNC_FLUSH,
      });
      expect(joined).toEqual(Buffer.concat(pieces));
    }),
    { numRuns: 50 },
  );
});
