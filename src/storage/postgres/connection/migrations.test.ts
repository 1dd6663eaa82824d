import { expect, onTestFinished, test } from 'vitest';
import { createTestDatabase, postgresMissing } from '../../../../test/postgres/test-database.ts';
import { insertOldJob } from '../../../../test/storage/old-deliveries.ts';
import { Connections } from './connections.ts';
import { migrate } from './schema.ts';

const missing = await postgresMissing();
/** The last version in which two counters of a job stood apart from the others. */
const before = 21;

test.skipIf(missing !== undefined)(
  'counters of a job keep their values when they change places (needs PostgreSQL)',
  async () => {
    const { url, remove } = await createTestDatabase();
    onTestFinished(remove);
    const connections = new Connections({ url, max: 1, applicationName: 'test' });
    onTestFinished(() => connections.close());
    await migrate(connections, before);
    await connections.query(insertOldJob.replace(' VALUES', ' OVERRIDING SYSTEM VALUE VALUES'));
    await connections.query('UPDATE job SET unlisted = 3, fetched_bytes = 5000000000, sitemap_pages = 7');
    await migrate(connections);
    const [job] = await connections.query('SELECT unlisted, fetched_bytes, sitemap_pages FROM job');
    expect(job).toEqual({ unlisted: 3, fetched_bytes: 5_000_000_000, sitemap_pages: 7 });
    const columns = await connections.query<{ name: string; type: string; fallback: string }>(
      `SELECT column_name AS name, data_type AS type, column_default AS fallback FROM information_schema.columns
     WHERE table_name = 'job' AND column_name IN ('unlisted', 'fetched_bytes') AND is_nullable = 'NO' ORDER BY 1`,
    );
    expect(columns).toEqual([
      { name: 'fetched_bytes', type: 'bigint', fallback: '0' },
      { name: 'unlisted', type: 'integer', fallback: '0' },
    ]);
  },
);
