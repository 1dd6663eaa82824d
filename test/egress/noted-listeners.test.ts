// What processes note of where they listen is refused by the guard of every other, before a connection is made.
import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import { hostname } from 'node:os';
import { afterEach, expect, test } from 'vitest';
import { ledgerOf } from '../e2e/ledger.ts';
import { createTestDatabase, postgresMissing } from '../postgres/test-database.ts';
import { startService, type TestService } from '../service/start-service.ts';
import { createTestStore, postgresStore, type TestStore } from '../service/test-store.ts';

const missing = await postgresMissing();
const cleanups: (() => unknown)[] = [];
afterEach(async () => {
  for (const cleanup of cleanups.splice(0).toReversed()) await cleanup();
});

async function start(store: TestStore, role: 'serve' | 'api' | 'worker'): Promise<TestService> {
  const service = await startService({ store, role });
  cleanups.push(() => service.close());
  return service;
}

const stores: Readonly<Record<string, () => Promise<TestStore>>> = {
  SQLite: async () => {
    const store = await createTestStore();
    cleanups.push(() => store.remove());
    return store;
  },
  'PostgreSQL (needs PostgreSQL)': async () => {
    const database = await createTestDatabase();
    cleanups.push(database.remove);
    return postgresStore('/nowhere', database.url);
  },
};

const testable = missing === undefined ? Object.keys(stores) : ['SQLite'];

test.each(testable)('a job is led to no listener of another process: %s', async (name) => {
  const store = await stores[name]?.();
  const api = store && (await start(store, 'api'));
  const worker = store && (await start(store, 'worker'));
  if (!api || !worker) throw new Error('nothing was started');
  // The API knows itself only: the worker came later.
  const { id } = await api.createJob({ urls: [`${worker.origin}/metrics`] });
  await api.untilEnded(id);
  const [row] = await ledgerOf(api, id);
  expect(row?.reason).toBe('destination_not_allowed');
  expect(worker.stderr).not.toContain('a hayrake crawler');
  // The worker refuses the API, which was there before it.
  const other = await api.api('/crawler/jobs', { json: { urls: [`${api.origin}/openapi.json`] } });
  expect(other.status).toBe(400);
});

test('an address that was noted on another machine is refused, but for its loopback addresses', async () => {
  const site = createServer((socket) => socket.end('HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\nhere'));
  await once(site.listen(0, '127.0.0.1'), 'listening');
  cleanups.push(() => site.close());
  const { port } = site.address() as AddressInfo;
  const store = await stores['SQLite']?.();
  if (!store) throw new Error('there is no store');
  const first = await start(store, 'serve');
  await first.stop();
  const note = (machine: string, address: string, at: number): Promise<unknown> => {
    const value = JSON.stringify({ machine, addresses: [address], port: at, until: Date.now() + 60_000 });
    return store.query(
      `INSERT INTO setting (name, value) VALUES ('listener ${machine} ${address}', CAST('${value}' AS BLOB))`,
    );
  };
  await note('elsewhere', '127.0.0.1', port);
  const service = await start(store, 'serve');
  const reasonOf = async (url: string): Promise<string | undefined> => {
    const { id } = await service.createJob({ urls: [url] });
    await service.untilEnded(id);
    return (await ledgerOf(service, id))[0]?.reason;
  };
  expect(await reasonOf(`http://127.0.0.1:${port}/`)).not.toBe('destination_not_allowed');
  await service.stop();
  await note(hostname(), '127.0.0.1', port);
  await service.start();
  const refused = await service.api('/crawler/jobs', { json: { urls: [`http://127.0.0.1:${port}/`] } });
  expect(refused.status).toBe(400);
});
