// The processes of a browser, as Linux reports them in /proc. On other systems there is nothing to read.
import { readdirSync, readFileSync, statfsSync } from 'node:fs';

/** A browser has some ten processes; more than this is a malfunction. */
const processesMax = 500;
const pageBytes = 4_096;
/** The type number of `tmpfs` (statfs(2)). */
const memoryFileSystem = 0x01021994;

/** Ids of the process and its descendants that exist. Empty if the process has ended. */
export function processTree(pid: number): number[] {
  const found: number[] = [];
  const waiting = [pid];
  for (let next = waiting.pop(); next !== undefined && found.length < processesMax; next = waiting.pop()) {
    const children = read(`/proc/${next}/task/${next}/children`);
    if (children === undefined) continue;
    found.push(next);
    waiting.push(...children.split(' ').filter(Boolean).map(Number));
  }
  return found;
}

/** Ids of the processes that started the process: its parent, the parent of that, and so on. */
export function ancestorsOf(pid: number): number[] {
  const parent = Number(/^PPid:\s+(\d+)$/mu.exec(read(`/proc/${pid}/status`) ?? '')?.[1] ?? 0);
  return parent === 0 ? [] : [parent, ...ancestorsOf(parent)];
}

/** Memory that the process shares with no other. 0 if it has ended. */
export function privateBytesOf(pid: number): number {
  const [, resident = 0, shared = 0] = (read(`/proc/${pid}/statm`) ?? '').split(' ').map(Number);
  return Math.max(0, resident - shared) * pageBytes;
}

/** Bytes of the files in `/tmp` as the process sees it, if they are in memory. */
export function fileBytesOf(pid: number): number {
  try {
    const { type, blocks, bfree, bsize } = statfsSync(`/proc/${pid}/root/tmp`);
    return type === memoryFileSystem ? (blocks - bfree) * bsize : 0;
  } catch {
    // It has ended meanwhile, or does not show its files.
    return 0;
  }
}

/** Returns true for a process of Chromium that runs pages. */
export function isRenderer(pid: number): boolean {
  return read(`/proc/${pid}/cmdline`)?.includes('--type=renderer') === true;
}

export interface ProcessorUse {
  readonly ranMs: number;
  /** Time in which the thread could run and had no processor. */
  readonly waitedMs: number;
}

/** The processor time of each thread of these processes since the thread began, by the id of the thread. */
export function processorUseOf(pids: readonly number[]): Map<number, ProcessorUse> {
  const uses = new Map<number, ProcessorUse>();
  for (const pid of pids) {
    for (const thread of threadsOf(pid)) {
      const [ran = 0, waited = 0] = (read(`/proc/${pid}/task/${thread}/schedstat`) ?? '').split(' ').map(Number);
      uses.set(thread, { ranMs: ran / 1e6, waitedMs: waited / 1e6 });
    }
  }
  return uses;
}

function threadsOf(pid: number): number[] {
  try {
    return readdirSync(`/proc/${pid}/task`).map(Number);
  } catch {
    // It has ended meanwhile.
    return [];
  }
}

function read(file: string): string | undefined {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    // The process has ended meanwhile, or this is not Linux.
    return undefined;
  }
}
