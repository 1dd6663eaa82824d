// The time of day is set while the program runs, and between two runs of it: nothing waits for it, and nothing hurries.
import { randomUUID } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { fakeClock, fakeTimeLibrary } from '../../prove/processes/fake-clock.ts';
import { hurryOf, latenessMs, page, type ScriptedSite, startScriptedSite } from '../e2e/scripted-site.ts';
import { startService, type TestService } from '../service/start-service.ts';

const hour = 3_600;
const delayMs = 400;
const pages = Array.from({ length: 12 }, (_, index) => `/${index}`);

interface Clocked {
  readonly site: ScriptedSite;
  readonly service: TestService;
  /** Sets the service's time of day so many seconds off that of the machine. */
  readonly set: (seconds: number) => void;
}

async function start(): Promise<Clocked> {
  const folder = mkdtempSync(path.join(tmpdir(), 'hayrake-clock-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const clock = fakeClock(folder);
  const site = await startScriptedSite((name) => {
    if (name === '/robots.txt')
      return { headers: { 'content-type': 'text/plain' }, body: `User-agent: *\nCrawl-delay: ${delayMs / 1000}` };
    return page(name, name === '/0' ? pages : []);
  });
  onTestFinished(() => site.close());
  const service = await startService({ env: clock.env });
  onTestFinished(() => service.close());
  return { site, service, set: clock.set };
}

async function expectWhole({ site, service }: Clocked, id: string): Promise<void> {
  const job = await service.untilEnded(id);
  expect(job).toMatchObject({ status: 'succeeded', progress: { scraped: pages.length, failed: 0, discarded: 0 } });
  expect(new Set(site.pages().map(({ path: name }) => name))).toEqual(new Set(pages));
  expect(hurryOf(site.pages(), delayMs)).toBeLessThan(latenessMs());
}

test.skipIf(fakeTimeLibrary === undefined)(
  'set forward and back while a site is crawled: nothing changes (needs libfaketime)',
  async () => {
    const clocked = await start();
    const { site, service, set } = clocked;
    const { id } = await service.createJob({ urls: [`${site.origin}/0`], force_crawling_mode: 'link' });
    const offsets = [hour, -hour, 72 * hour, -72 * hour, 0];
    for (const [index, offset] of offsets.entries()) {
      await site.until(() => site.pages().length >= 2 * (index + 1));
      set(offset);
      // It is the time of day that a job is told to have, so that the clock was really set.
      const { createdAt } = await service.createJob({ urls: [`${site.origin}/0`], page_limit: 1, max_depth: 0 });
      expect(Math.abs(createdAt - Date.now() - offset * 1000)).toBeLessThan(60_000);
    }
    await service.untilEnded(id);
  },
);

test.skipIf(fakeTimeLibrary === undefined).each([
  ['back by an hour', -hour],
  ['forward by an hour', hour],
  ['back by three days', -72 * hour],
])('set %s between SIGKILL and the next start: the crawl goes on (needs libfaketime)', async (_, offset) => {
  const clocked = await start();
  const { site, service, set } = clocked;
  const { id } = await service.createJob({ urls: [`${site.origin}/0`], force_crawling_mode: 'link' });
  await site.until(() => site.pages().length >= 4);
  await service.kill();
  set(offset);
  await service.start();
  await expectWhole(clocked, id);
});

/** So many pages of a job that keeps its results for a time, on a service that has ended. */
async function crawled(clocked: Clocked, expirySeconds: number): Promise<string> {
  const { site, service } = clocked;
  const { id } = await service.createJob({
    urls: pages.slice(0, 4).map((name) => site.origin + name),
    max_depth: 0,
    force_crawling_mode: 'link',
    output_expiry: expirySeconds,
  });
  await service.untilEnded(id);
  await service.stop();
  return id;
}

async function statusOf({ service }: Clocked, id: string): Promise<number> {
  return (await service.api(`/crawler/jobs/${id}/data`)).status;
}

async function expectWholeDatabase({ service }: Clocked): Promise<void> {
  const target = path.join(service.directory, `backup-${randomUUID()}.db`);
  const { code, stderr } = await service.run(['backup', target]);
  expect([code, stderr]).toEqual([0, expect.stringContaining('Backed up')]);
}

/** Asks the store itself, since a service does not say what it sweeps. */
async function untilSwept({ service }: Clocked): Promise<void> {
  const db = new DatabaseSync(path.join(service.directory, 'hayrake.db'), { readOnly: true });
  try {
    await vi.waitUntil(() => db.prepare('SELECT count(*) AS left FROM body').get()?.['left'] === 0, {
      timeout: 20_000,
    });
  } finally {
    db.close();
  }
}

describe.skipIf(fakeTimeLibrary === undefined)('a clock that was ahead at one start (needs libfaketime)', () => {
  test('by eight days: what it lets expire is 410 meanwhile, and is all there again when the clock is right', async () => {
    const clocked = await start();
    const { service, set } = clocked;
    const id = await crawled(clocked, 604_800);
    set(8 * 24 * hour);
    await service.start();
    expect(await statusOf(clocked, id)).toBe(410);
    await vi.waitUntil(() => service.stderr.includes('clock'), { timeout: 20_000 });
    await service.restart();
    expect(await statusOf(clocked, id)).toBe(410);
    await service.stop();
    // Said once a start, with what to do.
    const said = service.stderr.split('\n').filter((line) => line.includes('the clock is far ahead'));
    expect(said).toHaveLength(2);
    expect(said[0]).toMatch(/nothing is deleted for an hour.*correct it/);
    set(0);
    await service.start();
    const { data } = await service.ok<{ data: unknown[] }>(`/crawler/jobs/${id}/data`);
    expect(data).toHaveLength(4);
    await expectWholeDatabase(clocked);
  });

  test('by two minutes: what it swept stays gone, and the database is whole', async () => {
    const clocked = await start();
    const { service, set } = clocked;
    const id = await crawled(clocked, 60);
    set(120);
    await service.start();
    await untilSwept(clocked);
    await service.stop();
    set(0);
    await service.start();
    expect(await statusOf(clocked, id)).toBe(410);
    expect((await service.api(`/crawler/jobs/${id}/urls`)).status).toBe(410);
    expect((await service.api(`/crawler/jobs/${id}/retry`, { json: {} })).status).toBe(410);
    expect((await service.api(`/crawler/jobs/${id}`)).status).toBe(200);
    await expectWholeDatabase(clocked);
  });

  test('when results were deleted: they do not come back', async () => {
    const clocked = await start();
    const { service, set } = clocked;
    const id = await crawled(clocked, 30 * 24 * 3_600);
    set(8 * 24 * hour);
    await service.start();
    expect((await service.api(`/crawler/jobs/${id}`, { method: 'DELETE' })).status).toBe(200);
    await service.kill();
    set(0);
    await service.start();
    expect(await statusOf(clocked, id)).toBe(410);
    await untilSwept(clocked);
  });
});
