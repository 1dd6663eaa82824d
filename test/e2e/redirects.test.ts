// Sites that redirect. No text of a site is lost by what is not fetched again, whichever of its URLs is fetched first; and what
// another URL of the job has fetched, or will fetch, is not fetched again.
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startService, type TestService } from '../service/start-service.ts';
import { isOnPostgres } from '../service/test-store.ts';
import { codesOf, endingsOf, ledgerOf } from './ledger.ts';
import {
  type Answer,
  numbered,
  page,
  redirectTo,
  type Script,
  type ScriptedSite,
  ScriptedSites,
} from './scripted-site.ts';

let service: TestService;
const sites = new ScriptedSites();
beforeAll(async () => {
  service = await startService();
});
afterAll(async () => {
  await sites.close();
  await service.close();
});

const linksOnly = { force_crawling_mode: 'link' } as const;

/** A site whose robots.txt is not redirected with the rest. */
async function startSite(script: Script, robots?: string): Promise<ScriptedSite> {
  return sites.start((at, asks) => (at === '/robots.txt' ? robots : script(at, asks)));
}

interface Delivered {
  readonly meta: { readonly url: string; readonly fetchedUrl: string };
  readonly text: string;
}

async function delivered(jobId: string): Promise<readonly Delivered[]> {
  const { data } = await service.ok<{ data: readonly Delivered[] }>(`/crawler/jobs/${jobId}/data?limit=400`);
  return data;
}

/**
 * Of several processes none knows what the others have just begun to fetch: with PostgreSQL a target that was found after the URL that
 * redirects to it may be fetched by both.
 */
function expectOnce(site: ScriptedSite, paths: readonly string[], most = 2): void {
  const fetches = fetchesOf(site);
  expect(Object.keys(fetches).toSorted()).toEqual(paths.toSorted());
  expect(Math.max(...Object.values(fetches))).toBeLessThanOrEqual(isOnPostgres() ? most : 1);
}

/** What the pages of a job say they are, in order. */
async function saidBy(jobId: string): Promise<string[]> {
  const pages = await delivered(jobId);
  return pages.map(({ text }) => /This is what (\S+) has to say/.exec(text)?.[1] ?? text).toSorted();
}

/** Fetches of each page, robots.txt aside. */
function fetchesOf(site: ScriptedSite): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const { path } of site.pages()) counts[path] = (counts[path] ?? 0) + 1;
  return counts;
}

/** A redirect by HTTP, and a page that is nothing but a refresh. */
const moves: readonly (readonly [how: string, move: (to: string) => Answer])[] = [
  ['302', (to) => redirectTo(to)],
  ['301', (to) => redirectTo(to, 301)],
  [
    'refresh',
    (to) =>
      `<title>Moved</title><meta http-equiv=refresh content="0; url=${to}"><p>You are being redirected. <a href="${to}">Click here</a>.`,
  ],
];

describe.each(moves)('with a %s', (_, move) => {
  test('a login page to which 300 links lead is fetched once where it is linked itself', async () => {
    const paths = numbered(300);
    const site = await startSite((at) =>
      at === '/' ? page(at, [...paths, '/login']) : at === '/login' ? page(at) : move('/login'),
    );
    const job = await service.crawl({ urls: [`${site.origin}/`], ...linksOnly });
    expect(await saidBy(job.id)).toEqual(['/', '/login']);
    expectOnce(site, ['/', '/login', ...paths], 32);
    expect(job).toMatchObject({ reasons: { duplicate_of: 300 }, progress: { failed: 0 } });
    if (isOnPostgres()) return;
    const details = (await ledgerOf(service, job.id, { reason: 'duplicate_of' })).map(({ detail }) => detail);
    expect(new Set(details)).toEqual(new Set([`${site.origin}/login`]));
  });

  test('a login page that is linked nowhere is fetched by those few that come first', async () => {
    const site = await startSite((at) =>
      at === '/' ? page(at, numbered(300)) : at === '/login' ? page(at) : move('/login'),
    );
    const job = await service.crawl({ urls: [`${site.origin}/`], ...linksOnly });
    expect(await saidBy(job.id)).toEqual(['/', '/login']);
    expect(site.asks('/login')).toBeLessThanOrEqual(32);
    const rows = await ledgerOf(service, job.id);
    const urls = new Set(rows.map(({ url }) => url));
    const duplicates = rows.filter(({ reason }) => reason === 'duplicate_of');
    expect(duplicates).toHaveLength(299);
    for (const { detail } of duplicates) expect(urls).toContain(detail);
  });

  test('a site whose pages have all moved is delivered under the URLs that were asked for', async () => {
    const paths = numbered(60);
    const to = await startSite((at) => page(at));
    const from = await startSite((at) => (at === '/' ? page(at, paths) : move(`${to.origin}${at}`)));
    const job = await service.crawl({ urls: [`${from.origin}/`, `${to.origin}/`], ...linksOnly });
    const pages = (await delivered(job.id)).filter(({ meta }) => meta.url.includes('/p/'));
    expect(new Map(pages.map(({ meta }) => [meta.url, meta.fetchedUrl]))).toEqual(
      new Map(paths.map((path) => [`${from.origin}${path}`, `${to.origin}${path}`])),
    );
    expect(fetchesOf(to)).toEqual(Object.fromEntries(['/', ...paths].map((path) => [path, 1])));
  });

  test.each([
    ['first', (paths: readonly string[]) => paths],
    ['last', (paths: readonly string[]) => paths.toReversed()],
  ])('a page that is linked with and without its slash is fetched once, the one that moved %s', async (__, order) => {
    const paths = numbered(40);
    const both = order(paths.flatMap((path) => [path, `${path}/`]));
    const site = await startSite((at) => (at === '/' ? page(at, both) : at.endsWith('/') ? page(at) : move(`${at}/`)));
    const job = await service.crawl({ urls: [`${site.origin}/`], ...linksOnly });
    expect(await saidBy(job.id)).toEqual(['/', ...paths.map((path) => `${path}/`)].toSorted());
    expectOnce(site, ['/', ...both]);
  });

  test('a chain is left where it meets a URL of the job', async () => {
    const site = await startSite((at) => {
      if (at === '/') return page(at, ['/a', '/b', '/c']);
      return at === '/a' ? move('/via') : at === '/via' ? move('/c') : at === '/b' ? move('/via') : page(at);
    });
    const job = await service.crawl({ urls: [`${site.origin}/`], ...linksOnly });
    expect(await saidBy(job.id)).toEqual(['/', '/c']);
    expect(site.asks('/c')).toBeLessThanOrEqual(isOnPostgres() ? 3 : 1);
    expect(await endingsOf(service, job.id)).toEqual({
      '/': 'scraped',
      '/a': 'duplicate_of',
      '/b': 'duplicate_of',
      '/c': 'scraped',
    });
  });

  test('circles of links end, and at least one URL of each says that it is one', async () => {
    const next: Record<string, string> = {
      '/x/1': '/x/2',
      '/x/2': '/x/1',
      '/y/1': '/y/2',
      '/y/2': '/y/3',
      '/y/3': '/y/1',
    };
    const site = await startSite((at) => (at === '/' ? page(at, Object.keys(next)) : move(next[at] ?? '/')));
    const job = await service.crawl({ urls: [`${site.origin}/`], ...linksOnly });
    const endings = await endingsOf(service, job.id);
    expect(endings['/']).toBe('scraped');
    for (const circle of ['/x', '/y']) {
      const reasons = Object.entries(endings).flatMap(([path, ending]) => (path.startsWith(circle) ? [ending] : []));
      expect(reasons).toContain('too_many_redirects');
      expect(new Set(reasons)).not.toContain('scraped');
    }
    expect(Object.values(fetchesOf(site)).reduce((sum, count) => sum + count)).toBeLessThanOrEqual(16);
  });
});

describe('no text is lost', () => {
  test.each(['/x', '/y', '/z'])('in circles that cookies open, with the links to %s first', async (first) => {
    const letters = ['/x', '/y', '/z'];
    const all = [first, ...letters.filter((letter) => letter !== first)];
    const links = numbered(20).flatMap((path) => all.map((letter) => `${letter}${path}`));
    const site = await sites.start((at) => (request, response) => {
      const number = at.slice('/x'.length).replaceAll('/', '-');
      const has = request.headers.cookie?.includes(`c${number}=1`) === true;
      const html = at === '/' ? page(at, links) : has && at.startsWith('/x') ? page(at) : undefined;
      if (html !== undefined || at === '/robots.txt') {
        response.writeHead(html === undefined ? 404 : 200, { 'content-type': 'text/html' }).end(html);
        return;
      }
      // Each sends on to the next, and `/z` gives the cookie without which there is no page.
      const to = letters[(letters.indexOf(at.slice(0, 2)) + 1) % 3] ?? '';
      response
        .writeHead(302, {
          location: at.replace(/^../, to),
          ...(at.startsWith('/z') && { 'set-cookie': `c${number}=1; Path=/` }),
        })
        .end();
    });
    const job = await service.crawl({ urls: [`${site.origin}/`], ...linksOnly });
    expect(await saidBy(job.id)).toEqual(['/', ...numbered(20).map((path) => `/x${path}`)].toSorted());
  });

  test('where a site that is overloaded redirects to a page that says so', async () => {
    const paths = numbered(30);
    const script: Script = (at, asks) => {
      if (at === '/') return page(at, paths);
      if (at === '/busy') return { status: 503 };
      return asks === 1 ? redirectTo('/busy') : page(at);
    };
    const site = await startSite(script);
    const job = await service.crawl({ urls: [`${site.origin}/`], ...linksOnly });
    expect(await saidBy(job.id)).toEqual(['/', ...paths].toSorted());
  });

  test('where the target was found, and was not to be fetched from there', async () => {
    const site = await startSite((at) => {
      if (at === '/') {
        const links = ['/go/1', '/go/2', '/go/3', '/forbidden'].map((path) => `<a href="${path}">${path}</a>`);
        return `${page(at)}<a rel=nofollow href="/not-followed">No</a>${links.join('')}`;
      }
      const to: Record<string, string> = { '/go/1': '/not-followed', '/go/2': '/forbidden', '/go/3': '/not-followed' };
      return to[at] === undefined ? page(at) : redirectTo(to[at]);
    }, 'User-agent: *\nDisallow: /forbidden');
    const job = await service.crawl({ urls: [`${site.origin}/`], ...linksOnly });
    expect(await saidBy(job.id)).toEqual(['/', '/not-followed']);
    expect(await endingsOf(service, job.id)).toMatchObject({
      '/go/2': 'robots_disallowed',
      '/forbidden': 'robots_disallowed',
      '/not-followed': 'nofollow',
    });
    expect(site.asks('/forbidden')).toBe(0);
  });

  test('where a page is too deep for its links, and a redirect leads to it from further up', async () => {
    const site = await startSite((at) => {
      const links: Record<string, string[]> = {
        '/': ['/1', '/late'],
        '/1': ['/2'],
        '/2': ['/deep'],
        '/deep': ['/below'],
      };
      // By the time that it redirects, its target was crawled from below.
      if (at === '/late')
        return (_, response) => void setTimeout(() => response.writeHead(302, { location: '/deep' }).end(), 2_000);
      return page(at, links[at]);
    });
    const job = await service.crawl({ urls: [`${site.origin}/`], ...linksOnly, max_depth: 3 });
    expect(await saidBy(job.id)).toEqual(['/', '/1', '/2', '/below', '/deep']);
  });

  test('of a start URL that redirects to another one, or is nothing but a refresh to another host', async () => {
    const other = await startSite((at) => page(at, at === '/home' ? ['/next'] : []));
    const site = await startSite((at) =>
      at === '/'
        ? `<meta http-equiv=refresh content="0; url=${other.origin}/home">`
        : at === '/old'
          ? redirectTo('/new')
          : page(at),
    );
    const urls = ['/', '/old', '/new'].map((path) => `${site.origin}${path}`);
    const job = await service.crawl({ urls, ...linksOnly });
    // The other host is not crawled.
    expect(await saidBy(job.id)).toEqual(['/home', '/new']);
    expect(codesOf(job)).toEqual(['start_moved']);
  });
});

describe('between hosts', () => {
  /** Two hosts; each sends its `/go` pages to the other. */
  const startBoth = async (paths: readonly string[], script: Script = (at) => page(at)): Promise<ScriptedSite[]> => {
    const origins: string[] = [];
    const start = async (index: number): Promise<ScriptedSite> =>
      startSite((at, asks) => {
        if (at === '/')
          return page(
            `/home/${index}`,
            paths.map((path) => `/go/${index}${path}`),
          );
        return at.startsWith(`/go/${index}/`) ? redirectTo(`${origins[1 - index]}${at}`) : script(at, asks);
      });
    const both = [await start(0), await start(1)];
    origins.push(...both.map(({ origin }) => origin));
    return both;
  };
  const urlsOf = (both: readonly ScriptedSite[]): string[] => both.map(({ origin }) => `${origin}/`);

  test('every page is delivered once where two hosts redirect to each other', async () => {
    const paths = numbered(40);
    const both = await startBoth(paths);
    const job = await service.crawl({ urls: urlsOf(both), ...linksOnly });
    expect(job).toMatchObject({ status: 'succeeded', progress: { scraped: 82, discarded: 0, failed: 0 } });
    for (const site of both) expect(Object.values(fetchesOf(site))).toEqual(Array.from({ length: 81 }, () => 1));
    expect((await ledgerOf(service, job.id)).every(({ attempts }) => attempts === 1)).toBe(true);
  });

  test('every hop counts against fetch_limit', async () => {
    const both = await startBoth(numbered(40));
    const job = await service.crawl({ urls: urlsOf(both), ...linksOnly, fetch_limit: 20 });
    const fetches = both.reduce((sum, site) => sum + site.pages().length, 0);
    expect(fetches).toBe(20);
    expect(job.progress).toMatchObject({ queued: 0, inFlight: 0, discovered: 82 });
    expect(job).toMatchObject({ reasons: { fetch_limit: 82 - job.progress.scraped } });
  });

  test('what fails there begins again at the URL that was asked for', async () => {
    const both = await startBoth(numbered(3), (at, asks) => (asks === 1 ? { status: 503 } : page(at)));
    const job = await service.crawl({ urls: urlsOf(both), ...linksOnly });
    expect(job.progress).toMatchObject({ scraped: 8, failed: 0 });
    expect(both.map((site) => site.asks('/go/0/p/1'))).toEqual([2, 2]);
    const rows = (await ledgerOf(service, job.id)).filter(({ url }) => url.includes('/go/'));
    expect(rows.every(({ attempts, status }) => attempts === 2 && status === 'scraped')).toBe(true);
  });

  test('a host that signs in elsewhere and comes back with a cookie is read', async () => {
    const origins: string[] = [];
    const login = await startSite((at) => ({
      status: 302,
      headers: { location: `${origins[0]}/in?for=${at}`, 'set-cookie': 'sso=1; Path=/' },
    }));
    const site = await sites.start((at) => (request, response) => {
      if (at === '/robots.txt') response.writeHead(404).end();
      else if (at.startsWith('/in?for=')) {
        const location = at.slice('/in?for='.length);
        response.writeHead(302, { location, 'set-cookie': 'session=1; Path=/' }).end();
      } else if (request.headers.cookie?.includes('session=1') === true) {
        response.writeHead(200, { 'content-type': 'text/html' }).end(page(at, at === '/' ? numbered(20) : []));
      } else response.writeHead(302, { location: `${login.origin}${at}` }).end();
    });
    origins.push(site.origin);
    const job = await service.crawl({ urls: [`${site.origin}/`], ...linksOnly });
    expect(await saidBy(job.id)).toEqual(['/', ...numbered(20)].toSorted());
  });
});

describe('a page that refreshes itself', () => {
  test.each<readonly [why: string, body: string, said: readonly string[]]>([
    [
      'to itself is a page',
      '<meta http-equiv=refresh content="0; url=/page"><p>This is what /page has to say.',
      ['/page'],
    ],
    [
      'and has a text of its own is a page',
      `<meta http-equiv=refresh content="0; url=/next"><p>This is what /page has to say. ${'More of it. '.repeat(30)}`,
      ['/next', '/page'],
    ],
    [
      'later is a page',
      '<meta http-equiv=refresh content="5; url=/next"><p>This is what /page has to say.',
      ['/next', '/page'],
    ],
    [
      'and leads elsewhere as well is a page',
      '<meta http-equiv=refresh content="0; url=/next"><p>This is what /page has to say. <a href="/other">Other</a>',
      ['/next', '/other', '/page'],
    ],
    [
      'at once is a redirect',
      '<meta http-equiv=refresh content="1; url=/next"><p>This is what /page has to say. <a href="/next">Next</a>',
      ['/next'],
    ],
    [
      'and forbids to follow its links is a page',
      '<meta name=robots content=nofollow><meta http-equiv=refresh content="0; url=/next"><p>This is what /page has to say.',
      ['/page'],
    ],
  ])('%s', async (_, body, said) => {
    const site = await startSite((at) => (at === '/page' ? body : page(at, at === '/' ? ['/page'] : [])));
    const job = await service.crawl({ urls: [`${site.origin}/`], ...linksOnly });
    expect(await saidBy(job.id)).toEqual(['/', ...said]);
  });
});
