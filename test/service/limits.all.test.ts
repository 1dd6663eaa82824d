// What one client, one org or one address can have of the service, and that the others have the rest.
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import type { Socket } from 'node:net';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { failedTokensPerMinute, headersMax } from '../../src/api/limits.ts';
import { expectProblem } from './expect-problem.ts';
import { exchange, open, readAll, statuses } from './raw-socket.ts';
import { type NewToken, type RawAnswer, type RawInit, startService, type TestService } from './start-service.ts';
import { type Gate, htmlPage, numberedPages, startTestSite, type TestSite } from './test-site.ts';

const json = { 'content-type': 'application/json' };

let site: TestSite;
let service: TestService;
let other: NewToken;

beforeAll(async () => {
  site = await startTestSite(numberedPages(2));
});

afterAll(() => site.close());

afterEach(async () => {
  await service.close();
});

async function start(env: Readonly<Record<string, string>>): Promise<void> {
  service = await startService({ env });
  other = await service.createToken({ org: 'other' });
}

function post(init: RawInit & { readonly job?: unknown } = {}): Promise<RawAnswer> {
  const { job = { urls: [`${site.origin}/`] }, headers, ...rest } = init;
  return service.raw('/crawler/jobs', {
    method: 'POST',
    headers: { ...json, ...headers },
    body: JSON.stringify(job),
    ...rest,
  });
}

/** What comes true in a while, on a busy machine too. */
function eventually<Value>(read: () => Value): ReturnType<typeof expect.poll<Value>> {
  return expect.poll(read, { timeout: 30_000 });
}

/** A job that does not end before its gate is opened. */
async function heldJob(): Promise<{ readonly id: string; readonly gate: Gate }> {
  site.add({ '/held': htmlPage({ title: 'Held' }) });
  const gate = site.hold('/held');
  const { id } = await service.createJob({ urls: [`${site.origin}/held`], force_crawling_mode: 'link' });
  await gate.reached;
  return { id, gate };
}

describe('requests per minute', () => {
  const perMinute = 30;

  async function useUp(): Promise<void> {
    for (let index = 0; index < perMinute; index++) {
      const { status } = await service.raw('/crawler/jobs?limit=1', {
        headers: { 'x-forwarded-for': `192.0.2.${index}` },
      });
      expect(status).toBe(200);
    }
  }

  test('HAYRAKE_REQUESTS_PER_MINUTE: answers 429 with Retry-After beyond the limit, to this org only', async () => {
    await start({ HAYRAKE_REQUESTS_PER_MINUTE: String(perMinute) });
    await useUp();
    const answer = await service.raw('/crawler/jobs', { headers: { 'x-forwarded-for': '198.51.100.1' } });
    expectProblem(answer, 429, 'rate_limited');
    expect(Number(answer.headers['retry-after'])).toBeGreaterThanOrEqual(1);
    expect(Number(answer.headers['retry-after'])).toBeLessThanOrEqual(120);
    expect((await service.raw('/crawler/jobs', { token: other.token })).status).toBe(200);
    for (const path of ['/healthz', '/readyz']) expect((await service.raw(path, { token: null })).status).toBe(200);
  });

  test('HAYRAKE_REQUESTS_PER_MINUTE: answers 401 before 429, and 429 before any other error', async () => {
    await start({ HAYRAKE_REQUESTS_PER_MINUTE: String(perMinute) });
    const readOnly = await service.createToken({ org: 'default', permissions: 'read' });
    await useUp();
    expectProblem(await service.raw('/crawler/jobs', { token: 'wrong' }), 401, 'invalid_token');
    expectProblem(await service.raw('/crawler/jobs', { token: null }), 401, 'unauthorized');
    expectProblem(await post({ token: readOnly.token }), 429, 'rate_limited');
    expectProblem(await post({ job: 'nonsense' }), 429, 'rate_limited');
    for (const path of ['/crawler/jobs?limit=x', '/crawler/jobs/nobody', '/crawler/jobs/nobody/data'])
      expectProblem(await service.raw(path), 429, 'rate_limited');
  });

  test('HAYRAKE_REQUESTS_PER_MINUTE: counts requests without a token by address', async () => {
    await start({ HAYRAKE_REQUESTS_PER_MINUTE: '3' });
    const answers = [];
    for (let index = 0; index < 5; index++) {
      const headers = { 'x-forwarded-for': `192.0.2.${index}` };
      answers.push(await service.raw('/openapi.json', { token: null, headers }));
    }
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 429, 429]);
    expect((await service.raw('/crawler/jobs')).status).toBe(200);
  });

  test('HAYRAKE_REQUESTS_PER_MINUTE: sets no limit when it is 0', async () => {
    await start({ HAYRAKE_REQUESTS_PER_MINUTE: '0' });
    const answers = await Promise.all(Array.from({ length: 200 }, () => service.raw('/crawler/jobs?limit=1')));
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200]));
  });
});

test('authentication: answers 429 and closes the connection after too many wrong tokens from one address', async () => {
  await start({});
  const socket = await open(service.port);
  const request = 'GET /crawler/jobs HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer wrong\r\n\r\n';
  // All at once they would be judged in any order.
  let answered = '';
  socket.on('data', (chunk: Buffer) => (answered += chunk.toString('latin1')));
  const reading = readAll(socket);
  socket.write(request.repeat(failedTokensPerMinute));
  await expect.poll(() => statuses(answered).length, { timeout: 30_000 }).toBe(failedTokensPerMinute);
  socket.write(request.repeat(50));
  const seen = statuses(await reading);
  expect(seen).toEqual([...Array.from({ length: failedTokensPerMinute }, () => 401), 429]);
  const answer = await service.raw('/crawler/jobs', { token: 'another' });
  expectProblem(answer, 429, 'rate_limited');
  expect(answer.headers.connection).toBe('close');
  expect(Number(answer.headers['retry-after'])).toBeGreaterThanOrEqual(1);
  expect((await service.raw('/crawler/jobs')).status).toBe(200);
});

describe('unfinished jobs per org', () => {
  test('HAYRAKE_JOBS_PER_ORG: admits exactly the limit when 100 requests arrive at once', async () => {
    await start({ HAYRAKE_JOBS_PER_ORG: '5' });
    const { gate } = await heldJob();
    // One after the other: its host is held, so none of them ends.
    const job = { urls: [`${site.origin}/held`] };
    const answers = await Promise.all(
      Array.from({ length: 100 }, (_, index) => post({ job, headers: { 'idempotency-key': `key ${index}` } })),
    );
    const made = answers.filter(({ status }) => status === 200);
    expect(made.length).toBe(4);
    for (const answer of answers.filter(({ status }) => status !== 200)) {
      expectProblem(answer, 429, 'too_many_jobs');
      expect(answer.headers['retry-after']).toBe('30');
    }

    // One page is a job like any other.
    const scrape = (token: string): Promise<RawAnswer> =>
      service.raw('/scraper/scrape', {
        method: 'POST',
        headers: json,
        token,
        body: JSON.stringify({ url: `${site.origin}/` }),
      });
    expectProblem(await scrape(service.token), 429, 'too_many_jobs');
    // The job that a key made before is no new one.
    const known = answers.findIndex(({ status }) => status === 200);
    expect((await post({ job, headers: { 'idempotency-key': `key ${known}` } })).status).toBe(200);
    expect((await post({ job, token: other.token })).status).toBe(200);

    const [first] = made.map(({ body }) => (JSON.parse(body.toString()) as { id: string }).id);
    await service.ok(`/crawler/jobs/${first}/cancel`, { method: 'POST' });
    expect((await post({ job })).status).toBe(200);
    expectProblem(await post({ job }), 429, 'too_many_jobs');
    gate.open();
  });
});

describe('waiting requests per org', () => {
  const token = (): string => `Authorization: Bearer ${service.token}`;
  const waitFor = (id: string): string =>
    `GET /crawler/jobs/${id}/data?wait=60 HTTP/1.1\r\nHost: localhost\r\n${token()}\r\n\r\n`;

  /** Until a request that waits for nothing gets through again. */
  async function untilFree(id: string): Promise<void> {
    for (;;) {
      const { status } = await service.raw(`/crawler/jobs/${id}/data?wait=0`);
      if (status === 200) return;
      expect(status).toBe(429);
    }
  }

  test('HAYRAKE_WAITING_PER_ORG: answers 429 beyond the limit, to this org only, until a client goes away', async () => {
    await start({ HAYRAKE_WAITING_PER_ORG: '3' });
    const { id, gate } = await heldJob();
    const sockets = await Promise.all([1, 2, 3].map(() => open(service.port)));
    for (const socket of sockets) socket.write(waitFor(id));
    // Answered after those that wait were received.
    await eventually(async () => (await service.raw(`/crawler/jobs/${id}/data?wait=0`)).status).toBe(429);
    const answer = await service.raw(`/crawler/jobs/${id}/data?wait=0`);
    expectProblem(answer, 429, 'too_many_waiting');
    expect(answer.headers['retry-after']).toBe('5');
    expect((await service.raw(`/crawler/jobs/${id}`)).status).toBe(200);
    expect((await service.raw(`/crawler/jobs/${id}/data`, { token: other.token })).status).toBe(404);
    sockets[0]?.resetAndDestroy();
    await untilFree(id);
    gate.open();
    await service.untilEnded(id);
  });

  test('HAYRAKE_WAITING_PER_ORG: frees the places of pipelined requests when their connection closes', async () => {
    await start({ HAYRAKE_WAITING_PER_ORG: '20' });
    const { id, gate } = await heldJob();
    const socket = await open(service.port);
    socket.write(waitFor(id).repeat(20));
    await eventually(async () => (await service.raw(`/crawler/jobs/${id}/data?wait=0`)).status).toBe(429);
    socket.resetAndDestroy();
    await untilFree(id);
    // All of them: as many again may wait.
    const again = await open(service.port);
    again.write(waitFor(id).repeat(20));
    await eventually(async () => (await service.raw(`/crawler/jobs/${id}/data?wait=0`)).status).toBe(429);
    gate.open();
    await eventually(async () => (await service.job(id)).status).toBe('succeeded');
    again.destroy();
    expect(service.stderr).toBe('');
  });

  test('GET /data?wait: takes no response memory while it waits, nor do errors pipelined after it', async () => {
    await start({ HAYRAKE_WAITING_PER_ORG: '42' });
    const { id, gate } = await heldJob();
    // An org has room for eight answers whose length is not known yet.
    const requests = [waitFor(id).repeat(20), waitFor(id) + waitFor('unknown').repeat(20), waitFor(id)];
    const sockets = await Promise.all(requests.map(() => open(service.port)));
    for (const [index, socket] of sockets.entries()) socket.write(requests[index]!);
    await eventually(async () => (await service.raw(`/crawler/jobs/${id}/data?wait=0`)).status).toBe(429);
    sockets.pop()?.destroy();
    await untilFree(id);
    gate.open();
    await service.untilEnded(id);
    for (const socket of sockets) socket.destroy();
    expect(service.stderr).toBe('');
  });
});

describe('connections', () => {
  test('HAYRAKE_CONNECTIONS: closes the connection that is idle longest to accept another', async () => {
    await start({ HAYRAKE_CONNECTIONS: '20' });
    const idle: Socket[] = [];
    for (let index = 0; index < 60; index++) idle.push(await open(service.port));
    expect((await service.raw('/healthz')).status).toBe(200);
    await eventually(() => idle.filter(({ closed }) => closed).length).toBeGreaterThanOrEqual(40);
    expect(idle.slice(0, 40).every(({ closed }) => closed)).toBe(true);
    for (const socket of idle) socket.destroy();
  });

  test('HAYRAKE_CONNECTIONS: answers 503 when all connections are in use, and completes their responses', async () => {
    await start({ HAYRAKE_CONNECTIONS: '10' });
    const { id, gate } = await heldJob();
    const request = [
      `GET /crawler/jobs/${id}/data HTTP/1.1`,
      'Host: localhost',
      'Connection: close',
      'Accept: application/x-ndjson',
      `Authorization: Bearer ${service.token}`,
    ];
    const answers = [];
    for (let index = 0; index < 10; index++) {
      const socket = await open(service.port);
      socket.write(`${request.join('\r\n')}\r\n\r\n`);
      const answer = readAll(socket);
      // Being answered: the head is there.
      await once(socket, 'data');
      answers.push(answer);
    }
    const asked = await exchange(service.port, 'GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n');
    expect(statuses(asked)).toEqual([503]);
    expect(asked).toMatch(/^retry-after: \d+\r$/im);
    gate.open();
    for (const answer of answers) expect(statuses(await answer)).toEqual([200]);
  });

  test('HTTP server: stays up under 1,000 connections when only 128 files can be open', async () => {
    const starter = ['sh', '-c', 'ulimit -n 128 && exec "$@"', 'sh'];
    service = await startService({ starter });
    for (let round = 0; round < 4; round++) {
      const sockets = await Promise.all(Array.from({ length: 250 }, () => open(service.port)));
      expect((await service.raw('/healthz')).status).toBe(200);
      for (const socket of sockets) socket.destroy();
    }
    expect((await service.crawl({ urls: [`${site.origin}/`] })).progress.scraped).toBe(2);
    // At the start, once: fewer requests in flight.
    expect(service.stderr.trim().split('\n')).toEqual([expect.stringContaining('"concurrency":32')]);
  });

  test(`HTTP server: answers 431 when a request has more than ${headersMax} headers`, async () => {
    await start({});
    const headers = Object.fromEntries(Array.from({ length: headersMax + 1 }, (_, index) => [`x-${index}`, 'a']));
    expectProblem(await service.raw('/healthz', { headers }), 431, 'headers_too_large');
  });
});

test('GET /data: bounds memory and gives each of 64 slow readers all pages or a 503', { timeout: 60_000 }, async () => {
  const text = Array.from({ length: 100_000 }, (_, index) => `word${index % 1_000}`).join(' ');
  const paths = Array.from({ length: 24 }, (_, index) => `/large/${index}`);
  site.add({
    '/large': htmlPage({ title: 'Large', links: paths }),
    ...Object.fromEntries(paths.map((path) => [path, htmlPage({ title: path, text: `${path} ${text}` })])),
  });
  await start({});
  const { id } = await service.crawl({ urls: [`${site.origin}/large`] });
  await service.raw(`/crawler/jobs/${id}/data`);
  const before = residentMiB();
  const request = `GET /crawler/jobs/${id}/data HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\nAuthorization: Bearer ${service.token}\r\n\r\n`;
  const sockets = await Promise.all(
    Array.from({ length: 64 }, async () => {
      const socket = await open(service.port);
      socket.pause().write(request);
      return socket;
    }),
  );
  let most = before;
  // Until the last of those that wait was told to come back.
  const readers = sockets.map(async (socket) => {
    await once(socket, 'readable');
    const first = String(socket.read(12));
    most = Math.max(most, residentMiB());
    return { socket, first };
  });
  const refused = await Promise.any(
    readers.map(async (reader) => /503/.test((await reader).first) || Promise.reject()),
  );
  expect(refused).toBe(true);
  const seen: number[] = [];
  for (const reader of readers) {
    const { socket, first } = await reader;
    const answer = first + (await readAll(socket.resume()));
    const [status = 0] = statuses(answer);
    seen.push(status);
    const body = answer.slice(answer.indexOf('\r\n\r\n') + 4);
    const { data, code } = JSON.parse(body) as { readonly data?: readonly unknown[]; readonly code?: string };
    expect(status === 200 ? (data?.length ?? 0) > 15 : status === 503 && code === 'overloaded').toBe(true);
  }
  expect(seen.filter((status) => status === 200).length).toBeGreaterThanOrEqual(4);
  console.log(
    `resident: ${before} MiB before, ${most} MiB at most; ${seen.filter((s) => s === 503).length} of 64 put off`,
  );
  // Half of 256 MiB for one org, twice while it is unpacked, and what the allocator keeps.
  expect(most - before).toBeLessThan(500);
});

function residentMiB(): number {
  const [, kib = '0'] = /^VmRSS:\s+(\d+) kB/m.exec(readFileSync(`/proc/${service.pid}/status`, 'utf8')) ?? [];
  return Math.round(Number(kib) / 1024);
}
