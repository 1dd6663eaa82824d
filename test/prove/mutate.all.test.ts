import { readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { mutantsIn, root } from '../../prove/mutants/annotations.ts';
import { lineOf, tryMutants } from '../../prove/mutants/mutate.ts';

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
