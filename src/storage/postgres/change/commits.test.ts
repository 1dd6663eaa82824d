import { Client } from 'pg';
import { beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { createTestDatabase, postgresMissing } from '../../../../test/postgres/test-database.ts';
import { createJob, leaseAndTake, links, org, scraped, settlement } from '../../../../test/storage/test-data.ts';
import type { Store } from '../../../core/ports/stores.ts';
import { openPostgresStore } from '../postgres-store.ts';

const missing = await postgresMissing();

/**
 * Notes each write of each table at the end of its transaction: the transaction, and if its commit waits for the disk.
 * At that moment, settings of the transaction still apply.
 */
const noteWrites = `
  CREATE TABLE noted (tx xid8, wrote text, waits text);
  CREATE FUNCTION note() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
    INSERT INTO noted VALUES (pg_current_xact_id(), TG_TABLE_NAME, current_setting('synchronous_commit'));
    RETURN NULL;
  END $$;
  DO $$ DECLARE name text; BEGIN
    FOR name IN SELECT tablename FROM pg_tables WHERE schemaname = 'public' AND tablename <> 'noted' LOOP
      EXECUTE format('CREATE CONSTRAINT TRIGGER noted AFTER INSERT OR UPDATE OR DELETE ON %I DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION note()', name);
    END LOOP;
  END $$`;

interface Noted {
  readonly tx: string;
  readonly tables: readonly string[];
  readonly waits: readonly string[];
}

describe.skipIf(missing !== undefined)('commits on PostgreSQL (needs PostgreSQL)', () => {
  let store: Store;
  let noted: () => Promise<Noted[]>;
  let usual: string;

  beforeEach(async () => {
    // The test drops the tables afterwards, and the triggers with them.
    const { url, remove } = await createTestDatabase();
    onTestFinished(remove);
    store = await openPostgresStore({ url, connections: 4 });
    onTestFinished(() => store.close());
    const client = new Client({ connectionString: url });
    await client.connect();
    onTestFinished(() => client.end());
    await client.query(noteWrites);
    usual = (await client.query<{ setting: string }>("SELECT current_setting('synchronous_commit') AS setting"))
      .rows[0]!.setting;
    noted = async () =>
      (
        await client.query<Noted>(
          'SELECT tx::text, array_agg(DISTINCT wrote ORDER BY wrote) AS tables, array_agg(DISTINCT waits) AS waits FROM noted GROUP BY tx',
        )
      ).rows;
  });

  /** One job, with one settled page that links to others. */
  const settleOne = async (): Promise<string> => {
    await store.frontier.recover({ delayMs: 0 });
    const { id } = await createJob(store, { webhookUrl: 'https://hook.test/' });
    const { held, requests } = await leaseAndTake(store);
    await store.frontier.settle(
      held,
      requests.map((request) => settlement(request, scraped(request, links(3)))),
    );
    await store.frontier.release(held);
    return id;
  };

  it('commits: all wait for the disk', async () => {
    const id = await settleOne();
    await store.jobs.cancel(org, id, Date.now());
    const commits = await noted();
    expect(new Set(commits.flatMap(({ tables }) => tables))).toEqual(
      new Set(['body', 'frontier', 'host', 'host_slot', 'job', 'ledger', 'page', 'page_key', 'work', 'worker']),
    );
    expect(usual).toBe('on');
    expect(new Set(commits.flatMap(({ waits }) => waits))).toEqual(new Set([usual]));
  });

  it('settle: commits a page, its text, its links, and the counters and events of its job together', async () => {
    await settleOne();
    const settling = (await noted()).filter(({ tables }) => tables.includes('page') || tables.includes('body'));
    expect(settling).toHaveLength(1);
    expect(settling[0]?.tables).toEqual([
      'body',
      'frontier',

      'job',
      'ledger',
      'page',
      'page_key',
      'work',
    ]);
  });
});
