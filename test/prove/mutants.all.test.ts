// Five of the mutants, others every day: each has to be noticed by its test. `npm run prove -- --mutants` tries all.
import { expect, test } from 'vitest';
import { lineOf, type Mutant, mutantsOfDay, tryMutants } from '../../prove/mutants/mutate.ts';
import { mutants } from '../../prove/mutants/mutants.ts';

test('five mutants are noticed', { timeout: 400_000 }, async ({ signal }) => {
  const ofDay = mutantsOfDay(mutants, new Date(), 5);
  const results = await tryMutants(ofDay, {
    parallel: 2,
    signal,
    onResult: (result) => console.info(lineOf(result)),
  });
  expect(results).toHaveLength(5);
  expect(results.filter(({ kind }) => kind !== 'dead' && kind !== 'skipped').map(lineOf)).toEqual([]);
});

test('what is not noticed, cannot be loaded, or has no test is not dead', async ({ signal }) => {
  const about = { what: 'Nothing', file: 'src/api/guard/rate-limit.ts', test: 'src/api/guard/rate-limit.test.ts' };
  const given: readonly Mutant[] = [
    { ...about, name: 'same-meaning', find: 'const minuteMs = 60_000;', replace: 'const minuteMs = 60 * 1_000;' },
    { ...about, name: 'cannot-be-loaded', find: 'const minuteMs = 60_000;', replace: 'const minuteMs = notThere;' },
    { ...about, name: 'another-meaning', find: 'const minuteMs = 60_000;', replace: 'const minuteMs = 30_000;' },
    { ...about, name: 'no-such-test', find: '60_000', replace: '30_000', title: 'a test that nobody wrote' },
  ];
  const lines: string[] = [];
  const results = await tryMutants(given, { parallel: 1, signal, onResult: (result) => lines.push(lineOf(result)) });
  expect(results.map(({ mutant, kind }) => [mutant.name, kind])).toEqual([
    ['same-meaning', 'survived'],
    ['cannot-be-loaded', 'unproved'],
    ['another-meaning', 'dead'],
    ['no-such-test', 'unproved'],
  ]);
  expect(lines[0]).toMatch(/^SURVIVED {2}same-meaning, \d+\.\d s: Nothing\. No test of /);
  expect(lines[2]).toMatch(/^dead {6}another-meaning, \d+\.\d s: src\/api\/guard\/rate-limit\.test\.ts > /);
});
