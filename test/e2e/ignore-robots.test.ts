// `respect_robots: false`: what robots.txt forbids is crawled, by those whom the operator allowed to. How fast a site wants
// to be crawled holds all the same.
import { afterAll, beforeAll, expect, test } from 'vitest';
import { expectProblem } from '../service/expect-problem.ts';
import { startService, type TestService } from '../service/start-service.ts';
import { codesOf, endingsOf } from './ledger.ts';
import { hurryOf, latenessMs, page, type Script, ScriptedSites } from './scripted-site.ts';

let service: TestService;
const sites = new ScriptedSites();
beforeAll(async () => {
  service = await startService({ env: { HAYRAKE_UNREACHABLE_SECONDS: '2' } });
});
afterAll(async () => {
  await sites.close();
  await service.close();
});

/** A start page with two links, one of which is forbidden. */
const partly =
  (robots: string): Script =>
  (path) => {
    if (path === '/robots.txt') return { headers: { 'content-type': 'text/plain' }, body: robots };
    if (path === '/') return page('/', ['/open', '/private/x']);
    return path === '/open' || path === '/private/x' ? page(path) : undefined;
  };

test('a token may not, unless it was made for it', async () => {
  const site = await sites.start(partly('User-agent: *\nDisallow: /private/'));
  const body = { urls: [`${site.origin}/`], respect_robots: false };
  const usual = await service.createToken({ org: 'acme' });
  const answer = await service.raw('/crawler/jobs', {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
    token: usual.token,
  });
  const problem = expectProblem(answer, 403, 'permission_denied');
  expect(problem.errors?.map(({ field }) => field)).toEqual(['respect_robots']);
  expect(problem.detail).toContain('ignore_robots');
  // What it may do is not less for that.
  await service.createJob({ urls: [`${site.origin}/`], respect_robots: true }, { token: usual.token });

  const allowed = await service.createToken({ org: 'acme', permissions: 'read,write,ignore_robots' });
  const job = await service.createJob(body, { token: allowed.token });
  expect(job).toMatchObject({ org: 'acme', respect_robots: false });
});

test('high priority takes a permission as well', async () => {
  const site = await sites.start(partly('User-agent: *'));
  const body = { urls: [`${site.origin}/`], priority: 'high' };
  const usual = await service.createToken({ org: 'acme' });
  const answer = await service.raw('/crawler/jobs', {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
    token: usual.token,
  });
  expect(expectProblem(answer, 403, 'permission_denied').detail).toContain('high_priority');
  const allowed = await service.createToken({ org: 'acme', permissions: 'read,write,high_priority' });
  expect(await service.createJob(body, { token: allowed.token })).toMatchObject({ priority: 'high' });
});

test('what is forbidden is crawled, and the job says so', async () => {
  const site = await sites.start(partly('User-agent: *\nDisallow: /private/'));
  const job = await service.crawl({ urls: [`${site.origin}/`], respect_robots: false, force_crawling_mode: 'link' });
  expect(job).toMatchObject({ status: 'succeeded', respect_robots: false });
  expect(codesOf(job)).toEqual(['robots_ignored']);
  expect(await endingsOf(service, job.id)).toEqual({ '/': 'scraped', '/open': 'scraped', '/private/x': 'scraped' });
  // It is still read, for the pace.
  expect(site.asks('/robots.txt')).toBe(1);
});

test('a job beside it on the same site is kept to robots.txt', async () => {
  const site = await sites.start(partly('User-agent: *\nDisallow: /private/'));
  const body = { urls: [`${site.origin}/`], force_crawling_mode: 'link' };
  const [ignoring, respecting] = await Promise.all([
    service.crawl({ ...body, respect_robots: false }),
    service.crawl(body),
  ]);
  expect(await endingsOf(service, ignoring.id)).toMatchObject({ '/private/x': 'scraped' });
  expect(await endingsOf(service, respecting.id)).toMatchObject({ '/private/x': 'robots_disallowed' });
  expect(respecting).toMatchObject({ respect_robots: true });
  expect(codesOf(respecting)).toEqual([]);
  expect(site.asks('/private/x')).toBe(1);
});

test('a robots.txt that answers 503 does not stop it', async () => {
  const script = partly('');
  const site = await sites.start((path, asks) => (path === '/robots.txt' ? { status: 503 } : script(path, asks)));
  const job = await service.crawl({ urls: [`${site.origin}/`], respect_robots: false, force_crawling_mode: 'link' });
  expect(job).toMatchObject({ status: 'succeeded', progress: { scraped: 3, failed: 0, discarded: 0 } });
  expect(codesOf(job)).toEqual(['robots_ignored']);
});

test('Crawl-delay is kept', async () => {
  const site = await sites.start(partly('User-agent: *\nDisallow: /\nCrawl-delay: 0.6'));
  const job = await service.crawl({ urls: [`${site.origin}/`], respect_robots: false, force_crawling_mode: 'link' });
  expect(job.progress.scraped).toBe(3);
  expect(site.pages()).toHaveLength(3);
  expect(hurryOf(site.pages(), 600)).toBeLessThan(latenessMs());
});
