// Tries mutants of changed files, and three others for each commit. `npm run prove -- --mutants` tries all.
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { mutantsIn, readMutants, root } from '../../prove/mutants/annotations.ts';
import { changesOfCheckout, chooseMutants } from '../../prove/mutants/choose.ts';
import { lineOf, tryMutants } from '../../prove/mutants/mutate.ts';

test('tests notice the mutants of changed files and three others', { timeout: 1_200_000 }, async ({ signal }) => {
  const { tried, left } = chooseMutants(readMutants(), changesOfCheckout(), 3);
  if (left.length > 0)
    console.info(`left to \`npm run prove -- --mutants --only ${left.map(({ name }) => name).join(',')}\``);
  const results = await tryMutants(tried, {
    parallel: 2,
    isControlled: false,
    signal,
    onResult: (result) => console.info(lineOf(result)),
  });
  expect(results.length).toBeGreaterThanOrEqual(3);
  expect(results.filter(({ kind }) => kind !== 'dead' && kind !== 'skipped').map(lineOf)).toEqual([]);
});

test('only a mutant that fails a test is dead', { timeout: 900_000 }, async ({ signal }) => {
  const file = 'src/api/guard/rate-limit.ts';
  const source = readFileSync(path.join(root, file), 'utf8');
  const line = 'const minuteMs = 60_000;';
  const comments = [
    '// mutant same-meaning, promise 8: `60_000` -> `60 * 1_000`',
    '// mutant cannot-be-loaded, promise 8: `60_000` -> `notThere`',
    '// mutant another-meaning, promise 8: `60_000` -> `30_000`',
    '// mutant no-such-test, promise 8: `60_000` -> `30_000`; guard/rate-limit "a test that nobody wrote"',
  ];
  const problems: string[] = [];
  const annotated = source.replace(line, [...comments, line].join('\n'));
  const mutants = mutantsIn(file, annotated, ['src/api/guard/rate-limit.test.ts'], problems);
  const lines: string[] = [];
  const onResult = (result: Parameters<typeof lineOf>[0]): void => void lines.push(lineOf(result));
  const results = await tryMutants(mutants, { parallel: 1, isControlled: true, signal, onResult });
  expect(problems).toEqual([]);
  expect(results.map(({ mutant, kind }) => [mutant.name, kind])).toEqual([
    ['same-meaning', 'survived'],
    ['cannot-be-loaded', 'unproved'],
    ['another-meaning', 'dead'],
    ['no-such-test', 'unproved'],
  ]);
  expect(lines[0]).toMatch(/^SURVIVED {2}same-meaning, \d+\.\d s: src\/api\/guard\/rate-limit\.ts\. No test of /);
  expect(lines[2]).toMatch(/^dead {6}another-meaning, \d+\.\d s: src\/api\/guard\/rate-limit\.test\.ts > /);
});
