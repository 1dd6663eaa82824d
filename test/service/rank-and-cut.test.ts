// Every option that ranks, with every option that cuts, at every door: the short list is the beginning of the whole one.
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { connectOverHttp, type McpClient } from '../mcp/clients.ts';
import { startService, type TestService } from './start-service.ts';
import { htmlPage, startTestSite, type TestSite } from './test-site.ts';

let site: TestSite;
let service: TestService;
let mcp: McpClient;
let id: string;

/** What ranks first is found last. */
const others = Array.from({ length: 40 }, (_, n) => `/news/${n}`);
const wanted = ['/help/docs', '/docs/install', '/docs/api/docs'];

beforeAll(async () => {
  const sentence = (index: number): string => `Entry ${index} has ${'clover '.repeat(index + 1)} and dry grass.`;
  const links = [...others, ...wanted];
  site = await startTestSite({
    '/': htmlPage({ text: 'home', links }),
    ...Object.fromEntries(links.map((path, index) => [path, htmlPage({ text: sentence(index) })])),
  });
  service = await startService();
  mcp = await connectOverHttp(service);
  ({ id } = await service.crawl({ urls: [`${site.origin}/`], page_limit: 30 }));
});

afterAll(async () => {
  await mcp.close();
  await service.close();
  await site.close();
});

type List = { readonly items: readonly string[]; readonly isSaidToBeCut: boolean };

async function map(path: string, search: string, limit?: number): Promise<List> {
  const answer = await service.api(path, {
    method: 'POST',
    json: { url: `${site.origin}/`, search, ...(limit !== undefined && { limit }) },
  });
  const { links, warning = '' } = (await answer.json()) as {
    readonly links: readonly (string | { readonly url: string })[];
    readonly warning?: string;
  };
  const items = links.map((link) => (typeof link === 'string' ? link : link.url).slice(site.origin.length));
  return { items, isSaidToBeCut: warning.includes('`limit`') };
}

async function search(limit = 100): Promise<List> {
  const found = await service.ok<{ readonly data: readonly { readonly page: number }[]; readonly cursor?: string }>(
    `/crawler/jobs/${id}/search?q=clover&limit=${limit}`,
  );
  return { items: found.data.map(({ page }) => String(page)), isSaidToBeCut: found.cursor !== undefined };
}

async function searchByMcp(limit = 400): Promise<List> {
  const most = Math.min(limit, 50);
  const { text } = await mcp.call('search', { job: id, q: 'clover', limit: most, max_chars: 40_000 });
  const items = [...text.matchAll(/^Page (\d+): /gm)].map(([, page]) => page ?? '');
  return { items, isSaidToBeCut: text.includes('cursor') };
}

const doors: Readonly<Record<string, (limit?: number) => Promise<List>>> = {
  '/v2/map with search': (limit) => map('/v2/map', 'docs', limit),
  '/v1/map with search': (limit) => map('/v1/map', 'docs', limit),
  '/v2/map with search for several words': (limit) => map('/v2/map', 'install docs nothing', limit),
  '/search': (limit) => search(limit),
  'MCP search': (limit) => searchByMcp(limit),
};

describe.each(Object.entries(doors))('%s', (name, list) => {
  test.each([1, 2, 3, 5, 20])(`${name}: ranks before it cuts to %i, and says that it cut`, async (limit) => {
    const whole = await list();
    expect(whole.items.length).toBeGreaterThan(20);
    expect(await list(limit)).toEqual({ items: whole.items.slice(0, limit), isSaidToBeCut: true });
  });
});

test('POST /v2/map: the URLs that contain the words come first, whatever the limit', async () => {
  const { items } = await map('/v2/map', 'docs', 3);
  expect(items.toSorted()).toEqual(wanted.toSorted());
  expect((await map('/v2/map', '', 3)).items).toEqual(['/', '/news/0', '/news/1']);
});
