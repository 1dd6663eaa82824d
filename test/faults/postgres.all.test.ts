// PostgreSQL that restarts, is stopped, turns read-only, has no connection left, is not there yet, or refuses: the crawl waits and
// goes on by itself, clients are told, and the log has one line when it begins and one when it is over.
import { once } from 'node:events';
import { type AddressInfo, connect as connectTo, createServer, type Socket } from 'node:net';
import { Client, DatabaseError } from 'pg';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { Connections } from '../../src/storage/postgres/connection/connections.ts';
import { run, type Running, start } from '../cli/program.ts';
import { codesOf } from '../e2e/ledger.ts';
import { createDatabase } from '../postgres/database.ts';
import { type PostgresServer, startPostgres } from '../postgres/server.ts';
import { postgresMissing } from '../postgres/test-database.ts';
import type { ServiceOptions } from '../service/start-service.ts';
import { postgresStore, type TestStore } from '../service/test-store.ts';
import { afterTest, type Crawl, expectWholeCrawl, startCrawl, untilRefused } from './crawl.ts';

const missing = await postgresMissing();
const user = 'tenant';
const password = 'hush-hush-of-the-tests';

// A busy machine fails no test.

let server: PostgresServer;
let superuser: Client;
/** Started when nothing listens, and nothing ever will. */
let neverReady: Running;

beforeAll(async () => {
  if (missing !== undefined) return;
  neverReady = start(['serve', '--port', '0'], {
    env: { HAYRAKE_DATABASE_URL: `postgres://${user}:${password}@127.0.0.1:1/none` },
  });
  server = await startPostgres({ settings: { max_connections: '30' } });
  await connect();
  await superuser.query(`CREATE ROLE ${user} LOGIN PASSWORD '${password}'`);
});
afterAll(async () => {
  if (missing !== undefined) return;
  neverReady.child.kill('SIGKILL');
  await superuser.end();
  await server.remove();
});
afterEach(async () => {
  for (const { child, finished } of started.splice(0)) {
    child.kill('SIGKILL');
    await finished;
  }
});

/** What is not subject to what is done to others. */
async function connect(): Promise<void> {
  superuser = new Client({ connectionString: server.url(), options: '-c default_transaction_read_only=off' });
  superuser.on('error', () => {});
  await superuser.connect();
}

const started: Running[] = [];

function serve(url: string): Running {
  const service = start(['serve', '--port', '0'], { env: { HAYRAKE_DATABASE_URL: url, HAYRAKE_ALLOW_PRIVATE: '' } });
  started.push(service);
  return service;
}

/** An empty database of the tenant's. */
async function newStore(): Promise<TestStore & { readonly url: string }> {
  const { url } = await createDatabase(server.url());
  const own = new URL(url);
  await superuser.query(`ALTER DATABASE ${own.pathname.slice(1)} OWNER TO ${user}`);
  own.username = user;
  own.password = password;
  return { ...postgresStore('/nowhere', own.href), url: own.href };
}

async function crawlOn(pages: number, options: ServiceOptions = {}): Promise<Crawl> {
  return startCrawl(pages, { store: options.store ?? (await newStore()), delayMs: 50, ...options });
}

/** What the log says that somebody should see. */
function warnings({ service }: Crawl): string[] {
  const lines = service.stderr.split('\n').filter((line) => line !== '');
  const entries = lines.map((line) => JSON.parse(line) as { readonly level: number; readonly msg: string });
  return entries.filter(({ level }) => level >= 40).map(({ msg }) => msg);
}

const pause = 'writing is paused and resumes as soon as the database can be written';
const end = 'writing resumes';

/** Resolves when the log has two lines for each outage, and no other. */
async function untilItGoesOn(crawl: Crawl, outages = 1): Promise<void> {
  const lines = Array.from({ length: outages }, () => [pause, end]).flat();
  await expect.poll(() => warnings(crawl), { interval: 50, timeout: 30_000 }).toEqual(lines);
}

/** Nothing of the outage is seen in what was crawled. */
async function expectUnharmed(crawl: Crawl): Promise<void> {
  await expectWholeCrawl(crawl);
  expect(codesOf(await crawl.service.job(crawl.id))).toEqual([]);
}

describe.skipIf(missing !== undefined)('PostgreSQL (needs PostgreSQL)', () => {
  test.each(['fast', 'immediate'] as const)('is restarted twice in mid-crawl (%s): every page once', async (mode) => {
    const crawl = await crawlOn(600);
    for (let time = 1; time <= 2; time++) {
      await server.restart(mode);
      await connect();
      await crawl.site.morePages(20);
      await untilItGoesOn(crawl, time);
    }
    await expectUnharmed(crawl);
  });

  test('is stopped for a while: reads and writes are refused with when to try again, and /readyz says what is down', async () => {
    const store = await newStore();
    const token = (await run(['token', 'create'], { env: store.env })).stdout.trim();
    const crawl = await crawlOn(300, { store });
    const { service, site, id } = crawl;
    await server.stop('fast');
    await untilRefused(crawl);
    expect(await (await service.api('/readyz')).json()).toEqual({
      status: 'not_ready',
      database: false,
      worker: true,
      reason: 'unavailable',
    });
    const job = { urls: [`${site.origin}/`] };
    for (const known of [service.token, token, 'hr_nobody-knows-this-one']) {
      const asked = [
        `/crawler/jobs/${id}`,
        `/crawler/jobs/${id}/data?wait=0`,
        `/crawler/jobs/${id}/events`,
        '/crawler/jobs',
      ];
      const answers = asked.map((path) => service.api(path, { token: known }));
      for (const answer of await Promise.all([...answers, service.api('/crawler/jobs', { token: known, json: job })])) {
        expect([answer.status, answer.headers.get('retry-after')]).toEqual([503, '5']);
        expect(await answer.json()).toMatchObject({ code: 'unavailable' });
      }
    }
    expect((await service.api('/healthz')).status).toBe(200);
    const metrics = await (await service.api('/metrics', { token: null })).text();
    expect(metrics).toMatch(/^hayrake_database_connections_max 10$/m);
    expect(metrics).toMatch(/^hayrake_leases_held [1-9]/m);
    expect(metrics).not.toMatch(/^hayrake_jobs\{/m);
    expect(warnings(crawl)).toEqual([pause]);
    expect(service.stderr).not.toContain(password);

    const more = site.morePages(20);
    await server.start();
    await connect();
    await more;
    await untilItGoesOn(crawl);
    await expectUnharmed(crawl);
    expect(warnings(crawl)).toEqual([pause, end]);
    expect((await service.api('/readyz')).status).toBe(200);
    expect((await service.api('/crawler/jobs', { token })).status).toBe(200);
    expect((await service.api('/crawler/jobs', { token: 'hr_nobody-knows-this-one' })).status).toBe(401);
  });

  test('turns read-only, as a standby is: what is stored is read, the crawl waits', async () => {
    const crawl = await crawlOn(300);
    const { service, site, id } = crawl;
    await setReadOnly(true);
    const { problem, headers } = await untilRefused(crawl);
    expect(problem).toMatchObject({ status: 503, code: 'storage_read_only' });
    expect(headers.get('retry-after')).toBe('30');
    expect(await (await service.api('/readyz')).json()).toMatchObject({ database: false, reason: 'read_only' });
    const { data } = await service.ok<{ data: unknown[] }>(`/crawler/jobs/${id}/data?wait=0`);
    expect(data.length).toBeGreaterThan(0);
    const more = site.morePages(20);
    await setReadOnly(false);
    await more;
    await untilItGoesOn(crawl);
    await expectUnharmed(crawl);
    expect(warnings(crawl)).toEqual([pause, end]);
  });

  test('is read-only when the program starts: it waits', async () => {
    const { url } = await newStore();
    await setReadOnly(true);
    const service = serve(url);
    await service.says(/waiting for the database.*\n/);
    await setReadOnly(false);
    await service.says(/API +http/);
    const [line] = await service.says(/^.*waiting for the database.*$/m);
    expect(JSON.parse(line)).toMatchObject({
      error: 'The database cannot be used now: it is read-only, such as a standby.',
    });
  });

  test('has no connection left when the program starts: it waits for one', async () => {
    const { url } = await newStore();
    const others = await takeAllConnections(url);
    afterTest(() => Promise.all(others.map((other) => other.end())));
    const service = serve(url);
    await service.says(/it has no connection left.*waiting for the database/);
    for (const other of others) await other.end();
    await service.says(/API +http/);
    expect(others.length).toBeGreaterThan(20);
  });

  test('has no connection left for a crawl that had some: it goes on when there are some', async () => {
    const crawl = await crawlOn(300);
    await superuser.query(`ALTER ROLE ${user} CONNECTION LIMIT 0`);
    await superuser.query(`SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE usename = $1`, [user]);
    const { problem, headers } = await untilRefused(crawl);
    expect(problem).toMatchObject({ status: 503, code: 'unavailable' });
    expect(headers.get('retry-after')).toBe('5');
    const more = crawl.site.morePages(20);
    await superuser.query(`ALTER ROLE ${user} CONNECTION LIMIT -1`);
    await more;
    await untilItGoesOn(crawl);
    await expectUnharmed(crawl);
    expect(warnings(crawl)).toEqual([pause, end]);
  });

  test('refuses the password in mid-crawl, as while it is being changed: the crawl waits', async () => {
    const crawl = await crawlOn(300);
    await askForPasswords();
    await superuser.query(`ALTER ROLE ${user} PASSWORD 'another'`);
    await superuser.query(`SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE usename = $1`, [user]);
    await untilRefused(crawl);
    const more = crawl.site.morePages(20);
    await superuser.query(`ALTER ROLE ${user} PASSWORD '${password}'`);
    await more;
    await untilItGoesOn(crawl);
    await expectUnharmed(crawl);
    expect(crawl.service.stderr).not.toContain(password);
  });

  test('says nothing any more, as where a network is cut: clients are told within seconds, the crawl waits', async () => {
    const line = await startLine(server.port);
    afterTest(() => line.close());
    const { url } = await newStore();
    const through = new URL(url);
    through.port = String(line.port);
    const crawl = await crawlOn(300, { store: postgresStore('/nowhere', through.href) });
    const { service, id } = crawl;
    line.cut();
    const { problem } = await untilRefused(crawl);
    expect(problem).toMatchObject({ status: 503, code: 'unavailable' });
    const read = await service.api(`/crawler/jobs/${id}`);
    expect([read.status, read.headers.get('retry-after')]).toEqual([503, '5']);
    expect(warnings(crawl)).toEqual([pause]);
    const more = crawl.site.morePages(20);
    line.join();
    await more;
    await untilItGoesOn(crawl);
    await expectUnharmed(crawl);
    expect(warnings(crawl)).toEqual([pause, end]);
  });

  test('a client that hangs in the middle of a transaction is cut off, and what it held is free', async () => {
    const { service, id } = await crawlOn(300, { env: { HAYRAKE_HOST_DELAY_MS: '500' } });
    const hanging = new Connections({
      url: service.store.env['HAYRAKE_DATABASE_URL']!,
      max: 1,
      applicationName: 'a test',
    });
    afterTest(() => hanging.close());
    const held = Promise.withResolvers<void>();
    const forever = Promise.withResolvers<never>();
    const transaction = hanging
      .transaction(async (tx) => {
        await tx.query('SELECT FROM job WHERE id = $1 FOR UPDATE', [id]);
        held.resolve();
        // As a process does that was stopped: until it is woken up.
        await forever.promise;
      })
      .catch((error: unknown) => error);
    await held.promise;
    const cancelled = await service.api(`/crawler/jobs/${id}/cancel`, { method: 'POST' });
    expect(cancelled.status).toBe(200);
    expect((await service.untilEnded(id)).status).toBe('cancelled');
    forever.reject(new Error('woken up'));
    expect(await transaction).toBeInstanceOf(Error);
    await expect(hanging.query('SELECT 1 AS one')).resolves.toEqual([{ one: 1 }]);
    expect(await hanging.query('SHOW statement_timeout')).toEqual([{ statement_timeout: '30s' }]);
  });

  test('is not there yet when the program starts: it waits, and serves when it is', async () => {
    const { url } = await newStore();
    await server.stop('fast');
    const services = ['serve', 'api', 'worker'].map((role) => {
      const service = start([role, '--port', '0'], { env: { HAYRAKE_DATABASE_URL: url } });
      started.push(service);
      return service;
    });
    for (const service of services) await service.says(/waiting for the database/);
    await server.start();
    await connect();
    for (const service of services) await service.says(/(API|Health) +http/);
    for (const { child } of services) child.kill('SIGTERM');
    for (const { finished } of services) {
      const { code, stderr } = await finished;
      expect(code).toBe(0);
      expect(stderr.match(/waiting for the database/g)).toHaveLength(1);
    }
  });

  describe('is refused in one sentence, with an exit code and without a secret:', () => {
    const refused = async (
      url: string,
      args: readonly string[] = ['serve', '--port', '0'],
    ): Promise<[number | null, string]> => {
      const { code, stdout, stderr } = await run(args, { env: { HAYRAKE_DATABASE_URL: url } });
      expect(stdout).toBe('');
      return [code, stderr];
    };

    test('a wrong password: 7, at once', async () => {
      await askForPasswords();
      const url = (await newStore()).url.replace(password, 'a-wrong-one');
      const said =
        'hayrake: The database cannot be used now: it refuses the user or the password of HAYRAKE_DATABASE_URL.\n';
      expect(await refused(url)).toEqual([7, said]);
      expect(await refused(url, ['jobs'])).toEqual([7, said]);
    });

    test('no database of this name: 7, at once', async () => {
      const url = (await newStore()).url.replace(/hayrake_\w+$/, 'none_of_this_name');
      expect(await refused(url)).toEqual([
        7,
        'hayrake: The database cannot be used now: its server has no database of this name.\n',
      ]);
    });

    test('a user who may not make tables: 7, at once', async () => {
      const { url } = await createDatabase(server.url());
      const own = new URL(url);
      [own.username, own.password] = [user, password];
      expect(await refused(own.href)).toEqual([
        7,
        'hayrake: The database cannot be used: permission denied for schema public.\n',
      ]);
    });

    test('a database that a newer program made: 4', async () => {
      const store = await newStore();
      expect((await run(['jobs'], { env: { HAYRAKE_DATABASE_URL: store.url } })).code).toBe(0);
      await store.query('UPDATE schema_version SET version = 999');
      expect(await refused(store.url)).toEqual([
        4,
        expect.stringMatching(
          /^hayrake: The database was made by a newer version of hayrake \(schema 999, .*\)\. .*\n$/,
        ),
      ]);
    });

    test('a command beside the service while the database is away: 7, at once', async () => {
      const [code, stderr] = await refused(`postgres://${user}:${password}@127.0.0.1:1/none`, ['jobs']);
      expect([code, stderr]).toEqual([
        7,
        'hayrake: The database cannot be used now: it cannot be reached (ECONNREFUSED).\n',
      ]);
    });

    test('a database that does not come within a minute: 7', async () => {
      const { code, stdout, stderr } = await neverReady.finished;
      expect([code, stdout]).toEqual([7, '']);
      const [log = '', sentence, ...more] = stderr.trimEnd().split('\n');
      expect(JSON.parse(log)).toMatchObject({ msg: 'waiting for the database' });
      expect([sentence, ...more]).toEqual([
        'hayrake: The database cannot be used now: it cannot be reached (ECONNREFUSED).',
      ]);
      expect(stderr).not.toMatch(new RegExp(`${user}|${password}`));
    });
  });
});

/** A way to the server on which nothing moves while it is cut, and nobody is told. */
async function startLine(port: number): Promise<{ port: number; cut(): void; join(): void; close(): Promise<void> }> {
  const sockets = new Set<Socket>();
  let isCut = false;
  const gate = createServer((near) => {
    const far = connectTo(port, '127.0.0.1');
    for (const socket of [near, far]) {
      const other = socket === near ? far : near;
      sockets.add(socket);
      socket.on('data', (chunk) => other.write(chunk));
      socket
        .on('error', () => {})
        .on('close', () => {
          sockets.delete(socket);
          other.destroy();
        });
      if (isCut) socket.pause();
    }
  });
  await once(gate.listen(0, '127.0.0.1'), 'listening');
  return {
    port: (gate.address() as AddressInfo).port,
    cut: () => {
      isCut = true;
      for (const socket of sockets) socket.pause();
    },
    join: () => {
      isCut = false;
      for (const socket of sockets) socket.resume();
    },
    close: async () => {
      gate.close();
      for (const socket of sockets) socket.destroy();
      await once(gate, 'close');
    },
  };
}

async function setReadOnly(isReadOnly: boolean): Promise<void> {
  await superuser.query(
    isReadOnly
      ? 'ALTER SYSTEM SET default_transaction_read_only = on'
      : 'ALTER SYSTEM RESET default_transaction_read_only',
  );
  await superuser.query('SELECT pg_reload_conf()');
}

/** From everybody but the superuser. */
async function askForPasswords(): Promise<void> {
  const rules = ['host all postgres 127.0.0.1/32 trust', 'host all all 127.0.0.1/32 scram-sha-256'];
  const { rows } = await superuser.query<{ hba_file: string }>('SHOW hba_file');
  const values = rules.map((rule) => `('${rule}')`).join(', ');
  await superuser.query(`COPY (VALUES ${values}) TO '${rows[0]!.hba_file}'`);
  await superuser.query('SELECT pg_reload_conf()');
}

/** All that others than superusers may have. */
async function takeAllConnections(url: string): Promise<Client[]> {
  const clients: Client[] = [];
  for (;;) {
    const client = new Client({ connectionString: url });
    client.on('error', () => {});
    try {
      await client.connect();
    } catch (error) {
      // Out of connections.
      if (error instanceof DatabaseError && error.code === '53300') return clients;
      throw error;
    }
    clients.push(client);
  }
}
