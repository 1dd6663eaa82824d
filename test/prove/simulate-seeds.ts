import { simulate } from '../../prove/simulation/simulate.ts';

/** Hours of crawling with injected clock, chance, web, deaths and jumps of the time of day, from each of some seeds. Rejects when a promise is broken. */
export async function simulateSeeds(
  first: number,
  count: number,
): Promise<{ deaths: number; pages: number; sweptMeanwhile: number }> {
  let [deaths, pages, sweptMeanwhile] = [0, 0, 0];
  for (let seed = first; seed < first + count; seed++) {
    const report = await simulate(seed);
    deaths += report.deaths;
    pages += report.pages;
    sweptMeanwhile += report.sweptMeanwhile;
  }
  return { deaths, pages, sweptMeanwhile };
}
