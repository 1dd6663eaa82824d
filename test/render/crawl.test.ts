// Pages that need a browser, through the real program: what is delivered, what the site sees, and what is refused.
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, describe, expect, test } from 'vitest';
import { startService, type TestService } from '../service/start-service.ts';
import { codesOf, ledgerOf } from '../e2e/ledger.ts';
import { isBrowserMissing } from './browser.ts';

type Row = {
  readonly meta: { readonly page: number; readonly url: string; readonly meta: Record<string, unknown> };
  readonly text: string;
};
interface Seen {
  readonly path: string;
  readonly method: string;
  readonly headers: IncomingMessage['headers'];
  readonly body: string;
}

const cleanups: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const cleanup of cleanups.splice(0).toReversed()) await cleanup();
});

type Files = Readonly<
  Record<string, string | ((request: Seen) => { status?: number; headers?: Record<string, string>; body: string })>
>;

/** A site of a table by path; what is not in it is 404. */
async function siteOf(
  files: Files,
): Promise<{ readonly origin: string; readonly seen: Seen[]; readonly paths: () => string[] }> {
  const seen: Seen[] = [];
  const server = createServer((request, response) => void answer(request, response));
  const answer = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    let body = '';
    for await (const chunk of request) body += String(chunk);
    const { pathname } = new URL(request.url ?? '/', 'http://x');
    const met = { path: request.url ?? '', method: request.method ?? '', headers: request.headers, body };
    seen.push(met);
    const file = files[pathname];
    const type = pathname.endsWith('.js')
      ? 'text/javascript'
      : pathname.startsWith('/api')
        ? 'application/json'
        : 'text/html; charset=utf-8';
    const given = typeof file === 'function' ? file(met) : { body: file ?? '', status: file === undefined ? 404 : 200 };
    response.writeHead(given.status ?? 200, { 'content-type': type, ...('headers' in given && given.headers) });
    response.end(given.body);
  };
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve));
  cleanups.push(async () => {
    server.closeAllConnections();
    await new Promise((resolve) => void server.close(resolve));
  });
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return { origin, seen, paths: () => seen.map(({ path }) => path) };
}

async function serviceWith(env: Readonly<Record<string, string>> = {}): Promise<TestService> {
  const service = await startService({
    env: { HAYRAKE_BROWSER: 'auto', HAYRAKE_ALLOW_PRIVATE: '127.0.0.1/32', ...env },
  });
  cleanups.push(() => service.close());
  return service;
}

async function crawled(service: TestService, input: Record<string, unknown>) {
  const job = await service.crawl({ force_crawling_mode: 'link', ...input });
  const { data } = (await (await service.api(`/crawler/jobs/${job.id}/data`)).json()) as { data: Row[] };
  return { job, rows: data, codes: codesOf(job) };
}

const shell = (script = '/app.js'): string =>
  `<!doctype html><html><head><title>Shop</title></head><body><div id="root"></div><script src="${script}"></script></body></html>`;
const words = (topic: string, n = 60): string =>
  Array.from({ length: n }, (_, i) => `${topic} number ${i} is described here.`).join(' ');

/** An application of three routes, whose text comes from an API. */
const application = {
  '/': shell(),
  '/a': shell(),
  '/b': shell(),
  '/app.js': `(async () => {
    const response = await fetch('/api/page?path=' + location.pathname);
    const { title, text, links } = await response.json();
    document.title = title;
    document.getElementById('root').innerHTML = '<main><h1>' + title + '</h1><p>' + text + '</p></main>' +
      links.map((href) => '<a href="' + href + '">' + href + '</a>').join(' ');
  })()`,
  '/api/page': ({ path }: Seen) => {
    const at = new URL(path, 'http://x').searchParams.get('path') ?? '';
    const links = at === '/' ? ['/a', '/b'] : ['/'];
    return { body: JSON.stringify({ title: `Page ${at}`, text: words(`page ${at}`), links }) };
  },
} satisfies Files;

describe.skipIf(isBrowserMissing)('a crawl with a browser (needs chromium-headless-shell and bubblewrap)', () => {
  test('renders the pages that need it, finds their links, and fetches a script once', async () => {
    const { origin, paths, seen } = await siteOf({
      ...application,
      '/static': `<main><h1>Static</h1><p>${words('static')}</p></main><script src="/app.js"></script>`,
    });
    const service = await serviceWith();
    const { rows, codes, job } = await crawled(service, { urls: [`${origin}/`, `${origin}/static`] });
    const byPath = new Map(
      rows.map(({ meta, text }) => [new URL(meta.url).pathname, { rendered: meta.meta['rendered'], text }]),
    );
    expect([...byPath.keys()].toSorted()).toEqual(['/', '/a', '/b', '/static']);
    for (const path of ['/', '/a', '/b'])
      expect(byPath.get(path)).toMatchObject({
        rendered: true,
        text: expect.stringContaining(`page ${path} number 59`),
      });
    expect(byPath.get('/static')?.rendered).toBeUndefined();
    expect(codes).toEqual(['rendered_pages']);
    const count = (path: string): number => paths().filter((one) => one === path).length;
    // The documents were fetched once each: the browser is given what was there.
    expect(['/', '/a', '/b', '/static', '/app.js', '/robots.txt'].map(count)).toEqual([1, 1, 1, 1, 1, 1]);
    expect(new Set(seen.map(({ headers }) => headers['user-agent']))).toHaveLength(1);
    const why = await service.run(['why', job.id, `${origin}/a`, '--data', service.directory]);
    expect(why.stdout).toMatch(/rendered \(empty mount #root; \d+ ms, 2 requests\)/u);
    expect(await (await service.api('/metrics')).text()).toMatch(/hayrake_renders_total\{outcome="page"\} 3/u);
  });

  test('store_raw: keeps what was received and the rendered document, and converts that one again', async () => {
    const { origin, seen } = await siteOf(application);
    const service = await serviceWith();
    const { job, rows } = await crawled(service, { urls: [`${origin}/`], store_raw: true });
    expect(rows).toHaveLength(3);
    const before = seen.length;
    for (const {
      meta: { page },
    } of rows) {
      const raw = async (query: string): Promise<string> =>
        (await service.raw(`/crawler/jobs/${job.id}/pages/${page}/raw${query}`)).body.toString();
      expect(await raw('')).toBe(shell());
      expect(await raw('?rendered')).toContain('number 59 is described here');
    }
    const made = await service.raw(`/crawler/jobs/${job.id}/reextract`, { method: 'POST' });
    const again = await service.untilEnded((JSON.parse(made.body.toString()) as { id: string }).id);
    const { data } = await service.ok<{ data: Row[] }>(`/crawler/jobs/${again.id}/data`);
    expect(data.map(({ meta, text }) => [meta.url, text])).toEqual(rows.map(({ meta, text }) => [meta.url, text]));
    expect(seen).toHaveLength(before);
  });

  test('dropped: reads a page that was rendered as it was rendered', async () => {
    const { origin } = await siteOf({
      ...application,
      '/page': `<main><h1>Plain</h1><p>${words('plain')}</p></main><footer>Sent as it is</footer>`,
      '/app.js': `document.getElementById('root').innerHTML = ${JSON.stringify(
        `<nav>Menu of scripts</nav><main><h1>Made</h1><p>${words('made')}</p></main>`,
      )}`,
    });
    const service = await serviceWith();
    const { job, rows } = await crawled(service, { urls: [`${origin}/`, `${origin}/page`], store_raw: true });
    const dropped = async (path: string): Promise<unknown> => {
      const page = rows.find(({ meta }) => meta.url === origin + path)?.meta.page ?? 0;
      return (await service.api(`/crawler/jobs/${job.id}/pages/${page}/dropped`)).json();
    };
    expect(await dropped('/')).toMatchObject({ data: [{ rule: 'landmark', text: 'Menu of scripts' }] });
    expect(await dropped('/page')).toMatchObject({ data: [{ rule: 'landmark', text: 'Sent as it is' }] });
  });

  test('stops to ask for a form of links that only scripts made and that led nowhere ten times', async () => {
    const many = (path: string, count: number): string[] => Array.from({ length: count }, (_, at) => `${path}${at}`);
    const pages = Object.fromEntries([...many('/real-', 5), '/plain/1'].map((path) => [path, `<main>${words(path)}`]));
    const made = [...many('/made/', 40), ...many('/real-', 5), '/plain/1', '/made/39'];
    const { origin, paths } = await siteOf({
      '/': `${shell()}<a href="/plain/1">Plain</a><a href="/made/39">Also made</a>`,
      '/app.js': `document.getElementById('root').innerHTML = ${JSON.stringify(
        `<main>${words('made')} ${made.map((path) => `<a href="${path}">${path}</a>`).join(' ')}</main>`,
      )}`,
      ...pages,
    });
    const service = await serviceWith();
    const { job, codes } = await crawled(service, { urls: [`${origin}/`], host_concurrency: 1 });
    expect(codes).toEqual(['rendered_pages', 'script_links']);
    expect(job.complete).toBe(true);
    expect(job.progress).toMatchObject({ scraped: 7, failed: 11, discarded: 29 });
    expect(job['reasons']).toEqual({ http_404: 11, script_link: 29 });
    expect(paths().filter((path) => path.startsWith('/made/'))).toHaveLength(11);
    const urls = await ledgerOf(service, job.id);
    const byScript = urls.filter(({ foundBy }) => foundBy === 'script').map(({ url }) => new URL(url).pathname);
    expect(byScript.toSorted()).toEqual([...many('/made/', 39), ...many('/real-', 5)].toSorted());
    const why = await service.run(['why', job.id, `${origin}/made/38`, '--data', service.directory]);
    expect(why.stdout).toContain('Scripts made the link to it, first on');
  });

  test('obeys robots.txt for what a page loads, and posts to the page’s own site only', async () => {
    const other = await siteOf({ '/api/x': '{"text":"foreign"}' });
    const { origin, paths } = await siteOf({
      '/': shell(),
      '/robots.txt': 'User-agent: *\nDisallow: /api/secret',
      '/app.js': `(async () => {
        const say = (text) => document.getElementById('root').append(text + ' ');
        const post = (url) => fetch(url, { method: 'POST', body: '1' }).then((r) => r.text()).catch(() => 'refused');
        say(await fetch('/api/secret').then((r) => r.text()).catch(() => 'forbidden'));
        say(await post('/api/echo')); say(await post('${other.origin.replace('127.0.0.1', 'localhost')}/api/x')); say(${JSON.stringify(words('told'))});
      })()`,
      '/api/secret': '"secret"',
      '/api/echo': ({ body, method }) => ({ body: `${method}${body}` }),
    });
    const service = await serviceWith();
    const { rows } = await crawled(service, { urls: [`${origin}/`], use_browser: true });
    expect(rows[0]?.text).toMatch(/^forbidden POST1 refused told number 0/u);
    expect(paths()).not.toContain('/api/secret');
    expect(other.seen).toEqual([]);
  });

  test('follows a redirect by script as any other, and delivers what a failed render leaves', async () => {
    const { origin } = await siteOf({
      '/': shell(),
      '/app.js': `location.replace('/target')`,
      '/target': `<main><h1>Target</h1><p>${words('target')}</p></main>`,
      '/loop': '<main>Short text</main><div id="root"></div><script>for (;;);</script>',
    });
    const service = await serviceWith();
    const { rows, codes } = await crawled(service, { urls: [`${origin}/`, `${origin}/loop`], max_depth: 0 });
    expect(new Map(rows.map(({ meta, text }) => [new URL(meta.url).pathname, text.slice(0, 14)]))).toEqual(
      new Map([
        ['/', '# Target\n\ntarg'],
        ['/loop', 'Short text'],
      ]),
    );
    expect(codes).toEqual(['render_cut']);
  });

  test('delivers a page as it was fetched where its render fails, and tells of what did not come', async () => {
    const { origin } = await siteOf({
      '/hog': `<main>Short ${words('hog', 2)}</main><script>const a = []; for (;;) a.push(new Array(1e6).fill(a.length))</script>`,
      '/plain': `<main>${words('plain')}</main>`,
    });
    const service = await serviceWith();
    const input = { urls: [`${origin}/hog`, `${origin}/plain`], use_browser: true, wait_for: '#never', max_depth: 0 };
    const { rows, codes } = await crawled(service, input);
    const rendered = new Map(
      rows.map(({ meta, text }) => [new URL(meta.url).pathname, [meta.meta['rendered'], text.slice(0, 5)]]),
    );
    expect(rendered.get('/hog')).toEqual([undefined, 'Short']);
    expect(rendered.get('/plain')).toEqual([true, 'plain']);
    expect(codes.toSorted((a, b) => a.localeCompare(b))).toEqual([
      'render_failed',
      'rendered_pages',
      'wait_for_unmatched',
    ]);
  });

  test('takes cookies, headers and logins of the job along, and keeps what an answer sets', async () => {
    const { origin, seen } = await siteOf({
      '/': () => ({ headers: { 'set-cookie': 'doc=1; Path=/' }, body: shell() }),
      '/app.js': `fetch('/api/a').then(() => fetch('/api/b')).then((r) => r.text()).then((t) => document.getElementById('root').append(t))`,
      '/api/a': () => ({ headers: { 'set-cookie': 'api=2; HttpOnly; Path=/' }, body: '1' }),
      '/api/b': words('let in'),
    });
    const service = await serviceWith();
    const input = { urls: [`${origin}/`], cookies: { login: 'x' }, headers: { authorization: 'Bearer y' } };
    const { rows } = await crawled(service, input);
    expect(rows[0]?.text).toContain('let in number 59');
    const last = seen.find(({ path }) => path === '/api/b')?.headers;
    expect(last?.cookie?.split('; ').toSorted()).toEqual(['api=2', 'doc=1', 'login=x']);
    expect(last?.authorization).toBe('Bearer y');
  });

  test('with use_browser: false a page is told to need JavaScript', async () => {
    const { origin } = await siteOf(application);
    const service = await serviceWith();
    const { rows, codes } = await crawled(service, { urls: [`${origin}/`], use_browser: false });
    expect([rows[0]?.text, codes]).toEqual(['', ['needs_javascript']]);
  });

  test('without its fences the browser renders too, and the log and the job say so', async () => {
    const { origin } = await siteOf(application);
    const service = await serviceWith({ HAYRAKE_BROWSER_SANDBOX: 'off' });
    const { rows, codes } = await crawled(service, { urls: [`${origin}/`], max_depth: 0 });
    expect(rows[0]?.meta.meta['rendered']).toBe(true);
    expect(codes).toEqual(['rendered_pages', 'browser_unsandboxed']);
    expect(service.stderr).toMatch(/without a network namespace and without its sandbox/u);
  });

  test('a scrape renders too, and waits for what the client names', async () => {
    const { origin } = await siteOf({
      '/': `<title>T</title><div id=root></div><script>setTimeout(() => { root.innerHTML = '<main id=late>${words('late')}</main>' }, 9000)</script>`,
    });
    const service = await serviceWith();
    const scrape = (input: Record<string, unknown>) =>
      service.api('/scraper/scrape', { json: { url: `${origin}/`, use_browser: true, ...input } });
    expect(((await (await scrape({})).json()) as { text: string }).text).toBe('');
    for (const wait_for of ['#late', 10_000]) {
      expect(await (await scrape({ wait_for })).json()).toMatchObject({
        text: expect.stringContaining('late number 59'),
        meta: { rendered: true },
      });
    }
  });
});

test('without a browser a page that needs one is delivered as it was fetched, and counted; use_browser: true is refused', async () => {
  const { origin } = await siteOf(application);
  const service = await serviceWith({ HAYRAKE_BROWSER: 'off' });
  const { rows, job } = await crawled(service, { urls: [`${origin}/`] });
  expect(rows.map(({ text }) => text)).toEqual(['']);
  expect(job.findings).toMatchObject([{ code: 'browser_missing', count: 1, example: `${origin}/` }]);
  for (const [path, json] of [
    ['/crawler/jobs', { urls: [`${origin}/`], use_browser: true }],
    ['/scraper/scrape', { url: `${origin}/`, use_browser: true }],
  ] as const) {
    const refused = await service.api(path, { json });
    expect(refused.status).toBe(400);
    expect(await refused.json()).toMatchObject({
      code: 'browser_missing',
      detail: expect.stringContaining('chromium-headless-shell'),
    });
  }
});
