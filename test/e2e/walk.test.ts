// Pages that are only read for their links: `deliver_globs`.
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { readToEnd } from '../service/read-results.ts';
import { startService, type TestService } from '../service/start-service.ts';
import { codesOf, endingsOf } from './ledger.ts';
import { page, type Script, ScriptedSites } from './scripted-site.ts';

let service: TestService;
const sites = new ScriptedSites();
beforeAll(async () => {
  service = await startService();
});
afterAll(async () => {
  await sites.close();
  await service.close();
});

const posts = Array.from({ length: 15 }, (_, at) => `/post/${at + 1}`);
const lists = ['/', '/list/2', '/list/3'];
/** Three lists of five posts; each list links to the next. */
const blog: Script = (path) => {
  const at = lists.indexOf(path);
  if (at === -1) return path.startsWith('/post/') ? page(path) : undefined;
  return page(path, [...posts.slice(at * 5, at * 5 + 5), ...lists.slice(at + 1, at + 2)]);
};

async function walked(script: Script, input: Readonly<Record<string, unknown>>, start = '/') {
  const site = await sites.start(script);
  const job = await service.crawl({ urls: [`${site.origin}${start}`], ...input });
  const rows = await readToEnd(service, job.id, 'data', () => 400);
  const paths = rows.map(({ meta }) => new URL(meta.url).pathname).toSorted();
  return { site, job, paths, endings: await endingsOf(service, job.id) };
}

const undelivered = (endings: Readonly<Record<string, string>>): readonly string[] =>
  Object.keys(endings)
    .filter((path) => endings[path] === 'not_delivered')
    .toSorted();

describe.concurrent('a crawl that delivers a part of what it reads', () => {
  test.each<[what: string, input: Readonly<Record<string, unknown>>]>([
    ['a path', { deliver_globs: ['/post/*'] }],
    ['whole URLs, and one glob without a match', { deliver_globs: ['/news/**', 'http://*/post/**'] }],
    ['a path, with text of any length', { deliver_globs: ['/post/*'], min_length: 10 }],
    ['a path, of which included URLs lead elsewhere too', { deliver_globs: ['/post/*'], include_globs: ['/**'] }],
  ])('deliver_globs: finds all pages behind others that it does not deliver, with %s', async (_, input) => {
    const { job, paths, endings } = await walked(blog, input);
    expect(paths).toEqual(posts.toSorted());
    expect(undelivered(endings)).toEqual(lists.toSorted());
    expect(job.progress).toMatchObject({ scraped: 15, discarded: 3, failed: 0 });
    expect([job.status, job.complete, codesOf(job)]).toEqual(['succeeded', true, []]);
  });

  test('deliver_globs: delivers all pages without one', async () => {
    const { job } = await walked(blog, { deliver_globs: [] });
    expect(job.progress).toMatchObject({ scraped: 18, discarded: 0 });
  });

  test('deliver_globs: counts delivered pages against page_limit, and all against fetch_limit', async () => {
    // One request at a time, in the order of the links: lists come first.
    const limits = { host_concurrency: 1, deliver_globs: ['/post/*'] };
    const pages = await walked(blog, { ...limits, page_limit: 4 });
    expect(pages.paths).toHaveLength(4);
    expect(codesOf(pages.job)).toEqual(['page_limit_reached']);
    const fetches = await walked(blog, { ...limits, fetch_limit: 4 });
    expect(fetches.site.pages().filter(({ path }) => path !== '/sitemap.xml')).toHaveLength(4);
    expect(fetches.paths.length).toBeLessThan(4);
    expect(codesOf(fetches.job)).toContain('fetch_limit_reached');
  });

  test('deliver_globs: delivers a page that a redirect leads to, or from', async () => {
    const to = (location: string) => ({ status: 302, headers: { location } });
    const { paths } = await walked(
      (path) => {
        if (path === '/') return page(path, ['/go/1', '/post/moved']);
        if (path === '/go/1') return to('/post/1');
        if (path === '/post/moved') return to('/archive/2');
        return page(path);
      },
      { deliver_globs: ['/post/*'] },
    );
    expect(paths).toEqual(['/go/1', '/post/moved']);
  });

  test('deliver_globs: forbids nothing that robots.txt allows, and allows nothing that it forbids', async () => {
    const { paths, endings, site } = await walked(
      (path) => (path === '/robots.txt' ? { body: 'User-agent: *\nDisallow: /post/3\n' } : blog(path, 1)),
      { deliver_globs: ['/post/*'] },
    );
    expect(paths).toHaveLength(14);
    expect(endings['/post/3']).toBe('robots_disallowed');
    expect(site.asks('/post/3')).toBe(0);
  });

  test('deliver_globs: says pattern_unmatched when no page matches', async () => {
    const { job } = await walked(blog, { deliver_globs: ['/Post/*'] });
    expect([job.status, codesOf(job)]).toEqual(['failed', ['pattern_unmatched']]);
    expect(job.findings.find(({ code }) => code === 'pattern_unmatched')?.count).toBe(18);
  });

  test('deliver_globs: follows the start page to where it is in a scope of paths', async () => {
    const { paths } = await walked(
      (path) => {
        if (path === '/docs') return { status: 302, headers: { location: '/docs/en/' } };
        return page(path, path === '/docs/en/' ? ['/docs/en/a', '/docs/fr/a', '/other'] : []);
      },
      { scope: 'path', deliver_globs: ['/docs/*/a'] },
      '/docs',
    );
    expect(paths).toEqual(['/docs/en/a']);
  });

  test('preview: shows that the first page is not delivered, and how many of its links are', async () => {
    const site = await sites.start(blog);
    const found = await service.ok<{ page: unknown; links: unknown }>('/crawler/jobs/preview', {
      method: 'POST',
      json: { urls: [`${site.origin}/`], deliver_globs: ['/post/*'] },
    });
    expect(found.page).toMatchObject({ status: 'discarded', reason: 'not_delivered', statusCode: 200 });
    expect(found.links).toMatchObject({ found: 6, followed: 6, delivered: 5 });
  });
});
