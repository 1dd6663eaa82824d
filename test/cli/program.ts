// The program as a person starts it: a child process with arguments, an environment and two streams.
import { spawn, type ChildProcessByStdio } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { Readable } from 'node:stream';

export const mainModule = path.join(import.meta.dirname, '../../src/main.ts');

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
    env: { ...Object.fromEntries(inherited), ...options.env },
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

export function removeDirectories(): void {
  for (const directory of directories.splice(0)) rmSync(directory, { recursive: true, force: true });
}
