// A job keeps the cookies that its sites set: each site gets its own back, no other job has them, and nobody sees them.
import type { IncomingHttpHeaders } from 'node:http';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startService, type TestService } from '../service/start-service.ts';
import { endingsOf, ledgerOf } from './ledger.ts';
import { after, type Answer, numbered, page, redirectTo, type ScriptedSite, ScriptedSites } from './scripted-site.ts';

let service: TestService;
const sites = new ScriptedSites();
beforeAll(async () => {
  service = await startService({ env: { HAYRAKE_LOG_LEVEL: 'debug' } });
});
afterAll(async () => {
  await sites.close();
  await service.close();
});

const linksOnly = { force_crawling_mode: 'link' } as const;

/** A site that looks at the headers of a request before it answers. */
async function startSite(
  answer: (path: string, cookies: readonly string[], headers: IncomingHttpHeaders) => Answer,
): Promise<ScriptedSite> {
  return sites.start((path) => (request, response) => {
    const given = answer(path, request.headers.cookie?.split('; ') ?? [], request.headers);
    if (typeof given === 'function') given(request, response);
    else if (typeof given === 'string') response.writeHead(200, { 'content-type': 'text/html' }).end(given);
    else if (typeof given === 'object')
      response.writeHead(given.status ?? 200, { ...given.headers }).end(given.body ?? '');
    else response.writeHead(404).end();
  });
}

function setCookie(answer: ReturnType<typeof redirectTo>, cookie: string): Answer {
  return { ...answer, headers: { ...answer.headers, 'set-cookie': cookie } };
}

/** What each path was sent, the last time that it was asked for. */
function sentTo(site: ScriptedSite): Record<string, string> {
  return Object.fromEntries(site.requests.map(({ path, headers }) => [path, headers.cookie ?? '']));
}

async function textsOf(jobId: string): Promise<string[]> {
  const { data } = await service.ok<{ data: readonly { readonly text: string }[] }>(`/crawler/jobs/${jobId}/data`);
  return data.map(({ text }) => text);
}

describe('a site that sets a cookie and redirects', () => {
  test('to the same URL is crawled', async () => {
    const site = await startSite((at, cookies) => {
      if (!cookies.includes('seen=1')) return setCookie(redirectTo(at), 'seen=1; HttpOnly; SameSite=Strict');
      return page(at, at === '/' ? numbered(3) : []);
    });
    const job = await service.crawl({ urls: [`${site.origin}/`], ...linksOnly });
    expect(job).toMatchObject({ status: 'succeeded', progress: { scraped: 4, failed: 0, discarded: 0 } });
    // The cookie that the start page set is there for all that comes later.
    expect(site.pages().map(({ path }) => path)).toHaveLength(5);
  });

  test('with a parameter, and back, as ASP.NET does, is crawled', async () => {
    const parameter = 'AspxAutoDetectCookieSupport=1';
    const site = await startSite((at, cookies) => {
      const url = new URL(at, 'http://site');
      if (cookies.includes(parameter)) return url.search === '' ? page(at, numbered(2)) : redirectTo(url.pathname);
      if (url.search !== '') return redirectTo('/cookies-required');
      return setCookie(redirectTo(`${at}?${parameter}`), `${parameter}; path=/`);
    });
    const job = await service.crawl({ urls: [`${site.origin}/`], ...linksOnly });
    expect(await endingsOf(service, job.id)).toEqual({ '/': 'scraped', '/p/1': 'scraped', '/p/2': 'scraped' });
  });

  test('through a page that all visitors without a session are sent to, loses none of the pages that were asked for at once', async () => {
    const site = await startSite((at, cookies) => {
      if (at === '/') return page(at, numbered(30));
      if (at === '/session') return setCookie(redirectTo('/'), 'session=1; path=/');
      return cookies.includes('session=1') ? page(at) : redirectTo('/session');
    });
    const job = await service.crawl({ urls: [`${site.origin}/`], ...linksOnly });
    expect(job.progress).toMatchObject({ scraped: 31, failed: 0, discarded: 0 });
  });

  test('for ever, with another value each time, fails after ten redirects', async () => {
    let count = 0;
    const site = await startSite((at) => setCookie(redirectTo(at), `count=${++count}`));
    const job = await service.crawl({ urls: [`${site.origin}/`], ...linksOnly });
    expect(await endingsOf(service, job.id)).toEqual({ '/': 'too_many_redirects' });
    expect(site.asks('/')).toBe(11);
  });

  test('is a loop with `keep_cookies: false`, and no cookie is sent', async () => {
    const site = await startSite((at, cookies) =>
      cookies.length === 0 ? setCookie(redirectTo(at), 'seen=1') : page(at),
    );
    const input = { urls: [`${site.origin}/`], ...linksOnly, keep_cookies: false };
    const job = await service.crawl(input);
    expect(job).toMatchObject({ status: 'failed', keep_cookies: false, reasons: { too_many_redirects: 1 } });
    expect(sentTo(site)['/']).toBe('');
  });

  test('is scraped as one page', async () => {
    const site = await startSite((at, cookies) =>
      cookies.length === 0 ? setCookie(redirectTo(at), 'seen=1') : page(at),
    );
    const scrape = (more: object) =>
      service.ok<{ status: string }>('/scraper/scrape', { json: { url: `${site.origin}/one`, ...more } });
    expect(await scrape({})).toMatchObject({ status: 'scraped' });
    expect(await scrape({ keep_cookies: false })).toMatchObject({ status: 'failed' });
  });
});

describe('cookies that a site sets', () => {
  test('go with every request but robots.txt if a start URL sets them, and along its redirects if another does', async () => {
    const site = await startSite((at) => {
      const headers = { 'content-type': 'text/html', 'set-cookie': `${at.replace('/', '') || 'start'}=1; Path=/` };
      if (at === '/') return { headers, body: page('/', ['/moved', '/missing']) };
      if (at === '/moved') return { status: 302, headers: { ...headers, location: '/here' } };
      if (at === '/missing') return { status: 404, headers };
      if (at === '/here') return page(at, ['/then']);
      // By then the answer to `/missing` is there.
      if (at === '/then') return after(200, page(at, ['/last']));
      if (at === '/last') return page(at);
      if (at === '/robots.txt') return { headers: { ...headers, 'content-type': 'text/plain' }, body: '' };
      const urls = `<urlset><url><loc>${site.origin}/</loc></url></urlset>`;
      return at === '/sitemap.xml' ? { headers: { ...headers, 'content-type': 'text/xml' }, body: urls } : undefined;
    });
    const job = await service.crawl({ urls: [`${site.origin}/`] });
    expect(job.progress).toMatchObject({ scraped: 4, failed: 1 });
    expect(sentTo(site)['/robots.txt']).toBe('');
    expect(sentTo(site)['/last']).toBe('start=1');
    expect(sentTo(site)['/here']).toBe('start=1; moved=1');
  });

  test('go beside those of the client, and never in place of one', async () => {
    const site = await startSite((at) => {
      if (at !== '/') return page(at);
      const headers = { 'content-type': 'text/html', 'set-cookie': 'theme=light; Path=/' };
      return { headers, body: page('/', ['/next']) };
    });
    const other = await startSite((at, cookies) => {
      if (at !== '/') return page(at);
      return cookies.includes('mine=1')
        ? { headers: { 'content-type': 'text/html', 'set-cookie': 'mine=2' }, body: page('/', ['/next']) }
        : undefined;
    });
    await service.crawl({ urls: [`${site.origin}/`], ...linksOnly, cookies: { session: 's', mode: 'dark' } });
    expect(sentTo(site)['/next']).toBe('session=s; mode=dark; theme=light');
    await service.crawl({ urls: [`${other.origin}/`], ...linksOnly, cookies: { mine: '1' } });
    expect(sentTo(other)['/next']).toBe('mine=1');
  });

  test('stay in their job, and are shown, logged and stored nowhere', async () => {
    const secret = 'the-secret-of-a-session';
    const site = await startSite((at, cookies) => {
      if (at !== '/') return page(at);
      const headers = { 'content-type': 'text/html', 'set-cookie': `session=${secret}` };
      return { headers, body: page('/', cookies.length === 0 ? ['/new'] : ['/known']) };
    });
    const jobs = [];
    for (const _ of [1, 2]) jobs.push(await service.crawl({ urls: [`${site.origin}/`], ...linksOnly }));
    expect(site.asks('/known')).toBe(0);
    expect(sentTo(site)['/new']).toBe(`session=${secret}`);
    const shown = jobs.flatMap(({ id }) => ['', '/urls', '/data', '/meta'].map((part) => `/crawler/jobs/${id}${part}`));
    for (const path of shown) expect(await (await service.api(path)).text()).not.toContain(secret);
    expect(service.stderr).not.toContain(secret);
    expect([...(await service.store.content()).values()].join('')).not.toContain(secret);
  });

  test('that cannot be sent, or are too many, harm no page', async () => {
    const site = await sites.start((path) => (_, response) => {
      const lines = [
        '=empty',
        'nothing',
        `long=${'x'.repeat(5_000)}`,
        'bytes=\u00e4\u00ff',
        ...Array.from({ length: 60 }, (_, index) => `n${index}=${index}`),
      ];
      // What Node refuses to send is written by hand.
      const head = [
        'HTTP/1.1 200 OK',
        'Content-Type: text/html',
        'Connection: close',
        ...lines.map((line) => `Set-Cookie: ${line}`),
      ];
      response.socket?.end(
        Buffer.from(`${head.join('\r\n')}\r\n\r\n${page(path, path === '/' ? ['/next'] : [])}`, 'latin1'),
      );
    });
    const job = await service.crawl({ urls: [`${site.origin}/`], ...linksOnly });
    expect(await ledgerOf(service, job.id)).toMatchObject([{ status: 'scraped' }, { status: 'scraped' }]);
    const sent = (sentTo(site)['/next'] ?? '').split('; ');
    expect(sent.length).toBeLessThanOrEqual(50);
    expect(sent.length).toBeGreaterThan(10);
    expect(sent.join()).not.toMatch(/empty|nothing|long/);
  });
});

test('the texts of a site are those that a visitor with cookies sees', async () => {
  const site = await startSite((at, cookies) => {
    if (cookies.includes('consent=1')) return page(`${at} in full`, at === '/' ? ['/more'] : []);
    return setCookie(redirectTo(at), 'consent=1; Max-Age=3600; Path=/');
  });
  const job = await service.crawl({ urls: [`${site.origin}/`], ...linksOnly });
  expect((await textsOf(job.id)).join()).toMatch(/\/ in full[^]*\/more in full/);
});
