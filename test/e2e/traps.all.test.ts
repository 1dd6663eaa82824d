// What no crawler comes to the end of: each trap is ended by itself, and nothing beside it is missed.
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { type JobAnswer, startService, type TestService } from '../service/start-service.ts';
import { ledgerOf } from './ledger.ts';
import {
  articleChain,
  articles,
  calendar,
  type EndlessSite,
  page,
  type Pages,
  plan,
  search,
  sessionOf,
  sessions,
  shop,
  softNotFound,
  startEndlessSite,
  textOf,
  wordOf,
} from './trap-sites.ts';

let service: TestService;
beforeAll(async () => {
  service = await startService();
});
afterAll(() => service.close());

const cleanups: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const cleanup of cleanups.splice(0).toReversed()) await cleanup();
});

async function start(pages: readonly Pages[], options: { readonly delayMs?: number } = {}): Promise<EndlessSite> {
  const site = await startEndlessSite(pages, options);
  cleanups.push(() => site.close());
  return site;
}

interface Trap {
  readonly pages: () => Pages;
  /** Where the articles lead into it. */
  readonly entrance: (article: number) => string;
  readonly isInside: (path: string) => boolean;
  /** What is ended, without the host. */
  readonly templates: readonly string[];
  /** Fetches that may go into it: 100 in a row for each fine template, 300 for a coarse one, and what was new before. */
  readonly fetchesMax: number;
}

const traps: Readonly<Record<string, Trap>> = {
  'a calendar with months and days': {
    pages: () => calendar,
    entrance: (article) => `/calendar/${2000 + article}/5`,
    isInside: (path) => path.startsWith('/calendar/'),
    templates: ['/calendar/#/#', '/calendar/#/#/#'],
    fetchesMax: 480,
  },
  'a calendar by its query': {
    pages: () => plan,
    entrance: (article) => `/plan?month=${2000 + article}-05`,
    isInside: (path) => path.startsWith('/plan?'),
    templates: ['/plan?month'],
    fetchesMax: 480,
  },
  'searches for words that are new each time': {
    pages: () => search(),
    entrance: (article) => `/search?s=${wordOf(10_000 + article)}`,
    isInside: (path) => path.startsWith('/search?'),
    templates: ['/search?s'],
    fetchesMax: 480,
  },
  'parameters in every combination': {
    pages: () => shop,
    entrance: () => '/shop',
    isInside: (path) => path.startsWith('/shop?'),
    templates: ['/shop?'],
    fetchesMax: 480,
  },
  'relative links where every page exists': {
    pages: () => softNotFound,
    entrance: () => '/help/',
    isInside: (path) => path.startsWith('/help/'),
    templates: ['/help/{repeating}'],
    fetchesMax: 480,
  },
  'a session in the path': {
    pages: () => sessions(),
    entrance: () => `/s/${sessionOf(0)}/ba`,
    isInside: (path) => path.startsWith('/s/'),
    templates: ['/s/{token}/**'],
    fetchesMax: 480,
  },
};

describe.each(Object.entries(traps))('%s', (_, trap) => {
  const articleCount = 149;
  let site: EndlessSite;
  let job: JobAnswer;
  beforeAll(async () => {
    site = await startEndlessSite([articles(articleCount, trap.entrance), trap.pages()]);
    job = await service.crawl({ urls: [`${site.origin}/`], page_limit: 1_000 });
  });
  afterAll(() => site.close());

  test('costs less than the limit of pages, and the job ends by itself', () => {
    const fetches = site.asked.filter((path) => trap.isInside(path)).length;
    expect(fetches).toBeGreaterThan(100);
    expect(fetches).toBeLessThan(trap.fetchesMax);
    expect(job).toMatchObject({ status: 'succeeded', progress: { queued: 0, inFlight: 0, failed: 0 } });
    expect(job.progress.scraped).toBeLessThan(1_000);
    expect(job['reasons']).not.toHaveProperty('page_limit');
  });

  test('hides none of the 150 pages beside it', async () => {
    const scraped = await ledgerOf(service, job.id, { status: 'scraped' });
    const beside = scraped.filter(({ url }) => !trap.isInside(url.slice(site.origin.length)));
    expect(beside.filter(({ url }) => url === `${site.origin}/` || url.includes('/articles/'))).toHaveLength(150);
  });

  test('is told: by URL with its template, by number, and as a notice', async () => {
    const discarded = await ledgerOf(service, job.id, { status: 'discarded', reason: 'trap' });
    const host = new URL(site.origin).host;
    expect(job['reasons']).toMatchObject({ trap: discarded.length });
    expect(discarded.length).toBeGreaterThan(0);
    expect(discarded.filter(({ url }) => !trap.isInside(url.slice(site.origin.length)))).toEqual([]);
    const templates = new Set(discarded.map(({ detail }) => detail));
    for (const template of trap.templates) expect(templates).toContain(host + template);
    const notices = job.notices.filter(({ code }) => code === 'trap').map(({ message }) => message);
    for (const template of templates) {
      expect(notices).toContainEqual(expect.stringContaining(`${template} brought no new text`));
    }
  });
});

interface Archive {
  readonly paths: readonly string[];
  readonly text: (number: number) => string;
  /** `each other`: the front page links the first, and each page the next. */
  readonly listedBy: 'sitemap' | 'front page' | 'each other';
}

/** Dates one after the other, such as `2026-05-17`. */
function days(count: number): string[] {
  return Array.from({ length: count }, (_, day) => new Date(Date.UTC(2022, 0, day + 1)).toISOString().slice(0, 10));
}

function archivePages({ paths, text, listedBy }: Archive): Pages {
  const all = paths.map((path) => [path, 'More'] as const);
  return ({ pathname, search, origin }) => {
    if (pathname === '/') return page('Farm', 'All of our days.', listedBy === 'front page' ? all : all.slice(0, 1));
    if (pathname === '/sitemap.xml' && listedBy === 'sitemap') {
      const locs = paths.map((path) => `<url><loc>${origin}${path}</loc></url>`).join('');
      return `<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">${locs}</urlset>`;
    }
    const at = paths.indexOf(pathname + search);
    return at === -1 ? undefined : page('Farm', text(at), all.slice(at + 1, at + 2));
  };
}

test('with `trap_detection: false` nothing is taken for a trap: `page_limit` ends the crawl', async () => {
  const site = await start([
    ({ pathname }) => (pathname === '/' ? page('start', 'The start.', [['/calendar/2026/5', 'May']]) : undefined),
    calendar,
  ]);
  const input = { urls: [`${site.origin}/`], force_crawling_mode: 'link', page_limit: 600 };
  expect(await service.crawl({ ...input, trap_detection: false })).toMatchObject({
    progress: { scraped: 600 },
    reasons: expect.not.objectContaining({ trap: expect.anything() }),
  });
});

test('a session in the query is no other page: each is fetched once', async () => {
  let begun = 0;
  const paths = Array.from({ length: 150 }, (_, number) => (number === 0 ? '/' : `/rakes/${wordOf(number)}`));
  const visited: Pages = ({ pathname }) => {
    const index = paths.indexOf(pathname);
    begun += 1;
    const links = paths.map((path) => [`${path}?sid=${sessionOf(begun)}`, path] as const);
    return index === -1 ? undefined : page(wordOf(index), textOf(index), links);
  };
  const site = await start([visited]);
  const job = await service.crawl({ urls: [`${site.origin}/`], force_crawling_mode: 'link' });
  expect(job).toMatchObject({ status: 'succeeded', progress: { discovered: 150, scraped: 150 } });
  // robots.txt, and the pages.
  expect(site.asked).toHaveLength(151);
});

// A million links take most of the processor time that a page may have, more beside other tests.
test('links: the first 50,000 of a page are followed when it has 60,000 or 400,000', async () => {
  const linksTo = (text: string, count: number): string =>
    `<p>${text}</p>${Array.from({ length: count }, (_, number) => `<a href=/${number}>`).join('')}`;
  const site = await start([
    ({ pathname }) => {
      if (pathname === '/')
        return page('Start', 'All.', [
          ['/most', 'x'],
          ['/many', 'y'],
          ['/after', 'z'],
        ]);
      if (pathname === '/most') return linksTo('A page that lists every number there is.', 400_000);
      if (pathname === '/many') return linksTo('Sixty thousand of them on another page.', 60_000);
      return pathname === '/after' ? page('After', 'An ordinary page.') : undefined;
    },
  ]);
  const job = await service.crawl({ urls: [`${site.origin}/`], max_depth: 1, force_crawling_mode: 'link' });
  expect(job).toMatchObject({
    status: 'succeeded',
    progress: { scraped: 4 },
    reasons: { depth: 50_000 },
  });
});

describe('what looks like a trap and is none', () => {
  test.each<readonly [string, (number: number) => readonly [path: string, text: string], number]>([
    ['3,000 pages by number, each with a text of its own', (number) => [`/p/${number}`, textOf(number)], 3_000],
    ['1,500 pages that have nothing but numbers', (number) => [`/n/${number}`, `${number * 37}`], 1_500],
  ])('%s, are all delivered', async (_, pageOf, count) => {
    const table = new Map<string, string>();
    for (let number = 1; number <= count; number += 1) {
      const [path, text] = pageOf(number);
      const links = [number + 1, number * 2, number * 2 + 1]
        .filter((other) => other <= count)
        .map((other) => [pageOf(other)[0], 'More'] as const);
      table.set(path, page(String(number), text, links));
    }
    const site = await start([({ pathname }) => table.get(pathname)]);
    const job = await service.crawl({ urls: [`${site.origin}${pageOf(1)[0]}`] });
    expect(job).toMatchObject({ status: 'succeeded', progress: { scraped: count, discarded: 0, failed: 0 } });
    expect(job.notices.filter(({ code }) => code === 'trap')).toEqual([]);
  });

  test.each<readonly [string, Archive]>([
    [
      '1,500 daily pages that a sitemap lists, each with its own numbers',
      {
        paths: days(1_500).map((day) => `/weather/${day.replaceAll('-', '/')}`),
        text: (number) => `Mean ${number * 7} points`,
        listedBy: 'sitemap',
      },
    ],
    [
      '900 daily pages that the front page links, all with one text',
      { paths: days(900).map((day) => `/r?date=${day}`), text: () => 'No rates on this day.', listedBy: 'front page' },
    ],
    [
      '400 pages with one text and another image each, from one to the next',
      {
        // Those behind the front page's own link are found on pages of their own family.
        paths: Array.from({ length: 400 }, (_, number) => `/photo/${number + 1}`),
        text: (number) => `A photo of our farm. <img src="/images/${number}.jpg" width="800" height="600">`,
        listedBy: 'each other',
      },
    ],
    [
      '800 daily pages with small numbers of their own, from one to the next',
      {
        paths: days(800).map((day) => `/weather/${day.replaceAll('-', '/')}`),
        text: (number) =>
          `High ${(number * 17) % 31}</p><p>Low ${(number * 7) % 19}</p><p>Rain ${(number * 13) % 29} mm</p><p>Sun ${(number * 11) % 23} hours`,
        listedBy: 'each other',
      },
    ],
  ])('%s, are all delivered', async (_, archive) => {
    const site = await start([archivePages(archive)]);
    const job = await service.crawl({ urls: [`${site.origin}/`] });
    const { paths } = archive;
    const ledger = await ledgerOf(service, job.id);
    const delivered = ledger.filter(
      ({ url, status, reason }) =>
        paths.includes(url.slice(site.origin.length)) && (status === 'scraped' || reason === 'duplicate_of'),
    );
    expect(delivered).toHaveLength(paths.length);
    expect(site.asked.filter((path) => paths.includes(path)).toSorted()).toEqual(paths.toSorted());
    expect(job['reasons']).not.toHaveProperty('trap');
  });

  test('start URLs inside a trap are all fetched, also when it has ended', async () => {
    const site = await start([calendar]);
    // What a start page links is fetched as well: some 30 pages each.
    const urls = Array.from({ length: 20 }, (_, year) => `${site.origin}/calendar/${2030 + 10 * year}/5`);
    const job = await service.crawl({ urls, page_limit: 2_000 });
    const ledger = await ledgerOf(service, job.id);
    const starts = ledger.filter(({ url }) => urls.includes(url));
    expect(starts).toHaveLength(20);
    expect(starts.filter(({ status }) => status !== 'scraped')).toEqual([]);
    expect(job.status).toBe('succeeded');
    expect(job['reasons']).toHaveProperty('trap');
  });
});

test('a trap that has ended stays ended over SIGKILL, however often pages go on leading into it', async () => {
  const own = await startService();
  cleanups.push(() => own.close());
  const entrance = (article: number): string => `/calendar/${1950 + article}/5`;
  const site = await start([articleChain(150, entrance), calendar], { delayMs: 20 });
  const { id } = await own.createJob({ urls: [`${site.origin}/`], page_limit: 1_000 });
  await expect
    .poll(async () => (await own.job(id)).notices.filter(({ code }) => code === 'trap').length, { timeout: 120_000 })
    .toBe(2);
  await own.kill();
  const before = site.asked.length;
  await own.start();
  const job = await own.untilEnded(id);

  expect(job.status).toBe('succeeded');
  const after = site.asked.slice(before);
  expect(after.filter((path) => path.startsWith('/calendar/'))).toEqual([]);
  expect(after.filter((path) => path.startsWith('/articles/')).length).toBeGreaterThan(30);
  const last = (await ledgerOf(own, id, { reason: 'trap' })).find(({ url }) => url === site.origin + entrance(149));
  expect(last).toMatchObject({ status: 'discarded', detail: `${new URL(site.origin).host}/calendar/#/#` });
  expect((await ledgerOf(own, id)).filter(({ url }) => !url.includes('/calendar/'))).toHaveLength(150);
});
