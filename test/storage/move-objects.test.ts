// A database whose raw bodies and screenshots are in objects moves to PostgreSQL: its rows name the same objects.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { Damage } from '../../src/core/ports/check.ts';
import type { Store } from '../../src/core/ports/stores.ts';
import { packRawPages, SegmentReader } from '../../src/page/raw-segments.ts';
import { moveToPostgres } from '../../src/storage/move/move-to-postgres.ts';
import { checkObjects } from '../../src/storage/objects/check-objects.ts';
import { adoptObjects, claimObjects } from '../../src/storage/objects/owner.ts';
import { withObjects } from '../../src/storage/objects/with-objects.ts';
import { openPostgresStore } from '../../src/storage/postgres/postgres-store.ts';
import { openSqliteStore } from '../../src/storage/sqlite/sqlite-store.ts';
import { MemoryObjects } from '../objects/memory-objects.ts';
import { createTestDatabase, postgresMissing } from '../postgres/test-database.ts';
import { rawPage, textIn } from './raw-pages.ts';
import { createJob, leaseAndTake, links, org, scraped, settlement } from './test-data.ts';

const missing = await postgresMissing();

describe.skipIf(missing !== undefined)('a move to PostgreSQL', () => {
  test('moveToPostgres: raw bodies and screenshots in objects are read there once the new database has adopted them', async () => {
    const directory = mkdtempSync(path.join(tmpdir(), 'hayrake-move-'));
    const database = await createTestDatabase();
    const objects = new MemoryObjects();
    const times = { keptMs: 0 };
    try {
      const from = openSqliteStore(directory, { crawling: true });
      await claimObjects(objects, from.objects);
      const source = withObjects(from, objects, times);
      await source.frontier.recover({ delayMs: 0 });
      const { id } = await createJob(source, { startLinks: links(9, '/', { depth: 0 }) });
      const { held, requests } = await leaseAndTake(source);
      const slices = await packRawPages(requests.map(({ url }) => rawPage(url)));
      const settlements = requests.map((request, index) => {
        const screenshot = { type: 'image/png', bytes: Buffer.from(`picture of ${request.url}`) } as const;
        return settlement(request, scraped(request, [], { rawSlice: slices[index]!, screenshot }));
      });
      await source.frontier.settle(held, settlements);
      while ((await source.sweep()).more);
      const stored = await storedOf(source, id);
      await source.close();
      await moveToPostgres({ from: directory, url: database.url });
      const to = await openPostgresStore({ url: database.url, connections: 2 });
      await adoptObjects(objects, to.objects);
      const target = withObjects(to, objects, times);
      expect(new Set(stored)).toEqual(new Set(requests.flatMap(({ url }) => [url, `picture of ${url}`])));
      expect(await storedOf(target, id)).toEqual(stored);
      const damage = new Damage();
      expect(await checkObjects(target, objects, damage)).toEqual({ objects: 1, missing: 0, unnamed: 0 });
      expect(damage.damagedParts).toBe(0);
      await target.jobs.delete(org, id);
      while ((await target.sweep()).more);
      expect([...objects.stored.keys()]).toEqual(['owner.json']);
      await target.close();
    } finally {
      rmSync(directory, { recursive: true });
      await database.remove();
    }
  });
});

/** Raw bodies and screenshots of all pages, in order. */
async function storedOf(store: Store, jobId: string): Promise<readonly (string | undefined)[]> {
  const { segments, slices } = (await store.blobs.readRaw({ org, jobId, after: 0, limit: 99, bytesMax: 2 ** 20 }))!;
  const reader = new SegmentReader(segments);
  const bodies = await Promise.all(slices.map(async (slice) => textIn(await reader.read(slice))));
  const found = await Promise.all(slices.map(({ page }) => store.pages.screenshot({ org, jobId, page })));
  const pictures = found.map((one) =>
    typeof one?.screenshot === 'object' ? Buffer.from(one.screenshot.bytes).toString() : undefined,
  );
  return [...bodies, ...pictures];
}
