// The comments that describe mutants fit the source. Whether tests notice the mutants: mutants.all.test.ts.
import { readFileSync } from 'node:fs';
import { stripTypeScriptTypes } from 'node:module';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { type Mutant, mutantsIn, readMutants, root } from '../../prove/mutants/annotations.ts';
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

describe('a comment', () => {
  const tests = ['src/a.test.ts', 'test/b/c.all.test.ts', 'test/d/c.test.ts'];
  const read = (source: string): { mutants: Mutant[]; problems: string[] } => {
    const problems: string[] = [];
    return { mutants: mutantsIn('src/a.ts', source, tests, problems), problems };
  };

  test.each([
    ['replaces the first such text', 'x-y, promise 2: `a$1` -> `$&`', 'f(a$1, a$1);', 'f($&, a$1);'],
    ['removes a text', 'x-y, promise 2: without `, a$1`', 'f(b, a$1);', 'f(b);'],
    ['removes the line below', 'x-y, promise 2: without it', 'f();', ''],
    [
      'reaches the end of a statement',
      'x-y, promise 2: `2` -> `3`',
      'if (a) {\n  f(1);\n} else f(2);',
      'if (a) {\n  f(1);\n} else f(3);',
    ],
  ])('%s', (_, comment, source, broken) => {
    const [mutant] = read(`// mutant ${comment}\n${source}\nf(a$1, 2);\n`).mutants;
    expect(mutant?.broken).toBe(`// mutant ${comment}\n${broken}\nf(a$1, 2);\n`);
  });

  test('names its promise and tests', () => {
    const source =
      '// mutant x-y, promise 2: `a` -> `b`; b/c "the title"\n// mutant y-z, security: `a` -> `b`\nf(a);\n';
    expect(read(source).mutants).toMatchObject([
      {
        name: 'x-y',
        promise: 2,
        test: 'test/b/c.all.test.ts',
        title: 'the title',
        broken: source.replace('f(a)', 'f(b)'),
      },
      { name: 'y-z', promise: 'security', test: 'src/a.test.ts', broken: source.replace('f(a)', 'f(b)') },
    ]);
  });

  test.each([
    ['after code', 'f(a); // mutant x-y, promise 2: `a` -> `b`', 'on a line of its own'],
    ['without a promise', '// mutant x-y: `a` -> `b`\nf(a);', 'as prove/mutants/annotations.ts describes them'],
    [
      'with a text of the next statement',
      '// mutant x-y, promise 2: `a` -> `b`\nf();\nf(a);',
      'the statement below has no `a`',
    ],
    [
      'with tests that do not exist',
      '// mutant x-y, promise 2: `a` -> `b`; no\nf(a);',
      '0 files of tests end with no.test.ts',
    ],
    [
      'with tests of two files',
      '// mutant x-y, promise 2: `a` -> `b`; c\nf(a);',
      '2 files of tests end with c.test.ts',
    ],
  ])('%s is wrong', (_, source, problem) => {
    const { mutants: found, problems } = read(`${source}\n`);
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
    const file = 'src/storage/sqlite/jobs/job-writes.ts';
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
