// `hayrake doctor` and `hayrake health`, as a person or a container starts them.
import { spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, readdirSync, statSync, writeFileSync } from 'node:fs';
import { createServer, type AddressInfo } from 'node:net';
import path from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterEach, describe, expect, onTestFinished, test } from 'vitest';
import type { Diagnosis } from '../../src/core/ports/diagnosis.ts';
import { mainModule } from '../main-module.ts';
import { startService } from '../service/start-service.ts';
import { isOnPostgres } from '../service/test-store.ts';
import { browserMissing } from '../render/browser.ts';
import { type Finished, newDirectory, removeDirectories, run } from './program.ts';

afterEach(removeDirectories);

const byName = ({ stdout }: Finished): Readonly<Record<string, Diagnosis>> =>
  Object.fromEntries(
    (JSON.parse(stdout) as { readonly diagnoses: readonly Diagnosis[] }).diagnoses.map((diagnosis) => [
      diagnosis.name,
      diagnosis,
    ]),
  );

/** Name, size and time of each file, but of the index of the log, which each reader maps into its memory. */
const filesIn = (directory: string): unknown[] =>
  readdirSync(directory)
    .filter((name) => !name.endsWith('-shm'))
    .map((name) => {
      const { size, mtimeMs, mode } = statSync(path.join(directory, name));
      return [name, size, mtimeMs, mode];
    });

const openDatabase = (directory: string, sql: string): void => {
  const db = new DatabaseSync(path.join(directory, 'hayrake.db'));
  db.exec(sql);
  db.close();
};

/** With a database that no process has open. */
async function usedDirectory(): Promise<string> {
  const directory = newDirectory();
  expect((await run(['token', 'create', '--data', directory])).code).toBe(0);
  return directory;
}

/** Tests switch the browser off unless they say otherwise. */
const doctor = (...args: string[]): Promise<Finished> => run(['doctor', ...args]);

describe.skipIf(isOnPostgres())('doctor', () => {
  test('looks at a directory that is not there yet, and makes none', async () => {
    const parent = newDirectory();
    const { code, stdout, stderr } = await doctor('--data', path.join(parent, 'new/data'));
    expect([code, stderr]).toEqual([0, '']);
    expect(stdout).toMatch(/^ok {4}node {14}Node \d+\.\d+\.\d+$/m);
    expect(stdout).toMatch(/^ok {4}database {10}SQLite, created at the first start$/m);
    expect(stdout).toMatch(/^(?:All is well\.|Nothing failed, \d+ to check\.)$/m);
    expect(readdirSync(parent)).toEqual([]);
  });

  test('changes nothing, and says the same as JSON', async () => {
    const directory = await usedDirectory();
    const before = filesIn(directory);
    const answer = await doctor('--json', '--data', directory);
    expect(answer.code).toBe(0);
    expect(JSON.parse(answer.stdout)).toMatchObject({ ok: true });
    const diagnoses = byName(answer);
    expect(Object.keys(diagnoses)).toEqual(
      expect.arrayContaining([
        'node',
        'memory',
        'open files',
        'data directory',
        'disk',
        'file system',
        'database',
        'clock',
        'name resolution',
      ]),
    );
    expect(diagnoses['database']).toMatchObject({
      state: 'ok',
      message: expect.stringMatching(/^SQLite, schema \d+$/) as string,
    });
    for (const { state, remedy, message } of Object.values(diagnoses)) {
      expect(remedy === undefined).toBe(state === 'ok');
      expect(message).not.toContain('\n');
    }
    expect(filesIn(directory)).toEqual(before);
  });

  test('works beside a running service', async () => {
    const service = await startService();
    onTestFinished(() => service.close());
    const answer = await service.run(['doctor', '--json']);
    expect(answer.code).toBe(0);
    expect(byName(answer)).toMatchObject({ database: { state: 'ok' }, clock: { state: 'ok' } });
    expect((await service.api('/healthz', { token: null })).status).toBe(200);
  });

  test.each<[string, string, Partial<Diagnosis>, (directory: string) => void]>([
    [
      'a database of a newer version',
      'database',
      { state: 'fail', remedy: 'Install that version, or use another data directory.' },
      (directory) => openDatabase(directory, 'PRAGMA user_version = 9999'),
    ],
    [
      'a clock that has been set back',
      'clock',
      {
        state: 'fail',
        message: expect.stringMatching(/Z is 3 days before the newest stored time\.$/) as string,
      },
      (directory) =>
        openDatabase(
          directory,
          `INSERT OR REPLACE INTO setting (name, value) VALUES ('clock', CAST('{"seen":${Date.now() + 3 * 86_400_000},"doubted":null}' AS BLOB))`,
        ),
    ],
    [
      'a clock that is doubted',
      'clock',
      { state: 'warn' },
      (directory) =>
        openDatabase(
          directory,
          `INSERT OR REPLACE INTO setting (name, value) VALUES ('clock', CAST('{"seen":${Date.now() - 9 * 86_400_000},"doubted":${Date.now()}}' AS BLOB))`,
        ),
    ],
    [
      'a database that is none',
      'database',
      { state: 'fail' },
      (directory) => writeFileSync(path.join(directory, 'hayrake.db'), 'x'.repeat(9_000)),
    ],
    [
      'a directory that others can read',
      'data directory',
      { state: 'warn' },
      (directory) => chmodSync(directory, 0o755),
    ],
  ])('finds %s', async (_, name, diagnosis, spoil) => {
    const directory = await usedDirectory();
    spoil(directory);
    const answer = await doctor('--json', '--data', directory);
    expect(byName(answer)[name]).toMatchObject(diagnosis);
    expect(answer.code).toBe(diagnosis.state === 'fail' ? 1 : 0);
  });

  test('finds a file in place of the directory, and too little room', async () => {
    const file = path.join(newDirectory(), 'file');
    writeFileSync(file, '');
    const answer = await doctor('--json', '--data', file, '--disk-free-mb', '999999');
    expect(answer.code).toBe(1);
    expect(byName(answer)).toMatchObject({
      'data directory': { state: 'fail', message: `${file} is not a directory.` },
      disk: { state: 'fail' },
    });
    expect(JSON.parse(answer.stdout)).toMatchObject({ ok: false });
  });

  test.skipIf(process.platform !== 'linux')('finds too few files that may be open', () => {
    const start = `ulimit -n 300; exec "$@"`;
    const args = [mainModule, 'doctor', '--json', '--browser-binary', 'off', '--data', newDirectory()];
    const { stdout } = spawnSync('sh', ['-c', start, 'sh', process.execPath, ...args], { encoding: 'utf8' });
    expect(byName({ code: 0, stdout, stderr: '' })['open files']).toMatchObject({
      state: 'warn',
      remedy: expect.stringContaining('ulimit -n 1100') as string,
    });
  });

  test.skipIf(browserMissing !== undefined)('renders a page, from which nothing reaches this machine', async () => {
    const answer = await run(['doctor', '--json', '--data', newDirectory(), '--browser-binary', 'auto']);
    expect(answer.code).toBe(0);
    expect(byName(answer)).toMatchObject({
      browser: { state: 'ok' },
      bwrap: { state: 'ok' },
      'user namespaces': { state: 'ok' },
      sandbox: { state: 'ok' },
      rendering: { state: 'ok', message: expect.stringMatching(/^a page in \d+ ms/) as string },
      canary: { state: 'ok', message: expect.stringMatching(/not reached; [1-9]\d* requests/) as string },
    });
  });

  test('a browser that is named and is none is a failure', async () => {
    const answer = await run([
      'doctor',
      '--json',
      '--data',
      newDirectory(),
      '--browser-binary',
      '/nonexistent/browser',
    ]);
    expect(answer.code).toBe(1);
    expect(byName(answer)['browser']).toMatchObject({
      state: 'fail',
      message: 'There is no browser at /nonexistent/browser.',
    });
  });

  test('a wrong setting is a wrong setting', async () => {
    expect((await run(['doctor', '--port', 'x'])).code).toBe(2);
  });

  test('a database that cannot be reached is found out', async () => {
    const url = 'postgres://hayrake:secret@127.0.0.1:9/none';
    const answer = await run(['doctor', '--json'], { env: { HAYRAKE_DATABASE_URL: url } });
    expect(answer.code).toBe(1);
    expect(byName(answer)['database']).toMatchObject({ state: 'fail' });
    expect(answer.stdout).not.toContain('secret');
  });
});

describe('health', () => {
  test('of a service that takes work, and of one that has stopped', async () => {
    const service = await startService();
    onTestFinished(() => service.close());
    const { port } = new URL(service.origin);
    const asked = await run(['health', '--port', port, '--host', '0.0.0.0']);
    expect(asked).toEqual({ code: 0, stdout: `http://127.0.0.1:${port}: ready\n`, stderr: '' });
    await service.stop();
    const stopped = await run(['health', '--server', service.origin]);
    expect([stopped.code, stopped.stdout]).toEqual([1, expect.stringMatching(/ECONNREFUSED.*\n$/)]);
  });

  test.each([
    ['accepts and says nothing', '', 'no response within 3 seconds'],
    [
      'is another program',
      'HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nhi',
      'is not from a hayrake service (status 200)',
    ],
    ['sends without end', `HTTP/1.1 200 OK\r\n\r\n${'x'.repeat(9_000)}`, 'is not from a hayrake service'],
    [
      'has no room',
      'HTTP/1.1 503 No\r\ncontent-length: 75\r\n\r\n{"status":"not_ready","database":false,"worker":true,"reason":"disk_full"} ',
      'not ready: its database is not writable (disk_full)',
    ],
  ])('of what %s', async (_, answer, message) => {
    const server = createServer((socket) => {
      socket.on('error', () => {});
      if (answer !== '') socket.write(answer);
    });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    onTestFinished(() => void server.close());
    const { port } = server.address() as AddressInfo;
    const { code, stdout } = await run(['health', '--port', String(port)]);
    expect([code, stdout]).toEqual([1, expect.stringContaining(message)]);
    expect(stdout.match(/\n/g)).toHaveLength(1);
  });

  test.each([
    [['--port', '0'], 'HAYRAKE_PORT is 0'],
    [['--server', 'https://x.example'], 'must be the http address'],
    [['--server', 'nonsense'], 'must be the http address'],
  ])('is not asked with %j', async (args, message) => {
    const { code, stderr } = await run(['health', ...args]);
    expect([code, stderr]).toEqual([2, expect.stringContaining(message)]);
  });
});
