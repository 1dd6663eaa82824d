// Hosts that are down, for a while or for good, or that have enough for now: no page is lost that can be had, and nobody
// else waits.
import { expect, onTestFinished, test } from 'vitest';
import { startService, type TestService } from '../service/start-service.ts';
import { codesOf, ledgerOf } from './ledger.ts';
import {
  after,
  numbered,
  page,
  pagesScript,
  type Script,
  type ScriptedSite,
  startScriptedSite,
} from './scripted-site.ts';

async function startSite(script: Script): Promise<ScriptedSite> {
  const site = await startScriptedSite(script);
  onTestFinished(() => site.close());
  return site;
}

async function start(unreachableSeconds: number): Promise<TestService> {
  const service = await startService({ env: { HAYRAKE_UNREACHABLE_SECONDS: String(unreachableSeconds) } });
  onTestFinished(() => service.close());
  return service;
}

/** Resolves when a job has told a notice. */
async function told(service: TestService, jobId: string, code: string): Promise<void> {
  await expect.poll(async () => codesOf(await service.job(jobId)), { timeout: 50_000 }).toContain(code);
}

test('a host that goes down in mid-crawl and comes back: every page is delivered, none has failed', async () => {
  const paths = numbered(40);
  const site = await startSite((path) => {
    if (path === '/') return page('/', paths);
    return paths.includes(path) ? after(20, page(path)) : undefined;
  });
  const service = await start(8);
  const { id } = await service.createJob({ urls: [`${site.origin}/`], force_crawling_mode: 'link' });
  await site.until(() => site.pages().length >= 12);
  await site.goDown();
  const askedBefore = site.requests.length;
  await told(service, id, 'host_unresponsive');
  expect((await service.job(id)).progress).toMatchObject({ failed: 0, discarded: 0 });
  await site.comeBack();

  const job = await service.untilEnded(id);
  expect(job).toMatchObject({
    status: 'succeeded',
    progress: { discovered: 41, scraped: 41, failed: 0, discarded: 0 },
    reasons: {},
  });
  expect(codesOf(job)).toEqual(['host_unresponsive']);
  // What was known of it before is not relied on.
  expect(site.requests[askedBefore]!.path).toBe('/robots.txt');
  // Being handed back is no attempt: a URL may have failed once before the host was taken to be down, and once more.
  expect(Math.max(...(await ledgerOf(service, id)).map(({ attempts }) => attempts))).toBeLessThanOrEqual(3);
});

test('a host that is gone for good: its URLs fail and the job ends, and another host of the job had its full speed', async () => {
  const paths = Array.from({ length: 20 }, (_, index) => `/gone/${index}`);
  const gone = await startSite((path) => {
    if (path === '/') return page('the start', paths);
    return paths.includes(path) ? () => {} : undefined;
  });
  const there = await startSite(pagesScript(60));
  const service = await start(6);
  const urls = [`${gone.origin}/`, `${there.origin}/`];
  const { id } = await service.createJob({ urls, force_crawling_mode: 'link' });
  await gone.until(() => gone.pages().length > 1);
  await gone.goDown();

  // The one is done before the other is given up.
  await there.until(() => there.pages().length === 61);
  await expect.poll(() => service.job(id), { timeout: 50_000 }).toMatchObject({ progress: { scraped: 62 } });
  expect(codesOf(await service.job(id))).not.toContain('host_unreachable');

  const job = await service.untilEnded(id);
  expect(job).toMatchObject({ status: 'succeeded', progress: { scraped: 62, failed: 20, discarded: 0 } });
  expect(job['reasons']).toEqual({ connect: 20 });
  expect(codesOf(job)).toEqual(['host_unresponsive', 'host_unreachable']);
  const failed = (await ledgerOf(service, id)).filter(({ status }) => status === 'failed');
  expect(failed.map(({ url }) => url)).toEqual(paths.map((path) => gone.origin + path));
  expect(failed.every(({ reason }) => reason === 'connect')).toBe(true);
  expect(there.requests).toHaveLength(62);
});

test('a host that has never answered: its URLs fail after unreachable_seconds, and those of another host do not wait', async () => {
  const gone = await startSite(pagesScript(1));
  await gone.goDown();
  const there = await startSite(pagesScript(3));
  const service = await start(900);
  const job = await service.crawl({
    urls: [`${gone.origin}/`, `${there.origin}/`],
    unreachable_seconds: 2,
    force_crawling_mode: 'link',
  });
  expect(job).toMatchObject({ status: 'succeeded', progress: { scraped: 4, failed: 1 }, reasons: { connect: 1 } });
  expect(codesOf(job)).toContain('host_unreachable');
  const row = (await ledgerOf(service, job.id)).find(({ status }) => status === 'failed');
  expect(row).toMatchObject({ url: `${gone.origin}/`, reason: 'connect' });
});

test('a host that served another job and is gone: the URLs of the next job fail after its own unreachable_seconds', async () => {
  const site = await startSite(pagesScript(12));
  const service = await start(900);
  const urls = numbered(12).map((path) => site.origin + path);
  expect(await service.crawl({ urls, force_crawling_mode: 'link' })).toMatchObject({ status: 'succeeded' });
  await site.goDown();
  const began = performance.now();
  const job = await service.crawl({ urls, unreachable_seconds: 4, force_crawling_mode: 'link' });
  expect(performance.now() - began).toBeLessThan(20_000);
  expect(job).toMatchObject({ status: 'failed', reasons: { connect: 12 } });
  expect(codesOf(job)).toContain('host_unreachable');
});

test('pages that always answer 500 do not stop the others', async () => {
  const broken = Array.from({ length: 5 }, (_, index) => `/broken/${index}`);
  const fine = numbered(40);
  const site = await startSite((path) => {
    // One after every seventh.
    if (path === '/')
      return page(
        '/',
        fine.flatMap((one, index) => (index % 8 === 7 ? [one, broken[index >> 3]!] : [one])),
      );
    return broken.includes(path) ? { status: 500 } : fine.includes(path) ? page(path) : undefined;
  });
  const service = await start(900);
  // Ends with the last of the good ones, rather than with the last attempt at a broken one.
  const job = await service.crawl({ urls: [`${site.origin}/`], page_limit: 41, force_crawling_mode: 'link' });
  expect(job).toMatchObject({ status: 'succeeded', progress: { scraped: 41, failed: 0 }, reasons: { page_limit: 5 } });
  expect(codesOf(job)).toEqual(['page_limit_reached']);
  expect(site.asks('/robots.txt')).toBe(1);
});

test('429 without Retry-After: every page is delivered in the end, none fails, and the pace has fallen', async () => {
  const [burst, perSecond] = [15, 8];
  const paths = numbered(60);
  let bucket = { tokens: burst, at: performance.now() };
  const answered: { readonly at: number; readonly isRefused: boolean }[] = [];
  const site = await startSite((path) => {
    const now = performance.now();
    bucket = { tokens: Math.min(burst, bucket.tokens + ((now - bucket.at) / 1_000) * perSecond), at: now };
    const isRefused = bucket.tokens < 1;
    answered.push({ at: now, isRefused });
    if (isRefused) return { status: 429 };
    bucket.tokens--;
    return pagesScript(60)(path, 1);
  });
  const service = await start(3);
  const job = await service.crawl({ urls: [`${site.origin}/`], force_crawling_mode: 'link' });
  expect(job).toMatchObject({ status: 'succeeded', progress: { scraped: 61, failed: 0, discarded: 0 } });
  expect(codesOf(job)).not.toContain('host_unreachable');

  const first = answered.findIndex(({ isRefused }) => isRefused);
  const meanGap = (of: typeof answered): number => (of.at(-1)!.at - of[0]!.at) / (of.length - 1);
  expect(first).toBeGreaterThanOrEqual(burst);
  // A busy machine only makes it longer; a host that bears it is asked at some milliseconds' distance.
  expect(meanGap(answered.slice(first))).toBeGreaterThan(1_000 / (2 * perSecond));
  // It is not asked in vain again and again.
  expect(answered.filter(({ isRefused }) => isRefused).length).toBeLessThan(paths.length);
});
