// The program as a person starts it: a child process with arguments, an environment and two streams.
import { execFileSync, spawn, type ChildProcessByStdio } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { Readable } from 'node:stream';
import { createTestDatabase } from '../postgres/test-database.ts';
import { mainModule } from '../main-module.ts';
import { isOnPostgres, postgresStore, storeIn, type TestStore } from '../service/test-store.ts';

export interface Finished {
  /** Null after a signal. */
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

export interface RunOptions {
  readonly env?: Readonly<Record<string, string | undefined>>;
  readonly cwd?: string;
}

export interface Running {
  readonly child: ChildProcessByStdio<null, Readable, Readable>;
  readonly finished: Promise<Finished>;
  /** Resolves with the first match in what was written to either stream. Rejects when the program ends without one. */
  says(pattern: RegExp): Promise<RegExpExecArray>;
}

/** Starts the program, with nothing of the machine's own settings. */
export function start(args: readonly string[], options: RunOptions = {}): Running {
  const inherited = Object.entries(process.env).filter(([name]) => !/^(HAYRAKE_|NO_COLOR$|CI$)/.test(name));
  const child = spawn(process.execPath, [mainModule, ...args], {
    env: { ...Object.fromEntries(inherited), HAYRAKE_BROWSER: 'off', ...storeEnv(args), ...options.env },
    cwd: options.cwd,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const said = { stdout: '', stderr: '' };
  for (const name of ['stdout', 'stderr'] as const) {
    child[name].setEncoding('utf8').on('data', (text: string) => (said[name] += text));
  }
  const finished = once(child, 'close').then(([code]) => ({ code: code as number | null, ...said }));
  const says = (pattern: RegExp): Promise<RegExpExecArray> =>
    new Promise((resolve, reject) => {
      const look = (): void => {
        const match = pattern.exec(said.stderr) ?? pattern.exec(said.stdout);
        if (match) resolve(match);
      };
      child.stderr.on('data', look);
      child.stdout.on('data', look);
      look();
      void finished.then(() =>
        reject(new Error(`the program never said ${String(pattern)}:\n${said.stderr}${said.stdout}`)),
      );
    });
  return { child, finished, says };
}

export function run(args: readonly string[], options: RunOptions = {}): Promise<Finished> {
  return start(args, options).finished;
}

/** A directory that {@link removeDirectories} removes. */
export function newDirectory(): string {
  const directory = mkdtempSync(path.join(tmpdir(), 'hayrake-cli-'));
  directories.push(directory);
  return directory;
}

const directories: string[] = [];

/** With HAYRAKE_TEST_STORE=postgres, the database that stands for each directory that a command names. */
const databases = new Map<string, string>();
const firstDatabase = isOnPostgres() ? await createTestDatabase() : undefined;

/** What has a command store in PostgreSQL, where all tests do. */
export function storeEnv(args: readonly string[]): Record<string, string> {
  const directory = args[args.indexOf('--data') + 1];
  if (firstDatabase === undefined || !args.includes('--data') || directory === undefined) return {};
  const url = databases.get(directory) ?? newDatabase(firstDatabase.url);
  databases.set(directory, url);
  return { HAYRAKE_DATABASE_URL: url };
}

/** What is stored by commands that name a directory. */
export function storeOf(directory: string): TestStore {
  const url = databases.get(directory);
  return url === undefined ? storeIn(directory) : postgresStore(directory, url);
}

/** A process starts at once here, so that its database cannot be waited for. */
function newDatabase(url: string): string {
  const module = new URL('../postgres/database.ts', import.meta.url).href;
  const script = `import { createDatabase } from ${JSON.stringify(module)}; console.log((await createDatabase(${JSON.stringify(url)})).url);`;
  return execFileSync(process.execPath, ['--input-type=module', '-e', script], { encoding: 'utf8' }).trim();
}

export function removeDirectories(): void {
  for (const directory of directories.splice(0)) rmSync(directory, { recursive: true, force: true });
}
