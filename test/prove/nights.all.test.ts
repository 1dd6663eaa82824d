import { randomInt } from 'node:crypto';
import { expect, test } from 'vitest';
import { nightsCampaign } from '../../prove/nights/nights.ts';
import { createTestStore } from '../service/test-store.ts';

const seed = Number(process.env['PROVE_SEED'] ?? randomInt(2 ** 31));

// `npm run prove` has thirty nights on each store, with every kind of bad night.
test.each(['since', 'schedule'] as const)(
  'copies are the site after each night, whatever it brings and whoever is killed: jobs by %s',
  async (by) => {
    console.log(`PROVE_SEED=${seed}`);
    const store = await createTestStore();
    try {
      const report = await nightsCampaign({ seed, nights: 4, store, by, bad: ['some', 'emptied', 'none'] });
      expect(report).toMatchObject({ nights: 4, exact: 4, bad: 2 });
    } finally {
      await store.remove();
    }
  },
);
