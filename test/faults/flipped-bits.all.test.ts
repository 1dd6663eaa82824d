// One flipped bit anywhere in the database file, read as the service reads it, without starting one: a few milliseconds a place, so that
// thousands are tried. No place in a page may hide it, repeat it, change it, or let a client that follows cursors read for ever. A
// place in the row of the job, or in its indexes, may: there a check must find it.
import { hash } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { ExitError, exitCodes } from '../../src/core/errors.ts';
import { hasEnded } from '../../src/core/job.ts';
import type { PageSlice, PageStore } from '../../src/core/ports/stores.ts';
import { checkJobs, whatIsWrong } from '../../src/storage/sqlite/maintain/check-database.ts';
import { explained } from '../../src/storage/sqlite/file/faults.ts';
import { sliceOf } from '../../src/storage/sqlite/jobs/joined-pages.ts';
import { openDatabase } from '../../src/storage/sqlite/file/open-database.ts';
import { PageReads } from '../../src/storage/sqlite/jobs/page-reads.ts';
import { BufferPool } from '../../src/core/bytes/buffer-pool.ts';
import { openSqliteStore } from '../../src/storage/sqlite/sqlite-store.ts';
import { crawl, createJob, links, org, page } from '../storage/test-data.ts';

/** Pages of the job that is read, and of one before and one after it. */
const pages = 60;

type Form = Pick<Parameters<PageStore['read']>[0], 'withText' | 'fields'>;
const forms: Readonly<Record<string, Form>> = {
  data: { withText: true },
  meta: { withText: false },
  'title alone': { withText: false, fields: ['title'] },
};

let directory: string;
let file: string;
let whole: Buffer;
let jobId: string;
/** What each form gives for each page. */
let right: Map<string, readonly string[]>;

beforeAll(async () => {
  directory = mkdtempSync(path.join(tmpdir(), 'hayrake-bits-'));
  file = path.join(directory, 'hayrake.db');
  const store = openSqliteStore(directory, { crawling: true });
  await store.frontier.recover({ delayMs: 0 });
  const ids: string[] = [];
  for (const [index, count] of [10, pages, 10].entries()) {
    const startLinks = links(count, `/${index}/`, { depth: 0 });
    ids.push((await createJob(store, { startLinks, spec: { outputExpirySeconds: 604_800 } })).id);
    // From a few bytes to several pages of the file, and hardly to be packed.
    const text = (id: number): string =>
      Array.from({ length: ((id * 37) % 60) ** 2 / 20 }, (_, part) => hash('sha256', `${id} ${part}`)).join(' ');
    await crawl(store, ({ url, id }) => ({ kind: 'scraped', page: page(url, { text: text(id) }), links: [] }));
  }
  jobId = ids[1]!;
  await store.close();
  whole = readFileSync(file);
  const read = readAll();
  right = new Map(Object.entries(read).map(([form, walked]) => [form, [...walked.pages.values()]]));
  if (Object.values(read).some((walked) => walked.pages.size !== pages))
    throw new Error('it was not whole to begin with');
});

afterAll(() => rmSync(directory, { recursive: true }));

interface Walked {
  readonly pages: ReadonlyMap<number, string>;
  readonly damaged: readonly number[];
}

/** As the service does: it looks at the database before it serves it. */
function readAll(): Record<string, Walked> {
  const db = openDatabase(directory, 'reader');
  try {
    checkJobs(db, directory);
    const reads = new PageReads(db, new BufferPool({ smallBytesMax: 64 * 2 ** 10 }));
    return Object.fromEntries(Object.entries(forms).map(([name, form]) => [name, walk(reads, form)]));
  } finally {
    db.close();
  }
}

/** As a client does that follows cursors, also after pages that it is told are damaged. */
function walk(reads: PageReads, form: Form): Walked {
  const found = new Map<number, string>();
  const damaged: number[] = [];
  for (let after = 0; ;) {
    const joined = reads.read({ org, jobId, after, limit: 40, bytesMax: 2 ** 20, ...form });
    if (!joined || joined.areResultsGone || !hasEnded(joined.status)) throw new Error('the job is not as it was');
    const slice: PageSlice = sliceOf(joined, () => {});
    for (const stored of slice.pages) {
      if (found.has(stored.page)) throw new Error(`page ${stored.page} comes twice`);
      const fragment = stored.body ?? stored.meta;
      found.set(
        stored.page,
        fragment ? `${fragment.crc} ${fragment.length} ${inHex(fragment.deflated)}` : inHex(stored.fields!),
      );
    }
    const last = slice.pages.at(-1)?.page ?? after;
    if (slice.damagedPage !== undefined) damaged.push(slice.damagedPage);
    const next = slice.damagedPage ?? last;
    if (!slice.more) return { pages: found, damaged };
    if (next <= after) throw new Error(`reading does not advance after page ${after}`);
    after = next;
  }
}

const inHex = (bytes: Uint8Array): string => Buffer.from(bytes).toString('hex');

/** Undefined where all is right, or what is not is reported. */
function whatIsHidden(read: Readonly<Record<string, Walked>>): string | undefined {
  for (const [form, { pages: found, damaged }] of Object.entries(read)) {
    const numbers = [...found.keys(), ...damaged].toSorted((one, other) => one - other);
    if (numbers.some((number, index) => number !== index + 1) || numbers.length !== pages)
      return `${form}: ${found.size} pages and ${damaged.length} damaged ones`;
    for (const [number, bytes] of found) {
      if (bytes !== right.get(form)?.[number - 1]) return `${form}: page ${number} is another one`;
    }
  }
  return undefined;
}

interface Place {
  readonly at: number;
  readonly bit: number;
}

/** Spread over the file, and over the bits of a byte. */
const spread = (): Place[] =>
  Array.from({ length: 600 }, (_, index) => ({ at: Math.floor(((index + 0.5) / 600) * whole.length), bit: index % 8 }));

/** Every bit of what stands before some rows: their sizes, their numbers, and what their columns are. */
function headsOf(table: 'page' | 'body'): Place[] {
  const db = new DatabaseSync(file, { readOnly: true });
  const rows = db.prepare(`SELECT deflated AS bytes FROM ${table} WHERE id % 10 = 5`).all();
  db.close();
  return rows.flatMap(({ bytes }) => everyBit(whole.indexOf(bytes as Uint8Array), 12));
}

/** Every fifth bit of the job's row up to its options, and of the index that finds it. */
function ofJob(): Place[] {
  const places: Place[] = [];
  for (let at = whole.indexOf(jobId); at >= 0; at = whole.indexOf(jobId, at + 1))
    places.push(...everyBit(at + jobId.length, jobId.length + 40), ...everyBit(at + jobId.length + 20, 20));
  return places.filter((_, index) => index % 5 === 0);
}

const everyBit = (end: number, bytes: number): Place[] =>
  Array.from({ length: bytes * 8 }, (_, index) => ({ at: end - bytes + (index >> 3), bit: index % 8 }));

test.each<[string, () => Place[]]>([
  ['at 600 places', spread],
  ['before texts', () => headsOf('body')],
  ['before metadata', () => headsOf('page')],
])('a flipped bit %s hides, repeats and changes no page', (_name, placesOf) => {
  const outcomes = { right: 0, reported: 0, ended: 0 };
  const hidden: string[] = [];
  writeFileSync(file, whole);
  for (const { at, bit } of placesOf()) {
    const outcome = outcomeOf(at, bit);
    if (outcome in outcomes) outcomes[outcome as keyof typeof outcomes]++;
    else hidden.push(`byte ${at}, bit ${bit}: ${outcome}`);
  }
  expect(hidden).toEqual([]);
  expect(outcomes.reported + outcomes.ended).toBeGreaterThan(0);
});

test('a flipped bit in the row of the job, or in its indexes, is found by a check if it hides or repeats a page', () => {
  const unfound: string[] = [];
  const told = new Set(['right', 'reported', 'ended']);
  for (const { at, bit } of ofJob()) {
    const outcome = outcomeOf(at, bit);
    if (!told.has(outcome) && !isFoundByCheck()) unfound.push(`byte ${at}, bit ${bit}: ${outcome}`);
  }
  expect(unfound).toEqual([]);
});

function isFoundByCheck(): boolean {
  const db = openDatabase(directory, 'reader');
  try {
    return whatIsWrong(db, Date.now()) !== undefined;
  } finally {
    db.close();
  }
}

/** `right`, `reported`, `ended`, or what a client is not told. */
function outcomeOf(at: number, bit: number): string {
  const flipped = Buffer.from(whole);
  flipped[at]! ^= 1 << bit;
  for (const suffix of ['-wal', '-shm']) rmSync(file + suffix, { force: true });
  writeFileSync(file, flipped);
  try {
    const read = readAll();
    return whatIsHidden(read) ?? (Object.values(read).some(({ damaged }) => damaged.length > 0) ? 'reported' : 'right');
  } catch (error) {
    const known = explained(error, directory);
    return known instanceof ExitError && endings.has(known.exitCode) ? 'ended' : String(known);
  }
}

/** The last: the name of a table or a column has changed, so that no statement can be prepared. */
const endings: ReadonlySet<number> = new Set([
  exitCodes.databaseDamaged,
  exitCodes.databaseNewer,
  exitCodes.storageFailed,
]);
