import { randomInt } from 'node:crypto';
import { expect, test } from 'vitest';
import { killCampaign } from '../../prove/kill-campaign.ts';
import { scanCampaign } from '../../prove/scans.ts';

const seed = Number(process.env['PROVE_SEED'] ?? randomInt(2 ** 31));

test('readers with random limits and old cursors, against a crawl and kills, skip and repeat nothing', async () => {
  console.log(`PROVE_SEED=${seed}`);
  const report = await scanCampaign({ scans: 120, seed });
  expect(report.scans).toBeGreaterThanOrEqual(120);
  expect(report.rows).toBeGreaterThan(1_000);
  expect(report.fromOldCursors).toBeGreaterThan(10);
}, 180_000);

test('SIGKILL at random moments loses and repeats nothing', async () => {
  console.log(`PROVE_SEED=${seed}`);
  const report = await killCampaign({ kills: 10, seed });
  expect(report.kills).toBe(10);
}, 180_000);
