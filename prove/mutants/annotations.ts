// Reads mutants: comments in src/** that say how to break the line below, and which tests must fail because of it.
//
//   // mutant NAME, promise N: `TEXT` -> `REPLACEMENT`; TESTS "PART OF A TITLE"
//   // mutant NAME, security: without `TEXT`
//   // mutant NAME, security: without it
//
// NAME says what breaks. `promise N` is the row of RELIABILITY.md that the line holds; `security` stands for SECURITY.md.
// The text is the first of its kind in the statement below; `it` is the line below. TESTS is the end of the path of a file
// of tests, without `.test.ts`: by default it is the one next to the source. A file that takes longer than ten seconds
// needs a part of a title, so that only those tests run.
import { globSync, readFileSync } from 'node:fs';
import path from 'node:path';

/** One break of an invariant, and the tests that fail because of it. */
export interface Mutant {
  /** Unique, in kebab-case: for `--only`. */
  readonly name: string;
  /** The promise of RELIABILITY.md that breaks, by its number. */
  readonly promise: number | 'security';
  /** Relative to the root of the repository, as `test`. */
  readonly file: string;
  /** The whole file, with the mutant in it. */
  readonly broken: string;
  readonly test: string;
  /** A part of the full names of the tests to run. @default all tests of the file */
  readonly title?: string;
}

export const root = path.join(import.meta.dirname, '../..');

const begin = /\/\/\s*mutant\s/i;
const grammar =
  /^ *\/\/ mutant (?<name>[a-z0-9]+(?:-[a-z0-9]+)+), (?:promise (?<promise>\d+)|security): (?:`(?<find>[^`]+)` -> `(?<replacement>[^`]+)`|without (?:`(?<left>[^`]+)`|it))(?:; (?<test>[\w./-]+)(?: "(?<title>[^"]+)")?)?$/;

/** All mutants of the source, by the paths of their files. Throws an Error that lists all comments that are wrong. */
export function readMutants(): readonly Mutant[] {
  const tests = globSync('{src,test}/**/*.test.ts', { cwd: root });
  const problems: string[] = [];
  const mutants = globSync('src/**/*.ts', { cwd: root, exclude: ['**/*.test.ts'] })
    .toSorted()
    .flatMap((file) => mutantsIn(file, readFileSync(path.join(root, file), 'utf8'), tests, problems));
  if (problems.length > 0) throw new Error(problems.join('\n'));
  return mutants;
}

/** The mutants of one file. Adds what is wrong with its comments to `problems`. */
export function mutantsIn(file: string, source: string, tests: readonly string[], problems: string[]): Mutant[] {
  const lines = source.split('\n');
  return lines.flatMap((line, index) => {
    if (!begin.test(line)) return [];
    const mutant = mutantAt(file, lines, index, tests);
    if (typeof mutant !== 'string') return [mutant];
    problems.push(`${file}:${index + 1}: ${mutant}`);
    return [];
  });
}

/** The mutant of a comment, or what is wrong with it. */
function mutantAt(file: string, lines: readonly string[], comment: number, tests: readonly string[]): Mutant | string {
  const parts = grammar.exec(lines[comment] ?? '')?.groups;
  if (!parts) return 'this is not a mutant as prove/mutants/annotations.ts describes them, on a line of its own.';
  const { name = '', promise, find = parts['left'], replacement = '', title } = parts;
  const statement = statementAfter(lines, comment);
  const at = statement.find((index) => find === undefined || lines[index]?.includes(find) === true);
  if (at === undefined) return `the statement below has no \`${find}\`.`;
  const broken = lines
    .with(at, find === undefined ? '' : (lines[at] ?? '').replace(find, () => replacement))
    .join('\n');
  const ends = parts['test'] === undefined ? [file.replace(/\.ts$/, '.test.ts')] : endsOf(parts['test']);
  const found = tests.filter((test) => ends.some((end) => `/${test}`.endsWith(`/${end}`)));
  const [test] = found;
  if (test === undefined || found.length > 1) return `${found.length} files of tests end with ${ends.join(' or ')}.`;
  return {
    name,
    promise: promise === undefined ? 'security' : Number(promise),
    file,
    broken,
    test,
    ...(title !== undefined && { title }),
  };
}

function endsOf(test: string): readonly string[] {
  return [`${test}.test.ts`, `${test}.all.test.ts`];
}

/** The next line that is no comment, and the lines after it that belong to the same statement, by their indentation. */
function statementAfter(lines: readonly string[], comment: number): readonly number[] {
  const first = lines.findIndex((line, index) => index > comment && !isComment(line));
  const indent = indentOf(lines[first] ?? '');
  const isRest = (line: string): boolean =>
    indentOf(line) > indent || (indentOf(line) === indent && /^ *(?:[)\]}]|else\b)/.test(line));
  const end = lines.findIndex((line, index) => index > first && !isRest(line));
  return Array.from(lines.keys()).filter((index) => index >= first && index < end && !isComment(lines[index] ?? ''));
}

function isComment(line: string): boolean {
  return /^ *\/\//.test(line);
}

/** -1 for an empty line. */
function indentOf(line: string): number {
  return line.search(/\S/);
}
