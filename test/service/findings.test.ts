// Findings: a site for each code, and ordinary sites that must have none.
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { FindingCode } from '../../src/core/job-codes.ts';
import { type Answer, page, ScriptedSites } from '../e2e/scripted-site.ts';
import { type JobAnswer, startService, type TestService } from './start-service.ts';

let service: TestService;
const sites = new ScriptedSites();
beforeAll(async () => {
  service = await startService({ env: { HAYRAKE_BROWSER: 'off', HAYRAKE_JOB_URLS: '1000' } });
});
afterAll(async () => {
  await sites.close();
  await service.close();
});

type Paths = Readonly<Record<string, Answer>> | ((path: string, asks: number) => Answer);

async function crawl(paths: Paths, input: object = {}, start: readonly string[] = ['/']): Promise<JobAnswer> {
  const site = await sites.start((path, asks) => (typeof paths === 'function' ? paths(path, asks) : paths[path]));
  return service.crawl({ urls: start.map((path) => `${site.origin}${path}`), ...input });
}

/** `code count example`, the example without its origin. */
function findingsOf({ findings }: JobAnswer): string[] {
  return findings.map(({ code, count, example }) =>
    `${code} ${count} ${example.replace(/^http:\/\/127\.0\.0\.1:\d+/, '')}`.trim(),
  );
}

const names = (count: number, name = '/page'): string[] =>
  Array.from({ length: count }, (_, at) => `${name}-${at + 1}`);
/** A start page that links to `paths`, each a page of its own. */
const siteOf = (paths: readonly string[], others: Readonly<Record<string, Answer>> = {}): Record<string, Answer> => ({
  '/': page('/', [...paths, ...Object.keys(others)]),
  ...Object.fromEntries(paths.map((path) => [path, page(path)])),
  ...others,
});
const inLanguage = (language: string, path: string, links: readonly string[] = []): string =>
  `<html lang="${language}">${page(`${path} ${language}`, links)}`;
const redirect = (location: string): Answer => ({ status: 302, headers: { location } });
const login = '<title>Sign in</title><main><p>Please sign in to go on.</p><form><input type="password"></form></main>';
const text = (body: string): Answer => ({ headers: { 'content-type': 'text/plain' }, body });

/** Nothing comes. */
const silence: Answer = () => {};

interface Row {
  readonly code: FindingCode;
  readonly site: Paths;
  readonly input?: object;
  readonly start?: readonly string[];
  readonly expected: readonly string[];
}

const priceOf = (css: string): object => ({
  schema: { properties: { price: { type: 'string' } }, required: ['price'] },
  fields: { price: { css }, words: { css: 'main p' } },
});
const withPrice = `${page('/priced')}<p class=price>1 €</p>`;

const rows: readonly Row[] = [
  {
    code: 'extract_incomplete',
    site: { '/': page('/', ['/a']), '/a': `${page('/a')}<p class=price>1.234 Euro</p>` },
    input: { extract: { when: ['/a'], fields: { price: { css: '.price', type: 'price' } } } },
    expected: ['extract_incomplete 1 /a'],
  },
  {
    code: 'page_limit_reached',
    site: siteOf(names(9)),
    input: { page_limit: 4, host_concurrency: 1 },
    expected: ['page_limit_reached 6 /page-4'],
  },
  {
    code: 'fetch_limit_reached',
    site: siteOf(names(9)),
    input: { fetch_limit: 4, host_concurrency: 1 },
    expected: ['fetch_limit_reached 6 /page-4'],
  },
  {
    code: 'time_limit_reached',
    site: siteOf([], Object.fromEntries(names(9).map((path) => [path, silence]))),
    input: { time_limit: 2 },
    expected: ['time_limit_reached 9 /page-1'],
  },
  {
    code: 'url_limit_reached',
    site: siteOf(names(1_005)),
    input: { max_depth: 0 },
    expected: ['url_limit_reached 6 /page-1000'],
  },
  {
    code: 'signed_out',
    site: (path) => {
      if (path === '/') return page('/', names(20));
      if (path === '/login') return login;
      return Number(path.slice(6)) <= 4 ? page(path) : redirect('/login');
    },
    input: { cookies: { sid: '1' }, host_concurrency: 1 },
    expected: ['signed_out 15 /page-10'],
  },
  {
    code: 'same_page',
    site: (path) => (path.startsWith('/robots') ? undefined : page('We are back soon', names(4))),
    input: { host_concurrency: 1 },
    expected: ['same_page 4 /page-1'],
  },
  {
    code: 'language_changed',
    site: (path) => (path === '/' ? inLanguage('en', '/', names(20)) : inLanguage('kn', path)),
    input: { host_concurrency: 1 },
    expected: ['language_changed 20 /page-1'],
  },
  {
    code: 'all_off_host',
    site: { '/': page('/', names(20, 'http://production.example/page')) },
    expected: ['all_off_host 20 http://production.example/page-1'],
  },
  {
    code: 'all_off_host',
    site: (path) => {
      if (path === '/') return page('/', names(40));
      if (!path.startsWith('/page')) return undefined;
      return Number(path.slice(6)) <= 12 ? page(path) : redirect(`http://login.example/auth?to=${path}`);
    },
    input: { host_concurrency: 1 },
    expected: ['all_off_host 28 /page-17'],
  },
  {
    code: 'all_off_host',
    site: (path) => {
      if (path === '/') return page('/', names(40));
      if (!path.startsWith('/page')) return undefined;
      return Number(path.slice(6)) <= 32 ? page(path) : redirect(`http://login.example/auth?to=${path}`);
    },
    input: { cookies: { sid: '1' }, host_concurrency: 1 },
    expected: ['all_off_host 8 /page-37'],
  },
  {
    code: 'only_nofollow',
    site: { '/': '<meta name="robots" content="nofollow">' + page('/', names(3)) },
    expected: ['only_nofollow 3 /page-1'],
  },
  {
    code: 'pattern_unmatched',
    site: siteOf(names(5)),
    input: { include_globs: ['*/blog/*'] },
    expected: ['pattern_unmatched 5 /page-1'],
  },
  {
    code: 'pattern_unmatched',
    site: siteOf(names(5)),
    input: { deliver_globs: ['/blog/**', '/news/**'] },
    expected: ['pattern_unmatched 6 /'],
  },
  {
    code: 'pattern_unmatched',
    site: siteOf(names(20)),
    input: { extract: { ...priceOf('main p'), when: ['/nothing/**', '/page/'] } },
    expected: ['pattern_unmatched 21 /'],
  },
  {
    code: 'pattern_unmatched',
    site: siteOf(names(20), { '/priced': withPrice }),
    input: { extract: priceOf('.prise, .cost') },
    expected: ['pattern_unmatched 1 price', 'extract_incomplete 22 /'],
  },
  {
    code: 'robots_forbids',
    site: siteOf(names(20, '/shop'), {
      '/robots.txt': text('User-agent: *\nDisallow: /shop'),
      '/about': page('/about'),
    }),
    expected: ['robots_forbids 20 /shop-1'],
  },
  {
    code: 'robots_forbids',
    site: siteOf(names(3), { '/robots.txt': text('User-agent: *\nDisallow: /page-1\n') }),
    start: ['/', '/page-1'],
    expected: ['robots_forbids 1 /page-1'],
  },
  {
    code: 'empty_pages',
    site: siteOf(names(3), { '/empty': '<title></title>' }),
    start: ['/', '/empty'],
    expected: ['empty_pages 1 /empty'],
  },
  {
    code: 'failed_pages',
    site: siteOf(names(20), Object.fromEntries(names(3, '/broken').map((path) => [path, { status: 418 }]))),
    expected: [expect.stringMatching(/^failed_pages 3 \/broken-[123]$/)],
  },
  {
    code: 'failed_pages',
    site: siteOf(names(3)),
    start: ['/', '/gone'],
    expected: ['failed_pages 1 /gone'],
  },
  {
    code: 'failed_pages',
    site: {},
    expected: ['failed_pages 1 /'],
  },
  {
    code: 'failed_pages',
    site: {
      ...siteOf(names(20)),
      '/robots.txt': ({ headers: { host = '' } }, response) => response.end(`Sitemap: http://${host}/sitemap.xml`),
      '/sitemap.xml': ({ headers: { host = '' } }, response) =>
        response
          .setHeader('content-type', 'text/xml')
          .end(`<urlset><url><loc>http://${host}/members</loc></url></urlset>`),
      '/members': { status: 403 },
    },
    expected: ['failed_pages 1 /members'],
  },
  {
    code: 'no_pages',
    site: { '/': { headers: { 'content-type': 'image/png' }, body: 'png' } },
    expected: ['no_pages 1'],
  },
  {
    code: 'browser_missing',
    site: siteOf(names(3), {
      '/app': '<title>App</title><div id="root"></div><script type="module" src="/app.js"></script>',
    }),
    start: ['/', '/app'],
    expected: ['browser_missing 1 /app'],
  },
  {
    code: 'needs_javascript',
    site: siteOf(names(3), {
      '/app': '<title>App</title><div id="root"></div><script type="module" src="/app.js"></script>',
    }),
    input: { use_browser: false },
    start: ['/', '/app'],
    expected: ['needs_javascript 1 /app'],
  },
  {
    code: 'delay_too_long',
    site: siteOf(names(3), { '/robots.txt': text('User-agent: *\nCrawl-delay: 4000') }),
    expected: ['delay_too_long 1 /'],
  },
  {
    code: 'sitemap_unreadable',
    site: siteOf(names(3), {
      '/robots.txt': ({ headers: { host = '' } }, response) => response.end(`Sitemap: http://${host}/sitemap.xml`),
      '/sitemap.xml': { headers: { 'content-type': 'text/xml' }, body: '<urlset><url><loc>' },
    }),
    expected: ['sitemap_unreadable 1'],
  },
];

describe('findings', () => {
  test.each(rows.map((row, index) => [row.code, index, row] as const))(
    'findings: has %s, with count and example (%i)',
    async (code, _, { site, input, start, expected }) => {
      const job = await crawl(site, input, start);
      expect(findingsOf(job)).toEqual(expected);
      expect(job.complete).toBe(false);
      const finding = job.findings.find((one) => one.code === code);
      expect(finding?.message.length).toBeGreaterThan(10);
      expect(finding?.remedy.length).toBeGreaterThan(10);
    },
  );

  const soon = { unreachable_seconds: 1 };
  test.each<[cause: string, answer: Answer | string, code: FindingCode, remedy: RegExp, input?: object]>([
    ['a login', { status: 401 }, 'failed_pages', /login.*`headers` or `cookies`/],
    ['a refusal', { status: 403 }, 'failed_pages', /contact.*`host_delay_ms`/],
    ['a dead address', { status: 404 }, 'failed_pages', /address of the start/],
    ['a fault of the site', { status: 500 }, 'failed_pages', /fault of its own.*Retry/, soon],
    ['a name that does not resolve', 'http://no-such-host.example/', 'failed_pages', /name of the host/, soon],
    ['a refused port', 'http://127.0.0.1:9/', 'host_unreachable', /port/, soon],
    ['a certificate', 'https://127.0.0.1:PORT/', 'host_unreachable', /certificate/, soon],
    ['a loop', redirect('/'), 'failed_pages', /browser.*cookies/],
    ['a broken body', { headers: { 'content-encoding': 'gzip' }, body: 'no' }, 'failed_pages', /hardly help/, soon],
  ])(
    'findings: the remedy against a start URL that ends with %s is its own',
    async (_, answer, code, remedy, input) => {
      const site = await sites.start((path) => (path === '/' && typeof answer !== 'string' ? answer : undefined));
      const url = typeof answer === 'string' ? answer.replace('PORT', new URL(site.origin).port) : `${site.origin}/`;
      const { findings } = await service.crawl({ urls: [url], ...input });
      expect(findings).toMatchObject([{ code, remedy: expect.stringMatching(remedy) }]);
    },
  );

  test('findings: has cancelled, with what was left', async () => {
    const site = await sites.start((path) => (path.startsWith('/page') ? silence : siteOf(names(5))[path]));
    const { id } = await service.createJob({ urls: [`${site.origin}/`] });
    await expect.poll(async () => (await service.job(id)).progress.scraped).toBe(1);
    await service.ok(`/crawler/jobs/${id}/cancel`, { method: 'POST' });
    const job = await service.job(id);
    expect(findingsOf(job)).toEqual(['cancelled 5 /page-1']);
    expect([job.status, job.complete]).toEqual(['cancelled', false]);
  });
});

/** Sites of which nothing is missing. */
const ordinary: Readonly<Record<string, { readonly site: Paths; readonly input?: object; readonly start?: string[] }>> =
  {
    'a small site': { site: siteOf(names(12)) },
    'a manual with a fifth of its links dead': {
      site: siteOf(names(68), Object.fromEntries(names(13, '/dead').map((path) => [path, undefined]))),
    },
    'a site with half of its links to other hosts': {
      site: siteOf(
        names(10),
        Object.fromEntries(names(10, 'http://elsewhere.example/').map((url) => [url, undefined])),
      ),
    },
    'one page with three links to other hosts': {
      site: { '/': page('/', ['http://a.example/', 'http://b.example/', 'http://c.example/']) },
    },
    'one page with many links to many hosts': {
      site: {
        '/': page(
          '/',
          Array.from({ length: 20 }, (_, at) => `http://host${at}.example/`),
        ),
      },
    },
    'a forum with a link to sign in on each page': {
      site: (path) => {
        const { pathname } = new URL(path, 'http://site');
        if (pathname === '/login') return login;
        return page(path, [...(path === '/' ? names(30) : []), `/login?next=${path}`]);
      },
    },
    'a forum with a link to answer on each page, which asks to sign in': {
      site: (path) => {
        if (path === '/login') return login;
        if (path.startsWith('/answer')) return redirect('/login');
        return page(path, [...(path === '/' ? names(30) : []), `/answer${path}`]);
      },
    },
    'a forum with a field to sign in on each page': {
      site: (path) => `${page(path, path === '/' ? names(30) : [])}<input type="password">`,
    },
    'a site that answers unknown paths with its home page': {
      site: (path) => {
        const home = page('/', [...names(5), ...names(30, '/unknown')]);
        return path.startsWith('/page') ? page(path) : home;
      },
    },
    'a site that redirects unknown paths to its home page': {
      site: (path) => {
        if (path === '/') return page('/', [...names(5), ...names(30, '/unknown')]);
        return path.startsWith('/page') ? page(path) : redirect('/');
      },
    },
    'a site where each page has two URLs': {
      site: (path) =>
        page(path.replace(/\?.*/, ''), path === '/' ? names(20).flatMap((one) => [one, `${one}?print=1`]) : []),
    },
    'a site of links that redirect to many hosts': {
      site: (path) => {
        if (path === '/') return page('/', [...names(5), ...names(30, '/go')]);
        return path.startsWith('/go') ? redirect(`http://host${path.slice(4)}.example/`) : page(path);
      },
    },
    'a blog with a link to one shop on each page, by a redirect': {
      site: (path) => {
        if (path.startsWith('/go')) return redirect(`http://shop.example/item${path}`);
        return page(path, path === '/' ? names(20) : [`/go${path}`]);
      },
    },
    'a site in twenty languages, by path': {
      site: (path) => {
        const languages = Array.from({ length: 20 }, (_, at) => `a${String.fromCodePoint(97 + at)}`);
        const [, language = ''] = /^\/(a[a-t])\//.exec(path) ?? [];
        return path === '/'
          ? inLanguage(
              'en',
              '/',
              languages.map((one) => `/${one}/`),
            )
          : inLanguage(language, path);
      },
    },
    'a site with a page of search results that scripts write': {
      site: siteOf(names(20), {
        '/search': '<title>Search</title><div id="root"></div><script type="module" src="/s.js"></script>',
      }),
    },
    'a site with some paths that robots.txt forbids': {
      site: siteOf(names(20), {
        '/robots.txt': text('User-agent: *\nDisallow: /private'),
        ...Object.fromEntries(names(10, '/private').map((path) => [path, page(path)])),
      }),
    },
    'a site with as many dead links as pages': {
      site: siteOf(names(60), Object.fromEntries(names(60, '/dead').map((path) => [path, undefined]))),
    },
    'a site with all its dead links on its last page': {
      site: { ...siteOf(names(60)), '/page-60': page('/page-60', names(60, '/dead')) },
    },
    'a forum with a form to sign in on each page, and three links that ask to do so': {
      site: (path) => {
        if (path.startsWith('/reply')) return redirect('/login');
        if (path === '/login') return login;
        const links = path === '/' ? names(60) : [1, 2, 3].map((reply) => `/reply?to=${path}&n=${reply}`);
        return `${page(path, links)}<form><input type="password"></form>`;
      },
    },
    'a site with one page of 200 that fails': { site: siteOf(names(199), { '/broken': { status: 418 } }) },
    'a site with pages that are not for everybody': {
      site: siteOf(
        names(5),
        Object.fromEntries([400, 401, 403, 405, 406].map((status) => [`/not-${status}`, { status }])),
      ),
    },
    'a wiki whose histories robots.txt forbids': {
      site: (path) => {
        if (path === '/robots.txt') return text('User-agent: *\nDisallow: /edit\nDisallow: /history\n');
        return page(path, path === '/' ? names(40) : [`/edit${path}`, `/history${path}`]);
      },
    },
    'a company of six pages with two that robots.txt forbids, and an admin page': {
      site: siteOf(names(5), {
        '/robots.txt': text('User-agent: *\nDisallow: /cart\nDisallow: /wp-admin\n'),
        '/cart': page('/cart'),
        '/wp-admin': page('/wp-admin'),
        '/admin': { status: 401 },
      }),
    },
    'a site whose pages are all asked for': { site: siteOf(names(4)), input: { page_limit: 5 } },
    'a shop that has a field on one page, and one alternative': {
      site: siteOf(names(20), { '/priced': withPrice }),
      input: { extract: { fields: { words: { css: 'main p' }, price: [{ css: '.prise' }, { css: '.price' }] } } },
    },
    'too few pages to say that a pattern matches none': {
      site: siteOf(names(18)),
      input: { extract: { ...priceOf('.prise'), when: ['/nothing/**'] } },
    },
    'one page without its links': { site: siteOf(names(4)), input: { max_depth: 0 } },
  };

describe('findings of ordinary sites', () => {
  test.each(Object.entries(ordinary))('findings: has none of %s', async (_, { site, input, start }) => {
    const job = await crawl(site, input, start);
    expect(findingsOf(job)).toEqual([]);
    expect([job.status, job.complete]).toEqual(['succeeded', true]);
  });

  test('findings: has the notice not_public of links that are not for everybody', async () => {
    const job = await crawl(siteOf(names(5), { '/admin': { status: 401 } }));
    expect(job.notices).toMatchObject([{ code: 'not_public', count: 1 }]);
    expect([job.findings, job.complete]).toEqual([[], true]);
  });

  test('findings: has the notice pattern_unused of fields that no page has and that are not required', async () => {
    const fields = { words: { css: 'main p' }, price: { css: '.prise' }, wood: { label: 'Wood' } };
    const job = await crawl(siteOf(names(20)), { extract: { fields } });
    const message = 'None of 21 pages has any of 2 fields, such as `price`.';
    expect(job.notices).toMatchObject([{ code: 'pattern_unused', count: 2, example: 'price', message }]);
    expect([job.findings, job.complete]).toEqual([[], true]);
  });

  test('findings: has the notice unfollowed_navigation of ways that only a person can walk', async () => {
    const job = await crawl({
      ...siteOf(names(3)),
      '/page-2': `${page('/page-2')}<a href="javascript:showPage(2)">2</a>`,
      '/page-3': `${page('/page-3')}<form><select><option>Austria<option>Chile</select><button>Go</button></form>`,
    });
    expect(job.notices).toMatchObject([{ code: 'unfollowed_navigation', count: 2 }]);
    expect([job.findings, job.complete]).toEqual([[], true]);
  });

  test('findings: are null in `complete` for a map and a scrape', async () => {
    const site = await sites.start((path) => siteOf(names(3))[path]);
    const json = { url: `${site.origin}/` };
    const { jobId } = await service.ok<{ readonly jobId: string }>('/scraper/map', { json });
    expect((await service.job(jobId)).complete).toBeNull();
  });
});
