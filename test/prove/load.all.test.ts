import { randomInt } from 'node:crypto';
import { expect, test } from 'vitest';
import { load } from '../../prove/load.ts';

const seed = Number(process.env['PROVE_SEED'] ?? randomInt(2 ** 31));

// `npm run prove -- --long` has a thousand slow readers, and an hour.
test('a service with slow readers, slow senders, exports and tools beside crawls answers /healthz, and keeps no descriptor', async () => {
  console.log(`PROVE_SEED=${seed}`);
  const seen = await load({ minutes: 0.1, seed, share: 0.05 }, () => {});
  console.log(JSON.stringify(seen));
  expect(seen).toMatchObject({ slowReaders: 50, slowExports: 1 });
  for (const name of ['slowSenders', 'toolCalls', 'healthChecks', 'jobs']) expect(seen[name]).toBeGreaterThan(1);
});
