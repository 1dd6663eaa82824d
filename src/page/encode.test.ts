import { constants, crc32, inflateRawSync } from 'node:zlib';
import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { fragmentOf } from '../../test/fragment.ts';
import { pageMetaRow, pageRow, parsePage } from './decode.ts';
import { inflateFragment } from './inflate-fragment.ts';
import { encodePage, projectMetadata, toFragment } from './encode.ts';
import { pageLine } from './lines.ts';

const page = fc.record({
  url: fc.webUrl(),
  fetchedUrl: fc.webUrl(),
  metadata: fc.record({ title: fc.string({ unit: 'binary' }), description: fc.string({ unit: 'grapheme' }) }),
  text: fc.string({ unit: 'binary', maxLength: 500 }),
});

test('parsePage, pageRow, pageMetaRow, pageLine: return the encoded page with its number', () => {
  fc.assert(
    fc.property(page, fc.integer({ min: 1, max: 10_000_000 }), (given, number) => {
      const { meta, body } = encodePage(given);
      const { url, fetchedUrl, metadata } = given;
      const outer = { page: number, url, fetchedUrl, meta: metadata };
      const text = given.text.toWellFormed();
      expect(parsePage({ page: number, body })).toEqual({ meta: outer, text });
      expect(pageRow({ page: number, body })).toBe(JSON.stringify({ meta: outer, text }));
      expect(pageMetaRow({ page: number, meta })).toBe(JSON.stringify({ meta: outer }));
      expect(pageLine({ page: number, body })).toBe(`${JSON.stringify({ meta: outer, text })}\n`);
      expect(pageLine({ page: number, meta })).toBe(`${JSON.stringify({ meta: outer })}\n`);
    }),
    { numRuns: 50 },
  );
});

test('projectMetadata: keeps only the given fields', () => {
  const { meta } = encodePage({
    url: 'https://a.test/',
    fetchedUrl: 'https://a.test/b',
    metadata: { title: 'T', description: 'D', wordCount: 3 },
    text: '',
  });
  expect(
    pageMetaRow({ page: 2, fields: projectMetadata(inflateFragment(meta)!, new Set(['wordCount', 'title', 'none'])) }),
  ).toBe(
    '{"meta":{"page":2,"url":"https://a.test/","fetchedUrl":"https://a.test/b","meta":{"title":"T","wordCount":3}}}',
  );
});

test('pageRow: throws when the text differs from the stored checksum', () => {
  const body = { ...fragmentOf('"url":"u"}}'), crc: 1 };
  expect(() => pageRow({ page: 5, body })).toThrow('the text of page 5 differs from what was stored');
});

test('toFragment: returns fragments with memory of their own that join into one stream', () => {
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
