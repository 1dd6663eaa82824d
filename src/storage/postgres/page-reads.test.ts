import { Client } from 'pg';
import { beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { createTestDatabase, postgresMissing } from '../../../test/postgres/test-database.ts';
import { crawl, createJob, org } from '../../../test/storage/test-data.ts';
import type { PageSlice, Store } from '../../core/stores.ts';
import { openPostgresStore } from './postgres-store.ts';

const missing = await postgresMissing();

describe.skipIf(missing !== undefined)('metadata on PostgreSQL (needs PostgreSQL)', () => {
  let store: Store;
  let jobId: string;
  const errors: string[] = [];
  let change: (sql: string) => Promise<unknown>;

  beforeEach(async () => {
    const { url, remove } = await createTestDatabase({ keepsSchema: true });
    onTestFinished(remove);
    const log = { debug: () => {}, info: () => {}, warn: () => {}, error: (message: string) => errors.push(message) };
    store = await openPostgresStore({ url, connections: 2, log });
    onTestFinished(() => store.close());
    await store.frontier.recover({ delayMs: 0 });
    ({ id: jobId } = await createJob(store));
    await crawl(store);
    const client = new Client({ connectionString: url });
    await client.connect();
    onTestFinished(() => client.end());
    change = (sql) => client.query(sql);
  });

  const read = (withText: boolean): Promise<PageSlice | undefined> =>
    store.pages.read({ org, jobId, after: 0, limit: 10, withText, bytesMax: 1e6 });

  it('that is not what was stored is answered to nobody, and logged', async () => {
    expect((await read(false))?.pages).toHaveLength(1);
    await change('UPDATE page SET meta = set_byte(meta, 12, get_byte(meta, 12) # 1)');
    await expect(read(false)).rejects.toMatchObject({
      exitCode: 5,
      message: expect.stringContaining(`page 1 of job ${jobId} is not what was stored`) as string,
    });
    expect(errors.splice(0)).toEqual(['a page cannot be read']);
    // The rest may be well: what is read with the text is stored with it.
    expect((await read(true))?.pages).toHaveLength(1);
    expect(store.failed.aborted).toBe(false);
  });

  it('of an earlier version has no checksum, and is read as it is', async () => {
    const before = (await read(false))?.pages;
    expect(before).toHaveLength(1);
    await change('UPDATE page SET crc = NULL');
    expect((await read(false))?.pages).toEqual(before);
  });
});
