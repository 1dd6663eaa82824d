// Starts the browser: inside a network namespace with Chromium's own sandbox on, or, if the operator configured so,
// without both.
import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { Readable, Writable } from 'node:stream';
import { browserFlags } from './browser-flags.ts';
import type { BrowserMemory } from './browser-memory.ts';
import { BrowserTime } from './browser-time.ts';
import { CdpPipe, textOf } from './cdp-pipe.ts';

export interface LaunchOptions {
  readonly binary: string;
  /** Absent: without a namespace and without Chromium's own sandbox. */
  readonly bwrap?: string | undefined;
  /** Port of the refusing proxy. In a namespace, nothing listens on any port. */
  readonly proxyPort: number;
  readonly memory: BrowserMemory;
}

/** A running browser. */
export interface RunningBrowser {
  readonly cdp: CdpPipe;
  readonly time: BrowserTime;
  /** The id of the started process, which is `bwrap` if that is used. */
  readonly pid: number;
  /** It runs in `bwrap`. */
  readonly isConfined: boolean;
  /** For example `156.0.8078.79`. */
  readonly version: string;
  /** Kills the browser and all its processes at once. Resolves when they have ended and its files are removed. */
  kill(): Promise<void>;
  /** Resolves when the browser has ended. */
  readonly ended: Promise<BrowserEnd>;
}

/**
 * `killed`: by SIGKILL from outside hayrake, such as by the operator or for lack of memory of the machine. `other`: a
 * crash, the limit of memory, or hayrake.
 */
export type BrowserEnd = 'killed' | 'other';

/** The browser did not start. The message contains the end of its output. */
export class LaunchError extends Error {
  override readonly name = 'LaunchError';
  readonly end: BrowserEnd;

  constructor(message: string, end: BrowserEnd) {
    super(message);
    this.end = end;
  }
}

const startMs = 20_000;
/** After its pipe has closed, the browser ends by itself; the exit code then tells why. */
const endMs = 500;
/** The exit code of `bwrap` if the browser in it was killed: 128 and the signal. */
const killedCode = 137;
const stderrCharsMax = 4_000;

/** Rejects with a {@link LaunchError}. */
export async function launchBrowser(options: LaunchOptions): Promise<RunningBrowser> {
  const { binary, bwrap, memory } = options;
  // In a namespace the directory is in a memory file system that ends with the browser.
  const profileDir = bwrap === undefined ? mkdtempSync(path.join(tmpdir(), 'hayrake-browser-')) : '/tmp/profile';
  const flags = browserFlags({ proxyPort: options.proxyPort, profileDir, isSandboxed: bwrap !== undefined });
  const [command, args] = bwrap === undefined ? [binary, flags] : [bwrap, [...confinement(binary), binary, ...flags]];
  const killsBefore = memory.kills;
  const [limiting, limitingArgs] = memory.within(command, args);
  const child = spawn(limiting, limitingArgs, {
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
  let isOurs = false;
  const end = (): void => {
    isOurs = true;
    endGroup(child);
  };
  const ended = new Promise<BrowserEnd>((resolve) => {
    child.once('close', (code, signal) => {
      const isKilled = signal === 'SIGKILL' || code === killedCode;
      resolve(isKilled && !isOurs && memory.kills === killsBefore ? 'killed' : 'other');
    });
    child.once('error', () => resolve('other'));
  }).then((how) => {
    if (bwrap === undefined) rmSync(profileDir, { recursive: true, force: true, maxRetries: 3 });
    return how;
  });
  const kill = async (): Promise<void> => {
    end();
    await ended;
  };
  const [toBrowser, fromBrowser] = [child.stdio[3] as Writable, child.stdio[4] as Readable];
  const cdp = new CdpPipe(toBrowser, fromBrowser, (why) => {
    if (why === 'unreadable') end();
    else setTimeout(end, endMs);
  });
  const { pid } = child;
  const time = new BrowserTime(pid ?? 0);
  void ended.then(() => {
    time.close();
    cdp.close();
  });
  const cancel = time.after(startMs, end);
  try {
    const version = textOf(await cdp.send('Browser.getVersion'), 'product').replace(/^[^/]*\//u, '');
    if (pid === undefined) throw new Error('it has no process');
    return { cdp, time, pid, isConfined: bwrap !== undefined, version, kill, ended };
  } catch {
    const how = await ended;
    throw new LaunchError(lastLines(written) || `${command} could not be started, or ended without output.`, how);
  } finally {
    cancel();
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
    ...'--unshare-user --uid 1000 --gid 1000 --unshare-net --unshare-pid --unshare-ipc --unshare-uts'.split(' '),
    ...'--unshare-cgroup-try --die-with-parent --new-session --cap-drop ALL'.split(' '),
    ...binds.flatMap((file) => (existsSync(file) ? ['--ro-bind', file, file] : [])),
    ...systemLinks.flatMap((name) =>
      existsSync(`/usr/${name}`) ? ['--symlink', `usr/${name}`, `/${name}`] : ['--ro-bind-try', `/${name}`, `/${name}`],
    ),
    ...`--proc /proc --dev /dev --size ${512 * 2 ** 20} --tmpfs /tmp --dir /home --chdir / --`.split(' '),
  ];
}

function lastLines(text: string): string {
  return text.trim().split('\n').slice(-3).join(' ').slice(0, 500);
}
