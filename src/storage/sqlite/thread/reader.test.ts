import { createHash } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { fragmentOf } from '../../../../test/fragment.ts';
import { crawl, createJob, links, org, scraped, wholeJob } from '../../../../test/storage/test-data.ts';
import { type StoredPage, textOf } from '../../../core/page.ts';
import type { PageSlice, Store } from '../../../core/ports/stores.ts';
import { Reader } from './reader.ts';
import { openSqliteStore } from '../sqlite-store.ts';

const pages = 60;
/** Ten of these, even packed, exceed the size up to which a buffer is created each time. */
const textBytes = 10_000;
let dir: string;
let store: Store;
let jobId: string;

/** Text that hardly compresses, different for each path. */
function textOfPath(urlPath: string): string {
  return createHash('shake256', { outputLength: textBytes }).update(urlPath).digest('base64');
}

beforeAll(async () => {
  dir = mkdtempSync(path.join(tmpdir(), 'hayrake-reader-'));
  store = openSqliteStore(dir, { crawling: true });
  await store.frontier.recover({ delayMs: 0 });
  ({ id: jobId } = await createJob(store, { startLinks: links(pages, '/', { depth: 0 }) }));
  await crawl(store, (request) => {
    const outcome = scraped(request);
    if (outcome.kind !== 'scraped') throw new Error('not scraped');
    return { ...outcome, page: { ...outcome.page, body: fragmentOf(textOfPath(new URL(request.url).pathname)) } };
  });
});
afterAll(async () => {
  await store.close();
  rmSync(dir, { recursive: true });
});

const bufferOf = ({ pages: [page] }: PageSlice): ArrayBufferLike => textOf(page!).deflated.buffer;
const readSome = async (after: number, limit = 20): Promise<PageSlice> => {
  const slice = await store.pages.read({ ...wholeJob, jobId, after, limit, withText: true });
  if (!slice) throw new Error('there is no such job');
  return slice;
};
const textsOf = (read: readonly StoredPage[]): string[] =>
  read.map((page) => Buffer.from(textOf(page).deflated).toString('base64'));

test('Reader: keeps a slice unchanged until it is released, also during other reads', async () => {
  const first = await readSome(0);
  const before = textsOf(first.pages);
  expect(new Set(before).size).toBe(20);
  const others = [await readSome(20), await readSome(40), await readSome(20)];
  expect(textsOf(first.pages)).toEqual(before);
  expect(textsOf(others[0]!.pages)).toEqual(textsOf(others[2]!.pages));
  for (const { release } of [first, ...others]) release();
  expect(textsOf((await readSome(0)).pages)).toEqual(before);
});

test('Reader: reuses released memory once, however often it is released', async () => {
  const expected = textsOf((await readSome(0)).pages);
  for (let round = 0; round < 3; round++) {
    const slice = await readSome(0);
    expect(textsOf(slice.pages)).toEqual(expected);
    const buffer = bufferOf(slice);
    slice.release();
    slice.release();
    expect(slice.pages).toEqual([]);
    const [one, other] = await Promise.all([readSome(0), readSome(20)]);
    // It was transferred to the other thread.
    expect(buffer.byteLength).toBe(0);
    expect(bufferOf(one)).not.toBe(bufferOf(other));
    expect(textsOf(one.pages)).toEqual(expected);
    one.release();
    other.release();
  }
});

test('Reader: keeps eight buffers of 20 simultaneous reads', async () => {
  const slices = await Promise.all(Array.from({ length: 20 }, () => readSome(0)));
  const buffers = slices.map(bufferOf);
  expect(new Set(buffers).size).toBe(20);
  for (const { release } of slices) release();
  expect(buffers.filter(({ byteLength }) => byteLength > 0)).toHaveLength(8);
});

test('Reader: reads one page and all pages, with and without texts', async () => {
  const one = await readSome(7, 1);
  expect(one).toMatchObject({ more: true, pages: [{ page: 8 }], total: pages });
  const all = await readSome(0, 1_000);
  expect(all.pages.map(({ page }) => page)).toEqual(Array.from({ length: pages }, (_, index) => index + 1));
  expect(all.more).toBe(false);
  expect((await readSome(pages)).pages).toEqual([]);
  const metadata = await store.pages.read({ ...wholeJob, jobId });
  expect(metadata?.pages.map(({ page }) => page)).toEqual(all.pages.map(({ page }) => page));
});

test('Reader: rejects reads after close, and closes twice', async () => {
  const reader = new Reader(dir, () => {});
  const query = { ...wholeJob, jobId };
  const [asked, read] = [reader.read(query), reader.close()];
  expect((await asked)?.pages).toHaveLength(pages);
  await read;
  await reader.close();
  await expect(reader.read(query)).rejects.toMatchObject({ message: 'The store is closed.' });
});

test('Reader: rejects with the cause when the directory cannot be used', async () => {
  const reader = new Reader(path.join(dir, 'hayrake.db'), () => {});
  await expect(reader.read({ ...wholeJob, jobId })).rejects.toMatchObject({
    exitCode: 7,
    message: expect.stringContaining('cannot be used') as string,
  });
  await reader.close();
});

test('jobs.countTree: does not delay other reads', async () => {
  const { id } = await createJob(store, { startLinks: links(60_000, '/page/', { depth: 0 }) });
  // Starts the thread that reads.
  await store.jobs.list(org, { limit: 1 });
  const order: string[] = [];
  const tree = store.jobs.countTree(id, { depth: 2 }).then((counts) => {
    order.push('tree');
    return counts;
  });
  for (let read = 0; read < 3; read++) {
    await store.jobs.listUrls(id, { after: 59_000, limit: 10 });
    order.push('urls');
  }
  expect((await tree)?.groups[0]).toMatchObject({ queued: 60_000 });
  expect(order).toEqual(['urls', 'urls', 'urls', 'tree']);
});
