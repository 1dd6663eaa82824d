import { randomBytes } from 'node:crypto';
import { Client } from 'pg';
import { describe, expect, it, onTestFinished } from 'vitest';
import { createTestDatabase, postgresMissing } from '../../../../test/postgres/test-database.ts';
import { createJob, leaseAndTake, link, links, settlement, scraped } from '../../../../test/storage/test-data.ts';
import { openPostgresStore } from '../postgres-store.ts';

const missing = await postgresMissing();
const rowsAdded = 30_000;
const pages = 20;
/** A page has a few rows of each table: those of its links, its keys, its host. */
const rowsOfAPageMax = 500;
const waitMs = 15_000;

describe.skipIf(missing !== undefined)('planner statistics (needs PostgreSQL)', () => {
  it(
    'planner statistics: keep settlements from reading whole tables that were empty at first, without autovacuum',
    { timeout: 180_000 },
    async () => {
      const { url, remove } = await createTestDatabase();
      onTestFinished(remove);
      const store = await openPostgresStore({ url, connections: 2 });
      const client = new Client({ connectionString: url });
      await client.connect();
      onTestFinished(() => client.end());
      await client.query('ALTER TABLE ledger SET (autovacuum_enabled = off)');
      await client.query('ALTER TABLE frontier SET (autovacuum_enabled = off)');
      await store.frontier.recover({ delayMs: 0 });
      await createJob(store, { startLinks: links(3 * pages), spec: { pageLimit: 1_000_000 } });
      let settled = 0;
      const settleOne = async (): Promise<void> => {
        const { held, requests } = await leaseAndTake(store, 1);
        const found = links(20, `/of-${++settled}/`, { host: 'b.test:443' });
        await store.frontier.settle(
          held,
          requests.map((request) => settlement(request, scraped(request, [...found, link('/1')]))),
        );
        await store.frontier.release(held);
      };
      // Each statement is planned here, on each connection.
      await Promise.all([settleOne(), settleOne()]);
      await settleOne();

      await client.query(
        `WITH added AS (
         INSERT INTO ledger (job, key, kind, url, depth, state)
         SELECT job.seq, 'key ' || n, 'page', 'https://c.test/' || n, 1, 'queued' FROM job, generate_series(1, ${rowsAdded}) n RETURNING id, job)
       INSERT INTO frontier (id, host, job, priority) SELECT added.id, host.id, added.job, 2 FROM added, host WHERE host.name = 'b.test:443'`,
      );
      await client.query('SELECT pg_stat_force_next_flush()');
      const known = async (): Promise<number> => {
        const { rows } = await client.query<{ least: number }>(
          "SELECT min(reltuples) AS least FROM pg_class WHERE oid IN ('ledger'::regclass, 'frontier'::regclass)",
        );
        return rows[0]?.least ?? 0;
      };
      for (const until = performance.now() + waitMs; performance.now() < until && (await known()) < rowsAdded;) {
        await settleOne();
        await new Promise((resolve) => setTimeout(resolve, 500));
      }

      // A session reports what it has read once a second, with its next statement, so a round can count earlier plans.
      let read = Number.POSITIVE_INFINITY;
      for (let round = 0; round < 5 && read >= pages * rowsOfAPageMax; round++) {
        await client.query('SELECT pg_stat_reset()');
        for (let page = 0; page < pages; page++) await settleOne();
        await new Promise((resolve) => setTimeout(resolve, 1_100));
        await Promise.all([settleOne(), settleOne()]);
        const { rows } = await client.query<{ read: number }>(
          `SELECT (SELECT sum(idx_tup_read) FROM pg_stat_user_indexes)::int + (SELECT sum(seq_tup_read) FROM pg_stat_user_tables WHERE relname IN ('ledger', 'frontier'))::int AS read`,
        );
        read = rows[0]?.read ?? Number.POSITIVE_INFINITY;
      }
      await store.close();
      expect(read).toBeGreaterThan(0);
      expect(read).toBeLessThan(pages * rowsOfAPageMax);
    },
  );

  it(
    'planner statistics: are left to autovacuum, with one warning, when the role does not own the tables',
    { timeout: 180_000 },
    async () => {
      const { url, remove } = await createTestDatabase();
      onTestFinished(remove);
      await (await openPostgresStore({ url, connections: 1 })).close();
      const client = new Client({ connectionString: url });
      await client.connect();
      onTestFinished(() => client.end());
      const role = `guest_${randomBytes(8).toString('hex')}`;
      await client.query(
        `CREATE ROLE ${role} LOGIN; GRANT ALL ON SCHEMA public TO ${role}; GRANT ALL ON ALL TABLES IN SCHEMA public TO ${role};
       GRANT ALL ON ALL SEQUENCES IN SCHEMA public TO ${role}`,
      );
      onTestFinished(async () => {
        await client.query(`DROP OWNED BY ${role}; DROP ROLE ${role}`);
      });
      const warnings: string[] = [];
      const log = { debug: () => {}, info: () => {}, warn: (text: string) => warnings.push(text), error: () => {} };
      const guest = new URL(url);
      guest.username = role;
      const store = await openPostgresStore({ url: guest.href, connections: 2, log });
      onTestFinished(() => store.close());
      await client.query("INSERT INTO host (name) SELECT n || '.test:443' FROM generate_series(1, 5000) n");
      await client.query('SELECT pg_stat_force_next_flush()');
      for (let job = 0; job < 4; job++) {
        await createJob(store);
        await new Promise((resolve) => setTimeout(resolve, 1_200));
      }
      expect(warnings).toEqual([expect.stringContaining('does not own the tables')]);
    },
  );
});
