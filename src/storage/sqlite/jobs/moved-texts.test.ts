import { randomBytes } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { expect, test } from 'vitest';
import { MemoryObjects } from '../../../../test/objects/memory-objects.ts';
import { crawl, createJob, links, scraped } from '../../../../test/storage/test-data.ts';
import { ObjectMaintenance } from '../../objects/maintain-objects.ts';
import { claimObjects } from '../../objects/owner.ts';
import { SegmentReads } from '../../objects/segment-reads.ts';
import { withObjects } from '../../objects/with-objects.ts';
import { databaseFile } from '../file/database-file.ts';
import { openSqliteStore } from '../sqlite-store.ts';

const pages = 120;

test('placeTexts: leaves no byte of the texts in the file, and gives its space back', async () => {
  const directory = mkdtempSync(path.join(tmpdir(), 'hayrake-moved-'));
  const file = path.join(directory, databaseFile);
  const objects = new MemoryObjects();
  try {
    const plain = openSqliteStore(directory, { crawling: true });
    await claimObjects(objects, plain.objects);
    const store = withObjects(plain, objects, { keptMs: 0, textsMin: 0 });
    await store.frontier.recover({ delayMs: 0 });
    const { id } = await createJob(store, { startLinks: links(pages, '/', { depth: 0 }) });
    await crawl(store, (request) => {
      const text = randomBytes(9_000).toString('base64');
      return scraped(request, [], { text, contentKey: request.url, hash: request.url });
    });
    // From the middle: SQLite writes over the beginning of a page that it frees.
    const parts = await plain.objects.pageTexts({ jobId: id, after: 0, limit: pages, bytesMax: 2 ** 30 });
    const samples = parts.flatMap(({ deflated }) =>
      [1_000, 3_000, 6_000].map((at) => Buffer.from(deflated.subarray(at, at + 32))),
    );
    // Before a sweep gives the space back.
    const reads = new SegmentReads(objects);
    const moving = new ObjectMaintenance({
      objects,
      rows: plain.objects,
      reads,
      keptMs: 0,
      textsMin: 0,
      log: undefined,
    });
    while (await moving.step(Date.now()));
    expect((await plain.objects.nextTexts(1)) ?? 'moved').toBe('moved');
    await store.close();
    const stored = readFileSync(file);
    expect(samples).toHaveLength(3 * pages);
    expect(samples.filter((sample) => stored.includes(sample))).toEqual([]);
    const again = openSqliteStore(directory, { crawling: true });
    while ((await again.sweep()).more);
    await again.close();
    expect(readFileSync(file).length).toBeLessThan((pages * 9_000) / 2);
  } finally {
    rmSync(directory, { recursive: true });
  }
});
