// The time of day is set while the program runs, and between two runs of it: nothing waits for it, and nothing hurries.
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { hurryOf, latenessMs, page, type ScriptedSite, startScriptedSite } from '../e2e/scripted-site.ts';
import { startService, type TestService } from '../service/start-service.ts';

/** Gives a program another time of day than the machine's; what measures how time passes is left alone. */
const library = ['/usr/lib/x86_64-linux-gnu', '/usr/lib/aarch64-linux-gnu', '/usr/local/lib']
  .map((folder) => path.join(folder, 'faketime/libfaketimeMT.so.1'))
  .find((file) => existsSync(file));

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
  const offset = path.join(folder, 'offset');
  const set = (seconds: number): void => writeFileSync(offset, `${seconds < 0 ? '-' : '+'}${Math.abs(seconds)}\n`);
  set(0);
  const site = await startScriptedSite((name) => {
    if (name === '/robots.txt')
      return { headers: { 'content-type': 'text/plain' }, body: `User-agent: *\nCrawl-delay: ${delayMs / 1000}` };
    return page(name, name === '/0' ? pages : []);
  });
  onTestFinished(() => site.close());
  const service = await startService({
    env: {
      LD_PRELOAD: library,
      FAKETIME_TIMESTAMP_FILE: offset,
      FAKETIME_NO_CACHE: '1',
      FAKETIME_DONT_FAKE_MONOTONIC: '1',
      FAKETIME_DONT_RESET: '1',
    },
  });
  onTestFinished(() => service.close());
  return { site, service, set };
}

async function expectWhole({ site, service }: Clocked, id: string): Promise<void> {
  const job = await service.untilEnded(id);
  expect(job).toMatchObject({ status: 'succeeded', progress: { scraped: pages.length, failed: 0, discarded: 0 } });
  expect(new Set(site.pages().map(({ path: name }) => name))).toEqual(new Set(pages));
  expect(hurryOf(site.pages(), delayMs)).toBeLessThan(latenessMs());
  // A pause that was taken for an hour would be one.
  const times = site.pages().map(({ at }) => at);
  const gaps = times.slice(1).map((at, index) => at - times[index]!);
  expect(Math.max(...gaps)).toBeLessThan(20_000);
}

test.skipIf(library === undefined)(
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
  60_000,
);

test.skipIf(library === undefined).each([
  ['back by an hour', -hour],
  ['forward by an hour', hour],
  ['back by three days', -72 * hour],
])(
  'set %s between SIGKILL and the next start: the crawl goes on (needs libfaketime)',
  async (_, offset) => {
    const clocked = await start();
    const { site, service, set } = clocked;
    const { id } = await service.createJob({ urls: [`${site.origin}/0`], force_crawling_mode: 'link' });
    await site.until(() => site.pages().length >= 4);
    await service.kill();
    set(offset);
    await service.start();
    await expectWhole(clocked, id);
  },
  60_000,
);
