// A sample: `npm run prove` simulates 10,000.
import { expect, test } from 'vitest';
import { simulate } from '../../prove/simulation/simulate.ts';

test('twenty simulated crawls keep every promise', async () => {
  let [deaths, pages, sweptMeanwhile] = [0, 0, 0];
  for (let seed = 0; seed < 20; seed++) {
    const report = await simulate(seed);
    deaths += report.deaths;
    pages += report.pages;
    sweptMeanwhile += report.sweptMeanwhile;
  }
  expect(deaths).toBeGreaterThan(10);
  expect(pages).toBeGreaterThan(100);
  expect(sweptMeanwhile).toBeGreaterThan(0);
});
