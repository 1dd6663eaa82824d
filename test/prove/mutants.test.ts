// The lists of mutants fit the source. Whether tests notice the mutants: mutants.all.test.ts.
import { readFileSync } from 'node:fs';
import { stripTypeScriptTypes } from 'node:module';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { type Mutant, mutantsIn, readMutants, root } from '../../prove/mutants/read-mutants.ts';
import { chooseMutants } from '../../prove/mutants/choose.ts';

const mutants = readMutants();

test('each mutant has a name of its own', () => {
  const names = mutants.map(({ name }) => name);
  expect(names.filter((name, index) => names.indexOf(name) !== index)).toEqual([]);
});

test('each promise of RELIABILITY.md has a mutant, and each mutant has its promise', () => {
  const document = readFileSync(path.join(root, 'RELIABILITY.md'), 'utf8');
  const promises = [...document.matchAll(/^\| (\d+) \| /gm)].map(([, number]) => Number(number));
  expect(promises.length).toBeGreaterThan(10);
  expect(new Set(mutants.map(({ promise }) => promise))).toEqual(new Set([...promises, 'security']));
});

test.each(mutants)(
  '$name: the mutant is TypeScript, and its title is in the tests',
  ({ file, broken, test, title }) => {
    expect(broken).not.toBe(readFileSync(path.join(root, file), 'utf8'));
    expect(() => stripTypeScriptTypes(broken)).not.toThrow();
    expect(title === undefined || textOf(test).includes(title), `"${title}" is in ${test}`).toBe(true);
  },
);

describe('a line of a list', () => {
  const tests = ['src/a.test.ts', 'test/b/c.all.test.ts', 'test/d/c.test.ts'];
  const read = (line: string, source: string): { mutants: Mutant[]; problems: string[] } => {
    const problems: string[] = [];
    const sources = new Map([['src/a.ts', source]]);
    return { mutants: mutantsIn(`# src/a.ts\n${line}\n`, sources, tests, problems), problems };
  };

  test.each([
    ['replaces a text that stands once', '`a$1` -> `$&`', 'f(a$1, b);', 'f($&, b);'],
    ['removes a text', 'without `, a$1`', 'f(b, a$1);', 'f(b);'],
    [
      'replaces the first text after a place that stands once',
      'after `g(`, `b` -> `c`',
      'f(b);\ng(b, b);',
      'f(b);\ng(c, b);',
    ],
    ['replaces a text in its place', 'after `f(b`, `b` -> `c`', 'g(b);\nf(b);', 'g(b);\nf(c);'],
    ['replaces backticks', '`` `a` `` -> `` `${b}` ``', 'f(`a`);', 'f(`${b}`);'],
  ])('%s', (_, how, source, broken) => {
    const { mutants: found, problems } = read(`x-y, promise 2: ${how}`, source);
    expect([found[0]?.broken, problems]).toEqual([broken, []]);
  });

  test('names its promise and tests', () => {
    const lines = 'x-y, promise 2: `a` -> `b`; b/c "the title"\n\ny-z, security: `a` -> `b`';
    expect(read(lines, 'f(a);').mutants).toEqual([
      { name: 'x-y', promise: 2, file: 'src/a.ts', test: 'test/b/c.all.test.ts', title: 'the title', broken: 'f(b);' },
      { name: 'y-z', promise: 'security', file: 'src/a.ts', test: 'src/a.test.ts', broken: 'f(b);' },
    ]);
  });

  test.each([
    ['without a promise', 'x-y: `a` -> `b`', 'as prove/mutants/read-mutants.ts describes them'],
    ['with a text that stands twice', 'x-y, promise 2: `f` -> `b`', '`f` stands 2 times in src/a.ts, not once'],
    ['with a text that does not stand there', 'x-y, promise 2: `c` -> `b`', '`c` stands 0 times in src/a.ts, not once'],
    ['with a place that stands twice', 'x-y, promise 2: after `f(`, `a` -> `b`', '`f(` stands 2 times'],
    ['with a text before its place', 'x-y, promise 2: after `d`, `a` -> `b`', '`a` does not stand after `d`'],
    ['with tests that do not exist', 'x-y, promise 2: `a` -> `b`; no', '0 files of tests end with no.test.ts'],
    ['with tests of two files', 'x-y, promise 2: `a` -> `b`; c', '2 files of tests end with c.test.ts'],
    ['of a file that does not exist', '# src/no.ts\nx-y, promise 2: `a` -> `b`', 'there is no file src/no.ts'],
  ])('%s is wrong', (_, line, problem) => {
    const { mutants: found, problems } = read(line, 'f(a);\nf(d);\n');
    expect(found).toEqual([]);
    expect(problems).toEqual([expect.stringContaining(problem)]);
  });
});

describe('a check tries', () => {
  const names = (changed: readonly string[], commit: string): readonly string[][] => {
    const { tried, left } = chooseMutants(mutants, { commit, changed: new Set(changed) }, 5);
    return [tried, left].map((chosen) => chosen.map(({ name }) => name));
  };

  test('five mutants where nothing changed, others for another commit', () => {
    const [tried = [], left] = names([], 'a');
    expect(new Set(tried).size).toBe(5);
    expect(left).toEqual([]);
    expect(names([], 'a')[0]).toEqual(tried);
    expect(names([], 'b')[0]).not.toEqual(tried);
  });

  test('five mutants of changed files besides, and names those that are left', () => {
    const file = 'src/storage/shared/job-writes.ts';
    const changed = mutants.filter((mutant) => mutant.file === file).map(({ name }) => name);
    expect(changed.length).toBeGreaterThan(1);
    const [tried = [], left] = names([file], 'a');
    expect(tried.slice(0, changed.length).toSorted()).toEqual(changed.toSorted());
    expect(tried).toHaveLength(changed.length + 5);
    expect(left).toEqual([]);
    const [triedOfAll = [], leftOfAll = []] = names(
      mutants.map((mutant) => mutant.file),
      'a',
    );
    expect(triedOfAll).toHaveLength(10);
    expect(leftOfAll).toHaveLength(mutants.length - 10);
  });
});

/** The text of a file of tests and of the contracts that it runs. */
function textOf(file: string, seen = new Set<string>()): string {
  if (seen.has(file)) return '';
  seen.add(file);
  const text = readFileSync(path.join(root, file), 'utf8');
  const imports = [...text.matchAll(/from '(\.[^']+\.ts)'/g)].map(([, to = '']) => path.join(path.dirname(file), to));
  return [text, ...imports.filter((to) => /^test\/|\.test\.ts$/.test(to)).map((to) => textOf(to, seen))].join('\n');
}
