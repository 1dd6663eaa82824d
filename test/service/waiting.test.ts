// Every endpoint that a client waits for, against every way in which a host does not serve a page: the client gets an answer
// in the time that it gave, also a second time, when the host has failed before. The jobs here have the patience of a crawl (`unreachable_seconds`), so only the time that the
// client gave can end them. docs/clients.md shows this table.
import { createServer, type Server } from 'node:http';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { connectOverHttp, type McpClient } from '../mcp/clients.ts';
import { type JobAnswer, startService, type TestService } from './start-service.ts';
import { htmlPage, startTestSite, type TestSite } from './test-site.ts';

/** Seconds that clients give. A resolver can take five for a name that does not exist. */
const seconds = 8;

const troubles = [
  'refuses',
  'is silent',
  'is silent after robots.txt',
  'drips',
  'responds with 503',
  'asks for a pause',
  'has an unknown name',
] as const;
type Trouble = (typeof troubles)[number];

let service: TestService;
let good: TestSite;
let mcp: McpClient;
const servers: Server[] = [];

beforeAll(async () => {
  good = await startTestSite({ '/': htmlPage({ text: 'good' }), '/other': htmlPage({ text: 'other' }) });
  service = await startService({ env: { HAYRAKE_LOADER_SECONDS: String(seconds) } });
  mcp = await connectOverHttp(service);
});

afterAll(async () => {
  await mcp.close();
  await service.close();
  await good.close();
  for (const server of servers) {
    server.closeAllConnections();
    server.close();
  }
});

/** The origin of a new host in trouble. */
async function hostThat(trouble: Trouble): Promise<string> {
  if (trouble === 'has an unknown name') return `http://nobody-${Math.random().toString(36).slice(2)}.invalid`;
  const server = createServer(({ url }, response) => {
    const isRobots = url === '/robots.txt';
    if (trouble === 'is silent' || (trouble === 'is silent after robots.txt' && !isRobots)) return;
    if (isRobots && trouble !== 'responds with 503') return void response.writeHead(404).end();
    if (trouble === 'responds with 503') return void response.writeHead(503).end('busy');
    if (trouble === 'asks for a pause') return void response.writeHead(503, { 'retry-after': '3600' }).end('busy');
    response.writeHead(200, { 'content-type': 'text/html' });
    const dripping = setInterval(() => response.write(' '), 200);
    response.once('close', () => clearInterval(dripping));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  if (trouble === 'refuses') {
    server.close();
    await once(server, 'close');
  } else servers.push(server);
  return `http://127.0.0.1:${port}`;
}

async function send(path: string, json: unknown): Promise<{ readonly status: number; readonly body: never }> {
  const answer = await service.api(path, { method: 'POST', json });
  return { status: answer.status, body: (await answer.json()) as never };
}

/** A batch with pages of the host before, between and after pages of a good one. */
function urlsWith(host: string): readonly string[] {
  return [
    ...Array.from({ length: 12 }, (_, n) => `${host}/${n}`),
    `${good.origin}/`,
    `${host}/last`,
    `${good.origin}/other`,
  ];
}

const isError = expect.stringMatching(/\S/) as string;

/** What a client does, and what it must see of a host in trouble. */
const clients: Readonly<Record<string, (host: string) => Promise<void>>> = {
  'POST /scraper/scrape': async (host) => {
    const { status, body } = await send('/scraper/scrape', { url: `${host}/`, timeout: seconds });
    expect({ status, body }).toMatchObject({ status: 200, body: { status: 'failed', error: { reason: isError } } });
  },
  'POST /scraper/batch': async (host) => {
    const { body } = await send('/scraper/batch', {
      urls: urlsWith(host),
      url_timeout: seconds,
      unreachable_seconds: 3_600,
    });
    const job = await service.untilEnded((body as JobAnswer).id);
    expect(job).toMatchObject({ status: 'succeeded', progress: { scraped: 2, failed: 13 }, url_timeout: seconds });
  },
  'POST /scraper/map': async (host) => {
    const { status, body } = await send('/scraper/map', { url: `${host}/`, timeout: seconds });
    expect(status).toBe(200);
    expect(body).toMatchObject({ error: { reason: isError } });
  },
  'POST /loader': async (host) => {
    const { status, body } = await send('/loader', { urls: urlsWith(host) });
    expect(status).toBe(200);
    const pages = body as readonly { readonly page_content: string; readonly metadata: object }[];
    expect(pages).toHaveLength(15);
    expect(pages[0]).toMatchObject({ page_content: '', metadata: { error: isError } });
    expect(pages.filter(({ page_content: text }) => text !== '')).toHaveLength(2);
  },
  'GET /r/URL': async (host) => {
    const answer = await service.api(`/r/${host}/`, { headers: { 'x-timeout': String(seconds) } });
    expect(answer.status).toBe(422);
  },
  'MCP scrape': async (host) => {
    expect(await mcp.call('scrape', { url: `${host}/`, timeout: seconds })).toMatchObject({ isError: true });
  },
  'MCP map': async (host) => {
    expect(await mcp.call('map', { url: `${host}/`, timeout: seconds })).toMatchObject({ text: isError });
  },
  'POST /v2/scrape': async (host) => {
    const { status, body } = await send('/v2/scrape', { url: `${host}/`, timeout: seconds * 1_000 });
    expect([408, 500]).toContain(status);
    expect(body).toMatchObject({ success: false, error: isError });
  },
  'POST /v2/map': async (host) => {
    const { body } = await send('/v2/map', { url: `${host}/`, timeout: seconds * 1_000 });
    expect(body).toMatchObject({ success: expect.any(Boolean) as boolean });
  },
  'POST /v2/batch/scrape': async (host) => {
    const { body } = await send('/v2/batch/scrape', { urls: urlsWith(host), timeout: seconds * 1_000 });
    const { id, warning } = body as { readonly id: string; readonly warning?: string };
    expect(warning).toBeUndefined();
    for (;;) {
      const answer = (await (await service.api(`/v2/batch/scrape/${id}`)).json()) as {
        readonly status: string;
        readonly data: readonly object[];
      };
      if (answer.status === 'scraping') {
        await new Promise((resolve) => setTimeout(resolve, 200));
        continue;
      }
      const listed = (await (await service.api(`/v2/batch/scrape/${id}/errors`)).json()) as {
        readonly errors: readonly { readonly url: string }[];
      };
      const errors = JSON.stringify(listed.errors.filter(({ url }) => url.startsWith(good.origin)));
      expect(answer.status, errors).toBe('completed');
      expect(answer.data).toHaveLength(2);
      return;
    }
  },
};

describe.each(troubles)('a host that %s', (trouble) => {
  test.concurrent.each(Object.keys(clients))(
    `%s: answers in time when a host ${trouble}`,
    async (name) => {
      const host = await hostThat(trouble);
      for (const time of ['first', 'second']) {
        const began = performance.now();
        await clients[name]?.(host);
        const took = (performance.now() - began) / 1_000;
        expect(took, `the ${time} time`).toBeLessThan(4 * seconds);
      }
    },
    120_000,
  );
});

test('a port that does not speak TLS: what was tried by https keeps nobody waiting who asks by http', async () => {
  const site = await startTestSite({ '/': htmlPage({ text: 'plain' }) });
  const ask = async (url: string): Promise<unknown> => (await send('/scraper/scrape', { url, timeout: 3 })).body;
  expect(await ask(site.origin.replace('http:', 'https:'))).toMatchObject({ status: 'failed' });
  expect(await ask(site.origin)).toMatchObject({ status: 'scraped' });
  await site.close();
});
