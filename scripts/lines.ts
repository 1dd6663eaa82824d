// The budget of code lines, by room. `npm run lines` notes what the rooms hold; the check compares.
//
// A code line of `src` or `packages` is not blank, no comment and no import; tests and the generated client are left
// out. JSON, SQL, HTML and style sheets count each line. A room is a folder directly below one of the two; the parts of
// the store, and those of extraction that grew, are rooms of their own.
//
// A room may hold less than its number by at most 100 lines, and never more. What a commit takes out goes to
// `reserve`; what a commit adds comes from there. So the sum of all numbers never rises from commit to commit.
import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import ts from 'typescript';

interface Budget {
  readonly reserve: number;
  readonly rooms: Readonly<Record<string, number>>;
}

interface ProductFile {
  readonly name: string;
  readonly lines: readonly string[];
  readonly codeLines: number;
  readonly commentLines: number;
}

const root = path.join(import.meta.dirname, '..');
const budgetFile = 'scripts/lines.json';
const slack = 100;
/** Longer lines of JSON hide entries from the counter. */
const jsonLineMax = 400;

const counted = /\.(?:tsx?|mjs|js|css|json|sql|html)$/;
const notCounted = /\.test\.|\/openapi\.ts$|tsconfig\.json$|evidence\.json$/;
const ownRoom =
  /^(src\/storage\/(?:sqlite|postgres|shared|rules|objects|move)|src\/extract\/(?:rules|phrases|learn|fields|declared)|packages\/(?:client|dashboard))\//;

const files = productFiles();
const rooms = linesByRoom(files);

if (process.argv.includes('--write')) writeBudget();
else if (process.argv.includes('--check')) check();
printShape();

function productFiles(): ProductFile[] {
  return git('ls-files', '--cached', '--others', '--exclude-standard', 'src', 'packages')
    .trim()
    .split('\n')
    .filter((name) => counted.test(name) && !notCounted.test(name) && existsSync(path.join(root, name)))
    .map((name) => {
      const lines = readFileSync(path.join(root, name), 'utf8').split('\n');
      const { codeLines, commentLines } = countLines(name, lines);
      return { name, lines, codeLines, commentLines };
    });
}

function countLines(name: string, lines: readonly string[]): Pick<ProductFile, 'codeLines' | 'commentLines'> {
  const isScript = /\.(?:tsx?|mjs|js|css)$/.test(name);
  let codeLines = 0;
  let commentLines = 0;
  let within: 'comment' | 'import' | undefined;
  for (const line of lines.map((each) => each.trim()).filter((each) => each !== '')) {
    if (within === 'import') {
      if (line.endsWith(';')) within = undefined;
    } else if (within === 'comment') {
      commentLines += 1;
      if (line.includes('*/')) within = undefined;
    } else if (isScript && line.startsWith('//')) commentLines += 1;
    else if (isScript && line.startsWith('/*')) {
      commentLines += 1;
      if (!line.includes('*/')) within = 'comment';
    } else if (isScript && /^(?:import|export)\b.*\bfrom '|^import '/.test(line) && line.endsWith(';')) continue;
    else if (isScript && /^import\b/.test(line) && !line.endsWith(';')) within = 'import';
    else codeLines += 1;
  }
  return { codeLines, commentLines };
}

function linesByRoom(of: readonly ProductFile[]): Map<string, number> {
  const sums = new Map<string, number>();
  for (const { name, codeLines } of of) {
    const room = ownRoom.exec(name)?.[1] ?? name.split('/').slice(0, 2).join('/');
    sums.set(room, (sums.get(room) ?? 0) + codeLines);
  }
  return new Map([...sums].toSorted(([a], [b]) => (a < b ? -1 : 1)));
}

function writeBudget(): void {
  const old = readBudget();
  const reserve = sumOf(old) - sum(rooms.values());
  if (reserve < 0) fail([`The product is ${-reserve} code lines over its budget. Take them out of some room first.`]);
  writeFileSync(
    path.join(root, budgetFile),
    `${JSON.stringify({ reserve, rooms: Object.fromEntries(rooms) }, undefined, 2)}\n`,
  );
}

function check(): void {
  const budget = readBudget();
  const faults = [...new Set([...rooms.keys(), ...Object.keys(budget.rooms)])].flatMap((room) => {
    const [has, may] = [rooms.get(room) ?? 0, budget.rooms[room] ?? 0];
    if (has > may) return [`${room} has ${has} code lines, ${has - may} more than ${budgetFile} allows.`];
    return may - has > slack ? [`${room} has ${has} code lines, ${may - has} fewer than ${budgetFile} says.`] : [];
  });
  const remedy = '`npm run lines` moves what was taken out to `reserve`, and takes from there what was added.';
  const dense = files.filter(({ name, lines }) => name.endsWith('.json') && lines.some((l) => l.length > jsonLineMax));
  fail([
    ...(faults.length > 0 ? [...faults, remedy] : []),
    ...dense.map(({ name }) => `${name} has lines of more than ${jsonLineMax} characters: write one entry a line.`),
    ...risesOf(budget),
  ]);
}

/** Commits, and uncommitted changes, that raise the sum of the numbers. A clone without history shows the last one only. */
function risesOf(budget: Budget): string[] {
  const commits = git('log', '--format=%H', '--', budgetFile).trim().split('\n').filter(Boolean);
  const sums = [
    { who: 'This change', of: sumOf(budget) },
    ...commits.map((commit) => ({
      who: `Commit ${commit.slice(0, 8)}`,
      of: sumOf(JSON.parse(git('show', `${commit}:${budgetFile}`)) as Budget),
    })),
  ];
  return sums.flatMap(({ who, of }, index) => {
    const before = sums[index + 1]?.of ?? of;
    return of > before ? [`${who} raises the sum of all numbers in ${budgetFile} from ${before} to ${of}.`] : [];
  });
}

function fail(faults: readonly string[]): void {
  if (faults.length === 0) return;
  console.error(faults.join('\n'));
  process.exit(1);
}

/** What the counter must not make worse: none of it is limited. */
function printShape(): void {
  const codeLines = sum(rooms.values());
  const sources = files
    .filter(({ name }) => /\.tsx?$/.test(name))
    .map(({ name, lines }) => ({
      name,
      tree: ts.createSourceFile(name, lines.join('\n'), ts.ScriptTarget.Latest, true),
    }));
  const { functions, long } = countFunctions(sources.map(({ tree }) => tree));
  const importers = importersOf(sources);
  const alone = [...importers.values()].filter((by) => by.size === 1).length;
  const { fact, places } = widestFact(sources.map(({ tree }) => tree));
  const comments = sum(files.map((file) => file.commentLines)) / codeLines;
  const twins = statementsWithTwin();
  console.log(
    `${codeLines} code lines in ${files.length} files, ${readBudget().reserve} in reserve; ` +
      `${comments.toFixed(3)} comment lines a code line; ${long} of ${functions} functions over 60 lines; ` +
      `${files.filter((file) => file.codeLines > 500).length} files over 500 code lines; ${alone} files with one importer; ` +
      `widest fact of a schedule: ${fact} in ${places} places; ${twins.twins} of ${twins.all} statements of SQLite have a twin`,
  );
  console.log(`${countWords()} words in documents, ${testLines()} code lines of tests`);
}

function countFunctions(trees: readonly ts.SourceFile[]): { functions: number; long: number } {
  let functions = 0;
  let long = 0;
  for (const tree of trees) {
    const visit = (node: ts.Node): void => {
      if (ts.isFunctionLike(node) && 'body' in node && node.body !== undefined) {
        functions += 1;
        const first = tree.getLineAndCharacterOfPosition(node.getStart(tree)).line;
        if (tree.getLineAndCharacterOfPosition(node.end).line - first >= 60) long += 1;
      }
      ts.forEachChild(node, visit);
    };
    visit(tree);
  }
  return { functions, long };
}

function importersOf(sources: readonly { name: string; tree: ts.SourceFile }[]): Map<string, Set<string>> {
  const importers = new Map<string, Set<string>>(sources.map(({ name }) => [name, new Set()]));
  for (const { name, tree } of sources)
    for (const { fileName } of ts.preProcessFile(tree.text).importedFiles)
      importers.get(path.posix.join(path.posix.dirname(name), fileName))?.add(name);
  return importers;
}

/** The column of a schedule that most declarations name, in either spelling: each is a place to touch when it changes. */
function widestFact(trees: readonly ts.SourceFile[]): { fact: string; places: number } {
  const columns = ['last_error', 'planned_at', 'next_run_at', 'last_run_at', 'paused_by'];
  let widest = { fact: '', places: 0 };
  for (const column of columns) {
    const fact = column.replaceAll(/_(.)/g, (_, letter: string) => letter.toUpperCase());
    const named = new RegExp(`\\b(?:${column}|${fact})\\b`);
    const places = sum(trees.map((tree) => tree.statements.filter((each) => named.test(each.getText(tree))).length));
    if (places > widest.places) widest = { fact, places };
  }
  return widest;
}

/** A statement that the other store has too, but for placeholders, casts and names of a few columns. */
function statementsWithTwin(): { all: number; twins: number } {
  const [sqlite, postgres] = ['src/storage/sqlite/', 'src/storage/postgres/'].map((folder) =>
    files.filter(({ name }) => name.startsWith(folder) && name.endsWith('.ts')).flatMap(statementsOf),
  ) as [Set<string>[], Set<string>[]];
  const twins = sqlite.filter((one) => postgres.some((other) => likeness(one, other) >= 0.7));
  return { all: sqlite.length, twins: twins.length };
}

/** The pairs of neighbouring words of each statement. */
function statementsOf({ name, lines }: ProductFile): Set<string>[] {
  const tree = ts.createSourceFile(name, lines.join('\n'), ts.ScriptTarget.Latest, true);
  const statements: Set<string>[] = [];
  const visit = (node: ts.Node): void => {
    if (ts.isStringLiteralLike(node) || ts.isTemplateExpression(node)) {
      const text = node.getText(tree).slice(1, -1).trim();
      if (/^(?:SELECT|INSERT|UPDATE|DELETE|WITH)\b/.test(text)) {
        const words = text
          .replace(/\$\{[^}]*\}|\$\d+|[@:?]\w*/g, '?')
          .toLowerCase()
          .match(/\w+|[^\s\w]/g);
        statements.push(new Set(words?.map((word, index) => `${words[index - 1] ?? ''} ${word}`)));
        return;
      }
    }
    ts.forEachChild(node, visit);
  };
  visit(tree);
  return statements;
}

function likeness(one: ReadonlySet<string>, other: ReadonlySet<string>): number {
  return (2 * [...one].filter((pair) => other.has(pair)).length) / (one.size + other.size);
}

function countWords(): number {
  const documents = git('ls-files', '*.md').trim().split('\n');
  return sum(documents.map((name) => readFileSync(path.join(root, name), 'utf8').split(/\s+/).length));
}

function testLines(): number {
  const names = git('ls-files', 'test', 'src', 'packages', 'prove').trim().split('\n');
  const tests = names.filter(
    (name) => /\.tsx?$/.test(name) && (/^(?:test|prove)\//.test(name) || name.includes('.test.')),
  );
  return sum(tests.map((name) => countLines(name, readFileSync(path.join(root, name), 'utf8').split('\n')).codeLines));
}

function readBudget(): Budget {
  return JSON.parse(readFileSync(path.join(root, budgetFile), 'utf8')) as Budget;
}

function sumOf({ reserve, rooms: numbers }: Budget): number {
  return reserve + sum(Object.values(numbers));
}

function sum(numbers: Iterable<number>): number {
  let all = 0;
  for (const number of numbers) all += number;
  return all;
}

function git(...args: readonly string[]): string {
  return execFileSync('git', args, { cwd: root, encoding: 'utf8', maxBuffer: 2 ** 26 });
}
