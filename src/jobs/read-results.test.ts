import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { beforeEach, describe, expect, onTestFinished, test } from 'vitest';
import { createJob, getJob, leaseAndTake, links, org, settlement } from '../../test/storage/test-data.ts';
import type { Store } from '../core/ports/stores.ts';
import { openSqliteStore } from '../storage/sqlite/sqlite-store.ts';
import { Cursors } from './cursor.ts';
import { newJobId } from './job-id.ts';
import { readResults, type Results, type ResultsParts } from './read-results.ts';

const never = new AbortController().signal;

let store: Store;
let parts: ResultsParts;

beforeEach(async () => {
  const directory = mkdtempSync(path.join(tmpdir(), 'hayrake-results-'));
  onTestFinished(() => rmSync(directory, { recursive: true, force: true }));
  store = openSqliteStore(directory, { crawling: true });
  onTestFinished(() => store.close());
  await store.frontier.recover({ delayMs: 0 });
  parts = { jobs: store.jobs, pages: store.pages, cursors: new Cursors(store.secret) };
});

const read = (id: string, after: number, withText = true, limit = 2): Promise<Results> =>
  readResults(parts, org, id, { limit, withText, after, waitMs: 0 }, never);

/** Settles this many pages of the one job, which ends when all are settled. */
async function settle(count: number): Promise<void> {
  const { held, requests } = await leaseAndTake(store, count);
  await store.frontier.settle(
    held,
    requests.map((request) => settlement(request)),
  );
  await store.frontier.release(held);
}

describe.each([true, false])('readResults (with texts: %s)', (withText) => {
  test('readResults: returns each page once, and more until the job has ended', async () => {
    const { id } = await createJob(store, { id: newJobId(Date.now()), startLinks: links(6, '/', { depth: 0 }) });
    expect(await read(id, 0, withText)).toMatchObject({ pages: [], position: 0, more: true });
    await settle(5);
    const pages: number[] = [];
    let position = 0;
    for (let look = 0; look < 4; look++) {
      const slice = await read(id, position, withText);
      expect(slice.more).toBe(true);
      pages.push(...slice.pages.map(({ page }) => page));
      ({ position } = slice);
    }
    expect([pages, position]).toEqual([[1, 2, 3, 4, 5], 5]);
    await settle(1);
    expect(await read(id, position, withText)).toMatchObject({ pages: [{ page: 6 }], position: 6, more: false });
    expect(await read(id, 6, withText)).toMatchObject({ pages: [], position: 6, more: false });
  });

  test('readResults: rejects for another org, and after the results have expired', async () => {
    const { id } = await createJob(store, { id: newJobId(Date.now()) });
    await settle(1);
    expect((await read(id, 0, withText)).pages).toHaveLength(1);
    const others = readResults(parts, 'other', id, { limit: 2, withText, after: 0, waitMs: 0 }, never);
    await expect(others).rejects.toMatchObject({ code: 'job_not_found' });
    await store.jobs.delete(org, id, Date.now());
    expect((await getJob(store, id)).resultsGoneAt).toBeLessThanOrEqual(Date.now());
    await expect(read(id, 0, withText)).rejects.toMatchObject({ code: 'job_data_expired' });
  });
});
