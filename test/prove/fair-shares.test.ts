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

test('no first page of 501 new jobs waits for more than 700 pages of others', async () => {
  const { jobs, pagesBeforeLastFirst } = await simulateShares(1, {
    orgs: 1,
    jobsPerOrg: 501,
    hostsPerLargeJob: 1,
    hostsPerJob: 1,
    pagesPerJob: 10,
    concurrency: 64,
    kinds: [{ crawlDelaySeconds: 0, pageMs: 20 }],
    callMs: 10,
  });
  expect(jobs).toBe(501);
  expect(pagesBeforeLastFirst).toBeGreaterThanOrEqual(500);
  expect(pagesBeforeLastFirst).toBeLessThanOrEqual(700);
});
