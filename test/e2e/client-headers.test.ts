// What a client gives for its sites goes to these sites, and is seen nowhere else: not on other hosts, not in the API, not
// in the log, not in the database once the job has ended.
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { expectProblem } from '../service/expect-problem.ts';
import { startService, type TestService } from '../service/start-service.ts';
import { endingsOf } from './ledger.ts';
import {
  after,
  numbered,
  page,
  pagesScript,
  redirectTo,
  type ScriptedSite,
  type SiteRequest,
  ScriptedSites,
} from './scripted-site.ts';

const secrets = ['the-secret-of-a-header', 'the-secret-of-a-cookie'] as const;
const [headerSecret, cookieSecret] = secrets;
const given = { headers: { 'X-Secret': headerSecret }, cookies: { session: cookieSecret, theme: 'dark' } };

let service: TestService;
const sites = new ScriptedSites();
beforeAll(async () => {
  service = await startService({ env: { HAYRAKE_LOG_LEVEL: 'debug' } });
});
afterAll(async () => {
  await sites.close();
  await service.close();
});

/** What a site was sent of the client's, with each request: both, none, or what there was. */
function sentWith({ headers }: SiteRequest): string {
  const sent = [headers['x-secret'], headers.cookie];
  if (sent.every((value) => value === undefined)) return 'none';
  return sent.join() === `${headerSecret},session=${cookieSecret}; theme=dark` ? 'both' : sent.join();
}

function sentTo(site: ScriptedSite): Record<string, string> {
  return Object.fromEntries(site.requests.map((request) => [request.path, sentWith(request)]));
}

/** Everything that is shown of a job. */
async function shownOf(id: string): Promise<string> {
  const paths = ['', '/urls', '/data', '/meta'].map((part) => `/crawler/jobs/${id}${part}`);
  const bodies = [...paths, '/crawler/jobs'].map(async (urlPath) => (await service.api(urlPath)).text());
  return (await Promise.all(bodies)).join('\n');
}

/** The secrets that are anywhere in the files of the database, the log of its writes included; in PostgreSQL, in its rows. */
async function secretsOnDisk(): Promise<readonly string[]> {
  const content = [...(await service.store.content()).values()].join('');
  return secrets.filter((secret) => content.includes(secret));
}

describe('headers and cookies', () => {
  test("go with pages, redirects and sitemaps of the start URL's host, but not with robots.txt", async () => {
    const site = await sites.start((at) => {
      if (at === '/') return page('/', ['/moved']);
      if (at === '/moved') return redirectTo('/here');
      if (at === '/here' || at === '/named') return page(at);
      const body = `<urlset><url><loc>${site.origin}/named</loc></url></urlset>`;
      return at === '/sitemap.xml' ? { headers: { 'content-type': 'application/xml' }, body } : undefined;
    });
    const job = await service.crawl({ urls: [`${site.origin}/`], ...given });
    expect(job.progress).toMatchObject({ scraped: 3, failed: 0 });
    expect(sentTo(site)).toEqual({
      '/robots.txt': 'none',
      '/sitemap.xml': 'both',
      '/': 'both',
      '/moved': 'both',
      '/here': 'both',
      '/named': 'both',
    });
  });

  test('do not go to another host, whether a link leads there or a start URL is redirected there', async () => {
    const linked = await sites.start((at) => page(at));
    const landing = await sites.start((at) => (at === '/landing' ? page(at) : undefined));
    const site = await sites.start((at) => {
      if (at === '/') return page('/', [`${linked.origin}/`]);
      return at === '/away' ? redirectTo(`${landing.origin}/landing`) : undefined;
    });
    const job = await service.crawl({ urls: [`${site.origin}/`, `${site.origin}/away`], ...given });
    expect(await endingsOf(service, job.id)).toMatchObject({ '/away': 'scraped' });
    expect(linked.requests).toEqual([]);
    expect(sentTo(landing)).toMatchObject({ '/robots.txt': 'none', '/landing': 'none' });
    expect(sentTo(site)).toMatchObject({ '/': 'both', '/away': 'both' });
  });

  test('go with one job, not with another job on the same host', async () => {
    const site = await sites.start(pagesScript(3));
    await service.crawl({ urls: [`${site.origin}/`], force_crawling_mode: 'link', ...given });
    const before = site.requests.length;
    await service.crawl({ urls: [`${site.origin}/`], force_crawling_mode: 'link' });
    expect(site.requests.slice(0, before).filter((request) => sentWith(request) === 'both')).toHaveLength(4);
    expect(site.requests.slice(before).map(sentWith)).toEqual(Array(4).fill('none'));
  });

  test('are sent on after SIGKILL and restart', async () => {
    const script = pagesScript(20);
    const site = await sites.start((at, asks) =>
      at.startsWith('/p/') ? after(50, script(at, asks)) : script(at, asks),
    );
    const { id } = await service.createJob({ urls: [`${site.origin}/`], force_crawling_mode: 'link', ...given });
    await site.until(() => site.pages().length >= 5);
    await service.kill();
    await service.start();
    expect((await service.untilEnded(id)).progress).toMatchObject({ scraped: 21, failed: 0 });
    expect(site.pages().map(sentWith)).toEqual(Array(site.pages().length).fill('both'));
  });

  test('are shown and logged nowhere, and not kept when the job has ended', async () => {
    const paths = numbered(3);
    const site = await sites.start((at) =>
      at === '/' ? page('/', [...paths, '/broken']) : at === '/broken' ? { status: 404 } : page(at),
    );
    const held = Promise.withResolvers<void>();
    const waiting = await sites.start((at) =>
      at === '/' ? (_, response) => void held.promise.then(() => response.end(page('/'))) : undefined,
    );
    const body = { urls: [`${site.origin}/`, `${waiting.origin}/`], ...given };
    const created = await service.api('/crawler/jobs', { json: body });
    const createdText = await created.text();
    const { id } = JSON.parse(createdText) as { id: string };
    await waiting.until(() => waiting.asks('/') === 1);
    const shown = [createdText, await shownOf(id)];
    held.resolve();
    await service.untilEnded(id);
    shown.push(await shownOf(id), service.stderr);
    expect(service.stderr).toContain('request processed');
    for (const secret of secrets) for (const part of shown) expect(part).not.toContain(secret);

    expect(await secretsOnDisk()).toEqual([]);
  });

  test('are named in the job, and a retry names those that it was given', async () => {
    const site = await sites.start((at) => (at === '/' ? page('/', ['/broken']) : { status: 404 }));
    const { id } = await service.crawl({ urls: [`${site.origin}/`], force_crawling_mode: 'link', ...given });
    const namesOf = async (path: string, json?: object): Promise<unknown> => {
      const job = await service.ok<Record<string, unknown>>(path, json && { method: 'POST', json });
      return [job['headers'], job['cookies']];
    };
    const path = `/crawler/jobs/${id}`;
    expect(await namesOf(path)).toEqual([['x-secret'], ['session', 'theme']]);
    expect(await namesOf(`${path}/retry`, { cookies: { session: cookieSecret } })).toEqual([[], ['session']]);
    expect(await namesOf(`${path}/retry`, {})).toEqual([[], []]);
  });

  test.each(['cancelled', 'deleted'])('are not kept when the job was %s', async (how) => {
    const site = await sites.start((at) => (at === '/' ? () => {} : undefined));
    const { id } = await service.createJob({ urls: [`${site.origin}/`], ...given });
    await site.until(() => site.asks('/') === 1);
    const response = await (how === 'deleted'
      ? service.api(`/crawler/jobs/${id}`, { method: 'DELETE' })
      : service.api(`/crawler/jobs/${id}/cancel`, { method: 'POST' }));
    expect(response.ok).toBe(true);
    expect(await secretsOnDisk()).toEqual([]);
  });
});

describe('headers and cookies that cannot be sent', () => {
  const many = Object.fromEntries(Array.from({ length: 21 }, (_, index) => [`x-${index}`, headerSecret]));
  const long = headerSecret.padEnd(3 * 1024, '.');
  test('are refused with the name of the field, and the value is not repeated', async () => {
    const cases: readonly (readonly [string, Record<string, unknown>])[] = [
      ['headers.x-a', { headers: { 'x-a': `${headerSecret}\r\nx-b: 1` } }],
      ['headers.x-a', { headers: { 'x-a': `${headerSecret}\n` } }],
      ['headers.Host', { headers: { Host: headerSecret } }],
      ['headers.User-Agent', { headers: { 'User-Agent': headerSecret } }],
      ['headers.Cookie', { headers: { Cookie: headerSecret } }],
      ['headers', { headers: many }],
      ['headers.x-long', { headers: { 'x-long': long } }],
      ['headers', { headers: `x-a: ${headerSecret}` }],
      ['cookies.a', { cookies: { a: `1; b=${headerSecret}` } }],
      ['cookies', { cookies: many }],
    ];
    for (const [field, input] of cases) {
      const answer = await service.raw('/crawler/jobs', {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ urls: ['http://127.0.0.1:8001/'], ...input }),
      });
      const { errors } = expectProblem(answer, 400, 'invalid_body');
      expect.soft(errors?.map((error) => error.field)).toEqual([field]);
      expect.soft(answer.body.toString()).not.toContain(headerSecret);
    }
    expect(service.stderr).not.toContain(headerSecret);
  });
});
