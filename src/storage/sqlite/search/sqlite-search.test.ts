// What happens to a file: it is lost, cut, changed, left by another database, used by another process, or its disk is full.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  chmodSync,
  copyFileSync,
  existsSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { deliver, find, jobWith, pagesWith } from '../../../../test/storage/search-contract.ts';
import { createJob, links, org } from '../../../../test/storage/test-data.ts';
import type { Store } from '../../../core/ports/stores.ts';
import { backUp } from '../maintain/backup.ts';
import { Database } from '../file/database.ts';
import { databaseFile } from '../file/database-file.ts';
import { openSqliteStore } from '../sqlite-store.ts';
import { searchFile } from './search-file.ts';

const slowMs = 60_000;
const words = 'hay rake field meadow barn summer wagon scythe stack clover dry wind early late'.split(' ');
/** Each has the word `hay`, one word of its own, and some of the others. */
const texts = Array.from(
  { length: 120 },
  (_, page) =>
    `hay own${page} ${words.filter((_word, index) => (page * 7 + index) % 3 === 0).join(' ')} ${`filler${page % 10} `.repeat(50)}`,
);
const withMeadow = texts.flatMap((text, index) => (text.includes('meadow') ? [index + 1] : []));

describe('file of the search index', () => {
  let dir: string;
  let file: string;
  let store: Store;
  let id: string;
  const stores: Store[] = [];

  const open = async (at: string, options: Partial<Parameters<typeof openSqliteStore>[1]> = {}): Promise<Store> => {
    const opened = openSqliteStore(at, { crawling: false, ...options });
    stores.push(opened);
    return opened;
  };
  const meadows = async (from: Store = store): Promise<number[]> =>
    (await find(from, id, 'meadow')).hits.map(({ page }) => page).toSorted((a, b) => a - b);

  beforeEach(async () => {
    dir = mkdtempSync(path.join(tmpdir(), 'hayrake-search-'));
    file = path.join(dir, searchFile);
    store = await open(dir, { crawling: true });
    await store.frontier.recover({ delayMs: 0 });
    id = await jobWith(store, texts);
  }, slowMs);
  afterEach(async () => {
    for (const each of stores.splice(0)) await each.close();
    rmSync(dir, { recursive: true });
  });

  it('search file: is created by the first search, for its owner only', async () => {
    const before = statSync(path.join(dir, databaseFile)).mtimeMs;
    await store.search.sweep();
    expect(existsSync(file)).toBe(false);
    expect(await meadows()).toEqual(withMeadow);
    expect(statSync(file).mode & 0o777).toBe(0o600);
    expect(statSync(path.join(dir, databaseFile)).mtimeMs).toBe(before);
    expect(store.search.status()).toEqual({ indexedPages: 120, rebuilds: 0, indexing: 0, bytes: statSync(file).size });
  });

  it('search file: is rebuilt when it was deleted during or between two runs', async () => {
    await meadows();
    rmSync(file);
    expect(await meadows()).toEqual(withMeadow);
    await store.close();
    rmSync(file);
    store = await open(dir);
    expect(await meadows()).toEqual(withMeadow);
    expect(existsSync(file)).toBe(true);
  });

  it(
    'search file: is rebuilt when it was truncated, emptied or replaced',
    async () => {
      await meadows();
      const { size } = statSync(file);
      const damages: (() => void)[] = [
        ...[0, 1, 100, 4_096, Math.floor(size / 2), size - 1].map((length) => () => truncateSync(file, length)),
        () => writeFileSync(file, 'This is no database, and nobody knows how it came here. '.repeat(200)),
        () => writeFileSync(`${file}-journal`, 'no journal'),
      ];
      for (const damage of damages) {
        await store.close();
        damage();
        store = await open(dir);
        expect(await meadows()).toEqual(withMeadow);
        expect(await pagesWith(store, id, 'own17')).toEqual([18]);
      }
    },
    slowMs,
  );

  it(
    'search file: never fails a search because of flipped bytes, and adds no wrong page',
    async () => {
      await meadows();
      await store.close();
      const whole = readFileSync(file);
      let seed = 1;
      const random = (below: number): number => (seed = (seed * 48_271) % 0x7fffffff) % below;
      let rebuilds = 0;
      for (let round = 0; round < 40; round++) {
        const bytes = Buffer.from(whole);
        for (let flips = 0; flips < 4; flips++) {
          const at = random(bytes.length);
          bytes.writeUInt8(bytes.readUInt8(at) ^ (1 << random(8)), at);
        }
        writeFileSync(file, bytes);
        const flipped = await open(dir);
        // A flipped bit can hide a page from the index until it is built again, and can never add one.
        const found = await meadows(flipped);
        expect(withMeadow).toEqual(expect.arrayContaining(found));
        await find(flipped, id, 'own11');
        await find(flipped, id, '"filler3 filler3"');
        rebuilds += flipped.search.status().rebuilds;
        await flipped.close();
      }
      expect(rebuilds).toBeGreaterThan(0);
      store = await open(dir);
    },
    slowMs,
  );

  it(
    'search file: is whole after SIGKILL during indexing',
    async () => {
      await store.close();
      const script = path.join(dir, 'index.ts');
      const module = (name: string): string => JSON.stringify(path.join(import.meta.dirname, name));
      writeFileSync(
        script,
        `import { openSqliteStore } from ${module('../sqlite-store.ts')};
       import { find } from ${module('../../../../test/storage/search-contract.ts')};
       const store = openSqliteStore(${JSON.stringify(dir)}, { crawling: false });
       console.log('begun');
       await find(store, ${JSON.stringify(id)}, 'hay');
       await store.close();`,
      );
      for (const afterMs of [0, 20, 60, 120, 200]) {
        rmSync(file, { force: true });
        const child = spawn(process.execPath, [script], { stdio: ['ignore', 'pipe', 'inherit'] });
        const ended = once(child, 'exit');
        await Promise.race([once(child.stdout, 'data'), ended]);
        await sleep(afterMs);
        child.kill('SIGKILL');
        await ended;
        store = await open(dir);
        expect(await meadows()).toEqual(withMeadow);
        await store.close();
      }
      store = await open(dir);
    },
    slowMs,
  );

  it('search file: is shared by two processes, and each can remove it', async () => {
    const other = await open(dir);
    expect(await Promise.all([meadows(), meadows(other)])).toEqual([withMeadow, withMeadow]);
    rmSync(file);
    expect(await Promise.all([meadows(), meadows(other)])).toEqual([withMeadow, withMeadow]);
    await store.jobs.delete(org, id);
    await store.search.sweep();
    expect(existsSync(file)).toBe(false);
    const id2 = await jobWith(store, ['hay of another job']);
    expect(await pagesWith(other, id2, 'another')).toEqual([1]);
    expect(await pagesWith(store, id2, 'another')).toEqual([1]);
  });

  it('search file: does not outlive its database when an older or a new one replaces it', async () => {
    const { id: running } = await createJob(store, { startLinks: links(3, '/r/', { depth: 0 }) });
    await deliver(store, 0, 'first hay');
    const backup = path.join(dir, 'backup');
    backUp(dir, backup, { overwrite: false, isQuick: true });
    await deliver(store, 1, 'second hay as it was');
    expect(await pagesWith(store, running, 'second')).toEqual([2]);
    await store.close();
    for (const suffix of ['', '-wal', '-shm']) rmSync(path.join(dir, databaseFile + suffix), { force: true });
    copyFileSync(backup, path.join(dir, databaseFile));
    store = await open(dir, { crawling: true });
    await store.frontier.recover({ delayMs: 0 });
    expect(await pagesWith(store, running, 'second')).toEqual([]);
    await deliver(store, 1, 'other hay');
    expect(await pagesWith(store, running, 'second')).toEqual([]);
    expect(await pagesWith(store, running, 'other')).toEqual([2]);
    await store.close();
    for (const suffix of ['', '-wal', '-shm']) rmSync(path.join(dir, databaseFile + suffix), { force: true });
    store = await open(dir, { crawling: true });
    await store.frontier.recover({ delayMs: 0 });
    const fresh = await jobWith(store, ['new hay', 'only here']);
    expect(await pagesWith(store, fresh, 'hay')).toEqual([1]);
    await store.search.sweep();
    expect(await pagesWith(store, fresh, 'here')).toEqual([2]);
  });

  it('search file: leaves out damaged pages and counts them', async () => {
    await store.close();
    const db = new Database(path.join(dir, databaseFile), { busyMs: 0 });
    db.exec("UPDATE body SET deflated = x'00' WHERE id % 16777216 IN (2, 3)");
    db.exec('DELETE FROM body WHERE id % 16777216 IN (5, 120)');
    db.close();
    store = await open(dir);
    const found = await find(store, id, 'hay', { limit: 1_000 });
    expect(found).toMatchObject({ pages: 120, upToPage: 120, damagedPages: 4, more: false });
    expect(found.hits).toHaveLength(116);
    // Damaged after it was indexed.
    await store.close();
    const again = new Database(path.join(dir, databaseFile), { busyMs: 0 });
    again.exec("UPDATE body SET deflated = x'00' WHERE id % 16777216 = 18");
    again.close();
    store = await open(dir);
    expect(await find(store, id, 'own17')).toMatchObject({ hits: [], examined: 1, damagedPages: 5 });
    expect((await find(store, id, 'hay', { limit: 1_000 })).hits).toHaveLength(115);
    expect(store.search.status().rebuilds).toBe(0);
  });

  it('search file: does not grow on a full disk, and the search reports it', async () => {
    await store.close();
    // No disk has that much.
    const low = await open(dir, { diskFreeMb: 999_999_999 });
    await expect(find(low, id, 'hay')).rejects.toMatchObject({
      code: 'insufficient_storage',
      message: expect.stringMatching(/search index cannot grow.*0 of 120 pages/),
    });
    store = await open(dir);
    expect(await meadows()).toEqual(withMeadow);
    // What is indexed is searched.
    expect(await meadows(low)).toEqual(withMeadow);
  });

  it.skipIf(process.getuid?.() === 0)(
    'search file: reports that it cannot be written (needs a user other than root)',
    async () => {
      chmodSync(dir, 0o500);
      try {
        await expect(find(store, id, 'hay')).rejects.toThrow(/search index|cannot be used/);
      } finally {
        chmodSync(dir, 0o700);
      }
    },
  );

  it('search file: shrinks when the index of a deleted job is removed', async () => {
    const many = (page: number): string =>
      Array.from({ length: 3_000 }, (_, word) => `w${page * 3_000 + word}`).join(' ');
    const large = await jobWith(
      store,
      Array.from({ length: 20 }, (_, page) => many(page)),
    );
    expect(await pagesWith(store, large, '"w7"')).toEqual([1]);
    const small = await jobWith(store, ['small']);
    await pagesWith(store, small, 'small');
    const before = statSync(file).size;
    await store.jobs.delete(org, large);
    await store.search.sweep();
    expect(statSync(file).size).toBeLessThan(before / 2);
    expect(await pagesWith(store, small, 'small')).toEqual([1]);
  });
});
