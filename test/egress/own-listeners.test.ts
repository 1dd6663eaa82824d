// A job is led to the service itself, or to another process of it, by a way that the guard cannot know.
import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { afterEach, expect, test } from 'vitest';
import { ledgerOf } from '../e2e/ledger.ts';
import { startService, type TestService } from '../service/start-service.ts';

const cleanups: (() => unknown)[] = [];
afterEach(async () => {
  for (const cleanup of cleanups.splice(0).toReversed()) await cleanup();
});

async function start(): Promise<TestService> {
  const service = await startService({ env: { HAYRAKE_LOG_LEVEL: 'warn' } });
  cleanups.push(() => service.close());
  return service;
}

/** Bytes go through as they are, as with `ssh -L`, NAT or a container's published port. */
async function forwardTo(port: number): Promise<string> {
  const sockets = new Set<Socket>();
  const server = createServer((client) => {
    const far = connect(port, '127.0.0.1');
    for (const [socket, other] of [
      [client, far],
      [far, client],
    ] as const) {
      sockets.add(socket);
      socket.on('error', () => {});
      socket.on('close', () => other.destroy());
      socket.pipe(other);
    }
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  cleanups.push(() => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

test.each([
  ['itself', (own: TestService) => own.port],
  ['another process', (_: TestService, other: TestService) => other.port],
])('a port forward to %s opens nothing of it: each URL is listed with 403', async (_, portOf) => {
  const [service, other] = [await start(), await start()];
  const origin = await forwardTo(portOf(service, other));
  // A client gets through.
  expect((await fetch(`${origin}/metrics`)).status).toBe(200);
  const urls = ['/metrics', '/openapi.json', '/healthz', '/crawler/jobs'].map((path) => origin + path);
  const { id } = await service.createJob({ urls });
  const job = await service.untilEnded(id);
  expect(job.progress).toMatchObject({ scraped: 0, failed: urls.length });
  const ledger = await ledgerOf(service, id);
  expect(new Set(ledger.map(({ reason }) => reason))).toEqual(new Set(['http_403']));
  const asked = portOf(service, other) === service.port ? service : other;
  expect(asked.stderr.match(/refused a request from a hayrake crawler/g)).toHaveLength(1);
});

test('what the crawler is refused with says what to do, and comes before everything else', async () => {
  const service = await start();
  const answer = await service.raw('/crawler/jobs', { token: null, headers: { 'user-agent': 'hayrake/0.1.0 (+me)' } });
  expect(answer.status).toBe(403);
  expect(JSON.parse(answer.body.toString())).toMatchObject({ code: 'crawler_refused', status: 403 });
});
