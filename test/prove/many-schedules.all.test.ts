import { expect, test } from 'vitest';
import { manySchedules } from '../../prove/many-schedules.ts';
import { createTestDatabase, postgresMissing } from '../postgres/test-database.ts';
import { postgresStore } from '../service/test-store.ts';

const missing = await postgresMissing();
if (missing !== undefined) console.warn(`test/prove/many-schedules.all.test.ts is skipped: ${missing}.`);

test.skipIf(missing !== undefined)(
  'schedules that are due at one moment have one run each, with three processes and a low limit of jobs (needs PostgreSQL)',
  async () => {
    const database = await createTestDatabase({ keepsSchema: true });
    try {
      const report = await manySchedules({ schedules: 40, store: postgresStore('/nowhere', database.url) });
      expect(report).toMatchObject({ runs: 40, processes: 3 });
    } finally {
      await database.remove();
    }
  },
);
