// Tries mutants of changed files, and two others for each commit. `npm run prove -- --mutants` tries all.
import { expect, test } from 'vitest';
import { readMutants } from '../../prove/mutants/read-mutants.ts';
import { changesOfCheckout, chooseMutants } from '../../prove/mutants/choose.ts';
import { lineOf, tryMutants } from '../../prove/mutants/mutate.ts';

test('tests notice the mutants of changed files and two others', { timeout: 1_200_000 }, async ({ signal }) => {
  const { tried, left } = chooseMutants(readMutants(), changesOfCheckout(), 2);
  if (left.length > 0)
    console.info(`left to \`npm run prove -- --mutants --only ${left.map(({ name }) => name).join(',')}\``);
  const results = await tryMutants(tried, {
    parallel: 2,
    isControlled: false,
    signal,
    onResult: (result) => console.info(lineOf(result)),
  });
  expect(results.length).toBeGreaterThanOrEqual(2);
  expect(results.filter(({ kind }) => kind !== 'dead' && kind !== 'skipped').map(lineOf)).toEqual([]);
});
