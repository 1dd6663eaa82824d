// `hayrake serve` as its operator sees it: the banner, the first token, what is refused, what is on disk.
import { once } from 'node:events';
import { readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import type { AddressInfo } from 'node:net';
import path from 'node:path';
import { afterEach, describe, expect, test } from 'vitest';
import { isOnPostgres } from '../service/test-store.ts';
import { newDirectory, removeDirectories, run, type Running, start, storeEnv, storeOf } from './program.ts';

const running: Running[] = [];
afterEach(async () => {
  for (const { child, finished } of running.splice(0)) {
    child.kill('SIGKILL');
    await finished;
  }
  removeDirectories();
});

async function serve(
  directory: string,
  env: Record<string, string | undefined> = {},
): Promise<Running & { readonly origin: string }> {
  const service = start(['serve', '--data', directory, '--port', '0', '--log-level', 'warn'], { env });
  running.push(service);
  const [, origin = ''] = await service.says(/API +(http:\S+)\/crawler\/jobs[^]*-d '\{.*\n/);
  return { ...service, origin };
}

async function stopped(service: Running): Promise<string> {
  service.child.kill('SIGTERM');
  const { code, stdout } = await service.finished;
  expect(code).toBe(0);
  return stdout;
}

async function statusWith(origin: string, token: string): Promise<number> {
  const response = await fetch(`${origin}/crawler/jobs`, { headers: { authorization: `Bearer ${token}` } });
  await response.body?.cancel();
  return response.status;
}

describe('the first start', () => {
  test('says where everything is, what is exposed, and what to try', async () => {
    const directory = newDirectory();
    const service = await serve(directory);
    const banner = await stopped(service);
    const { env, kind } = storeOf(directory);
    const place = env['HAYRAKE_DATABASE_URL']?.replace(/^.*@/, 'PostgreSQL, ');
    expect(place === undefined).toBe(kind === 'sqlite');
    expect(banner).toMatch(/^\n {2}hayrake \d+\.\d+\.\d+ · Node \d+\.\d+\.\d+ · (embedded database in|PostgreSQL,) /);
    expect(banner).toContain(` · ${place ?? `embedded database in ${directory}/`}\n`);
    expect(banner).toContain(`├─ API    ${service.origin}/crawler/jobs`);
    expect(banner).toContain(`├─ Spec   ${service.origin}/openapi.json`);
    expect(banner).toMatch(
      new RegExp(`└─ Open   ${service.origin}/login\\?code=[\\w-]{22}\n +the dashboard, signed in as token t_`),
    );
    expect(banner).toContain('Listening on this machine only. To expose: --host 0.0.0.0');
    expect(banner).toContain('Private addresses are refused.');
    expect(banner).toMatch(/Try: {2}curl -H "Authorization: Bearer hr_/);
  });

  test('makes a token that works, is shown once, and is stored only as a hash', async () => {
    const directory = newDirectory();
    const first = await serve(directory);
    const [, token = ''] = await first.says(/Token +(hr_\S+)\n +shown once, stored hashed/);
    expect(await statusWith(first.origin, token)).toBe(200);
    await stopped(first);

    const second = await serve(directory);
    expect(await statusWith(second.origin, token)).toBe(200);
    expect(await stopped(second)).not.toMatch(/hr_/);
    const content = await storeOf(directory).content();
    expect(content.size).toBeGreaterThan(0);
    for (const [name, text] of content) expect(text.includes(token), name).toBe(false);
  });

  test('makes none where HAYRAKE_TOKEN is given, and does not show that one', async () => {
    const token = 'a-token-of-the-operator-0123456789abcdef';
    const service = await serve(newDirectory(), { HAYRAKE_TOKEN: token });
    expect(await statusWith(service.origin, token)).toBe(200);
    const banner = await stopped(service);
    expect(banner).toContain('the one in HAYRAKE_TOKEN');
    expect(banner).not.toMatch(new RegExp(`hr_|${token}`));
  });

  // In PostgreSQL that is the server's.
  test.skipIf(isOnPostgres())(
    'keeps what it stores from other users of the machine (needs the embedded database)',
    async () => {
      const directory = path.join(newDirectory(), 'data');
      await serve(directory);
      const modeOf = (name: string): string => (statSync(path.join(directory, name)).mode & 0o777).toString(8);
      expect(modeOf('.')).toBe('700');
      expect(readdirSync(directory)).toContain('hayrake.db-wal');
      for (const name of readdirSync(directory)) expect([name, modeOf(name)]).toEqual([name, '600']);
    },
  );
});

describe('what is refused', () => {
  test('an address that others can reach, while there is no token: 2, and how to make one', async () => {
    const directory = newDirectory();
    const refused = await run(['serve', '--data', directory, '--port', '0', '--host', '0.0.0.0']);
    expect(refused.code).toBe(2);
    expect(refused.stdout).toBe('');
    expect(refused.stderr).toMatch(/0\.0\.0\.0, which other machines can reach, and there is no token yet\./);
    const command = /\(hayrake (token create[^)]*)\)/.exec(refused.stderr)![1]!;

    expect((await run(command.split(' '), { env: storeEnv(['--data', directory]) })).code).toBe(0);
    const service = start(['serve', '--data', directory, '--port', '0', '--host', '0.0.0.0', '--log-level', 'warn']);
    running.push(service);
    await service.says(/Other machines can reach this without encryption\./);
    await stopped(service);
  });

  test('a port that is in use: said so, with what to do, and the program ends', async () => {
    const other = createServer().listen(0, '127.0.0.1');
    await once(other, 'listening');
    const { port } = other.address() as AddressInfo;
    const { code, stderr } = await run(['serve', '--data', newDirectory(), '--port', String(port)]);
    other.close();
    expect([code, stderr]).toEqual([
      1,
      `hayrake: Port ${port} on 127.0.0.1 is in use by another program. Choose another port with --port (0 takes a free one), or stop that program.\n`,
    ]);
  });

  // From here on about directories: a PostgreSQL database is there for several.
  test.skipIf(isOnPostgres())('a second service on one directory: 6 (needs the embedded database)', async () => {
    const directory = newDirectory();
    const first = await serve(directory);
    const { code, stderr } = await run(['serve', '--data', directory, '--port', '0']);
    expect([code, stderr]).toEqual([
      6,
      expect.stringContaining(`in use by another crawling hayrake (process ${first.child.pid})`),
    ]);
  });

  test.skipIf(isOnPostgres())('a database that is none: 5 (needs the embedded database)', async () => {
    const directory = newDirectory();
    writeFileSync(path.join(directory, 'hayrake.db'), 'This is no database. '.repeat(500));
    const { code, stderr } = await run(['serve', '--data', directory, '--port', '0']);
    expect([code, stderr]).toEqual([5, expect.stringMatching(/is damaged .*Restore it from a backup/)]);
  });

  test.skipIf(isOnPostgres())('a directory that is a file: 7 (needs the embedded database)', async () => {
    const file = path.join(newDirectory(), 'file');
    writeFileSync(file, '');
    const { code, stderr } = await run(['serve', '--data', file, '--port', '0']);
    expect([code, stderr]).toEqual([7, expect.stringContaining(`The data directory ${file} cannot be used`)]);
  });
});

describe('the network', () => {
  // A PostgreSQL is reached through it.
  test.skipIf(isOnPostgres())(
    'is not used before the first crawl: nothing is resolved, nothing connected to (needs the embedded database)',
    async () => {
      const directory = newDirectory();
      const [spy, log] = [path.join(directory, 'spy.mjs'), path.join(directory, 'network.log')];
      writeFileSync(log, '');
      writeFileSync(
        spy,
        `import net from 'node:net';
       import dns from 'node:dns';
       import dgram from 'node:dgram';
       import { appendFileSync } from 'node:fs';
       const note = (what, of, name) => {
         const original = of[name];
         of[name] = function (...args) { appendFileSync(${JSON.stringify(log)}, what + '\\n'); return original.apply(this, args); };
       };
       note('connect', net.Socket.prototype, 'connect');
       note('lookup', dns, 'lookup');
       note('lookup', dns.promises, 'lookup');
       note('datagram', dgram, 'createSocket');`,
      );
      const data = path.join(directory, 'data');
      const env = { NODE_OPTIONS: `--import ${spy}` };
      const service = await serve(data, env);
      await stopped(service);
      await run(['token', 'list', '--data', data], { env });
      // Listening on an address asks the resolver of Node what family it is of; nothing leaves the machine for that.
      expect(readFileSync(log, 'utf8').replaceAll('lookup\n', '')).toBe('');
      expect(readFileSync(log, 'utf8').split('\n').length).toBeLessThanOrEqual(2);
    },
  );
});
