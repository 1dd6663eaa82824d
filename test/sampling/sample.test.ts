import { existsSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { postgresProject } from '../tiers.ts';
import { readDurations, root, secondsOf } from './durations.ts';
import { changedToRunWhole, chooseTests, rateOf, type Sample, type TestFile } from './sample.ts';

const long: TestFile = { file: 'test/e2e/long.test.ts', project: 'test', seconds: 60, tests: 25 };
const seeds = Array.from({ length: 200 }, (_, index) => `turn ${index}`);
const sampleOf = (seed: string, whole: readonly string[] = []): Sample => ({ seed, whole });
const all = Array.from({ length: long.tests }, (_, index) => index);

test('sample: has each test of a file for some seed', () => {
  const seen = new Set(seeds.flatMap((seed) => chooseTests(long, sampleOf(seed))));
  expect([...seen].toSorted((a, b) => a - b)).toEqual(all);
});

test('sample: is the same for the same seed', () => {
  for (const seed of seeds) expect(chooseTests(long, sampleOf(seed))).toEqual(chooseTests(long, sampleOf(seed)));
});

test('sample: has a twentieth of the tests of a file that takes long', () => {
  for (const seed of seeds) expect([1, 2]).toContain(chooseTests(long, sampleOf(seed)).length);
});

test('sample: has the whole file when it takes seconds, and when the commit changes it', () => {
  for (const seed of seeds) {
    expect(chooseTests({ ...long, seconds: 2 }, sampleOf(seed))).toEqual(all);
    expect(chooseTests({ ...long, seconds: 0 }, sampleOf(seed))).toEqual(all);
    expect(chooseTests(long, sampleOf(seed, [long.file]))).toEqual(all);
  }
});

test.each([1, 2, 3, 4])('sample: has a test of a long file with %i tests for every second seed', (tests) => {
  const some = seeds.filter((seed) => chooseTests({ ...long, tests }, sampleOf(seed)).length > 0);
  expect(some.length / seeds.length).toBeGreaterThan(0.4);
  expect(some.length / seeds.length).toBeLessThan(0.6);
});

test('sample: has a test of a long file with more tests for every seed', () => {
  for (const seed of seeds) expect(chooseTests({ ...long, tests: 20 }, sampleOf(seed)).length).toBeGreaterThan(0);
});

test('sample: has the one test of a suite on PostgreSQL for a twentieth of the seeds', () => {
  const suite = { ...long, project: postgresProject, tests: 1 };
  const some = seeds.filter((seed) => chooseTests(suite, sampleOf(seed)).length > 0);
  expect(some.length / seeds.length).toBeGreaterThan(0.01);
  expect(some.length / seeds.length).toBeLessThan(0.1);
});

test('sample: has all that `npm test` runs, but of a file of more than 40 seconds a part', () => {
  const quick = { ...long, file: 'src/url/normalize-url.test.ts', project: 'src' };
  for (const seed of seeds) {
    expect(chooseTests({ ...quick, seconds: 40 }, sampleOf(seed))).toEqual(all);
    expect([12, 13]).toContain(chooseTests(quick, sampleOf(seed)).length);
  }
});

test('changedToRunWhole: returns the shortest changed files of tests, for two minutes', () => {
  const seconds: Record<string, number> = {
    'a.test.ts': 60,
    'b.test.ts': 200,
    'c.test.ts': 50,
    'd.test.ts': 10,
    'e.ts': 0,
  };
  expect(changedToRunWhole(Object.keys(seconds), (file) => seconds[file] ?? 0)).toEqual([
    'd.test.ts',
    'c.test.ts',
    'a.test.ts',
  ]);
});

test('durations: a file without a line counts as long, but for units', () => {
  expect([secondsOf({}, 'test', 'test/e2e/new.test.ts'), secondsOf({}, 'src', 'src/url/new.test.ts')]).toEqual([20, 0]);
});

test('durations: are of files that are there', () => {
  const files = Object.keys(readDurations()).map((name) => name.replace(' (PostgreSQL)', ''));
  expect(files.filter((file) => !existsSync(path.join(root, file)))).toEqual([]);
});

/** Eight minutes with four workers, without what files prepare for all of their tests: the whole check has fourteen. */
const secondsMax = 1_900;

test('durations: the samples of all files take eight minutes', () => {
  const sum = Object.entries(readDurations()).reduce((seconds, [name, duration]) => {
    const file = name.replace(' (PostgreSQL)', '');
    const project = file === name ? '' : postgresProject;
    return seconds + duration.seconds / rateOf({ file, project, ...duration });
  }, 0);
  expect(sum).toBeLessThan(secondsMax);
});
