// Reads the lists of mutants beside this file, prove/mutants/*.txt: how to break the source, and which tests must fail
// because of it. A line `# FILE` names the source of the lines below it:
//
//   # src/robots/judge-response.ts
//   NAME, promise N: `TEXT` -> `REPLACEMENT`; TESTS "PART OF A TITLE"
//   NAME, security: without `TEXT`
//   NAME, promise N: after `PLACE`, `TEXT` -> `REPLACEMENT`
//
// NAME says what breaks. `promise N` is the row of RELIABILITY.md that the text holds; `security` stands for SECURITY.md.
// TEXT stands in the file exactly once. Otherwise PLACE does, and TEXT is the first of its kind from PLACE on. A text with
// backticks stands between two of them, and spaces: `` a `b` ``. TESTS is the end of the path of a file of tests, without
// `.test.ts`: by default it is the one next to the source. A file that takes longer than ten seconds needs a part of a
// title, so that only those tests run.
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

const spanOf = (name: string): string => `(?<${name}Fence>\`+)(?<${name}>[^\`].*?)\\k<${name}Fence>(?!\`)`;
const grammar = new RegExp(
  `^(?<name>[a-z0-9]+(?:-[a-z0-9]+)+), (?:promise (?<promise>\\d+)|security): (?:after ${spanOf('place')}, )?` +
    `(?:${spanOf('find')} -> ${spanOf('replacement')}|without ${spanOf('left')})` +
    '(?:; (?<test>[\\w./-]+)(?: "(?<title>[^"]+)")?)?$',
);

/** All mutants. Throws an Error that lists all lines that are wrong. */
export function readMutants(): readonly Mutant[] {
  const tests = globSync('{src,test}/**/*.test.ts', { cwd: root });
  const sources = new Map<string, string>();
  for (const file of globSync('src/**/*.ts', { cwd: root, exclude: ['**/*.test.ts'] }))
    sources.set(file, readFileSync(path.join(root, file), 'utf8'));
  const problems: string[] = [];
  const mutants = globSync('prove/mutants/*.txt', { cwd: root })
    .toSorted()
    .flatMap((list) => mutantsIn(readFileSync(path.join(root, list), 'utf8'), sources, tests, problems));
  if (problems.length > 0) throw new Error(problems.join('\n'));
  return mutants;
}

/** The mutants of a list. `sources`: by the paths of their files. Adds what is wrong to `problems`. */
export function mutantsIn(
  list: string,
  sources: ReadonlyMap<string, string>,
  tests: readonly string[],
  problems: string[],
): Mutant[] {
  let file = '';
  return list.split('\n').flatMap((line) => {
    if (line.startsWith('# ')) file = line.slice(2);
    if (line === '' || line.startsWith('# ')) return [];
    const mutant = mutantOf(line, file, sources.get(file), tests);
    if (typeof mutant !== 'string') return [mutant];
    problems.push(`${line.split(':', 1)[0]}: ${mutant}`);
    return [];
  });
}

/** The mutant of a line, or what is wrong with it. */
function mutantOf(line: string, file: string, source: string | undefined, tests: readonly string[]): Mutant | string {
  const parts = grammar.exec(line)?.groups;
  if (!parts) return 'this is not a mutant as prove/mutants/read-mutants.ts describes them.';
  if (source === undefined) return `there is no file ${file}.`;
  const { name = '', promise, title } = parts;
  const find = textIn(parts, 'find') ?? textIn(parts, 'left') ?? '';
  const place = textIn(parts, 'place') ?? find;
  const count = source.split(place).length - 1;
  if (count !== 1) return `\`${place}\` stands ${count} times in ${file}, not once.`;
  const at = source.indexOf(find, source.indexOf(place));
  if (at === -1) return `\`${find}\` does not stand after \`${place}\` in ${file}.`;
  const broken = source.slice(0, at) + (textIn(parts, 'replacement') ?? '') + source.slice(at + find.length);
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

/** The text between backticks; without the spaces beside it where it can contain some. */
function textIn(parts: Readonly<Record<string, string | undefined>>, name: string): string | undefined {
  return parts[`${name}Fence`] === '`' ? parts[name] : parts[name]?.slice(1, -1);
}

function endsOf(test: string): readonly string[] {
  return [`${test}.test.ts`, `${test}.all.test.ts`];
}
