// The system calls of a process and of its threads, in the order in which the kernel saw them.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { attached } from './inject.ts';

export interface SystemCall {
  readonly name: string;
  /** The arguments as strace prints them: file descriptors with their paths, the first 500 bytes of data. */
  readonly text: string;
  /** Places in the order of all beginnings and ends. */
  readonly begunAt: number;
  /** Infinity for a call that had not ended when the trace did. */
  readonly endedAt: number;
  /** What the call returned, -1 for an error; NaN for a call that had not ended. */
  readonly returned: number;
}

/** Writes down these system calls of a running process from now on. The answer ends the trace and returns the calls. */
export async function traceCalls(pid: number, calls: string): Promise<() => Promise<readonly SystemCall[]>> {
  const folder = mkdtempSync(path.join(tmpdir(), 'hayrake-trace-'));
  const file = path.join(folder, 'calls');
  const args = ['-f', '-y', '-s', '500', '-o', file, '-e', `trace=${calls}`, '-e', 'signal=none', '-p', String(pid)];
  const tracer = spawn('strace', args, { stdio: ['ignore', 'ignore', 'pipe'] });
  await attached(tracer);
  return async () => {
    if (tracer.exitCode !== null || tracer.signalCode !== null) throw new Error('strace ended before the trace did');
    const ended = once(tracer, 'exit');
    tracer.kill('SIGINT');
    await ended;
    const lines = readFileSync(file, 'latin1').split('\n');
    rmSync(folder, { recursive: true });
    return callsIn(lines);
  };
}

/** Reads what `strace -f` wrote. A call that another thread's came between has two lines. */
export function callsIn(lines: readonly string[]): readonly SystemCall[] {
  const calls: SystemCall[] = [];
  const open = new Map<string, { name: string; text: string; begunAt: number }>();
  for (const [at, line] of lines.entries()) {
    const [, thread = '', resumed, name = resumed ?? '', text = ''] =
      /^(\d+)\s+(?:<\.\.\. (\w+) resumed>|(\w+)\()(.*)$/.exec(line) ?? [];
    if (name === '') continue;
    if (text.endsWith('<unfinished ...>')) {
      open.set(thread, { name, text, begunAt: at });
      continue;
    }
    const begun = resumed === undefined ? { name, text, begunAt: at } : open.get(thread);
    if (!begun) continue;
    open.delete(thread);
    const returned = Number(/\)\s+= (-?\d+)[^=]*$/.exec(text)?.[1]);
    // What was read is known at the end.
    calls.push({ ...begun, text: resumed === undefined ? text : `${begun.text}${text}`, endedAt: at, returned });
  }
  for (const call of open.values()) calls.push({ ...call, endedAt: Number.POSITIVE_INFINITY, returned: Number.NaN });
  return calls.toSorted((a, b) => a.begunAt - b.begunAt);
}
