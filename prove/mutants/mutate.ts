// Breaks one invariant of the source at a time, in a copy, and runs the tests that must notice.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  cpSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { postgresProject } from '../../test/tiers.ts';
import { type Mutant, root } from './read-mutants.ts';

export interface MutantResult {
  readonly mutant: Mutant;
  /**
   * `skipped`: the tests that would notice cannot run on this machine. `unproved`: they fail without the mutant too, or
   * cannot be loaded with it, so it is unknown whether they notice.
   */
  readonly kind: 'dead' | 'survived' | 'skipped' | 'unproved';
  /** The test that noticed, or the reason why there is none. */
  readonly detail: string;
  readonly seconds: number;
}

export interface MutationOptions {
  /** Copies of the source, each with one mutant at a time. 1 to 2: the tests start processes of their own. */
  readonly parallel: number;
  /**
   * Runs the tests without any mutant first: a test that fails anyway has noticed nothing. Not needed where the same check
   * runs all tests.
   */
  readonly isControlled: boolean;
  /** Time limit of the tests of one mutant, or of one file without a mutant. @default 180 s */
  readonly limitMs?: number;
  /** Further variables of the tests. */
  readonly env?: Readonly<Record<string, string>>;
  readonly signal: AbortSignal;
  readonly onResult: (result: MutantResult) => void;
}

/** Ten times what the tests of a mutant need on an idle machine. */
const usualLimitMs = 180_000;

const leftOut: ReadonlySet<string> = new Set(['.git', 'node_modules', 'dist', 'coverage']);

/** Tries each mutant. */
export async function tryMutants(
  mutants: readonly Mutant[],
  { parallel, isControlled, limitMs = usualLimitMs, env = {}, signal, onResult }: MutationOptions,
): Promise<readonly MutantResult[]> {
  const folder = mkdtempSync(path.join(tmpdir(), 'hayrake-mutants-'));
  const results: MutantResult[] = [];
  try {
    const copies = Array.from(
      { length: parallel },
      (_, index) => new SourceCopy(path.join(folder, `${index}`), { limitMs, env }),
    );
    const files = isControlled ? [...Map.groupBy(mutants, ({ test }) => test).values()] : [];
    const failedWithout = new Map<string, string>();
    await shared(copies, files, async (copy, ofFile) => {
      const why = await failureWithout(copy, ofFile, signal);
      if (why !== undefined) failedWithout.set(ofFile[0]?.test ?? '', why);
    });
    await shared(copies, mutants, async (copy, mutant) => {
      const why = failedWithout.get(mutant.test);
      const result: MutantResult =
        why === undefined
          ? await tryMutant(copy, mutant, signal)
          : { mutant, kind: 'unproved', detail: why, seconds: 0 };
      results.push(result);
      onResult(result);
    });
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
  return results;
}

export function lineOf({ mutant, kind, detail, seconds }: MutantResult): string {
  const verdict = kind === 'survived' ? 'SURVIVED' : kind;
  return `${verdict.padEnd(8)}  ${mutant.name}, ${seconds.toFixed(1)} s: ${kind === 'dead' ? detail : `${mutant.file}. ${detail}`}`;
}

/** Runs each item in one of the copies, as soon as a copy is free. */
async function shared<Item>(
  copies: readonly SourceCopy[],
  items: readonly Item[],
  work: (copy: SourceCopy, item: Item) => Promise<void>,
): Promise<void> {
  const left = [...items];
  const ends = await Promise.allSettled(
    copies.map(async (copy) => {
      for (let item = left.shift(); item !== undefined; item = left.shift()) await work(copy, item);
    }),
  );
  // Not before all have stopped, since then the copies are removed.
  for (const end of ends) if (end.status === 'rejected') throw end.reason;
}

/** The reason why the tests of a file prove nothing about its mutants. */
async function failureWithout(
  copy: SourceCopy,
  mutants: readonly Mutant[],
  signal: AbortSignal,
): Promise<string | undefined> {
  const titles = mutants.flatMap(({ title }) => title ?? []);
  const run = await copy.runTests(mutants[0]?.test ?? '', titles.length < mutants.length ? [] : titles, signal);
  if (run.kind === 'ended') return `Without it, the tests take too long or cannot be loaded. ${run.said}`;
  const failed = run.tests.find(({ status }) => status === 'failed');
  if (failed) return `Without it, this test fails too: ${failed.fullName}`;
  return run.problem === '' ? undefined : `Without it, the tests fail too: ${run.problem}`;
}

async function tryMutant(copy: SourceCopy, mutant: Mutant, signal: AbortSignal): Promise<MutantResult> {
  const startedAt = performance.now();
  const putBack = copy.mutate(mutant);
  const titles = mutant.title === undefined ? [] : [mutant.title];
  const run = await copy.runTests(mutant.test, titles, signal).finally(putBack);
  const seconds = (performance.now() - startedAt) / 1000;
  return { mutant, seconds, ...verdictOf(run, mutant) };
}

function verdictOf(run: TestRun, { test, title = '' }: Mutant): Pick<MutantResult, 'kind' | 'detail'> {
  if (run.kind === 'ended') {
    return run.isOverdue
      ? { kind: 'survived', detail: `No test of ${test} failed in time.` }
      : { kind: 'unproved', detail: `The tests of ${test} cannot be loaded with it: ${run.said}` };
  }
  const chosen = run.tests.filter(({ fullName }) => fullName.includes(title));
  const failed = chosen.find(({ status }) => status === 'failed');
  if (failed) return { kind: 'dead', detail: `${test} > ${failed.fullName}` };
  if (run.problem !== '') return { kind: 'unproved', detail: `Not a test failed, but what they need: ${run.problem}` };
  const notRun = chosen.filter(({ status }) => status !== 'passed');
  const needs = notRun.flatMap(({ fullName }) => /\((needs [^)]+)\)/.exec(fullName)?.[1] ?? [])[0];
  if (needs !== undefined) return { kind: 'skipped', detail: `A test ${needs}.` };
  return chosen.some(({ status }) => status === 'passed')
    ? { kind: 'survived', detail: `No test of ${test} failed.` }
    : { kind: 'unproved', detail: `No test of ${test} has "${title}" in its name.` };
}

interface RanTest {
  readonly fullName: string;
  readonly status: string;
}

interface RanFile {
  /** Why the file could not be loaded, or a hook failed. */
  readonly message: string;
  readonly assertionResults: readonly RanTest[];
}

type TestRun =
  | { readonly kind: 'ran'; readonly tests: readonly RanTest[]; readonly problem: string }
  /** The runner reported nothing about any test. */
  | { readonly kind: 'ended'; readonly isOverdue: boolean; readonly said: string };

/** The working tree without build output, in a separate folder, with its own temporary files and caches. */
class SourceCopy {
  readonly #folder: string;
  readonly #temporary: string;
  readonly #limitMs: number;
  readonly #more: Readonly<Record<string, string>>;

  constructor(folder: string, { limitMs, env }: Required<Pick<MutationOptions, 'limitMs' | 'env'>>) {
    this.#limitMs = limitMs;
    this.#more = env;
    this.#folder = path.join(folder, 'source');
    this.#temporary = path.join(folder, 'tmp');
    mkdirSync(this.#temporary, { recursive: true });
    cpSync(root, this.#folder, {
      recursive: true,
      filter: (from) => path.dirname(from) !== root || !leftOut.has(path.basename(from)),
    });
    // Links each library: files that tests keep there, such as bundles of the mutants, stay out of the shared folder.
    const libraries = realpathSync(path.join(root, 'node_modules'));
    const links = path.join(this.#folder, 'node_modules');
    mkdirSync(links);
    for (const name of readdirSync(libraries))
      if (name === '.bin' || !name.startsWith('.')) symlinkSync(path.join(libraries, name), path.join(links, name));
  }

  /** Returns a function that removes it again. */
  mutate(mutant: Mutant): () => void {
    const file = path.join(this.#folder, mutant.file);
    const source = readFileSync(file, 'utf8');
    writeFileSync(file, mutant.broken);
    return () => writeFileSync(file, source);
  }

  /** Runs the tests of a file that have one of the titles in their names, or all tests, up to the first failure. */
  async runTests(file: string, titles: readonly string[], signal: AbortSignal): Promise<TestRun> {
    signal.throwIfAborted();
    const report = path.join(this.#temporary, 'report.json');
    rmSync(report, { force: true });
    // The same suites on PostgreSQL would notice nothing more.
    const args = [
      'run',
      file,
      `--project=!${postgresProject}`,
      '--bail=1',
      '--reporter=json',
      `--outputFile=${report}`,
    ];
    if (titles.length > 0) args.push('-t', titles.map(literal).join('|'));
    const limit = AbortSignal.any([signal, AbortSignal.timeout(this.#limitMs)]);
    const child = spawn(path.join(this.#folder, 'node_modules/.bin/vitest'), args, {
      cwd: this.#folder,
      env: this.#env(),
      stdio: ['ignore', 'ignore', 'pipe'],
      // In a process group with everything that it starts, so that all of it can be ended.
      detached: true,
    });
    let said = '';
    child.stderr.setEncoding('utf8').on('data', (text: string) => (said = `${said}${text}`.slice(-2_000)));
    const end = (): void => endGroup(child.pid);
    limit.addEventListener('abort', end);
    await once(child, 'close');
    limit.removeEventListener('abort', end);
    endGroup(child.pid);
    signal.throwIfAborted();
    const files = filesIn(report);
    const tests = files.flatMap(({ assertionResults }) => assertionResults);
    const problem = files.map(({ message }) => message).join(' ');
    return tests.length > 0
      ? { kind: 'ran', tests, problem }
      : { kind: 'ended', isOverdue: limit.aborted, said: `${problem} ${said}`.trim() };
  }

  /** No variables of a test run that contains this one, and the embedded database wherever there is a choice. */
  #env(): NodeJS.ProcessEnv {
    const inherited = Object.entries(process.env).filter(
      ([name]) => !/^(VITEST|TEST|HAYRAKE_|NODE_OPTIONS)/.test(name),
    );
    return { ...Object.fromEntries(inherited), ...this.#more, TMPDIR: this.#temporary };
  }
}

/** As a regular expression, since the test runner interprets titles as one. */
function literal(text: string): string {
  return text.replaceAll(/[.*+?^${}()|[\]\\]/g, String.raw`\$&`);
}

function endGroup(pid: number | undefined): void {
  if (pid === undefined) return;
  try {
    process.kill(-pid, 'SIGKILL');
  } catch (error) {
    // It has ended with everything that it started.
    if (!(error instanceof Error && 'code' in error && error.code === 'ESRCH')) throw error;
  }
}

function filesIn(report: string): readonly RanFile[] {
  try {
    return (JSON.parse(readFileSync(report, 'utf8')) as { readonly testResults: readonly RanFile[] }).testResults;
  } catch (error) {
    // The runner ended before it wrote one.
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return [];
    throw error;
  }
}
