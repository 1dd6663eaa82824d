import { randomInt } from 'node:crypto';
import { expect, test } from 'vitest';
import { politeKills } from '../../prove/polite-kills.ts';
import { postgresMissing } from '../postgres/test-database.ts';

const missing = await postgresMissing();
if (missing !== undefined) console.warn(`test/prove/polite-kills.all.test.ts is skipped: ${missing}.`);

const seed = Number(process.env['PROVE_SEED'] ?? randomInt(2 ** 31));

// A lane keeps a host with more than a second between its pages.
test.skipIf(missing !== undefined).for([400, 1_200])(
  'workers that are killed while they crawl hosts with a delay of %i ms ask none too soon, and get every page once (needs PostgreSQL)',
  async (delayMs) => {
    console.log(`PROVE_SEED=${seed}`);
    const report = await politeKills({ kills: 2, pagesOfAHost: 8, seed, delayMs });
    // Who is killed before it has asked anybody proves nothing.
    expect(report.gaps).toBeGreaterThan(24 * 7 - 1);
    expect(report.pages).toBe(24 * 8);
  },
);
