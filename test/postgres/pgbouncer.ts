// A real PgBouncer in front of a database, on a free port.
import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chown, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { freePort } from '../../bench/corpus.ts';
import { unprivilegedUser } from './binaries.ts';

/** Debian has it where only root looks. */
const environment = { PATH: `${process.env['PATH'] ?? ''}:/usr/sbin` };
const startMs = 30_000;

export interface PgBouncer {
  /** The database, through the pooler. */
  readonly url: string;
  /** Without a word to anybody, as a crash would. */
  kill(): Promise<void>;
  /** On the same port. */
  start(): Promise<void>;
  remove(): Promise<void>;
}

/** Why there is none here, to skip tests with; undefined where there is. */
export function pgbouncerMissing(): string | undefined {
  try {
    execFileSync('pgbouncer', ['--version'], { env: environment, stdio: 'ignore' });
    return undefined;
  } catch {
    return 'needs pgbouncer, which is not installed';
  }
}

export async function startPgBouncer(databaseUrl: string, mode: 'session' | 'transaction'): Promise<PgBouncer> {
  const user = unprivilegedUser();
  const directory = await mkdtemp(path.join(tmpdir(), 'hayrake-pgbouncer-'));
  const file = path.join(directory, 'pgbouncer.ini');
  const port = await freePort();
  const server = new URL(databaseUrl);
  await writeFile(
    file,
    `[databases]
* = host=${server.hostname} port=${server.port} user=${server.username}
[pgbouncer]
listen_addr = 127.0.0.1
listen_port = ${port}
unix_socket_dir =
auth_type = any
pool_mode = ${mode}
default_pool_size = 40
max_client_conn = 200
`,
  );
  if (user.uid !== undefined && user.gid !== undefined) {
    for (const place of [directory, file]) await chown(place, user.uid, user.gid);
  }
  let child: ChildProcess | undefined;
  const pooler: PgBouncer = {
    url: Object.assign(new URL(databaseUrl), { host: `127.0.0.1:${port}` }).href,
    async start() {
      const started = spawn('pgbouncer', ['-q', file], { ...user, env: environment, stdio: 'ignore' });
      child = started;
      for (const until = Date.now() + startMs; !(await isListening(port)); await pause(20)) {
        if (started.exitCode !== null || Date.now() > until) throw new Error('PgBouncer did not start');
      }
    },
    async kill() {
      const running = child;
      child = undefined;
      if (running?.exitCode !== null || running.signalCode !== null) return;
      running.kill('SIGKILL');
      await once(running, 'exit');
    },
    async remove() {
      await pooler.kill();
      await rm(directory, { recursive: true, force: true });
    },
  };
  await pooler.start();
  return pooler;
}

async function isListening(port: number): Promise<boolean> {
  const socket = connect(port, '127.0.0.1');
  try {
    await once(socket, 'connect');
    return true;
  } catch {
    return false;
  } finally {
    socket.destroy();
  }
}
