// `npm run test:all` has to end within minutes, so of a file that takes long it runs a sample of the tests.
// `npm run prove -- --only tests` runs every test, writes how long each file took, and so turns to the next sample.
import { createHash } from 'node:crypto';
import { isWhole, postgresProject } from '../tiers.ts';

/** How long a file may take before it is sampled. */
const secondsMax = 2;
/** The same for files that `npm test` runs. */
const quickSecondsMax = 40;
/** The smallest sample: one of so many tests. */
const rateMax = 20;
/** How long the files together may take that run whole because the commit changes them. */
const wholeSecondsMax = 120;

/** The environment variable that makes a run a sample; its value is a {@link Sample} as JSON. */
export const sampleVariable = 'TEST_SAMPLE';

export interface Sample {
  /** See `turnOfSamples`. */
  readonly seed: string;
  /** Files that run whole, relative to the repository: see {@link changedToRunWhole}. */
  readonly whole: readonly string[];
}

export interface TestFile {
  /** Relative to the repository, with slashes. */
  readonly file: string;
  /** The project of vitest that runs it. */
  readonly project: string;
  /** How long all of its tests took; 0 if that is not known. */
  readonly seconds: number;
  readonly tests: number;
}

/**
 * Returns n if the sample has one of n tests of the file; 1 means all. A file with a single test runs in every second sample, so
 * that each promise is tried often. Suites on PostgreSQL run less often, since they also run on SQLite.
 */
export function rateOf({ file, project, seconds, tests }: TestFile): number {
  if (project === postgresProject) return rate(seconds / secondsMax, rateMax);
  const max = Math.min(rateMax, 2 * tests);
  return isWhole(file) ? rate(seconds / quickSecondsMax, max) : rate(seconds / secondsMax, max);
}

function rate(times: number, max: number): number {
  return Math.max(1, Math.min(Math.ceil(times), max));
}

/** The tests of a sample, by their index: every n-th, so that they are of all kinds. Each test is in the sample of some seed. */
export function chooseTests(of: TestFile, { seed, whole }: Sample): readonly number[] {
  const oneOf = whole.includes(of.file) ? 1 : rateOf(of);
  const hash = createHash('sha256').update(`${seed} ${of.project} ${of.file}`).digest();
  const first = hash.readUInt32BE() % oneOf;
  return Array.from({ length: of.tests }, (_, index) => index).filter((index) => index % oneOf === first);
}

/** The changed files that run whole: the shortest, as many as there is time for. */
export function changedToRunWhole(changed: Iterable<string>, secondsOf: (file: string) => number): string[] {
  let seconds = 0;
  return [...changed]
    .filter((file) => file.endsWith('.test.ts'))
    .toSorted((a, b) => secondsOf(a) - secondsOf(b))
    .filter((file) => (seconds += secondsOf(file)) <= wholeSecondsMax);
}
