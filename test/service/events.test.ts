// GET /crawler/jobs/{id}/events: the pages of a job and its progress, as browsers read them.
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { request as httpRequest, type IncomingMessage } from 'node:http';
import { type AddressInfo, createServer } from 'node:net';
import { Agent, EventSource } from 'undici';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { blocksOf, eventsOf, type ServerEvent } from './cut-stream.ts';
import { expectProblem } from './expect-problem.ts';
import { type RawAnswer, type RawInit, startService, type TestService } from './start-service.ts';
import { htmlPage, numberedPages, startTestSite, type TestSite } from './test-site.ts';

const pages = 9;
const waitingPerOrg = 30;
const largePages = 40;
/** Two of them are more than a stream reads ahead. */
const largeText = 600_000;

let service: TestService;
const sites: TestSite[] = [];
let ended: string;
let empty: string;
let deleted: string;

beforeAll(async () => {
  service = await startService({ env: { HAYRAKE_WAITING_PER_ORG: String(waitingPerOrg) } });
  const site = await startSite(numberedPages(pages));
  ({ id: ended } = await service.crawl({ urls: [`${site.origin}/`] }));
  ({ id: empty } = await service.crawl({ urls: [`${site.origin}/none`], force_crawling_mode: 'link' }));
  ({ id: deleted } = await service.crawl({ urls: [`${site.origin}/page/2`], max_depth: 0 }));
  await service.ok(`/crawler/jobs/${deleted}`, { method: 'DELETE' });
});
afterAll(async () => {
  await service.close();
  await Promise.all(sites.map((site) => site.close()));
});

async function startSite(content: Readonly<Record<string, string>>): Promise<TestSite> {
  const site = await startTestSite(content);
  sites.push(site);
  return site;
}

const pathOf = (id: string, query = ''): string => `/crawler/jobs/${id}/events${query}`;
const events = (id: string, query = '', init: RawInit = {}): Promise<RawAnswer> => service.raw(pathOf(id, query), init);
const pagesOf = (all: readonly ServerEvent[]): number[] =>
  all.filter(({ event }) => event === 'page').map(({ id }) => Number(id));
const from = (page: number, to = pages): number[] => Array.from({ length: to - page + 1 }, (_, index) => page + index);

/** A job whose first page is committed, and whose second is held back. */
async function startRunningJob(on = service): Promise<{ readonly id: string; readonly open: () => void }> {
  const site = await startSite({
    '/': htmlPage({ title: 'First', links: ['/held'] }),
    '/held': htmlPage({ title: 'Held', text: 'Held back.' }),
  });
  const gate = site.hold('/held');
  const { id } = await on.createJob({ urls: [`${site.origin}/`], force_crawling_mode: 'link' });
  await on.ok(`/crawler/jobs/${id}/meta?wait=60`);
  await gate.reached;
  return { id, open: gate.open };
}

/** An answer that is read as it comes. */
async function open(path: string, on = service): Promise<IncomingMessage> {
  const request = httpRequest(`${on.origin}${path}`, {
    headers: { authorization: `Bearer ${on.token}` },
    agent: false,
  });
  request.on('error', () => {}).end();
  const [response] = (await once(request, 'response')) as [IncomingMessage];
  response.on('error', () => {});
  return response;
}

/** Reads until this has come. */
async function readUntil(response: IncomingMessage, text: string): Promise<Buffer> {
  let read = Buffer.alloc(0);
  while (!read.includes(text)) {
    const chunk = response.read() as Buffer | null;
    if (chunk === null) await once(response, 'readable');
    else read = Buffer.concat([read, chunk]);
  }
  return read;
}

/** Reads to the end, however it ends. */
async function readRest(response: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = [];
  await new Promise<void>((resolve) => {
    response
      .on('data', (chunk: Buffer) => chunks.push(chunk))
      .once('close', resolve)
      .resume();
  });
  return Buffer.concat(chunks);
}

describe('GET /events of an ended job', () => {
  test.each(['data', 'meta'])(
    'GET /events: sends progress, then the rows of /%s byte for byte, then the end when the job has ended',
    async (endpoint) => {
      const answer = await events(ended, endpoint === 'meta' ? '?text=false' : '');
      expect(answer).toMatchObject({
        status: 200,
        headers: {
          'content-type': 'text/event-stream; charset=utf-8',
          'cache-control': 'no-store',
          'x-job-status': 'succeeded',
        },
      });
      expect(blocksOf(answer.body)[0]).toBe('retry: 2000');
      const [progress, ...rest] = eventsOf(answer.body);
      const { progress: counts } = await service.job(ended);
      expect(progress).toEqual({
        event: 'progress',
        data: JSON.stringify({ status: 'succeeded', progress: { ...counts } }),
      });
      expect(rest.at(-1)).toEqual({
        event: 'end',
        id: String(pages),
        data: JSON.stringify({ status: 'succeeded', pages }),
      });
      const rows = rest.slice(0, -1);
      expect(rows.map(({ event, id }) => `${event} ${id}`)).toEqual(from(1).map((page) => `page ${page}`));
      const { body } = await service.raw(`/crawler/jobs/${ended}/${endpoint}`);
      expect(`{"data":[${rows.map(({ data }) => data).join(',')}]}`).toBe(body.toString());
    },
  );

  test('GET /events: sends progress and the end when the job has no page', async () => {
    const [progress, end, ...rest] = eventsOf((await events(empty)).body);
    expect(progress).toMatchObject({ event: 'progress', data: expect.stringContaining('"failed":1') });
    expect(end).toEqual({ event: 'end', id: '0', data: '{"status":"failed","pages":0}' });
    expect(rest).toEqual([]);
  });

  test('GET /events: starts after Last-Event-ID, else after the cursor, else after `after`', async () => {
    const { cursor } = await service.ok<{ cursor: string }>(`/crawler/jobs/${ended}/data?limit=4`);
    const behind = async (query: string, lastId?: string): Promise<number[]> => {
      const headers = lastId === undefined ? {} : { 'last-event-id': lastId };
      return pagesOf(eventsOf((await events(ended, query, { headers })).body));
    };
    expect(await behind('?after=6')).toEqual(from(7));
    expect(await behind(`?cursor=${cursor}`)).toEqual(from(5));
    expect(await behind(`?cursor=${cursor}&after=6`)).toEqual(from(5));
    expect(await behind('', '2')).toEqual(from(3));
    expect(await behind(`?cursor=${cursor}&after=6`, '8')).toEqual([9]);
    expect(await behind('', '')).toEqual(from(1));
    expect(await behind('', '0')).toEqual(from(1));
  });

  test('GET /events: answers 204 when nothing follows Last-Event-ID, so that a browser does not reconnect', async () => {
    for (const [id, last] of [
      [ended, String(pages)],
      [empty, '0'],
    ] as const) {
      const answer = await events(id, '', { headers: { 'last-event-id': last } });
      expect([answer.status, answer.body.length]).toEqual([204, 0]);
    }
    // Whoever asks for the first time is told.
    expect(eventsOf((await events(ended, `?after=${pages}`)).body).map(({ event }) => event)).toEqual([
      'progress',
      'end',
    ]);
  });

  test('HEAD /events: answers without a body, also when the job is running', async () => {
    const answer = await events(ended, '', { method: 'HEAD' });
    expect([answer.status, answer.body.length]).toEqual([200, 0]);
    expect(answer.headers['content-type']).toBe('text/event-stream; charset=utf-8');
    const running = await startRunningJob();
    expect((await events(running.id, '', { method: 'HEAD' })).status).toBe(200);
    running.open();
  });
});

describe('refusals', () => {
  test.each(['x', '-1', '1.5', '1e1', '10000001', '999999999999', '1, 2', String(pages + 1)])(
    'GET /events: refuses Last-Event-ID: %s with 400',
    async (last) => {
      const answer = await events(ended, '', { headers: { 'last-event-id': last } });
      expect(expectProblem(answer, 400, 'invalid_parameter').detail).toContain('Last-Event-ID');
    },
  );

  test.each(['?after=x', '?text=no', '?text=true&text=true', '?cursor=x'])(
    'GET /events: refuses the query %s with 400',
    async (query) => {
      expect((await events(ended, query)).status).toBe(400);
    },
  );

  test('GET /events: checks in the order 401, 400, 404, 410', async () => {
    const unknown = '7'.repeat(26);
    const bad = { headers: { 'last-event-id': 'x' } };
    expectProblem(await events(unknown, '', { ...bad, token: null }), 401, 'unauthorized');
    expectProblem(await events(unknown, '', bad), 400, 'invalid_parameter');
    expectProblem(await events(deleted, '', bad), 400, 'invalid_parameter');
    expectProblem(await events(unknown), 404, 'job_not_found');
    expectProblem(await events('x'), 404, 'job_not_found');
    const stranger = await service.createToken({ org: 'stranger' });
    expectProblem(await events(ended, '', { token: stranger.token }), 404, 'job_not_found');
    expectProblem(await events(deleted), 410, 'job_data_expired');
  });
});

describe('GET /events of a running job', () => {
  test('GET /events: starts at once when the job is running, and sends pages as they are committed, to the end', async () => {
    const job = await startRunningJob();
    const response = await open(pathOf(job.id));
    const begun = eventsOf(await readUntil(response, '"text":'));
    expect(begun.map(({ event }) => event)).toEqual(['progress', 'page']);
    expect(JSON.parse(begun[0]!.data)).toMatchObject({ status: 'running', progress: { scraped: 1 } });
    job.open();
    const rest = eventsOf(await readRest(response));
    expect(pagesOf(rest)).toEqual([2]);
    expect(rest.at(-1)).toEqual({ event: 'end', id: '2', data: '{"status":"succeeded","pages":2}' });
  });

  test('GET /events: closes without an `end` event when the job is deleted or the service stops', async () => {
    const own = await startService();
    try {
      const job = await startRunningJob(own);
      const gone = await startRunningJob(own);
      const [stream, cut] = await Promise.all([open(pathOf(job.id), own), open(pathOf(gone.id), own)]);
      // The stream can end before the response to the deletion.
      const rest = readRest(cut);
      await own.ok(`/crawler/jobs/${gone.id}`, { method: 'DELETE' });
      expect(eventsOf(await rest).map(({ event }) => event)).not.toContain('end');
      gone.open();
      const stopped = own.stop();
      const read = eventsOf(await readRest(stream));
      expect(read.map(({ event }) => event)).toEqual(['progress', 'page']);
      job.open();
      expect(await stopped).toBe(0);
    } finally {
      await own.close();
    }
  });

  test('GET /events: frees its place when the client goes away', async () => {
    const job = await startRunningJob();
    for (let round = 0; round < 3; round++) {
      const streams = await Promise.all(Array.from({ length: waitingPerOrg }, () => open(pathOf(job.id))));
      expect(streams.map(({ statusCode }) => statusCode)).toEqual(streams.map(() => 200));
      const tooMany = await open(pathOf(job.id));
      expect(tooMany.statusCode).toBe(429);
      for (const stream of [...streams, tooMany]) stream.destroy();
      await expect
        .poll(async () => {
          const next = await open(pathOf(job.id));
          next.destroy();
          return next.statusCode;
        })
        .toBe(200);
      await expect.poll(async () => (await events(ended)).status).toBe(200);
    }
    job.open();
  });
});

test('GET /events: gives a browser every page once and then the end when SIGKILL cuts the stream', async () => {
  const own = await startService({ env: { HAYRAKE_PORT: String(await freePort()) } });
  const authorized = new Agent().compose((dispatch) => (options, handler) => {
    const headers = { ...(options.headers as Record<string, string>), authorization: `Bearer ${own.token}` };
    return dispatch({ ...options, headers }, handler);
  });
  const job = await startRunningJob(own);
  const source = new EventSource(`${own.origin}${pathOf(job.id)}`, { node: { dispatcher: authorized } });
  const got: string[] = [];
  for (const name of ['page', 'end']) {
    source.addEventListener(name, (event) => got.push(`${name} ${(event as MessageEvent).lastEventId}`));
  }
  try {
    await expect.poll(() => got).toEqual(['page 1']);
    await own.kill();
    await own.start();
    job.open();
    await expect.poll(() => got, { timeout: 30_000 }).toEqual(['page 1', 'page 2', 'end 2']);
    // The stream closed; a browser takes that for a lost connection, asks once more, and is told that there is nothing.
    await expect.poll(() => source.readyState, { timeout: 30_000 }).toBe(EventSource.CLOSED);
    expect(got).toHaveLength(3);
  } finally {
    source.close();
    await authorized.close();
    await own.close();
  }
});

test('GET /events: holds much less than the whole job for each reader that does not read', async () => {
  const own = await startService();
  try {
    const words = (page: number): string =>
      `Large page ${page} says a few words again and again. `.repeat(largeText / 50);
    const paths = from(2, largePages).map((page) => `/page/${page}`);
    const site = await startSite({
      '/': htmlPage({ title: 'Large', links: paths }),
      ...Object.fromEntries(paths.map((path, page) => [path, htmlPage({ title: path, text: words(page) })])),
    });
    const { id, progress } = await own.crawl({ urls: [`${site.origin}/`] });
    expect(progress.scraped).toBe(largePages);
    const before = residentBytes(own);
    const streams = await Promise.all(Array.from({ length: 20 }, () => open(pathOf(id), own)));
    for (const stream of streams) stream.pause();
    // Whatever is read ahead has been by the time that another one has read it all.
    const whole = await own.raw(pathOf(id));
    expect(whole.body.length).toBeGreaterThan(0.9 * largePages * largeText);
    expect(residentBytes(own) - before).toBeLessThan(20 * largePages * largeText * 0.25);
    const read = await Promise.all(streams.slice(0, 3).map(readRest));
    for (const body of read) expect(pagesOf(eventsOf(body))).toEqual(from(1, largePages));
  } finally {
    await own.close();
  }
});

function residentBytes(on: TestService): number {
  const [, kilobytes = '0'] = /VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${on.pid}/status`, 'utf8')) ?? [];
  return Number(kilobytes) * 1024;
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, 'close');
  return port;
}
