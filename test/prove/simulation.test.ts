// Hours of crawling with injected clock, chance, web, deaths and jumps of the time of day, from as many seeds.
import { describe, expect, test } from 'vitest';
import { simulate } from '../../prove/simulation/simulate.ts';

const seedsATest = 100;

describe('a thousand simulated crawls', () => {
  test.each(Array.from({ length: 10 }, (_, index) => index * seedsATest))(
    'from seed %d on',
    async (first) => {
      let [deaths, pages] = [0, 0];
      for (let seed = first; seed < first + seedsATest; seed++) {
        const report = await simulate(seed);
        deaths += report.deaths;
        pages += report.pages;
      }
      expect(deaths).toBeGreaterThan(seedsATest / 2);
      expect(pages).toBeGreaterThan(5 * seedsATest);
    },
    300_000,
  );
});
