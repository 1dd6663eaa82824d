/// <reference lib="dom" />
// How large and how fast the dashboard is. The list of a million pages is served by the test: no crawl makes one in time.
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { bundleDashboard } from '../../scripts/bundle-dashboard.ts';
import { type JobAnswer, startService, type TestService } from '../service/start-service.ts';
import { type BrowserSession, isBrowserMissing, loginLink, openBrowser } from './browser-session.ts';

const sizeMax = 110_000;
const paintMsMax = 300;
const rows = 1_000_000;
const frameMsMax = 50;
const heapMax = 30e6;
/** Other tests run on the same processors: the best try counts. */
const tries = 3;

test('all files together are under 110 kB, compressed', async () => {
  const files = await bundleDashboard();
  const bytes = files.reduce((sum, { contents }) => sum + contents.length, 0);
  console.log(`dashboard: ${bytes} bytes in ${files.length} files`);
  expect(bytes).toBeLessThan(sizeMax);
});

describe.skipIf(isBrowserMissing)('in a browser (needs chromium-headless-shell)', () => {
  let service: TestService;
  let browser: BrowserSession;
  beforeAll(async () => {
    service = await startService();
    browser = await openBrowser(service);
    await browser.page.goto(loginLink(service));
    await browser.page.getByRole('heading', { name: 'Jobs' }).waitFor();
  });
  afterAll(async () => {
    await browser?.close();
    await service?.close();
  });

  test('the first paint takes less than 300 ms', async () => {
    const paints: number[] = [];
    for (let attempt = 0; attempt < 2 * tries; attempt++) {
      await browser.page.goto(`${service.origin}/`);
      await browser.page.getByRole('heading', { name: 'Jobs' }).waitFor();
      paints.push(await browser.page.evaluate(firstPaint));
    }
    console.log(`dashboard: first contentful paint ${paints.map(Math.round).join(', ')} ms`);
    expect(Math.min(...paints)).toBeLessThan(paintMsMax);
  });

  test('a list of 1,000,000 pages scrolls smoothly, in little memory', async () => {
    const { page } = browser;
    const job = await service.createJob({ urls: ['http://127.0.0.1:9/'] });
    const shown = await service.ok<JobAnswer>(`/crawler/jobs/${job.id}/cancel`, { method: 'POST' });
    const progress = { ...shown.progress, discovered: rows, scraped: rows, failed: 0 };
    await page.route(`**/crawler/jobs/${job.id}`, (route) => route.fulfill({ json: { ...shown, progress } }));
    await page.route('**/meta?*', (route) => {
      const query = new URL(route.request().url()).searchParams;
      const [after, limit] = [Number(query.get('after')), Number(query.get('limit'))];
      const data = Array.from({ length: Math.min(limit, rows - after) }, (_, index) => ({
        meta: {
          page: after + index + 1,
          url: `http://h/p/${after + index + 1}`,
          fetchedUrl: '',
          meta: { title: `Page ${after + index + 1}`, wordCount: 100 },
        },
      }));
      return route.fulfill({ json: { data } });
    });
    const developer = await page.context().newCDPSession(page);
    await developer.send('Performance.enable');
    let [frames, heap] = [Number.POSITIVE_INFINITY, Number.POSITIVE_INFINITY];
    for (let attempt = 0; attempt < tries && (frames >= frameMsMax || heap >= heapMax); attempt++) {
      await page.goto(`${service.origin}/jobs/${job.id}/pages`);
      await page.getByText('Page 1', { exact: true }).waitFor();
      frames = Math.min(frames, await page.evaluate(dragToTheEnd));
      await page.getByText(`Page ${rows}`, { exact: true }).waitFor();
      const { metrics } = await developer.send('Performance.getMetrics');
      heap = Math.min(heap, metrics.find(({ name }) => name === 'JSHeapUsedSize')?.value ?? Number.POSITIVE_INFINITY);
      console.log(
        `dashboard: 1,000,000 rows, p95 ${Math.round(frames)} ms a frame, heap ${(heap / 1e6).toFixed(1)} MB`,
      );
    }
    expect(frames).toBeLessThan(frameMsMax);
    expect(heap).toBeLessThan(heapMax);
    expect(await page.locator('.virtual-row').count()).toBeLessThan(60);
    await page.locator('.virtual').focus();
    await page.keyboard.press('Home');
    await page.getByText('Page 1', { exact: true }).waitFor();
  });
});

/** It is reported some time after it. */
function firstPaint(): Promise<number> {
  return new Promise((resolve) => {
    const look = (): void => {
      const [entry] = performance.getEntriesByName('first-contentful-paint');
      if (entry) resolve(entry.startTime);
      else requestAnimationFrame(look);
    };
    look();
  });
}

/** Moves the scroll bar from top to bottom in three seconds. Returns the 95th percentile of the times between frames. */
function dragToTheEnd(): Promise<number> {
  const list = document.querySelector('.virtual');
  if (!list) throw new Error('there is no list');
  const start = performance.now();
  const times: number[] = [];
  let last = start;
  return new Promise((resolve) => {
    const frame = (now: number): void => {
      times.push(now - last);
      last = now;
      const done = Math.min(1, (now - start) / 3_000);
      list.scrollTop = done * (list.scrollHeight - list.clientHeight);
      if (done < 1) requestAnimationFrame(frame);
      else resolve(times.toSorted((one, other) => one - other)[Math.floor(times.length * 0.95)] ?? 0);
    };
    requestAnimationFrame(frame);
  });
}
