import { expect, test } from 'vitest';
import { simulateSeeds } from './simulate-seeds.ts';

test.each(Array.from({ length: 9 }, (_, index) => 100 * (index + 1)))(
  'a hundred simulated crawls from seed %d on keep every promise',
  { timeout: 300_000 },
  async (first) => {
    const { deaths, pages, sweptMeanwhile } = await simulateSeeds(first, 100);
    expect(deaths).toBeGreaterThan(50);
    expect(pages).toBeGreaterThan(500);
    expect(sweptMeanwhile).toBeGreaterThan(5);
  },
);
