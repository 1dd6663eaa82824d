import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { randomBytes } from 'node:crypto';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { BufferPool } from '../../../core/bytes/buffer-pool.ts';
import { toFragment } from '../../../page/encode.ts';
import { packedChecksum } from '../../rules/pages/checksums.ts';
import type { Database } from '../file/database.ts';
import { openDatabase } from '../file/open-database.ts';
import { sliceOf } from './joined-pages.ts';
import { FragmentReads } from './fragment-reads.ts';
import { pageId } from '../../rules/jobs/page-id.ts';

const job = 3;
const noLimits = { limit: 400, bytesMax: 2 ** 30 };
let dir: string;
let db: Database;

beforeEach(() => {
  dir = mkdtempSync(path.join(tmpdir(), 'hayrake-texts-'));
  db = openDatabase(dir, 'writer');
  db.pragma('synchronous = OFF');
});

afterEach(() => {
  db.close();
  rmSync(dir, { recursive: true });
});

/** Stores a page for each text, and returns the packed texts. */
function store(texts: readonly Uint8Array[]): Uint8Array[] {
  const insert = db.prepare('INSERT INTO body (id, deflated, crc, length, packed_crc) VALUES (?, ?, ?, ?, ?)');
  return texts.map((bytes, index) => {
    const text = toFragment(bytes);
    insert.run(pageId(job, index + 1), text.deflated, text.crc, text.length, packedChecksum(index + 1, text));
    return text.deflated;
  });
}

function read(query: {
  readonly after?: number;
  readonly limit?: number;
  readonly bytesMax?: number;
  scraped: number;
}) {
  const reads = new FragmentReads(db, new BufferPool(), 'body');
  const slice = reads.read({ job, after: 0, ...noLimits, ...query });
  const { pages } = sliceOf(
    { status: 'running', areResultsGone: false, erasures: 0, total: query.scraped, ...slice },
    () => {},
  );
  return { pages, more: slice.more, damagedPage: slice.damagedPage };
}

const random = (...sizes: readonly number[]): Uint8Array[] => sizes.map((size) => randomBytes(size));
/** Small texts in several pieces, and large ones between them. */
const mixed = [...Array.from({ length: 90 }, (_, n) => n * 37), 200_000, 1, 60_000, 48_000, 2, 3, 1_000_000, 4];

test('FragmentReads: reads texts of all sizes as stored', () => {
  const packed = store(random(...mixed));

  const { pages, ...rest } = read({ scraped: packed.length });

  expect(pages.map(({ page }) => page)).toEqual(packed.map((_, index) => index + 1));
  expect(pages.every(({ body }, index) => Buffer.compare(body?.deflated ?? Buffer.of(), packed[index]!) === 0)).toBe(
    true,
  );
  expect(rest).toEqual({ more: false, damagedPage: undefined });
});

test('FragmentReads: continues after a page, to the limit', () => {
  const packed = store(random(...mixed));

  const { pages, more } = read({ scraped: packed.length, after: 80, limit: 13 });

  expect(pages.map(({ page }) => page)).toEqual([81, 82, 83, 84, 85, 86, 87, 88, 89, 90, 91, 92, 93]);
  expect(pages.map(({ body }) => body?.length)).toEqual(mixed.slice(80, 93));
  expect(more).toBe(true);
});

test.each([
  [0, 1],
  [5_000, 6],
  [30_000, 31],
])('FragmentReads: ends after the row that exceeds %i unpacked bytes, without damage', (bytesMax, count) => {
  store(Array.from({ length: 100 }, () => Buffer.alloc(1_000, 'x')));

  const { pages, ...rest } = read({ scraped: 100, bytesMax });

  expect(pages).toHaveLength(count);
  expect(rest).toEqual({ more: true, damagedPage: undefined });
});

const small = Array.from({ length: 40 }, () => 3_000);

test.each<[damage: string, sql: string]>([
  [
    'a changed byte',
    `UPDATE body SET deflated = CAST(substr(deflated, 1, 99) || x'ff00' || substr(deflated, 102) AS BLOB)`,
  ],
  ['a shorter text', 'UPDATE body SET deflated = substr(deflated, 2)'],
  ['another length', 'UPDATE body SET length = length + 1'],
  ['a number beyond 32 bits', `UPDATE body SET crc = crc + ${2 ** 40} + 1`],
  ['another checksum', 'UPDATE body SET packed_crc = packed_crc + 1'],
  ['no row', 'DELETE FROM body'],
  ['another page number', `UPDATE body SET id = id + 1000`],
])('FragmentReads: ends before a row with %s, at any place', (_damage, sql) => {
  store(random(...small));
  db.exec('CREATE TABLE kept AS SELECT * FROM body');
  for (const page of [1, 2, 16, 17, 40]) {
    db.exec(`${sql} WHERE id = ${pageId(job, page)}`);

    const { pages, ...rest } = read({ scraped: 40 });

    expect(pages).toHaveLength(page - 1);
    expect(rest).toEqual({ more: true, damagedPage: page });
    db.exec('DELETE FROM body; INSERT INTO body SELECT * FROM kept');
  }
});

test('FragmentReads: reports the text of another page with its own checksum as damaged', () => {
  store(random(...small));
  db.exec(`CREATE TABLE other AS SELECT * FROM body WHERE id = ${pageId(job, 5)}`);
  db.exec(`UPDATE body SET (deflated, crc, length, packed_crc) = (SELECT deflated, crc, length, packed_crc FROM other)
           WHERE id = ${pageId(job, 6)}`);

  expect(read({ scraped: 40 }).damagedPage).toBe(6);
});
