// What sites do to crawls, rebuilt from what people report: a job is whole in spite of it, or says why it is not.
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { readToEnd } from '../service/read-results.ts';
import { startService, type TestService } from '../service/start-service.ts';
import { codesOf, endingsOf } from './ledger.ts';
import { type Answer, page, type Script, ScriptedSites } from './scripted-site.ts';

let service: TestService;
const sites = new ScriptedSites();
beforeAll(async () => {
  service = await startService({ env: { HAYRAKE_UNREACHABLE_SECONDS: '20' } });
});
afterAll(async () => {
  await sites.close();
  await service.close();
});

const names = (count: number, name = '/page'): string[] =>
  Array.from({ length: count }, (_, at) => `${name}-${at + 1}`);

/** A site that answers as the script says, but refuses everything for a while after it has served some pages. */
function refusing(count: number, forMs: number, refusal: Answer, script: Script): Script {
  let served = 0;
  let since: number | undefined;
  return (path, asks) => {
    if (path === '/robots.txt' || path === '/sitemap.xml') return undefined;
    if (since === undefined && served++ >= count) since = performance.now();
    return since !== undefined && performance.now() - since < forMs ? refusal : script(path, asks);
  };
}

/** Instead of everything. */
const backSoon = '<title>Back soon</title><p>We are working on the site, and will be back soon.';

const hundred: Script = (path) => page(path, path === '/' ? names(100) : []);

describe.concurrent('a host that begins to refuse', () => {
  test.each([403, 401, 430, 429, 999])(
    'crawl: reads all pages of a host that answers %i for a while',
    async (status) => {
      const site = await sites.start(refusing(15, 3_000, { status }, hundred));
      const job = await service.crawl({ urls: [`${site.origin}/`] });
      expect([job.progress.scraped, job.progress.failed, job.complete]).toEqual([101, 0, true]);
      // One batch and a few probes, not each URL again and again.
      expect(site.pages().length).toBeLessThan(101 + 40);
    },
  );

  test('crawl: ends as blocked when a host refuses for good', async () => {
    const site = await sites.start(refusing(15, Number.POSITIVE_INFINITY, { status: 403 }, hundred));
    const job = await service.crawl({ urls: [`${site.origin}/`] });
    expect(job.progress).toMatchObject({ scraped: 15, failed: 86 });
    expect(job.findings).toMatchObject([{ code: 'blocked', count: 86 }]);
    expect(job.findings[0]?.example).toMatch(/\/page-\d+$/);
    expect(site.pages().length).toBeLessThan(15 + 40);
  });

  test('crawl: asks once for each path that a host has always refused', async () => {
    const site = await sites.start((path) =>
      path.startsWith('/users/')
        ? { status: 403 }
        : page(path, path === '/' ? [...names(20), ...names(40, '/users/of')] : []),
    );
    const job = await service.crawl({ urls: [`${site.origin}/`] });
    expect(job.progress).toMatchObject({ scraped: 21, failed: 40 });
    expect(names(40, '/users/of').map((path) => site.asks(path))).toEqual(names(40).map(() => 1));
    expect(codesOf(job)).not.toContain('blocked');
  });

  test('crawl: asks twice for single pages that a host refuses between others', async () => {
    const secret = new Set(['/page-7', '/page-31', '/page-64']);
    const site = await sites.start((path) => (secret.has(path) ? { status: 403 } : hundred(path, 1)));
    const job = await service.crawl({ urls: [`${site.origin}/`] });
    expect(job.progress).toMatchObject({ scraped: 98, failed: 3 });
    expect(Array.from(secret, (path) => site.asks(path))).toEqual([2, 2, 2]);
    expect((await endingsOf(service, job.id))['/page-7']).toBe('http_403');
  });
});

describe.concurrent('a site that shows one page for everything', () => {
  test('crawl: reads all pages of a site that is back soon', async () => {
    const site = await sites.start(refusing(30, 3_000, backSoon, hundred));
    const job = await service.crawl({ urls: [`${site.origin}/`] });
    const pages = await readToEnd(service, job.id, 'data', () => 400);
    const shown = pages.filter(({ meta }) => meta.meta.title === 'Back soon');
    // The first of them cannot be known.
    expect([shown.length, pages.length, job.progress.discarded, job.complete]).toEqual([1, 101, 0, true]);
    expect(codesOf(job)).toEqual(['copies_paused']);
    expect(site.pages().length).toBeLessThan(101 + 40);
  });

  /** Another text for each path and each request. */
  const noticeOf = (form: string): Answer => {
    let asks = 0;
    return ({ url = '' }, response) => {
      response.setHeader('content-type', 'text/html');
      response.end(
        `<title>Error: ${url}</title><p>The page ${url} is not there now. Request ${asks++}c of today.${form}`,
      );
    };
  };

  test('crawl: says same_page of pages that it delivered before it noticed', async () => {
    const site = await sites.start(refusing(30, 3_000, noticeOf(''), hundred));
    const job = await service.crawl({ urls: [`${site.origin}/`] });
    const pages = await readToEnd(service, job.id, 'data', () => 400);
    const shown = pages.filter(({ meta }) => meta.meta.title.startsWith('Error'));
    expect([pages.length, shown.length < 25]).toEqual([101, true]);
    const [finding, ...others] = job.findings;
    // The first of them cannot be known.
    expect([finding?.code, finding?.count, others]).toEqual(['same_page', shown.length - 1, []]);
    expect(shown.map(({ meta }) => meta.url)).toContain(finding?.example);
  });

  const ways: readonly [what: string, answer: Answer, code: string][] = [
    ['404', { status: 404 }, 'site_changed'],
    ['a redirect to the home page', { status: 302, headers: { location: '/' } }, 'site_changed'],
    ['JSON', { headers: { 'content-type': 'application/json' }, body: '{"error": "rate limit"}' }, 'site_changed'],
    [
      'a parked page in eight variants',
      ({ url = '' }, response) => {
        const words = ['buy', 'rent', 'lease', 'own', 'get', 'take', 'have', 'hold'][
          (url.length * 7 + Number(url.slice(-1))) & 7
        ];
        response
          .writeHead(200, { 'content-type': 'text/html' })
          .end(`<title>Domain</title><p>Here you can ${words} this domain.`);
      },
      'same_page',
    ],
  ];
  test.each(ways)('crawl: says from when on a site ended every URL in one way: %s', async (_, answer, code) => {
    const site = await sites.start(refusing(30, Number.POSITIVE_INFINITY, answer, hundred));
    const job = await service.crawl({ urls: [`${site.origin}/`] });
    expect(job.complete).toBe(false);
    expect(job.findings[0]?.code).toBe(code);
    expect(job.findings[0]?.count).toBeGreaterThan(50);
    expect(job.findings[0]?.example).toMatch(/\/page-\d+$/);
    expect(site.pages().length).toBeLessThan(101 + 60);
  });

  test.each(ways)(
    'crawl: reads all pages of a site that ended every URL in one way for a while: %s',
    async (_, answer) => {
      const site = await sites.start(refusing(30, 2_000, answer, hundred));
      const job = await service.crawl({ urls: [`${site.origin}/`] });
      expect(codesOf(job)).toContain('copies_paused');
      expect(job.progress).toMatchObject({ failed: 0 });
      expect(job.progress.scraped + job.progress.discarded).toBe(101);
      expect(job.progress.scraped).toBeGreaterThan(92);
    },
  );

  test.each<[what: string, script: Script]>([
    [
      'pages that differ in their numbers only',
      (path) =>
        path.startsWith('/page')
          ? `<title>Photo ${path}</title><p>Photo ${path.slice(6)} of 40, taken at ${path.length}.`
          : page(path, path === '/' ? [...names(20, '/a'), ...names(40)] : []),
    ],
    [
      'a page for unknown paths',
      (path) =>
        path.startsWith('/page') ? backSoon : page(path, path === '/' ? [...names(9, '/a'), ...names(40)] : []),
    ],
    [
      'the shell of an application',
      (path) => (path.startsWith('/a') ? page(path) : page('/', [...names(12, '/a'), ...names(40)])),
    ],
    [
      'two URLs for each page',
      (path) => page(path.replace(/\?.*/, ''), path === '/' ? names(40).flatMap((one) => [one, `${one}?print`]) : []),
    ],
  ])('crawl: does not wait for a site with %s', async (_, script) => {
    const site = await sites.start(script);
    const job = await service.crawl({ urls: [`${site.origin}/`] });
    // Two pages are sampled after ten copies, and after twenty more.
    expect(site.pages().length).toBeLessThan((job.progress.discovered ?? 0) + 7);
  });
});

describe.concurrent('cookies that change the site', () => {
  const languages = ['kn', 'ar', 'de'];
  /** Pages in the language of the cookie, which a parameter sets. */
  const site: Script = (path) => (request, response) => {
    const url = new URL(path, 'http://site');
    const asked = url.searchParams.get('lang');
    const language = asked ?? /lang=(\w+)/.exec(request.headers.cookie ?? '')?.[1] ?? 'en';
    const links = [...(path === '/' ? names(30) : []), ...languages.map((one) => `${url.pathname}?lang=${one}`)];
    response.writeHead(200, {
      'content-type': 'text/html',
      ...(asked !== null && { 'set-cookie': `lang=${asked}; Path=/` }),
    });
    response.end(`<html lang="${language}">${page(`${url.pathname} in ${language}`, links)}`);
  };

  test('crawl: reads each page in the language of the site when links set another', async () => {
    const { origin } = await sites.start(site);
    const job = await service.crawl({ urls: [`${origin}/`] });
    const pages = await readToEnd(service, job.id, 'data', () => 400);
    const own = pages.filter(({ meta }) => !meta.url.includes('?'));
    expect(own).toHaveLength(31);
    expect(own.filter(({ meta }) => meta.meta['language'] !== 'en')).toEqual([]);
    expect(job.complete).toBe(true);
  });

  const piling =
    (limit: number, status: number): Script =>
    (path) =>
    (request, response) => {
      if (JSON.stringify(request.headers).length > limit) return void response.writeHead(status).end();
      const at = path.slice(6);
      response.writeHead(200, { 'content-type': 'text/html', 'set-cookie': `seen_${at}=${'x'.repeat(300)}; Path=/` });
      response.end(page(path, path === '/' ? names(80) : []));
    };

  test('crawl: reads all pages of a site that sets a cookie with each and takes 8 KiB of headers', async () => {
    const { origin } = await sites.start(piling(8_192, 400));
    const job = await service.crawl({ urls: [`${origin}/`] });
    expect(job.progress).toMatchObject({ scraped: 81, failed: 0 });
  });

  test.each([400, 413, 431])('crawl: asks without cookies when a site answers %i to its own', async (status) => {
    const { origin } = await sites.start((path) => (request, response) => {
      if ((request.headers.cookie ?? '').length > 0) return void response.writeHead(status).end();
      response.writeHead(200, { 'content-type': 'text/html', 'set-cookie': `start=${'x'.repeat(3_000)}` });
      response.end(page(path, path === '/' ? names(20) : []));
    });
    const job = await service.crawl({ urls: [`${origin}/`] });
    expect(job.progress).toMatchObject({ scraped: 21, failed: 0 });
  });
});

describe.concurrent('a crawl with a session', () => {
  /** Any request to the end of the session ends it. */
  function wiki(end: string, label: string): Script {
    let isIn = true;
    return (path) => {
      if (path === end) isIn = false;
      if (path === '/login' || !isIn)
        return '<title>Sign in</title><p>Please sign in.</p><form><input type="password"></form>';
      return `${page(path, path === '/' ? [...names(40), '/exit-strategies'] : [])}<a href="${end}">${label}</a>`;
    };
  }

  test.each([
    ['/logout', 'Leave'],
    ['/users/sign_out', 'Leave'],
    ['/index.php?action=Abmelden', 'Leave'],
    ['/session/end', 'Se déconnecter'],
    ['/s/9', 'ログアウト'],
  ])('crawl: does not follow %s (%s)', async (end, label) => {
    const site = await sites.start(wiki(end, label));
    const job = await service.crawl({ urls: [`${site.origin}/`], cookies: { sid: '1' } });
    expect([job.progress.scraped, job.complete, site.asks(end)]).toEqual([42, true, 0]);
    expect(job['reasons']).toMatchObject({ logout: 1 });
  });

  test('crawl: follows it without a session, and with follow_logout', async () => {
    for (const input of [{}, { cookies: { sid: '1' }, follow_logout: true }]) {
      const site = await sites.start(wiki('/logout', 'Log out'));
      await service.crawl({ urls: [`${site.origin}/`], ...input });
      expect(site.asks('/logout')).toBeGreaterThan(0);
    }
  });

  test('crawl: counts every URL that ends at the page to sign in', async () => {
    const site = await sites.start((path) => {
      if (path === '/') return page('/', names(40));
      if (path === '/login') return '<title>Sign in</title><p>Please sign in.</p><form><input type="password"></form>';
      return path.startsWith('/page') ? { status: 302, headers: { location: '/login' } } : undefined;
    });
    const job = await service.crawl({ urls: [`${site.origin}/`], cookies: { sid: '1' } });
    expect(job.findings).toMatchObject([{ code: 'signed_out', count: 39 }]);
  });

  test('crawl: says signed_out when the session ends all the same', async () => {
    const site = await sites.start(wiki('/page-9', 'Leave'));
    const job = await service.crawl({ urls: [`${site.origin}/`], cookies: { sid: '1' }, host_concurrency: 1 });
    expect(codesOf(job)).toContain('signed_out');
  });
});

describe.concurrent('a start URL that leads elsewhere', () => {
  test('crawl: reads the page of another host that one of two start URLs redirects to, and no more of that host', async () => {
    const foreign = await sites.start((path) => page(path, path === '/' ? names(40) : []));
    const site = await sites.start((path) =>
      path === '/old'
        ? { status: 301, headers: { location: `${foreign.origin}/` } }
        : page(path, path === '/' ? names(5) : []),
    );
    const job = await service.crawl({ urls: [`${site.origin}/`, `${site.origin}/old`] });
    expect(job.progress).toMatchObject({ scraped: 7, outside: 40 });
    expect(foreign.pages().filter(({ path }) => path !== '/sitemap.xml')).toHaveLength(1);
    expect(job.findings).toMatchObject([{ code: 'start_moved', count: 1, example: `${site.origin}/old` }]);
  });

  test.each([
    ['/docs', '/docs/'],
    ['/docs', '/en/docs/latest/'],
  ])('crawl: stays below the page with scope path when %s redirects to %s', async (start, directory) => {
    const below = names(5, `${directory}page`);
    const site = await sites.start((path) => {
      if (path === start) return { status: 302, headers: { location: directory } };
      if (path === '/sitemap.xml') {
        const locs = [...below, ...names(300, '/blog/page')].map((one) => `<url><loc>${site.origin}${one}</loc></url>`);
        return { headers: { 'content-type': 'text/xml' }, body: `<urlset>${locs.join('')}</urlset>` };
      }
      return page(path, path === directory ? [...below, '/', '/blog/', '/about'] : []);
    });
    const input = { urls: [`${site.origin}${start}`], scope: 'path' };
    const linked = await service.crawl({ ...input, force_crawling_mode: 'link' });
    expect(linked.progress).toMatchObject({ scraped: 6, outside: 3 });
    // What the sitemap names is asked for only until the start page is there.
    const job = await service.crawl(input);
    expect(job.progress.scraped).toBeLessThan(150);
    expect(job.progress.outside).toBeGreaterThan(150);
  });
});

describe.concurrent('answers that are not the page', () => {
  const html = { 'content-type': 'text/html' };
  test.each<[what: string, answer: Answer]>([
    [
      'a page of Cloudflare',
      '<title>Just a moment...</title><script>window._cf_chl_opt = {};</script><noscript>Enable JavaScript</noscript>',
    ],
    ['Anubis', `<script id="anubis_version">1</script><p>${'We make sure that you are not a program. '.repeat(9)}`],
    ['202 of AWS', { status: 202, headers: { ...html, 'x-amzn-waf-action': 'challenge' } }],
    ['405 of AWS', { status: 405, headers: { ...html, 'x-amzn-waf-action': 'captcha' }, body: page('Human?') }],
    ['200 of Cloudflare', { headers: { ...html, 'cf-mitigated': 'challenge' }, body: page('wait') }],
  ])('crawl: takes a test whether a person is there for no page: %s', async (_, answer) => {
    const site = await sites.start((path) => (path === '/page-3' ? answer : page(path, path === '/' ? names(20) : [])));
    const job = await service.crawl({ urls: [`${site.origin}/`] });
    expect(job.progress).toMatchObject({ scraped: 20, failed: 1 });
    expect(job['reasons']).toMatchObject({ challenge: 1 });
    expect(job.findings).toMatchObject([{ code: 'blocked', count: 1, example: `${site.origin}/page-3` }]);
  });

  test('crawl: has no page of a site that tests everybody', async () => {
    const site = await sites.start((path) =>
      path === '/robots.txt'
        ? undefined
        : '<script id="anubis_version">1</script><p>Making sure that you are no robot.',
    );
    const job = await service.crawl({ urls: [`${site.origin}/`] });
    expect([job.status, job.complete, job.progress.scraped]).toEqual(['failed', false, 0]);
    expect(job.findings).toMatchObject([{ code: 'blocked', count: 1 }]);
    expect(job.findings[0]?.message).not.toContain('had served');
  });

  test('crawl: delivers an article about such pages', async () => {
    const article = `<title>How the test works</title><main><p>It says "Just a moment" and sets <code>_cf_chl_opt</code>.</main>`;
    const site = await sites.start((path) => (path === '/' ? article : undefined));
    const job = await service.crawl({ urls: [`${site.origin}/`] });
    expect([job.progress.scraped, job.complete]).toEqual([1, true]);
  });

  test('crawl: says which language it takes, so that sites that choose one by the request answer', async () => {
    const site = await sites.start((path) => (request, response) => {
      const isAsked = request.headers['accept-language'] !== undefined;
      response.writeHead(isAsked ? 200 : 500, html).end(page(path, path === '/' ? names(2) : []));
    });
    const job = await service.crawl({ urls: [`${site.origin}/`] });
    expect(job.progress).toMatchObject({ scraped: 3, failed: 0 });
  });

  test('crawl: names a page that only shows a frame of another host', async () => {
    const site = await sites.start((path) =>
      path === '/' ? '<title>Shop</title><frameset><frame src="http://shop.example/home"></frameset>' : undefined,
    );
    const job = await service.crawl({ urls: [`${site.origin}/`] });
    expect(job.progress).toMatchObject({ scraped: 1, outside: 1 });
    expect(codesOf(job)).toEqual(['empty_pages']);
  });

  test('crawl: is complete where a page without text shows pages of its own host in frames', async () => {
    const site = await sites.start((path) =>
      path === '/' ? '<title>Shop</title><frameset><frame src="/left"><frame src="/main"></frameset>' : page(path),
    );
    const job = await service.crawl({ urls: [`${site.origin}/`] });
    expect([job.progress.scraped, job.complete]).toEqual([3, true]);
  });
});

describe.concurrent('a start URL that lists others', () => {
  const list = (names: readonly string[], one: (url: string) => string, origin: string): string =>
    names.map((path) => one(`${origin}${path}`)).join('');
  const xml = { 'content-type': 'application/xml' };
  test.each<[what: string, path: string, answer: (origin: string) => Answer]>([
    [
      'a sitemap',
      '/map.xml',
      (origin) => ({
        headers: xml,
        body: `<urlset>${list(names(5), (url) => `<url><loc>${url}</loc></url>`, origin)}</urlset>`,
      }),
    ],
    [
      'an index of sitemaps',
      '/index.xml',
      (origin) => ({
        headers: xml,
        body: `<sitemapindex><sitemap><loc>${origin}/part.xml</loc></sitemap></sitemapindex>`,
      }),
    ],
    [
      'a feed',
      '/feed',
      (origin) => ({
        headers: { 'content-type': 'application/rss+xml' },
        body: `<rss><channel><title>News</title>${list(names(5), (url) => `<item><link>${url}</link></item>`, origin)}</channel></rss>`,
      }),
    ],
    [
      'a list of URLs',
      '/urls.txt',
      (origin) => ({ headers: { 'content-type': 'text/plain' }, body: list(names(5), (url) => `${url}\n`, origin) }),
    ],
    [
      'an llms.txt sent as plain text',
      '/llms.txt',
      (origin) => ({
        headers: { 'content-type': 'text/plain; charset=utf-8' },
        body: `# Site\n\n> What it is, see [the first](${origin}/page-1).\n\n## Docs\n\n- [Two](/page-2): about it\n- [Three](page-3 "Title")\n- [Four](<./page-4#part>) and [five][5]\n- ![no page](/picture.png) [mail](mailto:a@b.example) [top](#docs)\n\n[5]: /page-5\n\n\`\`\`\n[code](/page-6)\n\`\`\`\n`,
      }),
    ],
  ])('crawl: reads the pages that %s names', async (_, start, answer) => {
    const site = await sites.start((path) => {
      if (path === start) return answer(site.origin);
      const urls = list(names(5), (url) => `<url><loc>${url}</loc></url>`, site.origin);
      if (path === '/part.xml') return { headers: xml, body: `<urlset>${urls}</urlset>` };
      return path.startsWith('/page') ? page(path) : undefined;
    });
    const job = await service.crawl({ urls: [`${site.origin}${start}`], force_crawling_mode: 'link' });
    const pages = await readToEnd(service, job.id, 'data', () => 400);
    const read = pages.map(({ meta }) => new URL(meta.url).pathname).filter((path) => path !== start);
    expect(read.toSorted()).toEqual(names(5));
    expect([job.complete, job.progress.failed]).toEqual([true, 0]);
  });
});
