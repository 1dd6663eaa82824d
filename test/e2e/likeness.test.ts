// Pages that are copies of each other, and pages that differ in little.
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type JobAnswer, startService, type TestService } from '../service/start-service.ts';
import { type Script, ScriptedSites } from './scripted-site.ts';

let service: TestService;
const sites = new ScriptedSites();
beforeAll(async () => {
  service = await startService();
});
afterAll(async () => {
  await sites.close();
  await service.close();
});

async function crawl(script: Script): Promise<JobAnswer> {
  const site = await sites.start((path, asks) => (path === '/robots.txt' ? undefined : script(path, asks)));
  return service.crawl({ urls: [`${site.origin}/`] });
}

const htmlOf = (title: string, text: string, links: readonly string[]): string =>
  `<title>${title}</title><main><h1>${title}</h1><p>${text}</p></main><ul>${links.map((href) => `<li><a href="${href}">${href}</a></li>`).join('')}</ul>`;
const range = (count: number): number[] => Array.from({ length: count }, (_, at) => at + 1);

test('crawl: a table of rates for each day has all days', async () => {
  const day = (at: number): string => new Date(Date.UTC(2024, 0, 1 + at)).toISOString().slice(0, 10);
  const job = await crawl((path) => {
    const at = path === '/' ? 0 : range(400).findIndex((one) => path === `/rates/${day(one - 1)}`);
    if (at === -1) return undefined;
    const rates = ['USD', 'GBP', 'JPY'].map(
      (code, row) => `${code} ${(1 + ((at * 37 + row * 11) % 997) / 1_000).toFixed(4)}`,
    );
    return htmlOf('Rates', `Rates of ${day(at)}: ${rates.join(', ')}`, at < 399 ? [`/rates/${day(at + 1)}`] : []);
  });
  expect(job.progress.scraped).toBe(400);
});

test('crawl: pages that differ in a number and in their links are all delivered', async () => {
  const job = await crawl((path) => {
    const at = path === '/' ? 1 : Number(/^\/page\/(\d+)$/.exec(path)?.[1]);
    const links = [2 * at, 2 * at + 1].filter((next) => next <= 60).map((next) => `/page/${next}`);
    return at >= 1 && at <= 60 ? htmlOf(`Page ${at}`, 'What it links to is all that it has.', links) : undefined;
  });
  expect(job.progress.scraped).toBe(60);
});

test('crawl: one body at two URLs that links elsewhere is one page', async () => {
  const job = await crawl((path) =>
    path === '/' || path === '/index.html'
      ? htmlOf('Home', 'The home of this site', ['/index.html', 'https://other.example/x/#y'])
      : undefined,
  );
  expect([job.progress.scraped, job['reasons']]).toMatchObject([1, { duplicate_of: 1 }]);
});
