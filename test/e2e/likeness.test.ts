// Pages that are copies of each other, and pages that differ in little.
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type JobAnswer, startService, type TestService } from '../service/start-service.ts';
import { startGeneratedSite } from './generated-site.ts';
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

test.each([60, 120])('crawl: %i pages that differ in a number and in their links are all delivered', async (count) => {
  const job = await crawl((path) => {
    const at = path === '/' ? 1 : Number(/^\/page\/(\d+)$/.exec(path)?.[1]);
    const links = [2 * at, 2 * at + 1].filter((next) => next <= count).map((next) => `/page/${next}`);
    return at >= 1 && at <= count ? htmlOf(`Page ${at}`, 'What it links to is all that it has.', links) : undefined;
  });
  expect(job.progress.scraped).toBe(count);
});

test('crawl: one body at two URLs that links elsewhere is one page', async () => {
  const job = await crawl((path) =>
    path === '/' || path === '/index.html'
      ? htmlOf('Home', 'The home of this site', ['/index.html', 'https://other.example/x/#y'])
      : undefined,
  );
  expect([job.progress.scraped, job['reasons']]).toMatchObject([1, { duplicate_of: 1 }]);
});

test('crawl: shops of one form have each page with a text of its own, though their start pages are equal', async () => {
  const shops = range(12).map((shop) => `/shops/${shop}/`);
  const job = await crawl((path) => {
    if (path === '/') return htmlOf('All', 'All that there is', ['/shops/']);
    if (path === '/shops/') return htmlOf('Shops', 'All shops', shops);
    if (shops.includes(path)) return htmlOf('Shop', 'Welcome to our shop', ['hours/', 'way/']);
    const [shop, what] = [path.slice(0, path.lastIndexOf('/', path.length - 2) + 1), /(hours|way)\/$/.exec(path)?.[1]];
    return shops.includes(shop) && what !== undefined
      ? htmlOf(what, `The ${what} of the shop ${'abcdefghijkl'[shops.indexOf(shop)]}`, [])
      : undefined;
  });
  expect(job.progress.scraped).toBe(2 + 1 + 24);
});

test('crawl: albums whose pages differ in images of the same names have all pages', async () => {
  const albums = range(12).map((album) => `/albums/${album}/`);
  const job = await crawl((path) => {
    if (path === '/') return htmlOf('All', 'All that there is', ['/albums/']);
    if (path === '/albums/') return htmlOf('Albums', 'All albums', albums);
    return albums.includes(path)
      ? `<title>Album</title><main><h1>Album</h1><p>Our pictures of the farm</p><img src="1.jpg" width="800" height="600"></main>`
      : undefined;
  });
  expect(job.progress.scraped).toBe(14);
});

test('crawl: a chain of months with gaps has every month with a text of its own', async () => {
  const job = await crawl((path) => {
    const at = path === '/' ? 0 : Number(/^\/list\/(\d+)$/.exec(path)?.[1]);
    if (!(at >= 0 && at <= 60)) return undefined;
    const text = at % 9 === 0 ? `A feast of the ${'abcdefghij'[at / 9]}` : 'Nothing';
    return htmlOf('Months', text, at < 60 ? [`/list/${at + 1}`] : []);
  });
  // And the first without.
  expect(job.progress.scraped).toBe(7 + 1);
});

test.each([12, 18, 60])(
  'crawl: a site of %i generated pages that are linked criss-cross has all pages',
  async (pages) => {
    const site = sites.keep(await startGeneratedSite({ pages, delayMs: 1 }));
    const job = await service.crawl({ urls: [`${site.origin}/`] });
    expect(job.progress.scraped).toBe(pages);
  },
);
