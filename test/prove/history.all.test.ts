import { randomInt } from 'node:crypto';
import { expect, test } from 'vitest';
import { historyCampaign } from '../../prove/history/campaign.ts';
import { postgresMissing } from '../postgres/test-database.ts';

/** A sample: `npm run prove` has twenty of each, and sets more faults. */
const seed = Number(process.env['PROVE_SEED'] ?? randomInt(2 ** 31));
const faultsOf = (sample: number): number => Number(process.env['PROVE_FAULTS'] ?? sample);
const missing = await postgresMissing();

test('history: what clients saw of SQLite over kills, stops and set clocks is what a service without faults answers', async () => {
  console.log(`PROVE_SEED=${seed}`);
  const report = await historyCampaign({ seed, store: 'sqlite', faults: faultsOf(4) });
  expect(report.violations).toEqual([]);
  expect(report.operations - report.unknown).toBeGreaterThan(60);
});

test.skipIf(missing !== undefined)(
  'history: what clients saw of PostgreSQL over kills, silent lines and a failover is what a service without faults answers (needs PostgreSQL)',
  async () => {
    console.log(`PROVE_SEED=${seed}`);
    const report = await historyCampaign({ seed, store: 'postgres', faults: faultsOf(6) });
    expect(report.violations).toEqual([]);
    expect(report.faults['failover']).toBe(1);
    expect(report.operations - report.unknown).toBeGreaterThan(60);
  },
);
