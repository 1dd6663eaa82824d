import { expect, test } from 'vitest';
import { checkShares, simulateShares } from '../../prove/simulation/fair-shares.ts';

test.each([1, 2])(
  'orgs and their jobs have equal shares, and no job starves, from seed %d',
  { timeout: 120_000 },
  async (seed) => {
    const shares = await simulateShares(seed, {
      orgs: 5,
      jobsPerOrg: 10,
      hostsPerLargeJob: 60,
      hostsPerJob: 6,
      pagesPerJob: 30,
      concurrency: 8,
    });
    expect(shares).toMatchObject({ hosts: 840, jobs: 50 });
    expect(() => checkShares(shares)).not.toThrow();
  },
);
