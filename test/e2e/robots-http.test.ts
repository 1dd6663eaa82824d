// What a site answers for its robots.txt, and what is then fetched of it: as its own log shows it (RFC 9309, 2.3.1 and 2.5).
import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { startService, type JobAnswer, type TestService } from '../service/start-service.ts';
import { codesOf, endingsOf, ledgerOf } from './ledger.ts';
import {
  type Answer,
  type Head,
  latenessMs,
  page,
  redirectTo,
  type Script,
  type ScriptedSite,
  ScriptedSites,
} from './scripted-site.ts';

let service: TestService;
const sites = new ScriptedSites();
beforeAll(async () => {
  service = await startService({ env: { HAYRAKE_UNREACHABLE_SECONDS: '1' } });
});
afterAll(async () => {
  await sites.close();
  await service.close();
});

/** A site where everything that the script does not answer is a page. */
function startSite(script: Script): Promise<ScriptedSite> {
  return sites.start((path, asks) => script(path, asks) ?? page(path));
}

/** A site whose robots.txt is always the same. */
function siteWith(robots: Answer): Promise<ScriptedSite> {
  return startSite((path) => (path === '/robots.txt' ? robots : undefined));
}

function text(body: string | Uint8Array, headers: Record<string, string> = {}): Head {
  return { headers: { 'content-type': 'text/plain', ...headers }, body };
}

const noPrivate = 'User-agent: *\nDisallow: /private/\n';
const nothing = 'User-agent: *\nDisallow: /\n';

/** Crawls these paths of a site and no other; answers what became of each. */
async function crawl(site: ScriptedSite, paths: readonly string[]): Promise<[Record<string, string>, JobAnswer]> {
  const job = await service.crawl({ urls: paths.map((path) => site.origin + path), max_depth: 0 });
  const endings = await endingsOf(service, job.id);
  // Whatever the ledger says, the log shows what was fetched: that, and nothing else.
  const fetched = paths.filter((path) => site.asks(path) > 0);
  expect(fetched).toEqual(paths.filter((path) => endings[path] === 'scraped'));
  return [endings, job];
}

const asked = ['/open', '/private/x'];
const kept = { '/open': 'scraped', '/private/x': 'robots_disallowed' };
const free = { '/open': 'scraped', '/private/x': 'scraped' };
const keptAway = { '/open': 'robots_unreachable', '/private/x': 'robots_unreachable' };

describe('a robots.txt that can be read is kept to', () => {
  test.each<readonly [string, string | Uint8Array, Record<string, string>]>([
    ['as it is', noPrivate, {}],
    ['behind a byte order mark', `\u{feff}${noPrivate}`, {}],
    ['packed', gzipSync(noPrivate), { 'content-encoding': 'gzip' }],
  ])('%s', async (_, body, headers) => {
    const site = await siteWith(text(body, headers));
    expect((await crawl(site, asked))[0]).toEqual(kept);
  });

  // As S3, old servers and plug-ins of content management systems send it.
  test.each([
    '',
    'text/html',
    'binary/octet-stream',
    'application/octet-stream',
    'application/x-txt',
    'application/unknown',
    'image/png',
    'application/force-download',
    'application/x-download',
  ])('whatever its type: %j', async (type) => {
    const site = await siteWith({ headers: type === '' ? {} : { 'content-type': type }, body: noPrivate });
    expect((await crawl(site, asked))[0]).toEqual(kept);
  });

  test('but an HTML page in its place says nothing', async () => {
    const body = '<html><title>Under maintenance</title><p>Disallow: /private/</p></html>';
    const site = await siteWith(text(body, { 'content-type': 'text/html' }));
    expect((await crawl(site, asked))[0]).toEqual(free);
  });

  test('a start URL is no exception: the job says which rule, and on which line', async () => {
    const site = await siteWith(text(`# Keep out.\n${nothing}`));
    const [, job] = await crawl(site, ['/open']);
    expect(site.requests.map(({ path }) => path)).toEqual(['/robots.txt']);
    expect(job).toMatchObject({ status: 'failed', reasons: { robots_disallowed: 1 } });
    expect(await ledgerOf(service, job.id)).toEqual([
      expect.objectContaining({
        status: 'outside',
        reason: 'robots_disallowed',
        detail: 'Disallow: / (robots.txt, line 3)',
      }),
    ]);
  });

  test('a page that redirects to what is forbidden leads nowhere', async () => {
    const site = await startSite((path) => {
      if (path === '/robots.txt') return text(noPrivate);
      return path === '/moved' ? redirectTo('/private/x') : undefined;
    });
    const job = await service.crawl({ urls: [`${site.origin}/moved`], max_depth: 0 });
    expect(await endingsOf(service, job.id)).toEqual({ '/moved': 'robots_disallowed' });
    expect(site.requests.map(({ path }) => path)).toEqual(['/robots.txt', '/moved']);
  });

  test('it is that of its own port: another one has its own, or none', async () => {
    const [site, other] = [await siteWith(text(noPrivate)), await siteWith({ status: 404 })];
    await service.crawl({ urls: [`${site.origin}/private/x`, `${other.origin}/private/x`], max_depth: 0 });
    expect([site.asks('/private/x'), other.asks('/private/x')]).toEqual([0, 1]);
    expect(other.asks('/robots.txt')).toBe(1);
  });

  test('it is asked for once, however many pages and jobs there are', async () => {
    const paths = Array.from({ length: 30 }, (_, index) => `/${index}`);
    const site = await siteWith(text(noPrivate));
    await Promise.all([crawl(site, [...paths, '/private/x']), crawl(site, [...paths, '/private/y'])]);
    await crawl(site, ['/open', '/private/z']);
    expect(site.pages()).toHaveLength(61);
    expect(site.asks('/robots.txt')).toBe(1);
  });

  test('Crawl-delay: so much time is between any two pages', async () => {
    const site = await siteWith(text('User-agent: *\nCrawl-delay: 1\n'));
    await crawl(site, ['/1', '/2', '/3']);
    const [first, second, third] = site.pages().map(({ at }) => at);
    expect(second! - first!).toBeGreaterThan(1_000 - latenessMs());
    expect(third! - second!).toBeGreaterThan(1_000 - latenessMs());
  });

  test('Sitemap: it is read, and what it names is crawled', async () => {
    const site = await startSite((path) => {
      if (path === '/robots.txt') return text(`sitemap: ${site.origin}/sm.xml\n`);
      const body = `<urlset><url><loc>${site.origin}/named</loc></url></urlset>`;
      return path === '/sm.xml' ? { headers: { 'content-type': 'application/xml' }, body } : undefined;
    });
    const job = await service.crawl({ urls: [`${site.origin}/`] });
    expect(await endingsOf(service, job.id)).toEqual({ '/': 'scraped', '/named': 'scraped' });
    expect([site.asks('/sm.xml'), site.asks('/sitemap.xml'), job['sitemapPageCount']]).toEqual([1, 0, 1]);
  });
});

describe('a robots.txt of any size', () => {
  const padding = `# ${'x'.repeat(97)}\n`;
  const paddedTo = (bytes: number, start: string): string =>
    start + padding.repeat(Math.floor((bytes - start.length) / padding.length));

  test('is read up to 500 KiB: a rule at the end of 499 KiB counts', async () => {
    const site = await siteWith(text(`${paddedTo(498 * 1024, 'User-agent: *\n')}\nDisallow: /late/\n`));
    expect((await crawl(site, ['/open', '/late/x']))[0]).toEqual({
      '/open': 'scraped',
      '/late/x': 'robots_disallowed',
    });
  });

  test('of 501 KiB: what is within the 500 counts, what is beyond does not', async () => {
    const start = 'User-agent: *\nDisallow: /early/\n';
    const site = await siteWith(text(`${paddedTo(501 * 1024, start)}\nDisallow: /late/\n`));
    const [endings] = await crawl(site, ['/early/x', '/late/x']);
    expect(endings).toEqual({ '/early/x': 'robots_disallowed', '/late/x': 'scraped' });
  });

  test('that never ends is not read on: the job ends, and its rules count', async () => {
    let sent = 0;
    const ended = Promise.withResolvers<void>();
    const site = await siteWith((_, response) => {
      response.writeHead(200, { 'content-type': 'text/plain' }).write(noPrivate);
      response.once('close', ended.resolve);
      const pour = (): void => {
        while (!response.destroyed) {
          sent += 65_536;
          if (!response.write(padding.repeat(655))) break;
        }
      };
      response.on('drain', pour);
      pour();
    });
    expect((await crawl(site, asked))[0]).toEqual(kept);
    await ended.promise;
    // What is read, and what lies in the buffers of two sockets.
    expect(sent).toBeLessThan(20 * 2 ** 20);
  });
});

describe('a robots.txt that is not there allows everything (2.3.1.3)', () => {
  test.each([400, 401, 403, 404, 410, 418, 451])('%i, whatever is in its body', async (status) => {
    const site = await siteWith({ ...text(nothing), status });
    expect((await crawl(site, ['/open']))[0]).toEqual({ '/open': 'scraped' });
  });
});

describe('a robots.txt that cannot be reached forbids everything (2.3.1.4)', () => {
  const reset: Answer = (request) => void request.socket.resetAndDestroy();
  test.each<readonly [string | number, Answer]>([
    [500, { status: 500 }],
    [502, { status: 502 }],
    [503, { ...text(noPrivate), status: 503 }],
    [504, { status: 504 }],
    ['a connection that is reset', reset],
  ])('%s: nothing is fetched, it is asked for again, and in the end the URLs fail', async (_, robots) => {
    const site = await siteWith(robots);
    const [endings, job] = await crawl(site, asked);
    expect(endings).toEqual(keptAway);
    expect(site.pages()).toEqual([]);
    expect(site.asks('/robots.txt')).toBe(2);
    expect(job).toMatchObject({ status: 'failed', reasons: { robots_unreachable: 2 } });
    expect(codesOf(job)).toEqual(['host_unresponsive', 'host_unreachable']);
  });

  test('no answer at all: nothing is fetched meanwhile, and another site is not kept waiting', async () => {
    const [silent, healthy] = [await siteWith(() => {}), await siteWith({ status: 404 })];
    const there = Array.from({ length: 20 }, (_, index) => `${healthy.origin}/${index}`);
    const { id } = await service.createJob({ urls: [...there, `${silent.origin}/open`], max_depth: 0 });
    onTestFinished(() => silent.close());
    await silent.until(() => silent.asks('/robots.txt') === 1);
    await expect.poll(() => service.job(id)).toMatchObject({ progress: { scraped: 20, failed: 0, discarded: 0 } });
    expect(await service.job(id)).toMatchObject({ status: 'running', progress: { discovered: 21 } });
    await service.api(`/crawler/jobs/${id}`, { method: 'DELETE' });
    expect(silent.requests.map(({ path }) => path)).toEqual(['/robots.txt']);
  });

  test('429: nothing is fetched before it was asked for again, after the pause that it wanted', async () => {
    const site = await startSite((path, asks) => {
      if (path !== '/robots.txt') return undefined;
      return asks === 1 ? { status: 429, headers: { 'retry-after': '1' } } : text(noPrivate);
    });
    const [endings, job] = await crawl(site, asked);
    expect(endings).toEqual(kept);
    expect(site.requests.map(({ path }) => path)).toEqual(['/robots.txt', '/robots.txt', '/open']);
    expect(site.requests[1]!.at - site.requests[0]!.at).toBeGreaterThan(1_000 - latenessMs());
    expect(codesOf(job)).toEqual(['host_unresponsive', 'robots_forbids']);
  });

  test('503 twice, then 200: all pages are fetched then, none was before, and no attempt was used up', async () => {
    const patient = await startService({ env: { HAYRAKE_UNREACHABLE_SECONDS: '6' } });
    onTestFinished(() => patient.close());
    const site = await startSite((path, asks) => {
      if (path !== '/robots.txt') return undefined;
      return asks <= 2 ? { status: 503 } : text(noPrivate);
    });
    const paths = Array.from({ length: 10 }, (_, index) => `/${index}`);
    const job = await patient.crawl({ urls: paths.map((path) => site.origin + path), max_depth: 0 });
    expect(job).toMatchObject({ status: 'succeeded', progress: { scraped: 10, failed: 0, discarded: 0 } });
    expect(site.requests.slice(0, 3).map(({ path }) => path)).toEqual(Array(3).fill('/robots.txt'));
    expect(site.requests).toHaveLength(3 + 10);
    expect((await ledgerOf(patient, job.id)).map(({ attempts }) => attempts)).toEqual(Array(10).fill(1));
    // However often the host was found paused.
    expect(codesOf(job)).toEqual(['host_unresponsive']);
  });
});

describe('a robots.txt that is elsewhere (2.3.1.2)', () => {
  /** So many redirects on the way to a text. */
  const chain = (hops: number, status: number, end: Answer): Script => {
    return (path) => {
      const hop = path === '/robots.txt' ? 0 : Number(/^\/r\/(\d+)$/.exec(path)?.[1]);
      if (Number.isNaN(hop)) return undefined;
      return hop === hops ? end : redirectTo(`/r/${hop + 1}`, status);
    };
  };

  test.each([1, 5])('behind %i redirects is kept to', async (hops) => {
    const site = await startSite(chain(hops, 301, text(noPrivate)));
    expect((await crawl(site, asked))[0]).toEqual(kept);
  });

  test('behind six is not looked for: everything is allowed', async () => {
    const site = await startSite(chain(6, 302, text(nothing)));
    expect((await crawl(site, ['/open']))[0]).toEqual({ '/open': 'scraped' });
    expect([site.asks('/r/5'), site.asks('/r/6')]).toEqual([1, 0]);
  });

  test('in a circle is nowhere: everything is allowed', async () => {
    const site = await siteWith(redirectTo('/robots.txt'));
    expect((await crawl(site, ['/open']))[0]).toEqual({ '/open': 'scraped' });
    expect(site.asks('/robots.txt')).toBe(6);
  });

  test('on another host holds for the one that sends there', async () => {
    const other = await siteWith(text(noPrivate));
    const site = await siteWith(redirectTo(`${other.origin}/robots.txt`));
    expect((await crawl(site, asked))[0]).toEqual(kept);
    expect(other.requests.map(({ path }) => path)).toEqual(['/robots.txt']);
  });

  test('where there is nothing: everything is allowed', async () => {
    const site = await startSite(chain(1, 302, { ...text(nothing), status: 404 }));
    expect((await crawl(site, asked))[0]).toEqual(free);
  });
});
