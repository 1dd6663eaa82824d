import { Client } from 'pg';
import { beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { createTestDatabase, postgresMissing } from '../../../../test/postgres/test-database.ts';
import { crawl, createJob, links, org } from '../../../../test/storage/test-data.ts';
import type { PageSlice, Store } from '../../../core/ports/stores.ts';
import type { CheckSummary } from '../../../core/ports/check.ts';
import { checkPostgres } from '../maintain/check.ts';
import { openPostgresStore } from '../postgres-store.ts';

const missing = await postgresMissing();

describe.skipIf(missing !== undefined)('pages.read on PostgreSQL (needs PostgreSQL)', () => {
  let store: Store;
  let jobId: string;
  let url: string;
  let change: (sql: string) => Promise<unknown>;

  beforeEach(async () => {
    const database = await createTestDatabase({ keepsSchema: true });
    url = database.url;
    onTestFinished(database.remove);
    store = await openPostgresStore({ url, connections: 2 });
    onTestFinished(() => store.close());
    await store.frontier.recover({ delayMs: 0 });
    ({ id: jobId } = await createJob(store, { startLinks: links(3, '/', { depth: 0 }) }));
    await crawl(store);
    const client = new Client({ connectionString: url });
    await client.connect();
    onTestFinished(() => client.end());
    change = (sql) => client.query(sql);
  });

  const read = (withText: boolean, after = 0): Promise<PageSlice | undefined> =>
    store.pages.read({ org, jobId, after, limit: 10, withText, bytesMax: 1e6 });
  const check = (): Promise<CheckSummary> => checkPostgres(url, { isQuick: false });

  it.each([
    [
      'the metadata',
      'UPDATE page SET deflated = set_byte(deflated, 12, get_byte(deflated, 12) # 1) WHERE id % 16777216 = 2',
    ],
    ['the length of the metadata', 'UPDATE page SET length = length + 1 WHERE id % 16777216 = 2'],
    ['the checksum of the metadata', 'UPDATE page SET packed_crc = packed_crc # 1 WHERE id % 16777216 = 2'],
  ])('pages.read: ends before a page when %s differs from what was stored, and a check finds it', async (_, sql) => {
    expect((await read(false))?.pages).toHaveLength(3);
    await change(sql);
    expect(await read(false)).toMatchObject({ pages: [{ page: 1 }], damagedPage: 2, more: true });
    expect(await read(false, 2)).toMatchObject({ pages: [{ page: 3 }], more: false });
    const whole = await read(true);
    expect(whole?.pages).toHaveLength(3);
    expect(whole?.damagedPage).toBeUndefined();
    expect(store.failed.aborted).toBe(false);
    expect((await check()).damaged).toEqual([{ job: jobId, page: 2, part: 'metadata' }]);
  });

  it.each([
    ['the text', 'UPDATE body SET deflated = set_byte(deflated, 3, get_byte(deflated, 3) # 1) WHERE id % 16777216 = 2'],
    ['the length of the text', 'UPDATE body SET length = length + 1 WHERE id % 16777216 = 2'],
    ['the checksum of the text', 'UPDATE body SET packed_crc = packed_crc # 1 WHERE id % 16777216 = 2'],
  ])(
    'pages.read with texts: ends before a page when %s differs from what was stored, and a check finds it',
    async (_, sql) => {
      await change(sql);
      expect(await read(true)).toMatchObject({ pages: [{ page: 1 }], damagedPage: 2, more: true });
      expect(await read(true, 1)).toMatchObject({ pages: [], damagedPage: 2, more: true });
      expect(await read(true, 2)).toMatchObject({ pages: [{ page: 3 }], more: false });
      expect((await read(false))?.pages).toHaveLength(3);
      expect(await check()).toEqual({
        jobs: 1,
        pages: 3,
        damaged: [{ job: jobId, page: 2, part: 'text' }],
        damagedParts: 1,
      });
      expect((await checkPostgres(url, { isQuick: true })).damagedParts).toBe(0);
    },
  );

  it.each([2, 3])(
    'pages.read: reports page %d as damaged when its text is missing, and a check reports gaps',
    async (page) => {
      await change(`DELETE FROM body WHERE id % 16777216 = ${page}`);
      expect(await read(true, page - 1)).toMatchObject({ pages: [], damagedPage: page, more: true });
      await expect(check()).rejects.toMatchObject({
        exitCode: 5,
        message: expect.stringContaining('has gaps') as string,
      });
    },
  );
});
