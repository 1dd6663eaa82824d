// CPU time and memory of a process and all that it started, from Linux's /proc.
import { readdirSync, readFileSync } from 'node:fs';

export interface Usage {
  readonly cpuMs: number;
  /** Sum of the peaks of the processes alive now. */
  readonly peakRssBytes: number;
}

/** Clock ticks a second in /proc/PID/stat. Linux tells user space 100, whatever the kernel's own rate. */
export const ticksPerSecond = 100;

export function usageOf(pid: number): Usage {
  const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
  // The name stands in parentheses and may contain anything; utime, stime, cutime and cstime are fields 14 to 17.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  const ticks = fields.slice(11, 15).reduce((sum, field) => sum + Number(field), 0);
  const peakKb = /VmHWM:\s+(\d+) kB/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1] ?? '0';

  const own = { cpuMs: (ticks * 1000) / ticksPerSecond, peakRssBytes: Number(peakKb) * 1024 };
  return childrenOf(pid)
    .map(usageUnlessEnded)
    .reduce(
      (sum, child) => ({ cpuMs: sum.cpuMs + child.cpuMs, peakRssBytes: sum.peakRssBytes + child.peakRssBytes }),
      own,
    );
}

/** Of a process that may have ended by now: nothing then, as its parent counts what it used. */
export function usageUnlessEnded(pid: number): Usage {
  try {
    return usageOf(pid);
  } catch (error) {
    if (error instanceof Error && 'code' in error && (error.code === 'ENOENT' || error.code === 'ESRCH'))
      return { cpuMs: 0, peakRssBytes: 0 };
    throw error;
  }
}

function childrenOf(pid: number): number[] {
  const threads = readdirSync(`/proc/${pid}/task`);
  const children = threads.flatMap((thread) => readFileSync(`/proc/${pid}/task/${thread}/children`, 'utf8').split(' '));
  return children.filter((child) => child !== '').map(Number);
}

/** Of all threads, to the nanosecond: `/proc/PID/stat` counts ticks, and misses what runs for less than one at a time. */
export function threadsCpuMs(pid: number): number {
  const threads = readdirSync(`/proc/${pid}/task`);
  const nanoseconds = threads.map((thread) =>
    Number(readFileSync(`/proc/${pid}/task/${thread}/schedstat`, 'utf8').split(' ')[0]),
  );
  return nanoseconds.reduce((sum, thread) => sum + thread, 0) / 1e6;
}
