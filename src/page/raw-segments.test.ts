import { expect, test } from 'vitest';
import type { FoundSlice, Segment, StoredSlice } from '../core/ports/blobs.ts';
import type { RawPage } from '../core/raw-page.ts';
import { packRawPages, SegmentReader } from './raw-segments.ts';

const page = (name: string, bytes: number): RawPage => ({
  head: { url: `https://a.test/${name}` } as RawPage['head'],
  received: Buffer.alloc(bytes, name),
});

function readerOf(slices: readonly StoredSlice[]): { reader: SegmentReader; found: readonly FoundSlice[] } {
  const segments = [...new Set(slices.map(({ segment }) => segment))];
  const found = slices.map((slice, index) => ({ ...slice, page: index + 1, segment: segments.indexOf(slice.segment) }));
  return { reader: new SegmentReader(new Map<number, Segment>(segments.entries())), found };
}

test.each([1, 3, 200_000, 3_000_000])(
  'SegmentReader: reads three pages of %i bytes as they were packed',
  async (bytes) => {
    const pages = ['a', 'b', 'c'].map((name) => page(name, bytes));
    const { reader, found } = readerOf(await packRawPages(pages));
    const read = await Promise.all(found.map((slice) => reader.read(slice)));
    expect(read.map((one) => Buffer.from(one!.received).equals(pages[read.indexOf(one)]!.received))).toEqual([
      true,
      true,
      true,
    ]);
    expect(read.map((one) => one!.head)).toEqual(pages.map(({ head }) => head));
  },
);

test('SegmentReader: unpacks a segment once for pages that are read at the same time', async () => {
  const { reader, found } = readerOf(await packRawPages([page('a', 9_000), page('b', 9_000), page('c', 9_000)]));
  const read = await Promise.all(found.map((slice) => reader.read(slice)));
  expect(new Set(read.map((one) => one!.received.buffer)).size).toBe(1);
});
