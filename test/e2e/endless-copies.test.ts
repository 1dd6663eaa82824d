// Sites that show the same again under ever new URLs, and sites whose pages differ in little.
import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type JobAnswer, startService, type TestService } from '../service/start-service.ts';
import { codesOf } from './ledger.ts';
import { type Script, ScriptedSites, type ScriptedSite } from './scripted-site.ts';

let service: TestService;
const sites = new ScriptedSites();
beforeAll(async () => {
  service = await startService();
});
afterAll(async () => {
  await sites.close();
  await service.close();
});

async function crawl(script: Script): Promise<{ readonly job: JobAnswer; readonly site: ScriptedSite }> {
  const site = await sites.start((path, asks) => (path === '/robots.txt' ? undefined : script(path, asks)));
  return { site, job: await service.crawl({ urls: [`${site.origin}/`] }) };
}

const htmlOf = (title: string, text: string, links: readonly string[]): string =>
  `<title>${title}</title><main><h1>${title}</h1><p>${text}</p></main><ul>${links.map((href) => `<li><a href="${href}">${href.replace(/[?&]sid=.*/, '')}</a></li>`).join('')}</ul>`;
const range = (count: number): number[] => Array.from({ length: count }, (_, at) => at + 1);

test('crawl: a board that writes a new session into each link has each topic once', async () => {
  const { job } = await crawl((path) => {
    const { pathname, searchParams } = new URL(path, 'http://site');
    const id = searchParams.get('id') ?? '';
    const linked = (href: string): string => `${href}&sid=${randomBytes(13).toString('hex')}`;
    if (pathname === '/')
      return htmlOf(
        'Board',
        'All forums',
        range(5).map((forum) => linked(`/forum?id=${forum}`)),
      );
    if (pathname === '/forum') {
      const topics = range(8).map((topic) => linked(`/topic?id=${(Number(id) - 1) * 8 + topic}`));
      return htmlOf(`Forum ${id}`, `The forum number ${id} has eight topics`, topics);
    }
    const words = `What topic ${id} says, in the words of ${'abcdefghij'[Number(id) % 10]}${id}`;
    return htmlOf(`Topic ${id}`, words, [linked(`/topic?id=${id}&view=print`)]);
  });
  expect(job.progress.scraped).toBe(46);
  expect(job.complete).toBe(true);
});

test('crawl: a list that goes on without entries ends by itself', async () => {
  const { job, site } = await crawl((path) => {
    const { pathname, searchParams } = new URL(path, 'http://site');
    if (pathname.startsWith('/post')) return htmlOf(`Post ${pathname}`, `The text of ${pathname} is its own.`, []);
    const page = Number(searchParams.get('page') ?? 1);
    const posts = page <= 5 ? range(10).map((post) => `/post-${(page - 1) * 10 + post}`) : [];
    const text = posts.length > 0 ? `These are ten posts: ${posts.join(', ')}` : 'No entries were found.';
    return htmlOf(`News, page ${page}`, text, [...posts, `/?page=${page + 1}`]);
  });
  expect(job.progress.scraped).toBeGreaterThanOrEqual(55);
  expect(job.progress.scraped).toBeLessThanOrEqual(56);
  expect(job.complete).toBe(true);
  expect(codesOf(job)).toEqual(['trap']);
  expect(site.pages().length).toBeLessThan(100);
});

test('crawl: a calendar without events ends by itself', async () => {
  const { job, site } = await crawl((path) => {
    const month = new URL(path, 'http://site').searchParams.get('m') ?? '2026-05';
    const [year = 0, number = 0] = month.split('-').map(Number);
    const names = 'January February March April May June July August September October November December'.split(' ');
    const next = number === 12 ? `${year + 1}-01` : `${year}-${String(number + 1).padStart(2, '0')}`;
    const text = year === 2026 ? `In this month there is the feast of ${names[number - 1]}.` : 'No events.';
    return htmlOf(`${names[number - 1]} ${year}`, text, [`/?m=${next}`]);
  });
  expect(job.progress.scraped).toBeGreaterThanOrEqual(8);
  expect(job.complete).toBe(true);
  expect(site.pages().length).toBeLessThan(150);
});

test('crawl: a table of rates for each day has all days', async () => {
  const day = (at: number): string => new Date(Date.UTC(2024, 0, 1 + at)).toISOString().slice(0, 10);
  const { job } = await crawl((path) => {
    const at = path === '/' ? 0 : range(400).findIndex((one) => path === `/rates/${day(one - 1)}`);
    if (at === -1) return undefined;
    const rates = ['USD', 'GBP', 'JPY'].map(
      (code, row) => `${code} ${(1 + ((at * 37 + row * 11) % 997) / 1_000).toFixed(4)}`,
    );
    return htmlOf('Rates', `Rates of ${day(at)}: ${rates.join(', ')}`, at < 399 ? [`/rates/${day(at + 1)}`] : []);
  });
  expect(job.progress.scraped).toBe(400);
});

test('crawl: one body at two URLs that links elsewhere is one page', async () => {
  const { job } = await crawl((path) =>
    path === '/' || path === '/index.html'
      ? htmlOf('Home', 'The home of this site', ['/index.html', 'https://other.example/x/#y'])
      : undefined,
  );
  expect([job.progress.scraped, job['reasons']]).toMatchObject([1, { duplicate_of: 1 }]);
});
