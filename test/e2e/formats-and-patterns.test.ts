// Several formats from one fetch, patterns, links to other hosts, and queries: what a job with these options does.
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startService, type TestService } from '../service/start-service.ts';
import { htmlPage, startTestSite, type TestSite } from '../service/test-site.ts';

interface Row {
  readonly meta: { readonly url: string };
  readonly text: string;
  readonly formats?: Readonly<Record<string, unknown>>;
}

interface Url {
  readonly url: string;
  readonly status: string;
  readonly reason?: string;
  readonly detail?: string;
}

let site: TestSite;
let other: TestSite;
let service: TestService;

beforeAll(async () => {
  other = await startTestSite({ '/': htmlPage({ text: 'another site' }) });
  site = await startTestSite({
    '/': htmlPage({ text: 'home', links: ['/a/1', '/a/2', '/b/1', '/a/1?x=1', '/a/1?x=2', `${other.origin}/`] }),
    '/a/1': htmlPage({ text: 'a one' }),
    '/a/1?x=1': htmlPage({ text: 'a one with a query' }),
    '/a/1?x=2': htmlPage({ text: 'a one with another query' }),
    '/a/2': htmlPage({ text: 'a two' }),
    '/b/1': htmlPage({ text: 'b one' }),
  });
  service = await startService();
});

afterAll(async () => {
  await service.close();
  await Promise.all([site.close(), other.close()]);
});

async function urlsOf(job: Readonly<Record<string, unknown>>): Promise<readonly Url[]> {
  const { id } = await service.crawl({ urls: [`${site.origin}/`], ...job });
  return (await service.ok<{ data: readonly Url[] }>(`/crawler/jobs/${id}/urls`)).data;
}

const scraped = (urls: readonly Url[]): string[] =>
  urls.filter(({ status }) => status === 'scraped').map(({ url }) => url.slice(site.origin.length));

describe('formats', () => {
  test('each row has them besides its text, from one request to the site', async () => {
    const before = site.requests.length;
    const { id } = await service.crawl({
      urls: [`${site.origin}/`],
      formats: ['html', 'links', 'source'],
      max_depth: 0,
    });
    const { data } = await service.ok<{ data: readonly Row[] }>(`/crawler/jobs/${id}/data`);
    expect(data).toMatchObject([
      {
        text: expect.stringContaining('home') as string,
        formats: {
          html: expect.stringContaining('<') as string,
          links: [
            `${site.origin}/a/1`,
            `${site.origin}/a/2`,
            `${site.origin}/b/1`,
            `${site.origin}/a/1?x=1`,
            `${site.origin}/a/1?x=2`,
            `${other.origin}/`,
          ],
          source: expect.stringContaining('<!doctype html>') as string,
        },
      },
    ]);
    expect(site.requests.slice(before).filter(({ path }) => path === '/')).toHaveLength(1);
    // Also line by line, packed, and in a file.
    const lines = await service.raw(`/crawler/jobs/${id}/data`, { headers: { accept: 'application/x-ndjson' } });
    expect(JSON.parse(lines.body.toString().split('\n')[0] ?? '')).toEqual(data[0]);
    const file = await service.raw(`/crawler/jobs/${id}/export?format=jsonl`);
    expect(file.body.toString()).toContain('"formats":{');
  });

  test('a scrape has them too; without them nothing changes', async () => {
    const json = { url: `${site.origin}/a/1`, format: 'html', formats: ['html', 'markdown'] };
    const answer = await service.ok<Row>('/scraper/scrape', { json });
    expect(Object.keys(answer.formats ?? {})).toEqual(['markdown']);
    expect(answer.text).toContain('<');
    expect(await service.ok<Row>('/scraper/scrape', { json: { url: json.url } })).not.toHaveProperty('formats');
  });
});

describe('which URLs are crawled', () => {
  test('patterns, with the one that excluded a URL as detail', async () => {
    const urls = await urlsOf({
      include_patterns: ['^/a/'],
      exclude_patterns: [String.raw`/\d{1}$`, '2'],
      pattern_target: 'path',
    });
    expect(scraped(urls)).toEqual(['/']);
    const reasons = urls.map(({ reason, detail }) => [reason, detail]);
    expect(reasons).toContainEqual(['excluded_by_pattern', String.raw`/\d{1}$`]);
    const some = await urlsOf({ include_patterns: ['^/a/'], pattern_target: 'path' });
    expect(scraped(some).toSorted()).toEqual(['/', '/a/1', '/a/1?x=1', '/a/1?x=2', '/a/2']);
    expect(some.find(({ url }) => url.endsWith('/b/1'))).toMatchObject({ status: 'outside', reason: 'not_included' });
  });

  test('without queries, URLs that differ in them are one', async () => {
    expect(scraped(await urlsOf({ ignore_query: true })).toSorted()).toEqual(['/', '/a/1', '/a/2', '/b/1']);
  });

  test('links to other hosts are requested, but never lead into a private network', async () => {
    const of = (urls: readonly Url[]): Url | undefined => urls.find(({ url }) => url.startsWith(other.origin));
    expect(of(await urlsOf({}))).toMatchObject({ status: 'outside', reason: 'off_host' });
    expect(of(await urlsOf({ allow_external: true }))).toMatchObject({
      status: 'failed',
      reason: 'destination_not_allowed',
    });
    expect(other.requests).toEqual([]);
  });
});
