// The control group (cgroup) of all browsers of this process: the kernel counts the memory of their processes together,
// and at the limit kills one of them. Nothing outside the group is killed for it.
//
// Where a group can be made: version 2 in a directory that hayrake may write to, with the controller for memory on;
// version 1 in the directory of its own group. Both take root, a delegated group, or a container with a group that can be
// written to.
import { execFile } from 'node:child_process';
import { mkdirSync, readdirSync, readFileSync, rmdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import { ancestorsOf, processTree } from './process-tree.ts';

const run = promisify(execFile);

export interface BrowserGroup {
  readonly version: 1 | 2;
  /** The file that takes the id of a process that is to join. */
  readonly processesFile: string;
  /** How many processes the kernel has killed at the limit. */
  kills(): number;
  /** Removes the group, after its processes have ended. */
  remove(): Promise<void>;
}

/** A directory in which groups can be made. */
export interface GroupPlace {
  readonly version: 1 | 2;
  /** The group of this process. */
  readonly own: string;
  /** Where the tree of groups begins, as this process sees it. */
  readonly root: string;
}

const prefix = 'hayrake-browser-';
/** The group that this process moves to if its own must have no processes (version 2). */
const leafName = 'hayrake';
/** The names of the limits of a version; the second one exists only where the kernel limits swap. */
const files = {
  1: { limit: 'memory.limit_in_bytes', swap: 'memory.memsw.limit_in_bytes', events: 'memory.oom_control' },
  2: { limit: 'memory.max', swap: 'memory.swap.max', events: 'memory.events' },
} as const;
const removals = 50;
const removalMs = 100;

/** Returns undefined where no group can be made. Removes the groups of processes that have ended. */
export async function openBrowserGroup(bytes: number, places = groupPlaces()): Promise<BrowserGroup | undefined> {
  for (const place of places) {
    for (const parent of parentsOf(place)) {
      const group = await openIn(parent, place.version, bytes);
      if (group !== undefined) return group;
    }
  }
  return undefined;
}

/** The groups of this process that count memory, the newer version first. */
export function groupPlaces(
  groups = read('/proc/self/cgroup'),
  mounts = read('/proc/self/mountinfo'),
): readonly GroupPlace[] {
  return ([2, 1] as const).flatMap((version) => {
    const own = groups.split('\n').find((line) => isMemoryOf(version, line));
    const mounted = mounts
      .split('\n')
      .map(parseMount)
      .find((mount) => mount?.version === version);
    if (own === undefined || mounted === undefined) return [];
    const { point, from } = mounted;
    const inside = path.relative(from, own.slice(own.indexOf(':', own.indexOf(':') + 1) + 1));
    // Outside of what is mounted: a container whose group is mounted as the whole tree.
    return { version, root: point, own: inside.startsWith('..') ? point : path.join(point, inside) };
  });
}

function isMemoryOf(version: 1 | 2, line: string): boolean {
  const controllers = line.split(':')[1];
  return version === 2 ? line.startsWith('0::') : controllers?.split(',').includes('memory') === true;
}

function parseMount(line: string): { version: 1 | 2; point: string; from: string } | undefined {
  const [before = '', after = ''] = line.split(' - ');
  const [, , , from = '/', point = ''] = before.split(' ');
  const [type, , options = ''] = after.split(' ');
  if (type === 'cgroup2') return { version: 2, point, from };
  return type === 'cgroup' && options.split(',').includes('memory') ? { version: 1, point, from } : undefined;
}

/** Directories to try, in this order. Version 2 allows no processes in a group whose children have limits. */
function* parentsOf({ version, own, root }: GroupPlace): Generator<string> {
  if (version === 1 || controllersOf(own, 'cgroup.subtree_control').includes('memory')) {
    yield own;
    return;
  }
  if (own !== root && enableMemory(path.dirname(own))) yield path.dirname(own);
  if (makeRoom(own, root)) yield own;
}

function controllersOf(group: string, file: 'cgroup.controllers' | 'cgroup.subtree_control'): string[] {
  return read(path.join(group, file)).trim().split(/\s+/u);
}

function enableMemory(group: string): boolean {
  if (controllersOf(group, 'cgroup.subtree_control').includes('memory')) return true;
  if (!controllersOf(group, 'cgroup.controllers').includes('memory')) return false;
  return tried(() => writeFileSync(path.join(group, 'cgroup.subtree_control'), '+memory'));
}

/**
 * Moves the processes of the own group to a child of it, so that it may have further children. Not if the group has
 * processes of others, unless it is the whole container. Its parents, such as a shell, are no others.
 */
function makeRoom(own: string, root: string): boolean {
  if (!controllersOf(own, 'cgroup.controllers').includes('memory')) return false;
  // The root of the machine's tree may have processes.
  if (enableMemory(own)) return true;
  const ours = new Set([...processTree(process.pid), ...ancestorsOf(process.pid)]);
  const all = read(path.join(own, 'cgroup.procs')).split('\n').filter(Boolean).map(Number);
  if (own !== root && !all.every((pid) => ours.has(pid))) return false;
  const leaf = path.join(own, leafName);
  const hasMoved = tried(() => {
    mkdirSync(leaf, { recursive: true });
    writeFileSync(path.join(leaf, 'cgroup.procs'), String(process.pid));
    // The others may end meanwhile.
    for (const pid of all) tried(() => writeFileSync(path.join(leaf, 'cgroup.procs'), String(pid)));
  });
  return hasMoved && enableMemory(own);
}

async function openIn(parent: string, version: 1 | 2, bytes: number): Promise<BrowserGroup | undefined> {
  removeOld(parent);
  const folder = path.join(parent, `${prefix}${process.pid}-${Math.random().toString(36).slice(2, 8)}`);
  const { limit, swap, events } = files[version];
  const processesFile = path.join(folder, 'cgroup.procs');
  const group: BrowserGroup = {
    version,
    processesFile,
    kills: () => Number(/^oom_kill (\d+)/mu.exec(read(path.join(folder, events)))?.[1] ?? 0),
    async remove() {
      // A process that was killed takes a moment to end.
      for (let tries = 0; tries < removals && !hasRemoved(folder); tries++) await sleep(removalMs);
    },
  };
  if (!tried(() => mkdirSync(folder))) return undefined;
  try {
    writeFileSync(path.join(folder, limit), String(bytes), { flag: 'r+' });
    // Absent where the kernel does not count swap. Version 1 counts both together, version 2 only swap.
    tried(() => writeFileSync(path.join(folder, swap), String(version === 1 ? bytes : 0), { flag: 'r+' }));
    // Writing a limit takes other rights than moving a process.
    await run('/bin/sh', ['-c', 'echo $$ >"$0"', processesFile]);
    return group;
  } catch {
    await group.remove();
    return undefined;
  }
}

/** Removes the groups of processes that were killed. A group that still has processes stays for the next start. */
function removeOld(parent: string): void {
  for (const name of childrenOf(parent)) {
    const pid = Number(name.slice(prefix.length).split('-')[0]);
    if (name.startsWith(prefix) && !tried(() => process.kill(pid, 0))) hasRemoved(path.join(parent, name));
  }
}

function childrenOf(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}

function hasRemoved(folder: string): boolean {
  try {
    rmdirSync(folder);
    return true;
  } catch (error) {
    return error instanceof Error && 'code' in error && error.code === 'ENOENT';
  }
}

function tried(act: () => void): boolean {
  try {
    act();
    return true;
  } catch {
    return false;
  }
}

function read(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    // Not Linux, or a kernel without this file.
    return '';
  }
}
