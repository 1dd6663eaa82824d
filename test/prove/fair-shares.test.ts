import { expect, test } from 'vitest';
import { checkShares, simulateShares } from '../../prove/simulation/fair-shares.ts';

test('orgs and their jobs have equal shares, and no job starves', async () => {
  const shares = await simulateShares(1, {
    orgs: 5,
    jobsPerOrg: 10,
    hostsPerLargeJob: 60,
    hostsPerJob: 6,
    pagesPerJob: 30,
    concurrency: 8,
  });
  expect(shares).toMatchObject({ hosts: 840, jobs: 50 });
  expect(() => checkShares(shares)).not.toThrow();
});
