// Faults of the machine, made for real: disks that are full, system calls that fail.
import { execFileSync, spawn, spawnSync, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, mkdtempSync, openSync, rmdirSync, rmSync, statfsSync, truncateSync, writeSync } from 'node:fs';
import { readFileSync, readdirSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';

/** Mounting takes the rights of root and a system that lets it have them. */
export const canMount = process.platform === 'linux' && process.getuid?.() === 0 && tryMount();
export const canTrace =
  process.platform === 'linux' && spawnSync('strace', ['-qq', '-o', '/dev/null', 'true']).status === 0;

export interface Disk {
  readonly directory: string;
  /** Fills it but for so much. */
  fill(freeBytes?: number): void;
  makeRoom(): void;
  remove(): void;
}

/** A disk of its own, in memory. */
export function mountDisk(sizeMb: number): Disk {
  const directory = mkdtempSync(path.join(tmpdir(), 'hayrake-disk-'));
  execFileSync('mount', ['-t', 'tmpfs', '-o', `size=${sizeMb}m`, 'tmpfs', directory]);
  const filler = path.join(directory, 'filler');
  return {
    directory,
    fill: (freeBytes = 0) => {
      const file = openSync(filler, 'a');
      const block = Buffer.alloc(4_096, 'x');
      try {
        for (;;) {
          const { bavail, bsize } = statfsSync(directory);
          if (bavail * bsize <= freeBytes) return;
          writeSync(file, block);
        }
      } catch (error) {
        if (!(error instanceof Error && 'code' in error && error.code === 'ENOSPC')) throw error;
      } finally {
        closeSync(file);
      }
    },
    makeRoom: () => rmSync(filler),
    remove: () => unmount(directory),
  };
}

export interface FailingDisk {
  readonly directory: string;
  /** As the system does it after an error of the device: what is open for writing stays open, and cannot be written. */
  becomeReadOnly(): void;
  remove(): void;
}

/** An ext4 file system in a file. */
export function mountFailingDisk(sizeMb: number): FailingDisk {
  const directory = mkdtempSync(path.join(tmpdir(), 'hayrake-disk-'));
  const image = `${directory}.img`;
  writeFileSync(image, '');
  truncateSync(image, sizeMb * 2 ** 20);
  execFileSync('mkfs.ext4', ['-q', image]);
  execFileSync('mount', ['-o', 'loop,errors=remount-ro', image, directory]);
  return {
    directory,
    becomeReadOnly: () => {
      const device = readdirSync('/sys/fs/ext4').find((name) => backingFile(name) === image);
      writeFileSync(`/sys/fs/ext4/${device ?? ''}/trigger_fs_error`, '1');
    },
    remove: () => {
      unmount(directory);
      rmSync(image);
    },
  };
}

/** From now on, until it is called off, these system calls of the process fail. */
export function failCalls(pid: number, calls: string, error: string): Promise<() => Promise<void>> {
  return injectInto(pid, calls, `error=${error}`, 'SIGINT');
}

/** From now on, until it is called off, these system calls of the process take so much longer. */
export function delayCalls(pid: number, calls: string, delayMs: number): Promise<() => Promise<void>> {
  // When it is asked to go it waits for calls to end that it holds up itself.
  return injectInto(pid, calls, `delay_enter=${delayMs * 1_000}`, 'SIGKILL');
}

async function injectInto(pid: number, calls: string, what: string, end: NodeJS.Signals): Promise<() => Promise<void>> {
  const tracer = spawn(
    'strace',
    ['-f', '-o', '/dev/null', '-e', `trace=${calls}`, '-e', `inject=${calls}:${what}`, '-p', String(pid)],
    { stdio: ['ignore', 'ignore', 'pipe'] },
  );
  await attached(tracer);
  return async () => {
    if (tracer.exitCode !== null || tracer.signalCode !== null) return;
    const ended = once(tracer, 'exit');
    tracer.kill(end);
    await ended;
  };
}

/** Resolves when strace watches. What it says later, such as of new threads, is read on: on a closed pipe it would end. */
export function attached(tracer: ChildProcess): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  let said = '';
  tracer.stderr?.on('data', (chunk: Buffer) => {
    if (said.length < 10_000) said += chunk.toString();
    if (said.includes('attached')) resolve();
  });
  tracer.once('close', () => reject(new Error(`strace did not attach: ${said}`)));
  return promise;
}

function backingFile(device: string): string | undefined {
  try {
    return readFileSync(`/sys/block/${device}/loop/backing_file`, 'utf8').trim();
  } catch {
    // No loop device, or one that has just gone.
    return undefined;
  }
}

function unmount(directory: string): void {
  execFileSync('umount', ['--lazy', directory]);
  rmdirSync(directory);
}

function tryMount(): boolean {
  const directory = mkdtempSync(path.join(tmpdir(), 'hayrake-disk-'));
  const mounted = spawnSync('mount', ['-t', 'tmpfs', '-o', 'size=1m', 'tmpfs', directory]).status === 0;
  if (mounted) execFileSync('umount', [directory]);
  rmdirSync(directory);
  return mounted;
}
