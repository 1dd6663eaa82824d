// Runs a peer in a process of its own and an empty folder, and tells it when to begin; peers/order.ts is the other side.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { type Measured, measureProcess } from './measured.ts';

export interface Program {
  readonly command: readonly string[];
  /** Besides those of this process, which win. */
  readonly environment?: Readonly<Record<string, string>>;
}

/** Throws unless the program does as order.ts says, and ends with 0. `look` sees what it has left in its folder. */
export async function runProgram(
  { command: [command = '', ...args], environment = {} }: Program,
  look: (folder: string) => void = () => {},
): Promise<Measured> {
  const folder = mkdtempSync(path.join(tmpdir(), 'hayrake-peer-'));
  const env = { ...environment, ...process.env };
  const child = spawn(command, args, { cwd: folder, env, stdio: ['pipe', 'pipe', 'inherit'] });
  const ended = once(child, 'exit');
  // What it says when it fails stands in what it prints.
  child.stdin.on('error', () => {});
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  const expectLine = async (expected: string): Promise<void> => {
    const line = await lines.next();
    if (line.value !== expected) throw new Error(`It said "${line.value ?? ''}" instead of "${expected}"`);
  };
  try {
    await expectLine('ready');
    const measured = await measureProcess(child.pid ?? 0, async () => {
      const start = performance.now();
      child.stdin.write('go\n');
      await expectLine('done');
      return (performance.now() - start) / 1000;
    });
    look(folder);
    return measured;
  } finally {
    child.stdin.end();
    await ended;
    rmSync(folder, { recursive: true });
    if (child.exitCode !== 0)
      console.error(`${path.basename(command)} ended with ${child.exitCode ?? child.signalCode}`);
  }
}

/**
 * A program that knows nothing of orders: a shell gives them, and stays, to be asked for the CPU time of what it ran. The
 * program's own start is measured with it. What it prints is kept in `pages.jsonl`. `successes` are the exit codes that mean that the site was crawled.
 */
export function ordered(command: readonly string[], successes: readonly number[] = [0]): readonly string[] {
  const script = `echo ready; read -r go; "$@" >pages.jsonl; case $? in ${successes.join('|')}) echo done;; *) echo failed $?;; esac; read -r end; true`;
  return ['sh', '-c', script, 'sh', ...command];
}
