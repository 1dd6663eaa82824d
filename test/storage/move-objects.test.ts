// A database whose texts are in objects moves to PostgreSQL: its rows name the same objects.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { Damage } from '../../src/core/ports/check.ts';
import type { Store } from '../../src/core/ports/stores.ts';
import { parsePage } from '../../src/page/decode.ts';
import { moveToPostgres } from '../../src/storage/move/move-to-postgres.ts';
import { checkObjects } from '../../src/storage/objects/check-objects.ts';
import { adoptObjects, claimObjects } from '../../src/storage/objects/owner.ts';
import { withObjects } from '../../src/storage/objects/with-objects.ts';
import { openPostgresStore } from '../../src/storage/postgres/postgres-store.ts';
import { openSqliteStore } from '../../src/storage/sqlite/sqlite-store.ts';
import { MemoryObjects } from '../objects/memory-objects.ts';
import { createTestDatabase, postgresMissing } from '../postgres/test-database.ts';
import { crawl, createJob, links, org, scraped } from './test-data.ts';

const missing = await postgresMissing();

describe.skipIf(missing !== undefined)('a move to PostgreSQL', () => {
  test('moveToPostgres: texts in objects are read there once the new database has adopted them', async () => {
    const directory = mkdtempSync(path.join(tmpdir(), 'hayrake-move-'));
    const database = await createTestDatabase();
    const objects = new MemoryObjects();
    const times = { keptMs: 0, textsMin: 0 };
    try {
      const from = openSqliteStore(directory, { crawling: true });
      await claimObjects(objects, from.objects);
      const source = withObjects(from, objects, times);
      await source.frontier.recover({ delayMs: 0 });
      const { id } = await createJob(source, { startLinks: links(9, '/', { depth: 0 }) });
      await crawl(source, (request) => scraped(request, [], { text: `text of ${request.url}` }));
      while ((await source.sweep()).more);
      const texts = await textsOf(source, id);
      await source.close();
      await moveToPostgres({ from: directory, url: database.url });
      const to = await openPostgresStore({ url: database.url, connections: 2 });
      await adoptObjects(objects, to.objects);
      const target = withObjects(to, objects, times);
      expect(texts).toHaveLength(9);
      expect(await textsOf(target, id)).toEqual(texts);
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

async function textsOf(store: Store, jobId: string): Promise<readonly string[]> {
  const slice = await store.pages.read({ org, jobId, after: 0, limit: 99, bytesMax: 2 ** 20, withText: true });
  return (slice?.pages ?? []).map((page) => parsePage(page).text ?? '');
}
