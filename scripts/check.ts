// The check, the same everywhere: format, lint, types, arrows, dead code, documents, tests. Fastest first.
//
//   npm test                 what a change normally breaks
//   npm test -- --changed    what depends on the files that differ from main
//   npm run test:all         the whole check, which is what CI runs: of files that take long, a sample of the tests
//   npm test -- src/url      the tests in these files or folders, and nothing else
//
// The last line counts: `N passed, N failed, N skipped`, and says what was skipped for want of what, and what was left out.
import { execFile, execFileSync, spawnSync } from 'node:child_process';
import { existsSync, globSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { changesOfCheckout } from '../prove/mutants/choose.ts';
import { readDurations, secondsOf, turnOfSamples } from '../test/sampling/durations.ts';
import { changedToRunWhole, type Sample, sampleVariable } from '../test/sampling/sample.ts';
import { isQuick, postgresProject, testsOfChange } from '../test/tiers.ts';

interface Step {
  readonly name: string;
  readonly command: readonly [string, ...string[]];
  /** What the output has to contain: a tool that looked at nothing must not pass. */
  readonly proof?: RegExp;
  /** Its output is worth reading also if it passes. @default false */
  readonly isShown?: boolean;
  /** Its output stands before the last line. @default false */
  readonly isLast?: boolean;
}

interface Report {
  readonly numPassedTests: number;
  readonly numFailedTests: number;
  readonly numFailedTestSuites: number;
  readonly testResults: readonly {
    readonly status: string;
    readonly assertionResults: readonly {
      readonly fullName: string;
      readonly status: string;
      readonly meta: { readonly leftOut?: true };
    }[];
  }[];
}

const root = path.join(import.meta.dirname, '..');
const isCi = (process.env['CI'] ?? '') !== '';

const given = process.argv.slice(2);
const isAll = given.includes('--all');
const isChanged = given.includes('--changed');
/** Everything else is for the test runner: files, folders, and its own flags. */
const places = given.filter((argument) => !['--all', '--changed'].includes(argument));
/** Tests that somebody names run whole. */
const isSample = isAll && places.length === 0;
const allTests = globSync('{src,test}/**/*.test.ts', { cwd: root, exclude: ['**/node_modules/**'] })
  .map((file) => file.replaceAll(path.sep, '/'))
  .toSorted();

const checkedByTypes = ['src', 'packages', 'test', 'demo', 'prove', 'scripts', 'vitest.config.ts'];
/** The benchmarks import the programs that they compare with. */
const hasPeers = existsSync(path.join(root, 'bench/node_modules'));
const staticSteps: readonly Step[] = [
  { name: 'format', command: ['oxfmt', '--check'] },
  { name: 'lint, types', command: ['oxlint', '--type-aware', '--type-check', '--deny-warnings', ...checkedByTypes] },
  { name: 'lint bench', command: ['oxlint', '--type-aware', '--deny-warnings', 'bench'] },
  // The linter's own check of types finds the same. This one is the compiler's, and is not experimental.
  ...(isAll ? typeChecks() : []),
  // Three digits at least: with a wrong TypeScript the tool sees no modules and is content.
  {
    name: 'arrows',
    command: ['depcruise', 'src', 'packages'],
    proof: /no dependency violations found \(\d{3,} modules/,
  },
  { name: 'dead code', command: ['knip'] },
  { name: 'documents', command: ['node', 'scripts/write-docs.ts', '--check'] },
  { name: 'lines', command: ['node', 'scripts/lines.ts', '--check'], proof: /^\d+ code lines/, isLast: true },
];
/** What the steps that are `isLast` printed. */
const endLines: string[] = [];

if (places.length === 0) await runStaticSteps();
if (isSample && isCi) await compareWithAnchor();
if (places.length === 0 && isAll && !hasPeers)
  console.log('skip types bench: `npm ci --prefix bench` installs the programs that the benchmark compares with');
runTests();

/** The arrows and the client's types need the older compiler, which `typescript` is: this one cannot be imported. */
function typeChecks(): Step[] {
  const places = [
    ['types', '.'],
    ...(hasPeers ? [['types bench', 'bench']] : []),
    ['types pages', 'packages/dashboard'],
    ['types client', 'packages/client'],
  ] as const;
  return places.map(([name = '', place = '']) => ({
    name,
    command: ['node', 'node_modules/typescript-7/bin/tsc', '--noEmit', '-p', place],
  }));
}

/** Two at a time, since most of them use one processor. After one has failed, none begins. */
async function runStaticSteps(): Promise<void> {
  const left = [...staticSteps];
  let hasFailed = false;
  const inTurn = async (): Promise<void> => {
    for (let step = left.shift(); step !== undefined && !hasFailed; step = left.shift())
      hasFailed = !(await isPassed(step)) || hasFailed;
  };
  await Promise.all([inTurn(), inTurn()]);
  if (hasFailed) end();
}

function end(): never {
  console.log('0 passed, 1 failed, 0 skipped');
  process.exit(1);
}

/** Alone, since it measures. On the machine of a developer, other programs run. */
async function compareWithAnchor(): Promise<void> {
  const { commit } = JSON.parse(readFileSync(path.join(root, 'bench/anchor.json'), 'utf8')) as { commit: string };
  if (spawnSync('git', ['cat-file', '-e', `${commit}^{commit}`], { cwd: root }).status !== 0)
    return console.log(`skip cost of a page: the history of this clone lacks ${commit.slice(0, 8)}, the anchor`);
  const isCheap = await isPassed({
    name: 'cost of a page',
    command: ['node', 'bench/guard.ts', '--small'],
    proof: /^\| bytes\/page \|/m,
    isShown: true,
  });
  if (!isCheap) end();
}

async function isPassed({ name, isShown, isLast, command: [program, ...args], proof }: Step): Promise<boolean> {
  const start = performance.now();
  const { promise, resolve } = Promise.withResolvers<{ error: Error | null; stdout: string; stderr: string }>();
  execFile(program, args, { cwd: root, maxBuffer: 2 ** 26 }, (error, stdout, stderr) =>
    resolve({ error, stdout, stderr }),
  );
  const { error, stdout, stderr } = await promise;
  const ok = error === null && (proof === undefined || proof.test(stdout));
  console.log(`${ok ? 'ok  ' : 'FAIL'} ${name.padEnd(11)} ${((performance.now() - start) / 1000).toFixed(1)} s`);
  if (ok && isShown === true) console.log(stdout);
  if (ok && isLast === true) endLines.push(stdout.trimEnd());
  if (!ok) {
    console.log(`${error?.message ?? ''}\n${stdout}\n${stderr}`);
    console.log(`To run this step alone: npm exec -c '${[program, ...args].join(' ')}'`);
  }
  return ok;
}

function runTests(): void {
  const chosen = chosenTests();
  if (chosen?.length === 0) {
    console.log('No test depends on the changed files.');
    console.log('0 passed, 0 failed, 0 skipped');
    return;
  }
  const folder = mkdtempSync(path.join(tmpdir(), 'hayrake-check-'));
  const reportFile = path.join(folder, 'report.json');
  const some = chosen === undefined ? places : [`--project=!${postgresProject}`, ...places, ...chosen];
  const reporters = ['--reporter=default', '--reporter=json', `--outputFile.json=${reportFile}`];
  if (isSample || process.env['TEST_RECORD'] !== undefined) reporters.push('--reporter=./test/sampling/times.ts');
  const { status, signal } = spawnSync('vitest', ['run', ...reporters, ...some], {
    cwd: root,
    env: isSample ? { ...process.env, [sampleVariable]: JSON.stringify(sampleOfCheckout()) } : process.env,
    stdio: 'inherit',
  });
  if (signal !== null) console.log(`${signal} ended the test runner.`);
  const report = readReport(reportFile);
  rmSync(folder, { recursive: true });
  sayEnd(report, status, chosen);
}

function sampleOfCheckout(): Sample {
  const { changed } = changesOfCheckout();
  const durations = readDurations();
  return { seed: turnOfSamples(), whole: changedToRunWhole(changed, (file) => secondsOf(durations, '', file)) };
}

/** The files to run; undefined where the arguments choose, or where all of them run. */
function chosenTests(): readonly string[] | undefined {
  if (isAll) return undefined;
  if (isChanged) return changedTests();
  return places.length > 0 ? undefined : allTests.filter(isQuick);
}

function changedTests(): readonly string[] {
  const lines = (program: string, args: readonly string[]): string[] =>
    execFileSync(program, args, { cwd: root, encoding: 'utf8', maxBuffer: 2 ** 26 })
      .split('\n')
      .filter((line) => line !== '');
  const [branch = 'main'] = lines('git', [
    'for-each-ref',
    '--format=%(refname)',
    'refs/heads/main',
    'refs/remotes/origin/main',
  ]);
  const [base = branch] = lines('git', ['merge-base', 'HEAD', branch]);
  const changed = [
    ...lines('git', ['diff', '--name-only', '--relative', base]),
    ...lines('git', ['ls-files', '--others', '--exclude-standard']),
  ];
  const related = lines('vitest', [
    'list',
    '--filesOnly',
    `--project=!${postgresProject}`,
    `--changed=${base}`,
  ]).flatMap((line) => /(?:src|test)\/\S+\.test\.ts$/.exec(line)?.[0] ?? []);
  return testsOfChange(allTests, new Set(related), changed);
}

function readReport(file: string): Report {
  try {
    return JSON.parse(readFileSync(file, 'utf8')) as Report;
  } catch {
    // The runner ended before it had run anything; it has said why.
    return { numPassedTests: 0, numFailedTests: 1, numFailedTestSuites: 0, testResults: [] };
  }
}

function sayEnd(report: Report, status: number | null, chosen: readonly string[] | undefined): void {
  const notRun = report.testResults
    .flatMap(({ assertionResults }) => assertionResults)
    .filter(({ status: outcome }) => outcome !== 'passed' && outcome !== 'failed');
  const skipped = notRun.filter(({ meta }) => meta.leftOut !== true);
  const leftToProve = notRun.length - skipped.length;
  const needs = Map.groupBy(skipped, ({ fullName }) => /\(needs ([^)]+)\)/.exec(fullName)?.[1] ?? 'no reason given');
  // Where tests were chosen by name, the others are skipped without a reason.
  const unnamed = places.length > 0 ? [] : (needs.get('no reason given') ?? []);
  for (const { fullName } of unnamed)
    console.log(`skipped without a reason, such as "(needs root)", in its name: ${fullName}`);
  const reasons = Array.from(
    needs,
    ([need, tests]) => `${tests.length} ${need === 'no reason given' ? need : `need ${need}`}`,
  );
  const leftOut = chosen === undefined ? 0 : allTests.length - chosen.length;
  const details = [
    ...(reasons.length > 0 ? [`skipped: ${reasons.join(', ')}`] : []),
    ...(leftOut > 0 ? [`left out: ${leftOut} files, of which \`npm run test:all\` runs tests`] : []),
    ...(leftToProve > 0 ? [`left out: ${leftToProve} tests, which \`npm run prove -- --only tests\` runs`] : []),
  ].join('; ');
  // A file that cannot be loaded has no tests that could fail, so it counts itself.
  const broken = report.testResults.filter(
    ({ status: outcome, assertionResults }) =>
      outcome === 'failed' && assertionResults.every((test) => test.status !== 'failed'),
  );
  const failedSomehow = report.numFailedTestSuites > 0 || status !== 0 || (isCi && unnamed.length > 0) ? 1 : 0;
  const failed = Math.max(report.numFailedTests + broken.length, failedSomehow);
  const counts = `${report.numPassedTests} passed, ${failed} failed, ${skipped.length} skipped`;
  for (const line of endLines) console.log(line);
  // CI reads the counts from a line of their own.
  if (isCi && details !== '') console.log(details);
  console.log(isCi || details === '' ? counts : `${counts} (${details})`);
  process.exitCode = failed === 0 ? 0 : 1;
}
