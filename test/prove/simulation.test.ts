// A sample: `npm run prove` simulates 10,000.
import { expect, test } from 'vitest';
import { simulate } from '../../prove/simulation/simulate.ts';

test('fifty simulated crawls keep every promise', async () => {
  let [deaths, pages, sweptMeanwhile] = [0, 0, 0];
  for (let seed = 0; seed < 50; seed++) {
    const report = await simulate(seed);
    deaths += report.deaths;
    pages += report.pages;
    sweptMeanwhile += report.sweptMeanwhile;
  }
  expect(deaths).toBeGreaterThan(25);
  expect(pages).toBeGreaterThan(250);
  expect(sweptMeanwhile).toBeGreaterThan(2);
});
