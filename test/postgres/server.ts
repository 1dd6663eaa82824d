// A real PostgreSQL in a folder of its own, on a free port. It ends with the process that started it, however that ends.
import { type ChildProcessByStdio, spawn } from 'node:child_process';
import { randomInt } from 'node:crypto';
import { once } from 'node:events';
import { chown, mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { createInterface } from 'node:readline';
import type { Readable, Writable } from 'node:stream';
import { setTimeout as pause } from 'node:timers/promises';
import { environment, findBinaries, unprivilegedUser, type User } from './binaries.ts';
import { runStatement } from './database.ts';

export interface PostgresOptions {
  /** As in `postgresql.conf`, over those of the tests: without fsync, on 127.0.0.1, for 200 connections. */
  readonly settings?: Readonly<Record<string, string>>;
}

/** `fast` ends the sessions and writes a checkpoint; `immediate` is a crash: the next start has to recover. */
export type StopMode = 'fast' | 'immediate';

export interface PostgresServer {
  readonly port: number;
  /** `postgres://postgres@127.0.0.1:PORT/DATABASE`; no password is asked. @default the database `postgres` */
  url(database?: string): string;
  /** On the same port, with the same data. */
  start(): Promise<void>;
  stop(mode: StopMode): Promise<void>;
  restart(mode: StopMode): Promise<void>;
  /**
   * Another one that follows this one, which answers no commit before it is on both, unless `synchronous` is false. It is
   * stopped for a moment.
   */
  startStandby(options?: { readonly synchronous?: boolean }): Promise<StandbyServer>;
  /** Stops it where it runs, and removes its folder. */
  remove(): Promise<void>;
}

/** Answers reads, and refuses writes until it is promoted. */
export interface StandbyServer extends PostgresServer {
  promote(): Promise<void>;
  /** Hears of no commit any more. */
  stopFollowing(): Promise<void>;
}

const startMs = 60_000;
const signals = { fast: 'INT', immediate: 'QUIT' } as const;

/** Runs a program until it ends, or a signal's name is written to it, or the one who could write is gone: then its folder goes too. */
const supervisor = `
exec 3<&0
folder=$1; shift
"$@" </dev/null 3<&- >>"$folder/log" 2>&1 &
program=$!
echo "$program"
{
  if ! read -r signal <&3; then signal=QUIT; : >"$folder/left-alone"; fi
  kill -s "$signal" "$program"
} 2>/dev/null &
watcher=$!
wait "$program"
code=$?
kill "$watcher" 2>/dev/null
if [ -e "$folder/left-alone" ]; then rm -rf "$folder"; fi
exit "$code"
`;

export async function startPostgres(options: PostgresOptions = {}): Promise<PostgresServer> {
  const user = unprivilegedUser();
  const directory = await mkdtemp(path.join(await openTmpdir(user), 'hayrake-postgres-'));
  try {
    if (user.uid !== undefined && user.gid !== undefined) await chown(directory, user.uid, user.gid);
    const binaries = await findBinaries(user, directory);
    const server = new Server(directory, binaries, user, await freePort(), options.settings ?? {});
    await server.initialize();
    await server.start();
    return server;
  } catch (error) {
    await rm(directory, { recursive: true, force: true });
    throw error;
  }
}

class Server implements StandbyServer {
  readonly port: number;
  readonly #directory: string;
  readonly #binaries: string;
  readonly #user: User;
  readonly #settings: Readonly<Record<string, string>>;
  #child: ChildProcessByStdio<Writable, Readable, null> | undefined;

  constructor(
    directory: string,
    binaries: string,
    user: User,
    port: number,
    settings: Readonly<Record<string, string>>,
  ) {
    this.#directory = directory;
    this.#binaries = binaries;
    this.#user = user;
    this.port = port;
    this.#settings = {
      listen_addresses: '127.0.0.1',
      unix_socket_directories: '',
      max_connections: '200',
      fsync: 'off',
      timezone: 'UTC',
      log_timezone: 'UTC',
      ...settings,
    };
  }

  url(database = 'postgres'): string {
    return `postgres://postgres@127.0.0.1:${this.port}/${database}`;
  }

  async initialize(): Promise<void> {
    const options = ['--no-sync', '--auth=trust', '--username=postgres', '--encoding=UTF8', '--locale=C'];
    const child = this.#spawn('initdb', ['-D', this.#data, ...options]);
    const [code] = (await once(child, 'close')) as [number | null];
    if (code !== 0) throw new Error(`initdb ended with exit code ${code}:\n${await this.#log()}`);
  }

  async start(): Promise<void> {
    if (this.#child !== undefined) throw new Error('this PostgreSQL runs already');
    const settings = Object.entries(this.#settings).flatMap(([name, value]) => ['-c', `${name}=${value}`]);
    const child = this.#spawn('postgres', ['-D', this.#data, '-p', String(this.port), ...settings]);
    this.#child = child;
    try {
      await this.#untilReady(child);
    } catch (error) {
      await this.stop('immediate');
      throw error;
    }
    // Who has nothing else to do may end, and the server with it.
    setReferenced(child, false);
  }

  async stop(mode: StopMode): Promise<void> {
    const child = this.#child;
    if (child === undefined) return;
    this.#child = undefined;
    if (hasEnded(child)) return;
    setReferenced(child, true);
    const closed = once(child, 'close');
    child.stdin.write(`${signals[mode]}\n`);
    await closed;
  }

  async restart(mode: StopMode): Promise<void> {
    await this.stop(mode);
    await this.start();
  }

  async startStandby({ synchronous = true }: { readonly synchronous?: boolean } = {}): Promise<StandbyServer> {
    const { uid, gid } = this.#user;
    const directory = await mkdtemp(path.join(path.dirname(this.#directory), 'hayrake-postgres-'));
    if (uid !== undefined && gid !== undefined) await chown(directory, uid, gid);
    const standby = new Server(directory, this.#binaries, this.#user, await freePort(), this.#settings);
    await this.stop('fast');
    const copying = this.#spawn('cp', ['-a', this.#data, standby.#data], '/bin');
    const [code] = (await once(copying, 'close')) as [number | null];
    if (code !== 0) throw new Error(`cp ended with exit code ${code}:\n${await this.#log()}`);
    await writeFile(path.join(standby.#data, 'standby.signal'), '');
    await Promise.all([this.start(), standby.start()]);
    await standby.#set('primary_conninfo', `host=127.0.0.1 port=${this.port} user=postgres`);
    if (synchronous) await this.#set('synchronous_standby_names', '*');
    return standby;
  }

  async stopFollowing(): Promise<void> {
    await this.#set('primary_conninfo', '');
  }

  async promote(): Promise<void> {
    await runStatement(this.url(), 'SELECT pg_promote()');
  }

  async #set(name: string, value: string): Promise<void> {
    await runStatement(this.url(), `ALTER SYSTEM SET ${name} = '${value}'`);
    await runStatement(this.url(), 'SELECT pg_reload_conf()');
  }

  async remove(): Promise<void> {
    await this.stop('immediate');
    await rm(this.#directory, { recursive: true, force: true });
  }

  get #data(): string {
    return path.join(this.#directory, 'data');
  }

  #spawn(
    program: string,
    args: readonly string[],
    folder = this.#binaries,
  ): ChildProcessByStdio<Writable, Readable, null> {
    const command = [path.join(folder, program), ...args];
    const child = spawn('sh', ['-c', supervisor, 'sh', this.#directory, ...command], {
      ...this.#user,
      cwd: this.#directory,
      env: environment,
      stdio: ['pipe', 'pipe', 'ignore'],
      // A session of its own: Ctrl-C in the terminal is for the tests, which then end it.
      detached: true,
    });
    // The program may end while it is told to.
    child.stdin.on('error', () => {});
    child.on('exit', () => child.stdin.destroy());
    return child;
  }

  async #untilReady(child: ChildProcessByStdio<Writable, Readable, null>): Promise<void> {
    const lines = createInterface({ input: child.stdout });
    const [pid] = (await Promise.race([once(lines, 'line'), once(lines, 'close')])) as [string?];
    for (const deadline = Date.now() + startMs; Date.now() < deadline; await pause(10)) {
      if (hasEnded(child)) throw new Error(`PostgreSQL did not start:\n${await this.#log()}`);
      // The first line is who wrote it: a crash may have left one behind. The eighth is the state.
      const status = await readFile(path.join(this.#data, 'postmaster.pid'), 'utf8').catch(() => '');
      const fields = status.split('\n').map((field) => field.trim());
      if (fields[0] === pid && (fields[7] === 'ready' || fields[7] === 'standby')) return;
    }
    throw new Error(`PostgreSQL was not ready after ${startMs / 1000} s:\n${await this.#log()}`);
  }

  async #log(): Promise<string> {
    const log = await readFile(path.join(this.#directory, 'log'), 'utf8').catch(() => 'it wrote no log');
    return log.slice(-4_000);
  }
}

const hasEnded = (child: ChildProcessByStdio<Writable, Readable, null>): boolean =>
  child.exitCode !== null || child.signalCode !== null;

/** Whether this process stays for the child. Its pipes are sockets, which the types of streams do not tell. */
function setReferenced(child: ChildProcessByStdio<Writable, Readable, null>, referenced: boolean): void {
  for (const handle of [child, child.stdin, child.stdout] as unknown as { ref(): void; unref(): void }[]) {
    if (referenced) handle.ref();
    else handle.unref();
  }
}

/** The first folder for temporary files whose parents `user` may enter. */
async function openTmpdir(user: User): Promise<string> {
  if (user.uid === undefined) return tmpdir();
  for (const folder of [tmpdir(), '/tmp', '/var/tmp']) {
    const parents = folder.split(path.sep).map((_, index, parts) => parts.slice(0, index + 1).join(path.sep) || '/');
    const modes = await Promise.all(parents.map(async (parent) => (await stat(parent)).mode)).catch(() => [0]);
    if (modes.every((mode) => (mode & 0o001) !== 0)) return folder;
  }
  throw new Error(`PostgreSQL does not run as root, and other users may not enter ${tmpdir()}`);
}

/** Below those that outgoing connections are given: nobody takes it while the server is down. */
async function freePort(): Promise<number> {
  for (;;) {
    const port = randomInt(20_000, 30_000);
    const probe = createServer();
    try {
      await once(probe.listen(port, '127.0.0.1'), 'listening');
      await new Promise((resolve) => probe.close(resolve));
      return port;
    } catch {
      // Taken: another one.
    }
  }
}
