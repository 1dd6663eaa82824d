// Several processes settle for one job at the same time. Each decides without the job's row, and locks it for the last
// step only.
import { Client } from 'pg';
import { beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { createTestDatabase, postgresMissing } from '../../../../test/postgres/test-database.ts';
import {
  createJob,
  getJob,
  hostA,
  hostB,
  leaseAndTake,
  ledgerOf,
  link,
  listAll,
  type newJob,
  pagesOf,
  scraped,
  settlement,
  wholeJob,
} from '../../../../test/storage/test-data.ts';
import type { HostLease } from '../../../core/ports/frontier.ts';
import type { Link, Outcome, Request } from '../../../core/request.ts';
import type { Store } from '../../../core/ports/stores.ts';
import { openPostgresStore } from '../postgres-store.ts';

const missing = await postgresMissing();

interface Part {
  readonly store: Store;
  readonly held: HostLease;
  readonly requests: readonly Request[];
}

describe.skipIf(missing !== undefined)('two processes that settle for one job (needs PostgreSQL)', () => {
  let url: string;
  let stores: readonly [Store, Store];
  let other: Client;

  beforeEach(async () => {
    const database = await createTestDatabase();
    url = database.url;
    onTestFinished(database.remove);
    stores = [await open(), await open()];
    other = new Client({ connectionString: url });
    await other.connect();
    onTestFinished(() => other.end());
    for (const store of stores) await store.frontier.recover({ delayMs: 0 });
  });

  async function open(): Promise<Store> {
    const store = await openPostgresStore({ url, connections: 4 });
    onTestFinished(() => store.close());
    return store;
  }

  /** A job with two pages on each of two hosts, one for each process, and more that are not taken. */
  async function start(
    spec: Parameters<typeof newJob>[0] = {},
  ): Promise<{ readonly id: string; readonly parts: readonly [Part, Part] }> {
    const startLinks = [hostA, hostB].flatMap((host) =>
      ['/1', '/2', '/3'].map((path) => link(path, { depth: 0, host })),
    );
    const { id } = await createJob(stores[0], { startLinks, ...spec });
    const part = async (store: Store): Promise<Part> => ({ store, ...(await leaseAndTake(store, 2)) });
    return { id, parts: [await part(stores[0]), await part(stores[1])] };
  }

  /** Settles in both processes while another session holds the job; returns the statements that they wait for. */
  async function settleAtOnce(parts: readonly Part[], outcomeOf: (request: Request) => Outcome): Promise<string[]> {
    await other.query('BEGIN');
    await other.query('SELECT FROM job FOR NO KEY UPDATE');
    const settling = parts.map(({ store, held, requests }) =>
      store.frontier.settle(
        held,
        requests.map((request) => settlement(request, outcomeOf(request))),
      ),
    );
    let waiting: string[] = [];
    while (waiting.length < parts.length) {
      await other.query('SELECT pg_stat_clear_snapshot()');
      const { rows } = await other.query<{ query: string }>(
        "SELECT query FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'",
      );
      waiting = rows.map(({ query }) => query.replaceAll(/\s+/g, ' ').trim());
    }
    await other.query('COMMIT');
    await Promise.all(settling);
    return waiting;
  }

  async function pageNumbers(id: string): Promise<number[]> {
    const slice = await stores[0].pages.read({ ...wholeJob, jobId: id, withText: true });
    expect(slice?.damagedPage).toBeUndefined();
    return slice?.pages.map(({ page }) => page) ?? [];
  }

  it('settle: locks the job last, and two processes number their pages without gaps', async () => {
    const { id, parts } = await start();
    const found = (request: Request): Link[] => [
      link(`/of${new URL(request.url).pathname}`, { host: request.url.includes('a.test') ? hostA : hostB }),
    ];
    const waiting = await settleAtOnce(parts, (request) => scraped(request, found(request)));
    for (const query of waiting) expect(query).toMatch(/^WITH written AS \(UPDATE job/);
    expect(await pageNumbers(id)).toEqual([1, 2, 3, 4]);
    expect(new Set(Object.values(await pagesOf(stores[1], id))).size).toBe(4);
    const job = await getJob(stores[0], id);
    expect(job.progress).toEqual({ queued: 6, inFlight: 0, scraped: 4, discarded: 0, failed: 0, outside: 0 });
    const pages = (await listAll(stores[0], id)).flatMap(({ page }) => page ?? []);
    expect(pages.toSorted((a, b) => a - b)).toEqual([1, 2, 3, 4]);
    // Each process only knew its own fetches.
    expect((await other.query('SELECT fetches FROM job')).rows).toEqual([{ fetches: 4 }]);
  });

  it('settle: decides again when two processes found the same URL', async () => {
    const { id, parts } = await start();
    await settleAtOnce(parts, (request) =>
      scraped(request, [link('/new'), link(`/of${new URL(request.url).pathname}`)]),
    );
    expect(await pageNumbers(id)).toEqual([1, 2, 3, 4]);
    const urls = (await listAll(stores[0], id)).map((entry) => entry.url);
    expect(new Set(urls).size).toBe(urls.length);
    expect((await getJob(stores[0], id)).progress).toMatchObject({ queued: 2 + 3, scraped: 4, inFlight: 0 });
    expect((await other.query('SELECT count(*)::int AS rows FROM frontier')).rows).toEqual([{ rows: 5 }]);
  });

  it('settle: decides again when two processes scraped a page with the same text', async () => {
    const startLinks = [hostA, hostB].map((host) => link('/deep', { depth: 1, host }));
    const { id, parts } = await start({ startLinks: [...startLinks, link('/left', { depth: 2 })] });
    await settleAtOnce(
      parts.map(({ store, held, requests }) => ({ store, held, requests: requests.slice(0, 1) })),
      (request) => scraped(request, [], { text: 'the same' }),
    );
    expect(await pageNumbers(id)).toEqual([1]);
    const { progress, reasons } = await getJob(stores[0], id);
    expect(progress).toMatchObject({ scraped: 1, discarded: 1 });
    expect(reasons).toEqual({ duplicate_of: 1 });
  });

  it('settle: keeps pageLimit when two processes reach it, and ends the job once', async () => {
    const { id, parts } = await start({ spec: { pageLimit: 4 } });
    await settleAtOnce(parts, (request) => scraped(request));
    expect(await pageNumbers(id)).toEqual([1, 2, 3, 4]);
    expect(await getJob(stores[0], id)).toMatchObject({
      status: 'succeeded',
      progress: { scraped: 4, discarded: 2, queued: 0, inFlight: 0 },
      reasons: { page_limit: 2 },
    });
  });

  it('settle: adds the reasons that two processes count', async () => {
    const { id, parts } = await start();
    const outcome: Outcome = { kind: 'discarded', reason: 'robots_disallowed' };
    await settleAtOnce(parts, () => outcome);
    expect((await getJob(stores[0], id)).reasons).toEqual({ robots_disallowed: 4 });
  });

  it('settle: changes nothing of a job that another process ended', async () => {
    const { id, parts } = await start();
    await other.query('BEGIN');
    await other.query('SELECT FROM job FOR NO KEY UPDATE');
    const [{ store, held, requests }] = parts;
    const settled = store.frontier.settle(
      held,
      requests.map((request) => settlement(request)),
    );
    const cancelled = stores[1].jobs.cancel('acme', id);
    await other.query('COMMIT');
    await Promise.all([settled, cancelled]);
    const { progress } = await getJob(stores[0], id);
    expect(progress.scraped + progress.discarded).toBe(6);
    expect(await pageNumbers(id)).toHaveLength(progress.scraped);
  });

  it('settle: writes nothing under a lease that was lost while it waited', async () => {
    const { id, parts } = await start();
    const [{ store, held, requests }] = parts;
    await other.query('BEGIN');
    await other.query('SELECT FROM job FOR NO KEY UPDATE');
    const settled = store.frontier.settle(
      held,
      requests.map((request) => settlement(request)),
    );
    for (let isWaiting = false; !isWaiting;) {
      const { rowCount } = await other.query('SELECT FROM pg_locks WHERE NOT granted');
      isWaiting = rowCount === 1;
    }
    // A process that takes another for dead gives back its requests like this.
    await other.query('UPDATE frontier SET fence = NULL WHERE id = ANY($1)', [requests.map(({ id: one }) => one)]);
    await other.query('COMMIT');
    await settled;
    expect(await pageNumbers(id)).toEqual([]);
    expect(Object.values(await ledgerOf(store, id))).not.toContain('scraped');
  });
});
