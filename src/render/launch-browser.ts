// Starts the browser: inside a network namespace with Chromium's own sandbox on, or, if the operator configured so,
// without both.
import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { Readable, Writable } from 'node:stream';
import { browserFlags } from './browser-flags.ts';
import { CdpPipe, textOf } from './cdp-pipe.ts';

export interface LaunchOptions {
  readonly binary: string;
  /** Absent: without a namespace and without Chromium's own sandbox. */
  readonly bwrap?: string | undefined;
  /** Port of the refusing proxy. In a namespace, nothing listens on any port. */
  readonly proxyPort: number;
}

/** A running browser. */
export interface RunningBrowser {
  readonly cdp: CdpPipe;
  /** The id of the started process, which is `bwrap` if that is used. */
  readonly pid: number;
  /** For example `156.0.8078.79`. */
  readonly version: string;
  /** Kills the browser and all its processes at once. Resolves when they have ended and its files are removed. */
  kill(): Promise<void>;
  /** Resolves when the browser has ended, for whatever reason. */
  readonly ended: Promise<void>;
}

/** The browser did not start. The message contains the end of its output. */
export class LaunchError extends Error {
  override readonly name = 'LaunchError';
}

const startMs = 20_000;
const stderrCharsMax = 4_000;

/** Rejects with a {@link LaunchError}. */
export async function launchBrowser(options: LaunchOptions): Promise<RunningBrowser> {
  const { binary, bwrap } = options;
  // In a namespace the directory is in a memory file system that ends with the browser.
  const profileDir = bwrap === undefined ? mkdtempSync(path.join(tmpdir(), 'hayrake-browser-')) : '/tmp/profile';
  const flags = browserFlags({ proxyPort: options.proxyPort, profileDir, isSandboxed: bwrap !== undefined });
  const [command, args] = bwrap === undefined ? [binary, flags] : [bwrap, [...confinement(binary), binary, ...flags]];
  const child = spawn(command, args, {
    stdio: ['ignore', 'ignore', 'pipe', 'pipe', 'pipe'],
    // A group of its own, so that it is killed as a whole, and a Ctrl-C in the terminal does not reach it before
    // hayrake has drained.
    detached: true,
    cwd: '/',
    // Nothing from hayrake's environment, which contains secrets.
    env: { HOME: bwrap === undefined ? profileDir : '/home', LANG: 'C.UTF-8', PATH: '/usr/bin:/bin', TZ: 'UTC' },
  });
  let written = '';
  child.stderr?.on('data', (chunk: Buffer) => {
    written = (written + chunk.toString()).slice(-stderrCharsMax);
  });
  const ended = new Promise<void>((resolve) => {
    child.once('close', () => resolve());
    child.once('error', () => resolve());
  }).then(() => {
    if (bwrap === undefined) rmSync(profileDir, { recursive: true, force: true, maxRetries: 3 });
  });
  const kill = async (): Promise<void> => {
    endGroup(child);
    await ended;
  };
  const [toBrowser, fromBrowser] = [child.stdio[3] as Writable, child.stdio[4] as Readable];
  const cdp = new CdpPipe(toBrowser, fromBrowser, () => endGroup(child));
  void ended.then(() => cdp.close());
  const timer = setTimeout(() => cdp.close(), startMs);
  try {
    const { pid } = child;
    const version = textOf(await cdp.send('Browser.getVersion'), 'product').replace(/^[^/]*\//u, '');
    if (pid === undefined) throw new Error('it has no process');
    return { cdp, pid, version, kill, ended };
  } catch {
    await kill();
    throw new LaunchError(lastLines(written) || `${command} could not be started, or ended without output.`);
  } finally {
    clearTimeout(timer);
  }
}

/** Kills the process and all its children. */
function endGroup({ pid, exitCode, signalCode }: ChildProcess): void {
  if (pid === undefined || exitCode !== null || signalCode !== null) return;
  try {
    process.kill(-pid, 'SIGKILL');
  } catch {
    // It has ended meanwhile.
  }
}

/** Paths that Chromium and its libraries read. The rest of the disk is not visible. */
const readable = [
  '/usr',
  '/etc/fonts',
  '/etc/ld.so.cache',
  '/etc/alternatives',
  '/etc/ssl/certs',
  '/var/cache/fontconfig',
];
const systemLinks = ['bin', 'lib', 'lib64', 'sbin'];

/**
 * Arguments of `bwrap`: no network, no files except those of programs, no other processes, not root, and it ends with
 * hayrake.
 */
function confinement(binary: string): string[] {
  const directory = path.dirname(binary);
  const binds = directory.startsWith('/usr/') ? readable : [...readable, directory];
  return [
    '--unshare-user',
    '--uid',
    '1000',
    '--gid',
    '1000',
    '--unshare-net',
    '--unshare-pid',
    '--unshare-ipc',
    '--unshare-uts',
    '--unshare-cgroup-try',
    '--die-with-parent',
    '--new-session',
    '--cap-drop',
    'ALL',
    ...binds.flatMap((file) => (existsSync(file) ? ['--ro-bind', file, file] : [])),
    ...systemLinks.flatMap((name) =>
      existsSync(`/usr/${name}`) ? ['--symlink', `usr/${name}`, `/${name}`] : ['--ro-bind-try', `/${name}`, `/${name}`],
    ),
    '--proc',
    '/proc',
    '--dev',
    '/dev',
    '--size',
    String(512 * 2 ** 20),
    '--tmpfs',
    '/tmp',
    '--dir',
    '/home',
    '--chdir',
    '/',
    '--',
  ];
}

function lastLines(text: string): string {
  return text.trim().split('\n').slice(-3).join(' ').slice(0, 500);
}
