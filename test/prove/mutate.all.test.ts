import { readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { mutantsIn, root } from '../../prove/mutants/read-mutants.ts';
import { lineOf, tryMutants } from '../../prove/mutants/mutate.ts';

test('only a mutant that fails a test is dead', { timeout: 900_000 }, async ({ signal }) => {
  const file = 'src/api/guard/rate-limit.ts';
  const list = [
    `# ${file}`,
    'same-meaning, promise 8: `60_000` -> `60 * 1_000`',
    'cannot-be-loaded, promise 8: `60_000` -> `notThere`',
    'another-meaning, promise 8: `60_000` -> `30_000`',
    'no-such-test, promise 8: `60_000` -> `30_000`; guard/rate-limit "a test that nobody wrote"',
  ];
  const problems: string[] = [];
  const sources = new Map([[file, readFileSync(path.join(root, file), 'utf8')]]);
  const mutants = mutantsIn(list.join('\n'), sources, ['src/api/guard/rate-limit.test.ts'], problems);
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
