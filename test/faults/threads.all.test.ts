// A thread that dies. Without the one that writes nothing can be kept, so the program says so and ends; one that converts pages,
// and the one that reads them, is replaced. Nothing hangs, and nothing is lost.
import { existsSync } from 'node:fs';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { describe, expect, test } from 'vitest';
import { startGeneratedSite } from '../e2e/generated-site.ts';
import { endingsOf } from '../e2e/ledger.ts';
import { ScriptedSites } from '../e2e/scripted-site.ts';
import { TestService } from '../service/start-service.ts';
import { createTestStore, isOnPostgres } from '../service/test-store.ts';
import { afterTest, expectWholeCrawl } from './crawl.ts';

const preload = pathToFileURL(path.join(import.meta.dirname, 'end-thread.ts')).href;
const pages = 200;
const sentence = /^hayrake: The thread that writes to \S+ died \((.*)\)\. Everything written is kept\. .*\n$/m;

/** A service, not yet started, one thread of which dies once: at a fail-point, when it is passed so many times. */
async function createService(end: string): Promise<{ readonly service: TestService; hasDied(): boolean }> {
  const store = await createTestStore();
  const done = path.join(store.directory, 'thread-ended');
  const service = new TestService(store, {
    env: {
      END_THREAD: end,
      END_THREAD_DONE: done,
      // A heap that is soon full.
      NODE_OPTIONS: `--max-old-space-size=128 --import=${preload}`,
      HAYRAKE_DISK_FREE_MB: '0',
    },
  });
  afterTest(() => service.close());
  return { service, hasDied: () => existsSync(done) };
}

/** Its pages are linked criss-cross: one that is missing hides no other. */
async function startSite(): ReturnType<typeof startGeneratedSite> {
  const site = await startGeneratedSite({ pages, delayMs: 5 });
  afterTest(() => site.close());
  return site;
}

/** A site that never answers, so that something is in flight for as long as nobody gives it up. */
async function startSilentSite(): ReturnType<ScriptedSites['start']> {
  const sites = new ScriptedSites();
  afterTest(() => sites.close());
  return sites.start((path) => (path === '/robots.txt' ? undefined : () => {}));
}

describe.skipIf(isOnPostgres())('the thread that writes dies while a crawl runs (needs the embedded database)', () => {
  test.each([
    ['of an exception, behind a commit', 'commit.done:60:exception', 'a defect'],
    ['of a full heap, before a commit', 'commit.due:60:memory', 'JS heap out of memory'],
    ['when a transaction has begun', 'commit.begun:60:exit', 'exit code 3'],
    ['in the middle of a page', 'settle.page:60:exit', 'exit code 3'],
    ['when a commit is on disk, and nobody knows', 'commit.done:60:exit', 'exit code 3'],
  ])('%s: exit code 7, one sentence, and the next start goes on', async (_when, end, cause) => {
    const { service, hasDied } = await createService(end);
    const [site, silent] = [await startSite(), await startSilentSite()];
    await service.start();
    const hanging = await service.createJob({ urls: [`${silent.origin}/`] });
    await silent.until(() => silent.asks('/') > 0);
    // A client that waits is answered, or cut off.
    const waiting = service.api(`/crawler/jobs/${hanging.id}/data?wait=60`).catch(() => undefined);
    const { id } = await service.createJob({ urls: [`${site.origin}/`] });

    await expect.poll(hasDied, { interval: 20, timeout: 60_000 }).toBe(true);
    expect(await service.exited).toBe(7);
    // What is in flight would have 15 s to end, if anything of it could be kept.
    expect(service.stderr).not.toContain('given up');
    expect(sentence.exec(service.stderr)?.[1]).toContain(cause);
    expect(service.stderr).not.toContain('internal error');
    await waiting;

    await silent.goDown();
    await service.start();
    await service.ok(`/crawler/jobs/${hanging.id}/cancel`, { method: 'POST' });
    await expectWholeCrawl({ service, site, id }, { attempts: 2 });
    expect(await service.stop()).toBe(0);
  });

  test('and the program is stopping: it stops, with exit code 7', async () => {
    const { service, hasDied } = await createService('release.writing:1:exit');
    const site = await startSite();
    await service.start();
    const { id } = await service.createJob({ urls: [`${site.origin}/`] });
    await site.morePages(20);
    expect(await service.stop()).toBe(7);
    expect(hasDied()).toBe(true);
    expect(service.stderr).toMatch(sentence);
    await service.start();
    await expectWholeCrawl({ service, site, id }, { attempts: 2 });
  });

  test('and the program is only starting', async () => {
    const { service } = await createService('commit.begun:1:exit');
    const { code, stderr } = await service.run(['serve']);
    expect(stderr).toMatch(sentence);
    expect(code).toBe(7);
    await service.start();
  });

  test('and the crawl is a command: it says so, and `resume` goes on', async () => {
    const { service } = await createService('settle.page:60:exit');
    const site = await startSite();
    const first = await service.run(['crawl', `${site.origin}/`, '--json']);
    expect(first.stderr).toMatch(sentence);
    expect(first.code).toBe(7);
    const jobs = await service.run(['jobs', '--json']);
    const { id } = JSON.parse(jobs.stdout) as { readonly id: string };
    const second = await service.run(['resume', id, '--json']);
    expect(second.code).toBe(0);
    const rows = second.stdout.trim().split('\n');
    expect(new Set(rows).size).toBe(pages);
  });
});

describe('a thread that converts dies', () => {
  test.each([
    ['of a full heap', 'convert.begun:30:memory', 'parse_budget'],
    ['when it has taken a page', 'convert.begun:30:exit', 'parse_crashed'],
    ['when it has a page ready', 'convert.done:30:exit', 'parse_crashed'],
  ])('%s: that page fails, and no other notices', async (_when, end, reason) => {
    const { service, hasDied } = await createService(end);
    const site = await startSite();
    await service.start();
    const { pid } = service;
    const job = await service.crawl({ urls: [`${site.origin}/`] });
    expect(hasDied()).toBe(true);
    expect(job).toMatchObject({
      status: 'succeeded',
      progress: { discovered: pages, queued: 0, inFlight: 0, scraped: pages - 1, discarded: 0, failed: 1, outside: 0 },
      reasons: { [reason]: 1 },
    });
    expect(Object.values(await endingsOf(service, job.id)).filter((ending) => ending !== 'scraped')).toEqual([reason]);
    expect(service.pid).toBe(pid);
    expect(await service.stop()).toBe(0);
  });
});

describe.skipIf(isOnPostgres())('the thread that reads dies (needs the embedded database)', () => {
  test.each([
    { when: 'of a full heap', end: 'memory', cause: 'JS heap out of memory', told: [503, 'unavailable', true] },
    { when: 'before anybody is answered', end: 'exit', cause: 'exit code 3', told: [503, 'unavailable', true] },
    { when: 'of a defect, behind an answer', end: 'exception', cause: 'a defect', told: [200, undefined, false] },
  ])('$when: whoever waits is told to ask again, and then all is well', async ({ end, cause, told }) => {
    const { service, hasDied } = await createService(`pages.read:2:${end}`);
    const site = await startSite();
    await service.start();
    const { pid } = service;
    const { id } = await service.createJob({ urls: [`${site.origin}/`] });
    // Asked for without a page being read.
    await expect.poll(async () => (await service.job(id)).status, { timeout: 60_000 }).toBe('succeeded');
    const read = (): ReturnType<TestService['api']> => service.api(`/crawler/jobs/${id}/data?limit=50`);
    const before = await (await read()).text();
    const answer = await read();
    const { code } = (await answer.json()) as { readonly code?: string };
    expect([answer.status, code, answer.headers.has('retry-after')]).toEqual(told);
    await expect.poll(hasDied).toBe(true);
    await expect.poll(() => service.stderr).toContain('the thread that reads died');
    expect(service.stderr).toContain(cause);
    expect(await (await read()).text()).toBe(before);
    expect(service.pid).toBe(pid);
    expect(await service.stop()).toBe(0);
  });
});
