// Kills while jobs learn from a model, on both stores: a sample of `npm run prove -- --only learningKills`.
import { randomInt } from 'node:crypto';
import { expect, test } from 'vitest';
import { learningKills, learningPoints } from '../../prove/learning-kills.ts';
import { postgresMissing } from '../postgres/test-database.ts';

const missing = await postgresMissing();
if (missing !== undefined) console.warn(`a part of test/prove/learning-kills.all.test.ts is skipped: ${missing}.`);

const seed = Number(process.env['PROVE_SEED'] ?? randomInt(2 ** 31));

test('a job that learns has each page once, with its record, after deaths at each fail-point of learning', async () => {
  console.log(`PROVE_SEED=${seed}`);
  const deaths = learningPoints.map((point) => `${point}:1`);
  const report = await learningKills({ kills: 0, seed, store: 'sqlite', deaths });
  expect(report.kills).toBe(deaths.length);
});

test.skipIf(missing !== undefined)(
  'a job that learns on PostgreSQL has each page once, with its record, and asks only again what was in flight (needs PostgreSQL)',
  async () => {
    console.log(`PROVE_SEED=${seed}`);
    const report = await learningKills({ kills: 1, seed, store: 'postgres' });
    expect(report.kills).toBe(1);
    expect(report.pages).toBeGreaterThanOrEqual(44);
  },
);
