// A limit of memory for a process that runs: what it takes from now on counts, and at the limit the kernel kills it.
import { existsSync, mkdirSync, readFileSync, rmdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';

/** With control groups of version 1 the memory has a tree of its own; with version 2 there is one tree for all. */
const tree = ['/sys/fs/cgroup/memory', '/sys/fs/cgroup'].find(isTreeOfMemory);

/** Takes the rights of root, and a system that lets it have them. */
export const canLimitMemory = tree !== undefined && tryToMake(tree);

export interface MemoryLimit {
  /** How many processes the kernel has killed for it. */
  kills(): number;
  /** When the process has ended. */
  remove(): void;
}

export function limitMemory(pid: number, bytes: number): MemoryLimit {
  const group = makeGroup(tree ?? '');
  const isFirstVersion = existsSync(path.join(group, 'memory.limit_in_bytes'));
  writeFileSync(path.join(group, isFirstVersion ? 'memory.limit_in_bytes' : 'memory.max'), String(bytes));
  writeFileSync(path.join(group, 'cgroup.procs'), String(pid));
  const events = path.join(group, isFirstVersion ? 'memory.oom_control' : 'memory.events');
  return {
    kills: () => Number(/oom_kill (\d+)/.exec(readFileSync(events, 'utf8'))?.[1] ?? 0),
    remove: () => rmdirSync(group),
  };
}

function isTreeOfMemory(folder: string): boolean {
  if (existsSync(path.join(folder, 'memory.limit_in_bytes'))) return true;
  const controllers = path.join(folder, 'cgroup.subtree_control');
  return existsSync(controllers) && readFileSync(controllers, 'utf8').split(/\s/).includes('memory');
}

function makeGroup(folder: string): string {
  const group = path.join(folder, `hayrake-test-${process.pid}-${Math.random().toString(36).slice(2)}`);
  mkdirSync(group);
  return group;
}

function tryToMake(folder: string): boolean {
  try {
    rmdirSync(makeGroup(folder));
    return true;
  } catch {
    return false;
  }
}
