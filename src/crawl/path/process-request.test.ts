// The path of one request: a real local site, the real fetcher and converter; only the store is left out.
import { gzipSync } from 'node:zlib';
import type { ServerResponse } from 'node:http';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest';
import type { Frontier, Settlement } from '../../core/ports/frontier.ts';
import type { CrawlJob } from '../../core/job.ts';
import type { Log } from '../../core/ports/log.ts';
import type { Outcome, Request } from '../../core/request.ts';
import { parsePrivateNetworks } from '../../fetch/guard/address-policy.ts';
import { createEgress, type Egress } from '../../fetch/guard/egress.ts';
import { createHttpFetcher } from '../../fetch/http/http-fetcher.ts';
import { certificateKey, selfSignedCertificate } from '../../../test/egress/certificates.ts';
import { htmlPage, type SitePage, startTestSite, type TestSite } from '../../../test/service/test-site.ts';
import type { ConvertedPage, Converter } from '../convert/converter.ts';
import { ConverterPool } from '../convert/thread/converter-pool.ts';
import { HostGate } from '../pace/host-gate.ts';
import { JobCache } from '../job/job-cache.ts';
import { JobCookies } from '../job/job-cookies.ts';
import { JobEnds } from '../job/job-ends.ts';
import { BodyBudget } from './body-budget.ts';
import { createPoliteFetcher, Pacer } from '../pace/politeness.ts';
import { urlTemplates } from '../../url/url-template.ts';
import { OutcomeWatch } from '../memory/outcome-watch.ts';
import { ScriptLinks } from '../memory/script-links.ts';
import { TemplateWatch } from '../memory/template-watch.ts';
import { createProcessor } from './process-request.ts';
import { parsePage } from '../../page/decode.ts';
import type { PathParts } from './request-path.ts';
import { RenderMemory } from '../memory/render-memory.ts';
import { ResourceCache } from '../memory/resource-cache.ts';
import { RedirectTargets } from '../memory/redirect-targets.ts';
import { RobotsGate } from '../pace/robots-gate.ts';
import { inflateFragment } from '../../page/inflate-fragment.ts';
import { jobSpec } from '../../../test/job-spec.ts';

const errors: unknown[] = [];
const log: Log = { debug: () => {}, info: () => {}, warn: () => {}, error: (_, fields) => errors.push(fields) };
const bodyBytesMax = 100_000;

let converter: ConverterPool;
let egress: Egress;
beforeAll(() => {
  converter = new ConverterPool({ threads: 1, deadlineMs: 10_000, memoryMbMax: 256 }, log);
  egress = createEgress({ allowPrivate: parsePrivateNetworks('127.0.0.0/8'), allowPorts: [] });
});
afterAll(async () => {
  await converter.close();
  await egress.close();
});

let site: TestSite;
let other: TestSite;
beforeEach(async () => {
  [site, other] = await Promise.all([startTestSite(), startTestSite()]);
});
afterEach(async () => {
  await Promise.all([site.close(), other.close()]);
});

interface Given {
  readonly scriptLinks?: ScriptLinks;
  readonly request?: Partial<Request>;
  readonly spec?: Partial<CrawlJob['spec']>;
  readonly headers?: CrawlJob['headers'];
  readonly endedTemplates?: readonly string[];
  readonly watch?: TemplateWatch;
  readonly cookies?: JobCookies;
  readonly targets?: RedirectTargets;
  readonly abort?: AbortController;
  readonly endedJobs?: Frontier['endedJobs'];
  readonly pacer?: Pacer;
  readonly bodyBudget?: BodyBudget;
  readonly converter?: Pick<Converter, 'convertPage'>;
  readonly browser?: PathParts['browser'];
  readonly aside?: PathParts['aside'];
  readonly program?: string;
  /** Does not continue on another host. */
  readonly staysHere?: boolean;
}

/** The outcome for a URL of the site. */
async function processed(path: string, given: Given = {}): Promise<Settlement | undefined> {
  const job: CrawlJob = {
    id: 'job',
    org: 'default',
    createdAt: Date.now(),
    scopeHosts: (given.spec?.urls ?? [site.origin]).map((url) => new URL(url).host),
    spec: jobSpec({ urls: [`${site.origin}/`], ...given.spec }),
    headers: given.headers ?? {},
    networks: {},
    movedStarts: {},
    honestHosts: {},
    endedTemplates: given.endedTemplates ?? [],
  };
  const abort = given.abort ?? new AbortController();
  const pacer = given.pacer ?? new Pacer({ concurrency: 8, delayMs: 0 }, { giveUpMs: 900_000 });
  const cookies = given.cookies ?? new JobCookies();
  const fetcher = createPoliteFetcher(createHttpFetcher({ egress, userAgent: 'hayrake/test' }), pacer, abort.signal);
  const robots = new RobotsGate(fetcher, { deadlineMs: 2_000 });
  const gate = new HostGate({ robots, pacer, noteDelay: () => Promise.resolve() });
  const frontier = {
    crawlJob: () => Promise.resolve(job),
    noteNetworks: (_id: string, networks: Readonly<Record<string, string>>) => Promise.resolve(networks),
  };
  const jobs = new JobCache(frontier, egress);
  const processor = createProcessor(
    {
      fetcher,
      bodyBudget: given.bodyBudget ?? new BodyBudget(2 ** 20),
      pacer,
      converter: { ...methodsOf(converter), ...given.converter },
      gate,
      browser: given.browser,
      watch: given.watch ?? new TemplateWatch(),
      outcomes: new OutcomeWatch(),
      scriptLinks: given.scriptLinks ?? new ScriptLinks(),
      cookies,
      targets:
        given.targets ?? new RedirectTargets({ knownUrl: () => Promise.resolve(undefined) }, { isShared: false }),
      jobs,
      jobEnds: new JobEnds({ endedJobs: given.endedJobs ?? (() => Promise.resolve([])) }, abort.signal),
      log,
    },
    {
      program: given.program ?? 'one',
      retry: { baseMs: 1_000 },
      fetchDeadlineMs: 1_000,
      fetchSilenceMs: 1_000,
      bodyBytesMax,
    },
    abort.signal,
  );
  const request = {
    id: 1,
    jobId: 'job',
    jobVersion: 1,
    kind: 'page',
    depth: 1,
    selfFed: false,
    attempts: 0,
    url: site.origin + path,
    ...given.request,
  } as const;
  const settlement = await processor.process(
    request,
    given.aside && { aside: given.aside, untilAnswered: () => Promise.resolve() },
  );
  const { outcome } = settlement ?? {};
  if (given.staysHere === true || outcome?.kind !== 'moved') return settlement;
  // The lane of the next host, in this process.
  return processed(path, { ...given, pacer, cookies, request: { ...given.request, chain: outcome.chain } });
}

/** The outcome for a URL of the site, if its host may be contacted. */
async function settlementOf(path: string, given: Given = {}): Promise<Settlement> {
  const settlement = await processed(path, given);
  if (!settlement) throw new Error('the host must not be contacted');
  return settlement;
}

/** As an object whose methods can be replaced. */
function methodsOf(pool: ConverterPool): Converter {
  return {
    convertPage: (input) => pool.convertPage(input),
    readSitemap: (input) => pool.readSitemap(input),
    committed: (conversions) => pool.committed(conversions),
    close: () => pool.close(),
  };
}

/** An outcome in a few words. */
function told(outcome: Outcome): string {
  switch (outcome.kind) {
    case 'scraped':
      return `scraped${outcome.movedTo === undefined ? '' : `, now at ${outcome.movedTo}`}`;
    case 'discarded':
      return `${outcome.reason}${outcome.detail === undefined ? '' : `: ${outcome.detail}`}`;
    case 'failed':
      return `failed ${outcome.error.reason}${outcome.error.statusCode === undefined ? '' : ` ${outcome.error.statusCode}`}`;
    case 'retry':
      return `retry ${outcome.error.reason}${outcome.error.statusCode === undefined ? '' : ` ${outcome.error.statusCode}`}`;
    case 'unchanged':
      return `unchanged: ${outcome.evidence}`;
    case 'moved':
      return `moved ${outcome.host}`;
    case 'sitemap':
      return `sitemap ${JSON.stringify([...outcome.urls, ...outcome.sitemaps].map(({ url }) => url))}`;
  }
}

async function outcomeOf(path: string, given: Given = {}): Promise<string> {
  const settlement = await processed(path, given);
  if (!settlement) return 'not now';
  return told(settlement.outcome)
    .replaceAll(site.origin, 'SITE')
    .replaceAll(other.origin, 'OTHER')
    .replaceAll(new URL(other.origin).host, 'OTHERHOST');
}

const asked = (of: TestSite): string[] => of.requests.map(({ path }) => path);

function answer(status: number, headers: Record<string, string> = {}, body: string | Uint8Array = ''): SitePage {
  return (_, response) => void response.writeHead(status, headers).end(body);
}

const redirect = (location: string, status = 302): SitePage => answer(status, { location });
const html = { 'content-type': 'text/html' };

test('RequestProcessor: fails with browser_missing when the job needs a browser and this process has none', async () => {
  site.add({ '/page': answer(200, { 'content-type': 'text/html' }, '<main>Text.</main>') });
  expect(await outcomeOf('/page', { spec: { useBrowser: true } })).toBe('failed browser_missing 200');
});

describe('RequestProcessor: responses', () => {
  test.each<readonly [string, SitePage, string]>([
    ['200', htmlPage({ text: 'fine' }), 'scraped'],
    ['203', answer(203, html, '<p>fine'), 'scraped'],
    ['no content type', answer(200, {}, '<p>fine'), 'scraped'],
    ['XHTML', answer(200, { 'content-type': 'application/xhtml+xml; charset=utf-8' }, '<p>fine</p>'), 'scraped'],
    [
      'XHTML that is sent as XML',
      answer(200, { 'content-type': 'text/xml' }, '<html xmlns="http://www.w3.org/1999/xhtml"><p>fine</p></html>'),
      'scraped',
    ],
    ['Markdown', answer(200, { 'content-type': 'text/markdown; charset=utf-8' }, '# Fine'), 'scraped'],
    ['other XML', answer(200, { 'content-type': 'text/xml' }, '<rss/>'), 'content_type: text/xml'],
    ['gzip', answer(200, { ...html, 'content-encoding': 'gzip' }, gzipSync('<p>fine')), 'scraped'],
    ['404', answer(404), 'failed http_error 404'],
    ['410', answer(410), 'failed http_error 410'],
    ['403', answer(403), 'failed http_error 403'],
    ['an unrequested 304', answer(304), 'failed http_error 304'],
    ['a redirect without a location', answer(301), 'failed http_error 301'],
    ['429', answer(429), 'retry http_error 429'],
    ['500', answer(500), 'retry http_error 500'],
    ['503', answer(503), 'retry http_error 503'],
    ['a PDF', answer(200, { 'content-type': 'application/pdf' }, '%PDF'), 'content_type: application/pdf'],
    ['plain text', answer(200, { 'content-type': 'text/plain' }, 'text'), 'content_type: text/plain'],
    ['an image', answer(200, { 'content-type': 'image/png' }, 'png'), 'content_type: image/png'],
    ['a PDF that claims to be HTML', answer(200, { 'content-type': 'text/html' }, '%PDF-1.7'), 'content_type: PDF'],
    ['an invalid content type', answer(200, { 'content-type': 'texthtml' }, '<p>A page'), 'scraped'],
    ['no content', answer(204, { 'content-type': 'text/html' }), 'content_type: no content'],
    ['a body that is too large', answer(200, html, 'x'.repeat(bodyBytesMax + 1)), 'failed body_too_large'],
    [
      'an unsupported content encoding',
      answer(200, { ...html, 'content-encoding': 'compress' }, 'x'),
      'failed bad_encoding',
    ],
    [
      'text that claims to be gzip',
      answer(200, { ...html, 'content-encoding': 'gzip' }, 'x'),
      'failed bad_encoding 200',
    ],
    [
      'a truncated body',
      (_, response) =>
        void response.writeHead(200, { ...html, 'content-length': 100 }).write('x', () => response.destroy()),
      'retry reset',
    ],
    ['a closed connection', (request) => void request.socket.destroy(), 'retry reset'],
    ['a timeout', () => {}, 'retry timeout'],
  ])('RequestProcessor: ends as "$2" after $0', async (_, page, expected) => {
    site.add({ '/page': page });
    expect(await outcomeOf('/page')).toBe(expected);
  });

  test('RequestProcessor: fails after the fourth attempt with a 503', async () => {
    site.add({ '/page': answer(503) });
    expect(await outcomeOf('/page', { request: { attempts: 3 } })).toBe('failed http_error 503');
  });

  test('RequestProcessor: applies Retry-After to the page and to its host', async () => {
    const pacer = new Pacer({ concurrency: 8, delayMs: 0 }, { giveUpMs: 900_000 });
    site.add({ '/page': answer(503, { 'retry-after': '120' }) });
    const before = Date.now();
    const { outcome } = await settlementOf('/page', { pacer });
    expect(outcome).toMatchObject({ kind: 'retry', afterMs: 120_000 });
    expect(pacer.of(new URL(site.origin).host).readyAt).toBeGreaterThanOrEqual(before + 120_000);
  });

  test('RequestProcessor: discards a page with less text than min_length, and names both lengths', async () => {
    site.add({ '/page': '<p>short' });
    expect(await outcomeOf('/page', { spec: { minLength: 50 } })).toBe('below_min_length: 5 of 50 characters');
  });

  test('RequestProcessor: counts a 404 as a fetch', async () => {
    site.add({ '/page': answer(404) });
    expect((await settlementOf('/page')).fetched).toBe(true);
  });
});

describe('RequestProcessor: redirects', () => {
  test.each([301, 302, 303, 307, 308])(
    'RequestProcessor: follows a %i, and stores both URLs with the page',
    async (status) => {
      site.add({ '/a': redirect('b?x=1', status), '/b?x=1': htmlPage({ text: 'here' }) });
      const { outcome } = await settlementOf('/a');
      const meta = outcome.kind === 'scraped' ? inflateFragment(outcome.page.meta)?.toString() : '';
      expect(meta).toContain(`"url":"${site.origin}/a","fetchedUrl":"${site.origin}/b?x=1"`);
    },
  );

  const chain = (hops: number): Record<string, SitePage> => ({
    ...Object.fromEntries(Array.from({ length: hops }, (_, n) => [`/${n}`, redirect(`/${n + 1}`)])),
    [`/${hops}`]: htmlPage({ text: 'at last' }),
  });

  test('RequestProcessor: follows ten redirects, and fails at the eleventh', async () => {
    site.add(chain(10));
    expect(await outcomeOf('/0')).toBe('scraped');
    site.add(chain(11));
    expect(await outcomeOf('/0')).toBe('failed too_many_redirects');
  });

  test('RequestProcessor: fails a redirect loop when it closes', async () => {
    site.add({ '/a': redirect('/b'), '/b': redirect('/a') });
    expect(await outcomeOf('/a')).toBe('failed too_many_redirects');
    expect(asked(site)).toEqual(['/robots.txt', '/a', '/b']);
  });

  test('RequestProcessor: follows a redirect to the same URL when a cookie has changed', async () => {
    site.add({
      '/a': (request, response) => {
        if (request.headers.cookie === 'a=1') response.writeHead(200, html).end('<p>in');
        else response.writeHead(302, { location: '/a', 'set-cookie': 'a=1' }).end();
      },
    });
    expect(await outcomeOf('/a')).toBe('scraped');
    expect(asked(site)).toEqual(['/robots.txt', '/a', '/a']);
    expect(await outcomeOf('/a', { spec: { keepCookies: false } })).toBe('failed too_many_redirects');
  });

  test.each([
    ['another scheme', 'ftp://site.example/', 'failed bad_redirect'],
    ['an invalid URL', 'http://[', 'failed bad_redirect'],
    ['a private address', 'http://10.0.0.1/', 'off_host: redirects to http://10.0.0.1/'],
  ])('RequestProcessor: ends as "$2" after a redirect to $0', async (_, location, expected) => {
    site.add({ '/a': redirect(location) });
    expect(await outcomeOf('/a')).toBe(expected);
  });

  test('RequestProcessor: does not follow a link that redirects to another host', async () => {
    site.add({ '/a': redirect(`${other.origin}/b`) });
    expect(await outcomeOf('/a')).toBe('off_host: redirects to OTHER/b');
    expect(asked(other)).toEqual([]);
  });

  test('RequestProcessor: follows a start URL that redirects to another host, and adds that host to the scope', async () => {
    site.add({ '/': redirect(`${other.origin}/b`) });
    other.add({ '/b': htmlPage({ text: 'over here' }) });
    expect(await outcomeOf('/', { request: { depth: 0 } })).toBe('scraped');
    expect(asked(other)).toEqual(['/robots.txt', '/b']);
  });

  test('RequestProcessor: keeps the scope of a start URL that is redirected to another host', async () => {
    const links = ['/in', `${site.origin}/back`, 'http://elsewhere.example/'];
    site.add({ '/': redirect(`${other.origin}/b`) });
    other.add({ '/b': htmlPage({ text: 'over here', links }) });
    // The converter keeps the scope of a job by its version.
    const { outcome } = await settlementOf('/', { request: { depth: 0, jobVersion: 7 } });
    const judged = outcome.kind === 'scraped' ? outcome.links : [];
    expect(judged.map(({ url, discard }) => `${url} ${discard?.reason ?? 'crawl'}`)).toEqual([
      `${other.origin}/in off_host`,
      `${site.origin}/back crawl`,
      'http://elsewhere.example/ off_host',
    ]);
  });

  test('RequestProcessor: does not follow a start URL to a host whose robots.txt disallows it, or to a refused address', async () => {
    site.add({ '/': redirect(`${other.origin}/b`), '/inside': redirect('http://10.0.0.1/') });
    other.add({ '/robots.txt': answer(200, { 'content-type': 'text/plain' }, 'User-agent: *\nDisallow: /b') });
    expect(await outcomeOf('/', { request: { depth: 0 } })).toBe(
      'robots_disallowed: Disallow: /b (robots.txt, line 2)',
    );
    expect(await outcomeOf('/inside', { request: { depth: 0 } })).toBe('failed destination_not_allowed');
  });

  test('RequestProcessor: moves a redirect to the lane of the other host, and waits when that host must not be contacted', async () => {
    const pacer = new Pacer({ concurrency: 8, delayMs: 0 }, { giveUpMs: 900_000 });
    site.add({ '/': redirect(`${other.origin}/b`) });
    other.add({ '/robots.txt': answer(503) });
    const moved = await settlementOf('/', { pacer, staysHere: true, request: { depth: 0 } });
    expect(moved).toMatchObject({ fetched: true, outcome: { kind: 'moved', host: new URL(other.origin).host } });
    expect(asked(other)).toEqual([]);
    const { chain } = moved.outcome as Outcome & { kind: 'moved' };
    expect(await outcomeOf('/', { pacer, request: { depth: 0, chain } })).toBe('not now');
    expect(asked(other)).toEqual(['/robots.txt']);
    expect(asked(site)).toEqual(['/robots.txt', '/']);
    expect(pacer.of(new URL(site.origin).host).trouble).toBeUndefined();
  });

  /** As the lanes of several processes: each process has a memory of its own that the others do not see. */
  async function throughProcesses(path: string, given: Given = {}): Promise<string[]> {
    const seen: string[] = [];
    for (let request = given.request ?? {}; ;) {
      const { outcome } = await settlementOf(path, { ...given, request, staysHere: true });
      seen.push(told(outcome).replaceAll(site.origin, 'SITE').replaceAll(other.origin, 'OTHER'));
      if (outcome.kind !== 'moved') return seen;
      request = { ...request, chain: outcome.chain };
    }
  }

  test('RequestProcessor: counts redirects between two hosts over all processes', async () => {
    for (let hop = 0; hop <= 12; hop++) {
      site.add({ [`/${hop}`]: redirect(`${other.origin}/${hop}`) });
      other.add({ [`/${hop}`]: redirect(`${site.origin}/${hop + 1}`) });
    }
    const start = { request: { depth: 0 } };
    const seen = await throughProcesses('/0', start);
    expect(seen.at(-1)).toBe('failed too_many_redirects');
    expect([...asked(site), ...asked(other)].filter((at) => at !== '/robots.txt')).toHaveLength(11);
    site.add({ '/4': htmlPage({ text: 'the end' }) });
    expect((await throughProcesses('/0', start)).at(-1)).toBe('scraped');
  });

  test('RequestProcessor: fails a redirect loop of two hosts when it closes', async () => {
    site.add({ '/a': redirect(`${other.origin}/a`) });
    other.add({ '/a': redirect(`${site.origin}/a`) });
    const seen = await throughProcesses('/a', { request: { depth: 0 } });
    expect(seen.at(-1)).toBe('failed too_many_redirects');
    expect([asked(site), asked(other)].map((paths) => paths.filter((at) => at === '/a').length)).toEqual([1, 1]);
  });

  test('RequestProcessor: takes cookies along to another process, unless the job keeps none', async () => {
    const cookiesSeen: (string | undefined)[] = [];
    site.add({
      '/a': (_, response) =>
        void response.writeHead(302, { location: `${other.origin}/a`, 'set-cookie': 'key=1; Path=/' }).end(),
      '/b': (request, response) => {
        cookiesSeen.push(request.headers.cookie);
        response.writeHead(200, { 'content-type': 'text/html' }).end('<main><p>What is seen with a cookie.</main>');
      },
    });
    other.add({ '/a': redirect(`${site.origin}/b`) });
    expect((await throughProcesses('/a', { request: { depth: 0 } })).at(-1)).toBe('scraped');
    await throughProcesses('/a', { request: { depth: 0 }, spec: { keepCookies: false } });
    expect(cookiesSeen).toEqual(['key=1', undefined]);
  });

  test.each([
    ['is no JSON', '{'],
    ['has another version', '{"version":2,"url":"http://10.0.0.1/"}'],
    ['names a URL that is not http', '{"version":1,"url":"file:///etc/passwd","hops":1}'],
    ['is too long', JSON.stringify({ version: 1, url: `http://10.0.0.1/${'x'.repeat(140_000)}` })],
  ])('RequestProcessor: starts again at the first host when the stored redirect chain %s', async (_, chain) => {
    site.add({ '/a': htmlPage({ text: 'here' }) });
    const moved = await settlementOf('/a', { staysHere: true, request: { chain } });
    expect(moved).toMatchObject({ fetched: false, outcome: { kind: 'moved', host: new URL(site.origin).host } });
    expect(asked(site)).toEqual([]);
    expect(await outcomeOf('/a', { request: { chain } })).toBe('scraped');
  });

  test('RequestProcessor: continues a redirected sitemap on the other host', async () => {
    site.add({ '/s.xml': redirect(`${other.origin}/t.xml`) });
    other.add({
      '/t.xml': answer(200, { 'content-type': 'text/xml' }, `<urlset><url><loc>${site.origin}/p</loc></url></urlset>`),
    });
    const seen = await throughProcesses('/s.xml', { request: { kind: 'sitemap' } });
    expect(seen).toEqual([`moved ${new URL(other.origin).host}`, 'sitemap ["SITE/p"]']);
  });

  test('RequestProcessor: does not follow a redirect to a URL that the job excludes', async () => {
    site.add({ '/a': redirect('/secret/b'), '/secret/b': htmlPage({ text: 'secret' }) });
    expect(await outcomeOf('/a', { spec: { excludeGlobs: ['/secret/**'] } })).toBe('excluded_by_glob: /secret/**');
    expect(asked(site)).not.toContain('/secret/b');
  });
});

describe('RequestProcessor: robots.txt', () => {
  const robotsTxt = (text: string): void =>
    site.add({ '/robots.txt': answer(200, { 'content-type': 'text/plain' }, text) });

  test('RequestProcessor: does not fetch a URL that robots.txt disallows, and names the rule', async () => {
    robotsTxt('User-agent: *\nDisallow: /private/ # oats');
    const { outcome, fetched } = await settlementOf('/private/x');
    expect(told(outcome)).toBe('robots_disallowed: Disallow: /private/ (robots.txt, line 2)');
    expect(fetched).toBe(false);
    expect(asked(site)).toEqual(['/robots.txt']);
  });

  test.each([
    ['300', 'scraped'],
    ['301', 'crawl_delay_too_long: 301 seconds'],
  ])('RequestProcessor: with a Crawl-delay of %s seconds ends as %s', async (seconds, told) => {
    robotsTxt(`User-agent: *\nCrawl-delay: ${seconds}`);
    site.add({ '/page': htmlPage({ text: 'there' }) });
    // Another test covers the delay; this one does not wait for it.
    const pacer = {
      of: () => new Pacer({ concurrency: 8, delayMs: 0 }, { giveUpMs: 900_000 }).of('any'),
      locate: () => undefined,
      learn: () => {},
      policyFor: () => ({ giveUpMs: 900_000 }),
      note: () => {},
      isOurs: () => false,
    };
    expect(await outcomeOf('/page', { pacer: pacer as unknown as Pacer })).toBe(told);
  });

  test('RequestProcessor: does not follow a redirect to a URL that robots.txt disallows', async () => {
    robotsTxt('User-agent: *\nDisallow: /private/');
    site.add({ '/a': redirect('/private/x') });
    expect(await outcomeOf('/a')).toMatch(/^robots_disallowed/);
    expect(asked(site)).toEqual(['/robots.txt', '/a']);
  });

  test.each([429, 500, 503])(
    'RequestProcessor: fetches nothing from a host whose robots.txt responds with %i',
    async (status) => {
      site.add({ '/robots.txt': answer(status), '/page': htmlPage({ text: 'there' }) });
      expect(await outcomeOf('/page')).toBe('not now');
      expect(await outcomeOf('/page', { request: { attempts: 3 } })).toBe('not now');
      expect(asked(site)).not.toContain('/page');
    },
  );

  test('RequestProcessor: applies the Crawl-delay between robots.txt and the first page', async () => {
    robotsTxt('User-agent: *\nCrawl-delay: 7');
    site.add({ '/page': htmlPage({ text: 'there' }) });
    const pacer = new Pacer({ concurrency: 8, delayMs: 0 }, { giveUpMs: 900_000 });
    expect(await outcomeOf('/page', { pacer })).toBe('not now');
    expect(asked(site)).toEqual(['/robots.txt']);
    expect(pacer.of(new URL(site.origin).host).limits).toEqual({ concurrency: 1, delayMs: 7_000 });
  });

  test('RequestProcessor: reports the connection error of an unreachable host, and no error of its robots.txt', async () => {
    await other.close();
    const pacer = new Pacer({ concurrency: 8, delayMs: 0 }, { giveUpMs: 900_000 });
    const outcome = await outcomeOf('/', {
      pacer,
      spec: { urls: [other.origin] },
      request: { url: `${other.origin}/`, depth: 0 },
    });
    const { host } = new URL(other.origin);
    other = await startTestSite();
    expect(outcome).toBe('not now');
    expect(pacer.of(host).trouble).toMatchObject({ error: { reason: 'connect' } });
  });
});

describe('RequestProcessor: URLs of an ended template', () => {
  const path = '/calendar?month=3';
  const given = (request: Partial<Request>): Given => {
    const { fine } = urlTemplates(new URL(path, site.origin));
    return { request, endedTemplates: [fine] };
  };
  beforeEach(() => site.add({ [path]: htmlPage({ text: 'March' }) }));

  test.each([
    ['a start URL', { depth: 0 }],
    ['a link of a start page or a sitemap', { depth: 1 }],
    ['a link of its own family on a start page', { depth: 1, selfFed: true }],
    ['a link at depth two from another family', { depth: 2 }],
  ])('RequestProcessor: fetches a URL of an ended template that is %s', async (_, request) => {
    expect(await outcomeOf(path, given(request))).toBe('scraped');
  });

  test.each([
    ['at depth two and found only in its own family', { depth: 2, selfFed: true }],
    ['at depth three', { depth: 3 }],
  ])('RequestProcessor: discards a URL of an ended template that is %s', async (_, request) => {
    expect(await outcomeOf(path, given(request))).toMatch(/^trap: /);
    expect(asked(site)).toEqual([]);
  });
});

describe('RequestProcessor: sitemaps', () => {
  const xml = { 'content-type': 'application/xml' };
  const urlset = (...paths: string[]): string =>
    `<urlset>${paths.map((path) => `<url><loc>${site.origin}${path}</loc></url>`).join('')}</urlset>`;
  const origin = { kind: 'origin', depth: 0 } as const;
  const sitemap = { kind: 'sitemap', depth: 0 } as const;

  test('RequestProcessor: finds the sitemaps of robots.txt, and /sitemap.xml when there are none', async () => {
    expect(await outcomeOf('/', { request: origin })).toBe('sitemap ["SITE/sitemap.xml"]');
    site.add({
      '/robots.txt': answer(
        200,
        { 'content-type': 'text/plain' },
        `Sitemap: ${site.origin}/one.xml\nSitemap: ${other.origin}/two.xml`,
      ),
    });
    expect(await outcomeOf('/', { request: origin })).toBe('sitemap ["SITE/one.xml","OTHER/two.xml"]');
  });

  test('RequestProcessor: requests no sitemap while robots.txt is unreachable', async () => {
    site.add({ '/robots.txt': answer(503) });
    expect(await outcomeOf('/', { request: origin })).toBe('not now');
    expect(await outcomeOf('/s.xml', { request: sitemap })).toBe('not now');
    expect(asked(site)).not.toContain('/s.xml');
  });

  test.each<readonly [string, () => Record<string, SitePage>, string]>([
    ['a urlset', () => ({ '/s.xml': answer(200, xml, urlset('/a', '/b')) }), 'sitemap ["SITE/a","SITE/b"]'],
    [
      'an index',
      () => ({ '/s.xml': answer(200, xml, '<sitemapindex><sitemap><loc>/t.xml</loc></sitemap></sitemapindex>') }),
      'sitemap ["SITE/t.xml"]',
    ],
    [
      'gzip as content encoding',
      () => ({ '/s.xml': answer(200, { ...xml, 'content-encoding': 'gzip' }, gzipSync(urlset('/a'))) }),
      'sitemap ["SITE/a"]',
    ],
    [
      'a .gz file',
      () => ({
        '/s.xml': redirect('/s.xml.gz'),
        '/s.xml.gz': answer(200, { 'content-type': 'application/octet-stream' }, gzipSync(urlset('/a'))),
      }),
      'sitemap ["SITE/a"]',
    ],
    [
      'a redirect',
      () => ({ '/s.xml': redirect('/t.xml'), '/t.xml': answer(200, xml, urlset('/a')) }),
      'sitemap ["SITE/a"]',
    ],
    ['a redirect loop', () => ({ '/s.xml': redirect('/s.xml') }), 'sitemap []'],
    ['a redirect to no URL', () => ({ '/s.xml': redirect('http://[') }), 'sitemap []'],
    ['404', () => ({}), 'sitemap []'],
    ['an HTML page', () => ({ '/s.xml': htmlPage({ text: 'not found' }) }), 'sitemap []'],
    [
      'truncated XML',
      () => ({ '/s.xml': answer(200, xml, urlset('/a').replace('</urlset>', '<url><loc>http')) }),
      'sitemap ["SITE/a"]',
    ],
    ['503', () => ({ '/s.xml': answer(503) }), 'retry http_error 503'],
    [
      'a URL that robots.txt disallows',
      () => ({
        '/robots.txt': answer(200, { 'content-type': 'text/plain' }, 'User-agent: *\nDisallow: /s.xml'),
        '/s.xml': answer(200, xml, urlset('/a')),
      }),
      'sitemap []',
    ],
  ])('RequestProcessor: reads the URLs of a sitemap with %s', async (_, pages, expected) => {
    site.add(pages());
    expect(await outcomeOf('/s.xml', { request: sitemap })).toBe(expected);
  });
});

describe('RequestProcessor: hosts that must not be contacted', () => {
  test.each<readonly [string, 'page' | 'origin' | 'sitemap']>([
    ['a page', 'page'],
    ['an origin', 'origin'],
    ['a sitemap', 'sitemap'],
  ])('RequestProcessor: returns %s of a paused host untried, without a request for robots.txt', async (_, kind) => {
    const pacer = new Pacer({ concurrency: 8, delayMs: 0 }, { giveUpMs: 900_000 });
    site.add({ '/robots.txt': answer(503), '/page': htmlPage({ text: 'there' }) });
    expect(await outcomeOf('/page', { pacer })).toBe('not now');
    expect(await processed('/page', { pacer, request: { kind } })).toBeUndefined();
    expect(asked(site)).toEqual(['/robots.txt']);
  });

  test('RequestProcessor: returns a page untried when its failure is the fifth of the host in a row', async () => {
    const pacer = new Pacer({ concurrency: 8, delayMs: 0 }, { giveUpMs: 900_000 });
    site.add({ '/page': answer(503) });
    const outcomes: string[] = [];
    for (let count = 0; count < 6; count++) outcomes.push(await outcomeOf('/page', { pacer }));
    expect(outcomes).toEqual([...Array<string>(4).fill('retry http_error 503'), 'not now', 'not now']);
    expect(asked(site).filter((path) => path === '/page')).toHaveLength(5);
  });

  test('RequestProcessor: continues with a host whose pages respond with 500', async () => {
    const pacer = new Pacer({ concurrency: 8, delayMs: 0 }, { giveUpMs: 900_000 });
    site.add({ '/page': answer(500) });
    for (let count = 0; count < 6; count++) expect(await outcomeOf('/page', { pacer })).toBe('retry http_error 500');
  });
});

test('RequestProcessor: fails the page and logs when the converter rejects', async () => {
  site.add({ '/page': htmlPage({ text: 'fine' }) });
  const broken = { convertPage: () => Promise.reject(new Error('defect')) };
  expect(await outcomeOf('/page', { converter: broken })).toBe('failed parse_crashed');
  expect(errors).toEqual([expect.objectContaining({ url: `${site.origin}/page` })]);
});

test.each([
  { title: 'converted', converted: { kind: 'short', detail: '', links: [] } as const },
  { title: 'failed', converted: undefined },
])(
  'RequestProcessor: holds the budget of a large body until it has $title, and the next body waits',
  async ({ converted }) => {
    site.add({ '/page': answer(200, html, 'x'.repeat(90_000)), '/s.xml': answer(200, html, 'x'.repeat(90_000)) });
    const conversions: PromiseWithResolvers<ConvertedPage>[] = [];
    const bodyBudget = new BodyBudget(0);
    const take = vi.spyOn(bodyBudget, 'take');
    const given = {
      bodyBudget,
      converter: {
        convertPage: () => {
          const conversion = Promise.withResolvers<ConvertedPage>();
          conversions.push(conversion);
          return conversion.promise;
        },
      },
    };
    const end = (conversion: PromiseWithResolvers<ConvertedPage> | undefined): void => {
      if (converted) conversion?.resolve(converted);
      else conversion?.reject(new Error('defect'));
    };
    const first = settlementOf('/page', given);
    await expect.poll(() => conversions.length).toBe(1);
    let isSitemapRead = false;
    const others = [
      settlementOf('/page', given),
      settlementOf('/s.xml', { ...given, request: { kind: 'sitemap', depth: 0 } }).then((settlement) => {
        isSitemapRead = true;
        return settlement;
      }),
    ];
    const refused = () => take.mock.calls.filter((_, call) => take.mock.results[call]?.value === false);
    await expect.poll(() => new Set(refused().map(([share]) => share)).size).toBe(2);
    expect([conversions.length, isSitemapRead]).toEqual([1, false]);
    end(conversions[0]);
    await expect.poll(() => conversions.length).toBe(2);
    end(conversions[1]);
    await Promise.all([first, ...others]);
    expect(isSitemapRead).toBe(true);
  },
);

describe('RequestProcessor: abort', () => {
  test('RequestProcessor: rejects when its signal is aborted', async () => {
    const abort = new AbortController();
    let held: ServerResponse | undefined;
    site.add({
      '/page': (_, response) => {
        held = response;
        abort.abort();
      },
    });
    await expect(settlementOf('/page', { abort })).rejects.toThrow('aborted');
    held?.destroy();
  });

  test('RequestProcessor: aborts the fetch when its job ends, and does not count it against the host', async () => {
    const closed = Promise.withResolvers<void>();
    const ended: string[] = [];
    site.add({
      '/page': (_, response) => {
        ended.push('job');
        response.once('close', closed.resolve);
      },
    });
    const pacer = new Pacer({ concurrency: 8, delayMs: 0 }, { giveUpMs: 900_000 });
    const settlement = await settlementOf('/page', { pacer, endedJobs: () => Promise.resolve(ended) });
    expect(settlement.outcome).toEqual({ kind: 'discarded', reason: 'cancelled' });
    await closed.promise;
    expect(pacer.openCircuits()).toBe(0);
  });
});

test('RequestProcessor: keeps the delay of the host between all fetches, including robots.txt and redirects', async () => {
  const delayMs = 100;
  site.add({ '/a': redirect('/b'), '/b': redirect('/c'), '/c': htmlPage({ text: 'there' }) });
  await settlementOf('/a', { pacer: new Pacer({ concurrency: 8, delayMs }, { giveUpMs: 900_000 }) });
  expect(asked(site)).toEqual(['/robots.txt', '/a', '/b', '/c']);
  const times = site.requests.map(({ at }) => at);
  // Measured at the site, where requests arrive with some jitter on a busy machine. A hop without its delay would
  // take off 100 ms.
  expect(times.at(-1)! - times[0]!).toBeGreaterThanOrEqual(3 * delayMs - 80);
});

test('process: waits for the start of a browser aside, and renders then', async () => {
  site.add({ '/page': htmlPage({ text: 'page' }) });
  const steps: string[] = [];
  const browser: PathParts['browser'] = {
    renderer: {
      starting: () => Promise.resolve(void steps.push('starts')),
      render: ({ url }) => {
        steps.push('renders');
        const html = htmlPage({ text: 'The page as the browser shows it. ' });
        return Promise.resolve({ kind: 'page', html, url, routes: [], requests: 1, tookMs: 1, waitMatched: true });
      },
      close: () => Promise.resolve(),
    },
    memory: new RenderMemory(),
    resources: new ResourceCache(),
    userAgent: 'hayrake/test',
    isUnsandboxed: false,
  };
  const aside = async (wait: Promise<void>): Promise<void> => {
    steps.push('aside');
    await wait;
    steps.push('back');
  };
  const { outcome } = await settlementOf('/page', { browser, aside, spec: { useBrowser: true } });
  expect([outcome.kind, ...steps]).toEqual(['scraped', 'starts', 'aside', 'back', 'renders']);
});

test.each([
  [true, 'loaded', false],
  [false, 'refused', undefined],
])('process: with insecureTls %s a script whose certificate is wrong is %s', async (insecureTls, got, verified) => {
  const scripts = createServer({ key: certificateKey, cert: selfSignedCertificate }, ({ url }, response) => {
    response.writeHead(url === '/app.js' ? 200 : 404, { 'content-type': 'text/javascript' }).end('loaded');
  });
  await new Promise<void>((resolve) => scripts.listen(0, '127.0.0.1', resolve));
  const script = `https://127.0.0.1:${(scripts.address() as AddressInfo).port}/app.js`;
  site.add({ '/page': htmlPage({ text: 'page' }) });
  const browser: PathParts['browser'] = {
    renderer: {
      render: async ({ ask, url, signal }) => {
        const resource = await ask({ url: script, method: 'GET', headers: {}, isStatic: true, signal });
        const text = resource.kind === 'resource' ? Buffer.from(resource.body).toString() : 'refused';
        const html = `<title>Page</title><main><p>${`The script was ${text}. `.repeat(20)}</p></main>`;
        return { kind: 'page', html, url, routes: [], requests: 1, tookMs: 1, waitMatched: true };
      },
      close: () => Promise.resolve(),
    },
    memory: new RenderMemory(),
    resources: new ResourceCache(),
    userAgent: 'hayrake/test',
    isUnsandboxed: false,
  };
  try {
    const given = { browser, spec: { insecureTls, useBrowser: true } } as const;
    // The second time, the script comes from the cache of the job.
    for (const path of ['/page', '/page']) {
      const { outcome } = await settlementOf(path, given);
      if (outcome.kind !== 'scraped') throw new Error(told(outcome));
      const { text, meta } = parsePage({ page: 1, body: outcome.page.body });
      expect(text).toContain(`The script was ${got}.`);
      expect(meta.meta['tlsVerified']).toBe(verified);
      expect(meta.meta['rendered']).toBe(true);
    }
  } finally {
    scripts.closeAllConnections();
    await new Promise((resolve) => scripts.close(resolve));
  }
});

describe('a page of an earlier job', () => {
  const page = '<title>Hay</title><p>All about hay.';
  const at = (etag: string, body = page, head = {}): ReturnType<typeof answer> =>
    answer(200, { 'content-type': 'text/html', etag, ...head }, body);
  const outcomeOf = async (given: Given, served: ReturnType<typeof answer>): Promise<Outcome> => {
    site.add({ '/hay': served });
    return (await settlementOf('/hay', given)).outcome;
  };

  test.each<[what: string, now: ReturnType<typeof answer>, given: Given, expected: string]>([
    ['the same bytes', at('"2"'), {}, 'unchanged: bytes'],
    ['the same bytes by a client with another limit', at('"2"'), { spec: { pageLimit: 7 } }, 'unchanged: bytes'],
    ['other bytes', at('"2"', `${page}!`), {}, 'scraped'],
    ['another head', at('"2"', page, { 'content-language': 'de' }), {}, 'scraped'],
    ['the same bytes by another program', at('"2"'), { program: 'two' }, 'scraped'],
    ['the same bytes with other options', at('"2"'), { spec: { content: 'full' } }, 'scraped'],
    ['the same bytes with another scope', at('"2"'), { spec: { excludeGlobs: ['/x'] } }, 'scraped'],
    ['the same bytes to be kept', at('"2"'), { spec: { storeRaw: true } }, 'scraped'],
  ])('processPage: compares the bytes: %s', async (_, now, given, expected) => {
    const spec = { baseline: { of: 'earlier', isSame: true } };
    const before = await outcomeOf({ spec, request: { earlier: null } }, at('"1"'));
    if (before.kind !== 'scraped') throw new Error(told(before));
    const { hash, traits = null } = before.page;
    const earlier = { hash, traits, validator: '"1"', asked: null };
    const outcome = await outcomeOf({ ...given, spec: { ...spec, ...given.spec }, request: { earlier } }, now);
    expect(told(outcome)).toBe(expected);
    expect(outcome).toMatchObject(outcome.kind === 'unchanged' ? { statusCode: 200, validator: '"2"' } : {});
  });

  test('processPage: does not compare the bytes of a page that a browser could show otherwise', async () => {
    const empty = '<title>App</title><div id="root"></div><script src="app.js"></script>';
    const before = await outcomeOf({ request: { earlier: null } }, at('"1"', empty));
    if (before.kind !== 'scraped') throw new Error(told(before));
    const earlier = { hash: before.page.hash, traits: before.page.traits ?? null, validator: null, asked: null };
    expect(told(await outcomeOf({ request: { earlier } }, at('"2"', empty)))).toBe('scraped');
  });
});
