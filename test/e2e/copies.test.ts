// Copies of a page are delivered once, pages with texts of their own always, in whatever order they are fetched.
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startService, type TestService } from '../service/start-service.ts';
import { ledgerOf } from './ledger.ts';
import { ScriptedSites } from './scripted-site.ts';

let service: TestService;
const sites = new ScriptedSites();
beforeAll(async () => {
  // One after the other, so that the order of the links is that of the fetches.
  service = await startService({ env: { HAYRAKE_HOST_CONCURRENCY: '1' } });
});
afterAll(async () => {
  await sites.close();
  await service.close();
});

const sentences = (about: string, count = 8): string =>
  Array.from(
    { length: count },
    (_, index) => `<p>Sentence ${index} tells what there is to know about ${about}.</p>`,
  ).join('');
const items = (from: number): string =>
  `<ul>${Array.from({ length: 10 }, (_, index) => `<li><a href="#i">Item ${from + index}</a></li>`).join('')}</ul>`;

interface Given {
  readonly canonical?: string;
  readonly title?: string;
  readonly body: string;
}
const documentOf = ({ canonical, title = 'Title', body }: Given): string =>
  `<html><head><title>${title}</title>${canonical === undefined ? '' : `<link rel=canonical href="${canonical}">`}</head><body><main><h1>Heading</h1>${body}</main></body></html>`;

const hay = sentences('hay');
const list = (order: readonly string[]): string => `<ul>${order.map((name) => `<li>${name}</li>`).join('')}</ul>`;
const [one, two, three] = ['A rake of wood', 'A rake of iron', 'A fork with four tines'] as const;

test.each<readonly [what: string, pages: number, site: Readonly<Record<string, Given>>]>([
  [
    'ten texts that name the start page',
    10,
    Object.fromEntries(
      Array.from({ length: 10 }, (_, index) => [
        `/${index}`,
        { canonical: '/', body: sentences(`tool ${'abcdefghij'[index]}`) },
      ]),
    ),
  ],
  [
    'lists from page to page that name the first',
    5,
    {
      '/list': { body: items(1) },
      ...Object.fromEntries(
        [2, 3, 4, 5].map((page) => [`/list?page=${page}`, { canonical: '/list', body: items(page * 10) }]),
      ),
    },
  ],
  [
    'versions that name the latest, with other texts',
    3,
    {
      '/latest/a': { body: hay },
      '/v1/a': { canonical: '/latest/a', body: sentences('hay', 6) },
      '/v2/a': { canonical: '/latest/a', body: sentences('straw') },
    },
  ],
  [
    'versions that name the latest, with one text',
    1,
    {
      '/latest/a': { body: hay },
      '/v1/a': { canonical: '/latest/a', body: hay },
      '/v2/a': { canonical: '/latest/a', body: hay },
    },
  ],
  [
    'a page with parameters, printed, with another time',
    1,
    {
      '/a': { body: `${hay}<p>Read 12 times` },
      '/a?ref=menu': { canonical: '/a', body: `${hay}<p>Read 13 times` },
      '/a?print=1': { canonical: '/a', body: `${hay}<p>Printed at 12:03` },
    },
  ],
  [
    'one list in three orders',
    1,
    {
      '/shop': { body: list([one, two, three]) },
      '/shop?sort=name': { canonical: '/shop', body: list([three, two, one]) },
      '/shop?sort=price': { canonical: '/shop', body: list([two, one, three]) },
    },
  ],
  [
    'variants of a product with other titles',
    2,
    {
      '/rake': { body: hay, title: 'Rake, red' },
      '/rake?c=blue': { canonical: '/rake', body: hay, title: 'Rake, blue' },
    },
  ],
  [
    'variants of a product with another long line',
    2,
    {
      '/rake': { body: `${hay}<p>Comes in red, with a handle of oak wood` },
      '/rake?c=blue': { canonical: '/rake', body: `${hay}<p>Comes in blue, with a handle of ash wood` },
    },
  ],
  [
    'an original that is missing',
    1,
    { '/b': { canonical: '/gone', body: hay }, '/c': { canonical: '/gone', body: hay } },
  ],
  ['two that name each other', 1, { '/b': { canonical: '/c', body: hay }, '/c': { canonical: '/b', body: hay } }],
])('%s: %i delivered', async (_, pages, given) => {
  const paths = Object.keys(given);
  for (const order of [paths, paths.toReversed()]) {
    const site = await sites.start((path) => {
      if (path === '/')
        return documentOf({ title: 'Start', body: order.map((url) => `<a href="${url}">${url}</a>`).join(' ') });
      const page = given[path];
      return page && documentOf(page);
    });
    const job = await service.crawl({ urls: [`${site.origin}/`] });
    const ledger = await ledgerOf(service, job.id);
    const endings = paths.map((path) => ledger.find(({ url }) => url === site.origin + path));
    expect(site.pages().map(({ path }) => path)).toEqual(expect.arrayContaining(order));
    expect(endings.filter((ending) => ending?.status === 'scraped')).toHaveLength(pages);
    expect(endings.filter((ending) => ending?.reason === 'duplicate_of')).toHaveLength(paths.length - pages);
  }
});
