// Sites that show the same again under ever new URLs.
import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
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
  return { site, job: await service.crawl({ urls: [`${site.origin}/`], page_limit: 700 }) };
}

const htmlOf = (title: string, text: string, links: readonly string[]): string =>
  `<title>${title}</title><main><h1>${title}</h1><p>${text}</p></main><ul>${links.map((href) => `<li><a href="${href}">${href.replace(/[?&](?:sid|visit)=.*/, '')}</a></li>`).join('')}</ul>`;
const insideOf = (title: string, text: string, links: readonly string[]): string =>
  `<title>${title}</title><main><h1>${title}</h1><p>${text}</p><p>${links.map((href) => `<a href="${href}">${href.replace(/[?&](?:sid|visit)=.*/, '')}</a>`).join(' ')}</p></main>`;
const range = (count: number): number[] => Array.from({ length: count }, (_, at) => at + 1);
const letters = (number: number): string =>
  String(number).replaceAll(/\d/g, (digit) => 'abcdefghij'[Number(digit)] ?? '');

describe.concurrent('sites that show the same again', () => {
  test.each([
    ['numbers', (at: number) => `/section${at}/`, ['team/', 'contact/', 'api/jobs/'], htmlOf],
    ['words', (at: number) => `/${letters(at)}/`, ['about/', 'imprint/', 'shop/cart/'], htmlOf],
    ['numbers, inside the text', (at: number) => `/section${at}/`, ['team/', 'contact/', 'api/jobs/'], insideOf],
    [
      'numbers, with a long text',
      (at: number) => `/section${at}/`,
      ['x/', 'y/', 'z/q/'],
      (title: string, text: string, links: readonly string[]) =>
        insideOf(title, `${text} ${'We are sorry for that. '.repeat(200)}`, links),
    ],
  ])(
    'crawl: a page for all unknown paths with relative links comes once, below sections with %s',
    async (what, section, links, html) => {
      const sections = range(11).map(section);
      const { job, site } = await crawl((path) => {
        if (path === '/') return html('Home', 'All sections', sections);
        const at = sections.indexOf(path);
        if (at !== -1) return html(`Section ${letters(at)}`, `The text of ${letters(at)} is its own.`, links);
        return path === '/sitemap.xml' ? undefined : html('Page not found', 'There is nothing here.', links);
      });
      expect(job.progress.scraped).toBeGreaterThanOrEqual(12);
      expect(job.progress.scraped).toBeLessThanOrEqual(15);
      // Two delivered pages are sampled after ten copies, after twenty and so on.
      expect(site.pages().length).toBeLessThan(what === 'words' ? 155 : 150);
      expect(job.status).toBe('succeeded');
      expect([...new Set(codesOf(job))]).toEqual(what === 'words' ? [] : ['trap']);
    },
  );

  test.each([
    ['sid', '', htmlOf],
    ['visit', '', htmlOf],
    ['sid', 'What people wrote there, all of it. '.repeat(100), insideOf],
  ])('crawl: a board that writes a new session (%s) into each link has each topic once', async (name, more, html) => {
    const { job } = await crawl((path) => {
      const { pathname, searchParams } = new URL(path, 'http://site');
      const id = searchParams.get('id') ?? '';
      const session = randomBytes(13).toString('hex');
      const linked = (href: string): string => `${href}&${name}=${session}`;
      if (pathname === '/')
        return html(
          'Board',
          'All forums',
          range(5).map((forum) => linked(`/forum?id=${forum}`)),
        );
      if (pathname === '/forum') {
        const topics = range(8).map((topic) => linked(`/topic?id=${(Number(id) - 1) * 8 + topic}`));
        return html(`Forum ${id}`, `The forum number ${id} has eight topics`, topics);
      }
      if (pathname !== '/topic') return undefined;
      const words = `What topic ${id} says, in the words of ${letters(Number(id))}. ${more}`;
      return html(`Topic ${id}`, words, [linked(`/topic?id=${id}&view=print`)]);
    });
    expect(job.progress.scraped).toBe(46);
    expect(job.status).toBe('succeeded');
  });

  test.each([
    ['No entries were found.', 1, '/?page='],
    ['0 Treffer', 1, '/?seite='],
    ['なにもありません', 1, '/?p='],
    ['No entries were found.', 10, '/?start='],
    ['Nothing here', 1, '/list/'],
  ])('crawl: a list that goes on without entries ends by itself (%s, %i, %s)', async (none, step, to) => {
    const { job, site } = await crawl((path) => {
      if (path.startsWith('/post')) return htmlOf(`Post ${path}`, `The text of ${path} is its own.`, []);
      if (path !== '/' && !path.startsWith(to)) return undefined;
      const from = path === '/' ? 1 : Number(path.slice(to.length));
      const page = 1 + Math.floor((from - 1) / step);
      const posts = page <= 5 ? range(10).map((post) => `/post-${(page - 1) * 10 + post}`) : [];
      const text = posts.length > 0 ? `These are ten posts: ${posts.join(', ')}` : none;
      return htmlOf(`News, page ${from}`, text, [...posts, `${to}${from + step}`]);
    });
    expect(job.progress.scraped).toBeGreaterThanOrEqual(55);
    expect(job.progress.scraped).toBeLessThanOrEqual(57);
    expect(job.complete).toBe(true);
    expect(codesOf(job)).toEqual(['trap']);
    expect(site.pages().length).toBeLessThan(100);
  });

  test.each([
    ['2026-05', 'en', (month: string) => month, '/?m='],
    ['May 2026', 'en', (month: string) => nameOf(month, 'en'), '/?m='],
    ['Mai 2026', 'de', (month: string) => nameOf(month, 'de'), '/kalender/'],
    ['5/2026', 'en', (month: string) => month.replace(/(\d+)-0?(\d+)/, '$2/$1'), '/?month='],
  ])('crawl: a calendar without events ends by itself (%s)', async (_, language, title, to) => {
    const { job, site } = await crawl((path) => {
      if (path !== '/' && !path.startsWith(to)) return undefined;
      const month = path === '/' ? '2026-05' : path.slice(to.length);
      const next = new Date(Date.parse(`${month}-01`) + 32 * 86_400_000).toISOString().slice(0, 7);
      const events = month < '2027-01' && month !== '2026-08' && month !== '2026-09';
      const text = events ? `There is the feast of the ${letters(Number(month.slice(5)))}.` : 'No events.';
      return `<html lang="${language}">${htmlOf(title(month), text, [`${to}${next}`])}`;
    });
    // Six months with events, of which one is the start page's too, and the first without.
    expect(job.progress.scraped).toBeGreaterThanOrEqual(7);
    expect(job.progress.scraped).toBeLessThanOrEqual(12);
    expect(job.complete).toBe(true);
    expect(site.pages().length).toBeLessThan(150);
  });
});

function nameOf(month: string, language: string): string {
  return new Intl.DateTimeFormat(language, { month: 'long', year: 'numeric', timeZone: 'UTC' }).format(
    Date.parse(`${month}-01`),
  );
}
