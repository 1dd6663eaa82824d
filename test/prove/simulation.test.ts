import { expect, test } from 'vitest';
import { simulateSeeds } from './simulate-seeds.ts';

test('a hundred simulated crawls keep every promise', { timeout: 120_000 }, async () => {
  const { deaths, pages, sweptMeanwhile } = await simulateSeeds(0, 100);
  expect(deaths).toBeGreaterThan(50);
  expect(pages).toBeGreaterThan(500);
  expect(sweptMeanwhile).toBeGreaterThan(5);
});
