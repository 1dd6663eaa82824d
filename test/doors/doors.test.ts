// Real clients of the Firecrawl API, with nothing changed but the base URL, against the real service and a real site.
import { existsSync } from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { startService, type TestService } from '../service/start-service.ts';
import { htmlPage, startTestSite, type TestSite } from '../service/test-site.ts';
import { arePublishedHere, loadPublished } from './published.ts';

const areInstalled = existsSync(path.join(import.meta.dirname, 'node_modules'));
const hint = areInstalled ? '' : ' (needs `npm ci --ignore-scripts --prefix test/doors`)';

const resolve = createRequire(path.join(import.meta.dirname, 'package.json')).resolve;
const load = async <Module>(name: string): Promise<Module> =>
  (await import(pathToFileURL(resolve(name)).href)) as Module;

interface Document {
  readonly markdown?: string;
  readonly html?: string;
  readonly rawHtml?: string;
  readonly links?: readonly string[];
  readonly warning?: string;
  readonly metadata?: Readonly<Record<string, unknown>>;
}

interface Crawl {
  readonly id?: string;
  readonly status: string;
  readonly completed: number;
  readonly total: number;
  readonly data: readonly Document[];
}

interface Failures {
  readonly errors: readonly { readonly url: string; readonly code: string }[];
  readonly robotsBlocked: readonly string[];
}

type Listener = (event: { readonly detail: unknown }) => void;

interface Watcher {
  addEventListener?(name: string, listener: Listener): void;
  on(name: string, listener: (data: unknown) => void): void;
  start(): Promise<void>;
  close(): void;
}

interface ClientV2 {
  scrape(url: string, options?: object): Promise<Document>;
  crawl(url: string, options?: object): Promise<Crawl>;
  startCrawl(url: string, options?: object): Promise<{ readonly id: string }>;
  getCrawlStatus(id: string, options?: object): Promise<Crawl>;
  cancelCrawl(id: string): Promise<boolean>;
  getCrawlErrors(id: string): Promise<Failures>;
  getActiveCrawls(): Promise<{ readonly crawls: readonly { readonly id: string }[] }>;
  batchScrape(urls: readonly string[], options?: object): Promise<Crawl>;
  map(url: string, options?: object): Promise<{ readonly links: readonly { readonly url: string }[] }>;
  getCreditUsage(): Promise<{ readonly remainingCredits: number }>;
  getConcurrency(): Promise<{ readonly maxConcurrency: number }>;
  watcher(id: string, options?: object): Watcher;
}

interface ClientV1 {
  scrapeUrl(url: string, options?: object): Promise<Document & { readonly success: boolean }>;
  crawlUrl(url: string, options?: object): Promise<Crawl & { readonly success: boolean }>;
  mapUrl(url: string, options?: object): Promise<{ readonly success: boolean; readonly links: readonly string[] }>;
  batchScrapeUrls(urls: readonly string[], options?: object): Promise<Crawl & { readonly success: boolean }>;
  checkCrawlStatus(id: string, getAll?: boolean): Promise<Crawl>;
  checkCrawlErrors(id: string): Promise<Failures>;
  asyncCrawlUrl(url: string, options?: object): Promise<{ readonly id: string }>;
  crawlUrlAndWatch(url: string, options?: object): Promise<Watcher>;
}

type Options = { readonly apiKey: string; readonly apiUrl: string };

const docs = Array.from({ length: 5 }, (_, index) => `/docs/${index}`);
const large = 'hay '.repeat(8_000);
const heaps = Array.from({ length: 400 }, (_, index) => `/heap/${index}`);

let site: TestSite;
let service: TestService;
let options: Options;

beforeAll(async () => {
  if (!areInstalled) return;
  site = await startTestSite({
    '/': htmlPage({ text: 'home', links: ['/docs/', '/gone', '/private/x'] }),
    '/docs/': htmlPage({ text: 'docs', links: docs }),
    ...Object.fromEntries(docs.map((page) => [page, htmlPage({ text: `page ${page}` })])),
    '/robots.txt': (_request, response) =>
      response.writeHead(200, { 'content-type': 'text/plain' }).end('User-agent: *\nDisallow: /private/'),
    '/heaps': htmlPage({ text: 'heaps', links: heaps }),
    ...Object.fromEntries(heaps.map((page) => [page, htmlPage({ text: `${page} ${page} ${large} ${page}` })])),
  });
  service = await startService();
  const { token } = await service.createToken({ org: 'default', permissions: 'read,write' });
  options = { apiKey: token, apiUrl: service.origin };
});

afterAll(async () => {
  if (!areInstalled) return;
  await service.close();
  await site.close();
});

const paths = (documents: readonly Document[]): string[] =>
  documents.map(({ metadata }) => new URL(String(metadata?.['sourceURL'])).pathname).toSorted();

describe.skipIf(!areInstalled)(`@mendable/firecrawl-js 4.42.0${hint}`, () => {
  let client: ClientV2;
  beforeAll(async () => {
    type Module = { readonly Firecrawl: new (options: Options) => ClientV2 };
    const { Firecrawl } = await load<Module>('@mendable/firecrawl-js-v4');
    client = new Firecrawl(options);
  });

  test('scrape', async () => {
    const page = await client.scrape(`${site.origin}/docs/`, { formats: ['markdown', 'html', 'rawHtml', 'links'] });
    expect(page.markdown).toContain('docs');
    expect(page.html).toContain('<');
    expect(page.rawHtml).toContain('<!doctype html>');
    expect(page.links).toEqual(docs.map((one) => site.origin + one));
    expect(page.metadata).toMatchObject({ statusCode: 200, sourceURL: `${site.origin}/docs/` });
    const gone = await client.scrape(`${site.origin}/gone`);
    expect(gone).toMatchObject({ markdown: 'nothing here', metadata: { statusCode: 404 } });
    await expect(client.scrape(site.origin, { formats: ['summary'] })).rejects.toThrow('not available');
    await expect(client.scrape(`${site.origin}/private/x`)).rejects.toThrow('robots.txt');
  });

  test('crawl, errors', async () => {
    const crawl = await client.crawl(site.origin, { limit: 50, pollInterval: 1 });
    expect(crawl).toMatchObject({ status: 'completed', completed: 7, total: 7 });
    expect(paths(crawl.data)).toEqual(['/', '/docs/', ...docs]);
    const { id } = await client.startCrawl(site.origin, { excludePaths: ['^/docs/[3-9]$'] });
    await service.untilEnded(await ownId(id));
    expect(paths((await client.getCrawlStatus(id)).data)).toEqual(['/', '/docs/', '/docs/0', '/docs/1', '/docs/2']);
    const failures = await client.getCrawlErrors(id);
    expect(failures.errors).toMatchObject([{ url: `${site.origin}/gone`, code: 'HTTP_404' }]);
    expect(failures.robotsBlocked).toEqual([`${site.origin}/private/x`]);
  });

  test('a crawl of more than one response is read whole', async () => {
    const crawl = await client.crawl(`${site.origin}/heaps`, { crawlEntireDomain: true, pollInterval: 1 });
    expect(crawl.status).toBe('completed');
    expect(new Set(paths(crawl.data)).size).toBe(401);
    expect(crawl.data).toHaveLength(401);
    expect(Buffer.byteLength(JSON.stringify(crawl.data))).toBeGreaterThan(11 * 2 ** 20);
  });

  test('active, cancel', async () => {
    const gate = site.hold('/docs/4');
    const { id } = await client.startCrawl(`${site.origin}/docs/`);
    await gate.reached;
    expect((await client.getActiveCrawls()).crawls.map((one) => one.id)).toContain(id);
    expect(await client.cancelCrawl(id)).toBe(true);
    gate.open();
    expect((await client.getCrawlStatus(id)).status).toBe('cancelled');
  });

  test('batch, map, credits, concurrency', async () => {
    const batch = await client.batchScrape([`${site.origin}/docs/1`, `${site.origin}/gone`, `${site.origin}/docs/2`], {
      options: { formats: ['markdown'] },
      pollInterval: 1,
    });
    expect(batch).toMatchObject({ status: 'completed', completed: 3 });
    expect(paths(batch.data).toSorted()).toEqual(['/docs/1', '/docs/2', '/gone']);
    const { links } = await client.map(`${site.origin}/docs/`, { search: 'docs/3' });
    expect(links[0]?.url).toBe(`${site.origin}/docs/3`);
    expect(links).toHaveLength(6);
    expect((await client.getCreditUsage()).remainingCredits).toBeGreaterThan(0);
    expect((await client.getConcurrency()).maxConcurrency).toBeGreaterThan(0);
  });

  test('the watcher follows a crawl by WebSocket', async () => {
    const gate = site.hold('/docs/2');
    const { id } = await client.startCrawl(`${site.origin}/docs/`);
    await gate.reached;
    const watcher = client.watcher(id, { pollInterval: 1 });
    const documents: unknown[] = [];
    const { promise, resolve: finish, reject } = Promise.withResolvers<unknown>();
    watcher.on('document', (document) => documents.push(document));
    watcher.on('error', (error) => reject(new Error(JSON.stringify(error))));
    watcher.on('done', finish);
    const whole = watcher.start();
    gate.open();
    expect(await promise).toMatchObject({ status: 'completed' });
    await whole;
    expect(documents).toHaveLength(6);
    // A job that has ended already gives all its documents, too.
    const late = client.watcher(id, { pollInterval: 1 });
    const again: unknown[] = [];
    late.on('document', (document) => again.push(document));
    await late.start();
    expect(again).toHaveLength(6);
  });

  test('a wrong key is refused in words', async () => {
    type Module = { readonly Firecrawl: new (options: Options) => ClientV2 };
    const { Firecrawl } = await load<Module>('@mendable/firecrawl-js-v4');
    await expect(new Firecrawl({ ...options, apiKey: 'fc-wrong' }).scrape(site.origin)).rejects.toThrow('token');
  });
});

describe.skipIf(!areInstalled).each([
  ['1.29.3', '@mendable/firecrawl-js', undefined],
  ['4.42.0, its version 1', '@mendable/firecrawl-js-v4', 'v1'],
] as const)(`@mendable/firecrawl-js %s${hint}`, (_version, name, part) => {
  let client: ClientV1;
  beforeAll(async () => {
    type Module = { readonly default: new (options: Options) => ClientV1 & { readonly v1: ClientV1 } };
    const { default: Client } = await load<Module>(name);
    const whole = new Client(options);
    client = part === undefined ? whole : whole[part];
  });

  test('scrape, map', async () => {
    const page = await client.scrapeUrl(`${site.origin}/docs/`, { formats: ['markdown', 'links'] });
    expect(page).toMatchObject({ success: true, markdown: expect.stringContaining('docs') as string });
    expect(await client.scrapeUrl(`${site.origin}/gone`, {})).toMatchObject({ metadata: { statusCode: 404 } });
    const map = await client.mapUrl(`${site.origin}/docs/`, {});
    expect(map.links).toContain(`${site.origin}/docs/3`);
  });

  test('crawl, errors, all data', async () => {
    const crawl = await client.crawlUrl(site.origin, { limit: 50 });
    expect(crawl).toMatchObject({ success: true, status: 'completed' });
    expect(paths(crawl.data)).toEqual(['/', '/docs/', ...docs]);
    const { id } = await client.asyncCrawlUrl(`${site.origin}/heaps`, { allowBackwardLinks: true });
    await service.untilEnded(await ownId(id));
    expect(new Set(paths((await client.checkCrawlStatus(id, true)).data)).size).toBe(401);
    const broken = await client.asyncCrawlUrl(site.origin, {});
    await service.untilEnded(await ownId(broken.id));
    expect((await client.checkCrawlErrors(broken.id)).robotsBlocked).toEqual([`${site.origin}/private/x`]);
  });

  test('batch, watcher', async () => {
    const batch = await client.batchScrapeUrls([`${site.origin}/docs/1`, `${site.origin}/docs/2`], {
      formats: ['markdown'],
    });
    expect(batch).toMatchObject({ success: true, status: 'completed', completed: 2 });
    const watcher = await client.crawlUrlAndWatch(`${site.origin}/docs/`, { limit: 20 });
    const documents: unknown[] = [];
    const { promise, resolve: finish, reject } = Promise.withResolvers<void>();
    watcher.addEventListener?.('document', ({ detail }) => documents.push(detail));
    watcher.addEventListener?.('error', ({ detail }) => reject(new Error(JSON.stringify(detail))));
    watcher.addEventListener?.('done', () => finish());
    await promise;
    watcher.close();
    expect(documents).toHaveLength(6);
  });
});

describe.skipIf(!areInstalled)(`@langchain/community 1.1.29 with the SDK 1.29.3${hint}`, () => {
  interface Loaded {
    readonly pageContent: string;
  }
  type Loader = new (options: object) => { load(): Promise<readonly Loaded[]> };

  test.each([
    ['scrape', '/docs/', 1],
    ['crawl', '/docs/', 6],
    ['map', '/docs/', 6],
  ])('FireCrawlLoader in mode %s', async (mode, page, count) => {
    const { FireCrawlLoader } = await load<{ readonly FireCrawlLoader: Loader }>(
      '@langchain/community/document_loaders/web/firecrawl',
    );
    const loader = new FireCrawlLoader({ ...options, url: site.origin + page, mode });
    const loaded = await loader.load();
    expect(loaded).toHaveLength(count);
    for (const { pageContent } of loaded) expect(pageContent).not.toBe('');
  });
});

describe.skipIf(!areInstalled)(`firecrawl-mcp 3.26.0${hint}`, () => {
  interface Result {
    readonly isError?: boolean;
    readonly content: readonly { readonly type: string; readonly text: string }[];
  }
  interface McpClient {
    connect(transport: unknown): Promise<void>;
    callTool(call: { readonly name: string; readonly arguments: object }): Promise<Result>;
    close(): Promise<void>;
  }
  let client: McpClient;

  beforeAll(async () => {
    if (!areInstalled) return;
    const { Client } = await load<{ readonly Client: new (info: object) => McpClient }>(
      '@modelcontextprotocol/sdk/client/index.js',
    );
    const { StdioClientTransport } = await load<{ readonly StdioClientTransport: new (options: object) => object }>(
      '@modelcontextprotocol/sdk/client/stdio.js',
    );
    client = new Client({ name: 'test', version: '1.0.0' });
    await client.connect(
      new StdioClientTransport({
        command: process.execPath,
        args: [path.join(import.meta.dirname, 'node_modules/firecrawl-mcp/dist/index.js')],
        env: { PATH: process.env['PATH'] ?? '', FIRECRAWL_API_URL: options.apiUrl, FIRECRAWL_API_KEY: options.apiKey },
        stderr: 'ignore',
      }),
    );
  });
  afterAll(() => client?.close());

  const call = (name: string, args: object): Promise<Result> => client.callTool({ name, arguments: args });

  test('scrape, map, crawl, status', async () => {
    const scraped = await call('firecrawl_scrape', { url: `${site.origin}/docs/`, formats: ['markdown'] });
    expect(scraped.content[0]?.text).toContain('docs');
    expect(scraped.isError).not.toBe(true);
    const mapped = await call('firecrawl_map', { url: `${site.origin}/docs/` });
    expect(mapped.content[0]?.text).toContain('/docs/3');
    const crawled = await call('firecrawl_crawl', { url: `${site.origin}/docs/`, limit: 10 });
    expect(crawled.isError).not.toBe(true);
    const [id] = /[\da-f]{8}-[\da-f-]{27}/.exec(JSON.stringify(crawled.content)) ?? [];
    const status = await call('firecrawl_check_crawl_status', { id });
    expect(status.content[0]?.text).toMatch(/completed|scraping/);
    const failed = await call('firecrawl_scrape', { url: `${site.origin}/gone` });
    expect(failed.isError).not.toBe(true);
    expect(failed.content[0]?.text).toContain('404');
  });
});

const published = !areInstalled || arePublishedHere ? '' : ' (needs `node test/doors/fetch-published.ts`)';

describe.skipIf(!areInstalled || !arePublishedHere)(`Parts of other programs${hint}${published}`, () => {
  test('the scraper of @librechat/agents 3.2.21: Markdown and raw HTML', async () => {
    type Answer = readonly [string, { readonly success: boolean; readonly error?: string; readonly data?: Document }];
    interface Scraper {
      scrapeUrl(url: string, options?: object): Promise<Answer>;
      extractContent(answer: Answer[1]): readonly [string, unknown];
    }
    const { createFirecrawlScraper } = loadPublished('@librechat/agents', 'dist/cjs/tools/search/firecrawl.cjs') as {
      createFirecrawlScraper(this: void, config: object): Scraper;
    };
    // It gives up after 7.5 s by default: a setting, which a busy machine needs.
    const patient = { ...options, timeout: 60_000 };
    const scraper = createFirecrawlScraper(patient);
    const url = `${site.origin}/docs/`;
    const [asked, answer] = await scraper.scrapeUrl(url);
    expect(asked).toBe(url);
    expect(answer).toMatchObject({ success: true, data: { rawHtml: expect.stringContaining('<!doctype html>') } });
    expect(answer.data).not.toHaveProperty('warning');
    expect(scraper.extractContent(answer)[0]).toContain('docs');
    // What its settings can add, and a page that is gone, which is an answer and no exception.
    const more = { onlyMainContent: true, maxAge: 0, blockAds: true, removeBase64Images: true, storeInCache: false };
    expect((await scraper.scrapeUrl(url, { ...more, mobile: false, zeroDataRetention: false }))[1].success).toBe(true);
    expect((await scraper.scrapeUrl(`${site.origin}/gone`))[1]).toMatchObject({ success: true });
    expect((await createFirecrawlScraper({ ...patient, version: 'v1' }).scrapeUrl(url))[1].success).toBe(true);
  });

  describe('the node of flowise-components 3.1.4', () => {
    interface Node {
      init(data: object, input: string, options: object): Promise<readonly FlowiseDocument[]>;
    }
    interface FlowiseDocument {
      readonly pageContent: string;
      readonly metadata: Readonly<Record<string, unknown>>;
    }
    // Flowise calls no private address otherwise.
    beforeAll(() => vi.stubEnv('HTTP_SECURITY_CHECK', 'false'));
    afterAll(() => vi.unstubAllEnvs());

    const load = async (inputs: object): Promise<readonly FlowiseDocument[]> => {
      const { nodeClass: Node } = loadPublished(
        'flowise-components',
        'dist/nodes/documentloaders/FireCrawl/FireCrawl.js',
      ) as { readonly nodeClass: new () => Node };
      const own = { firecrawlApiToken: options.apiKey, firecrawlApiUrl: options.apiUrl };
      return new Node().init({ inputs: { ...own, ...inputs }, outputs: { output: 'document' } }, '', {});
    };

    test('scrape', async () => {
      const [page, ...others] = await load({ crawlerType: 'scrape', url: `${site.origin}/docs/` });
      expect(page?.pageContent).toContain('docs');
      expect(page?.metadata).toMatchObject({ source: `${site.origin}/docs/`, statusCode: 200 });
      expect(others).toEqual([]);
      const [gone] = await load({ crawlerType: 'scrape', url: `${site.origin}/gone` });
      expect(gone?.metadata).toMatchObject({ statusCode: 404 });
    });

    test('crawl, with its filters and limit', async () => {
      const url = `${site.origin}/docs/`;
      const sources = (documents: readonly FlowiseDocument[]): string[] =>
        documents.map(({ metadata }) => new URL(String(metadata['source'])).pathname).toSorted();
      expect(sources(await load({ crawlerType: 'crawl', url, onlyMainContent: true }))).toEqual(['/docs/', ...docs]);
      expect(sources(await load({ crawlerType: 'crawl', url, excludePaths: '^/docs/[3-9]$' }))).toEqual([
        '/docs/',
        '/docs/0',
        '/docs/1',
        '/docs/2',
      ]);
      expect(await load({ crawlerType: 'crawl', url, limit: '3' })).toHaveLength(3);
    });

    test('what is not there is an error: search without an engine, extraction', async () => {
      await expect(load({ crawlerType: 'search', searchQuery: 'hay' })).rejects.toThrow('Status code: 400');
      await expect(load({ crawlerType: 'extract', url: site.origin, extractPrompt: 'hay' })).rejects.toThrow(
        'Status code: 404',
      );
    });
  });
});

/** The id of a job in our own API. */
async function ownId(id: string): Promise<string> {
  const { jobIdOf } = await import('../../src/firecrawl/job-ids.ts');
  return jobIdOf(id);
}
