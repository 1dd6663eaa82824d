import { randomInt } from 'node:crypto';
import { expect, test } from 'vitest';
import { scanCampaign } from '../../prove/scans.ts';

const seed = Number(process.env['PROVE_SEED'] ?? randomInt(2 ** 31));

test('readers with random limits and old cursors, against a crawl and kills, skip and repeat nothing', async () => {
  console.log(`PROVE_SEED=${seed}`);
  const report = await scanCampaign({ scans: 120, seed });
  expect(report.scans).toBeGreaterThanOrEqual(120);
  expect(report.rows).toBeGreaterThan(1_000);
  expect(report.fromOldCursors).toBeGreaterThan(10);
});
