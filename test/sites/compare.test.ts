// Proves that the check of the sites can fail: each kind of wrong crawl has its fault, and a right crawl has none.
import { describe, expect, test } from 'vitest';
import { compare, type Observed } from './compare.ts';
import { faultsOf, startSiteCrawler } from './crawl-site.ts';
import { type Expectations, navigationMark } from './site.ts';
import { SitePlan } from './site-plan.ts';

const plan = new SitePlan();
plan.robots(['User-agent: *']);
plan.page('/', 'the start', 'Mstart');
plan.page('/empty', '', undefined);
plan.copies('/a', ['/a', '/a?copy=1'], 'a', 'Ma');
plan.copies('/b', ['/b', '/b?late=1'], 'b', 'Mb', { requests: [0, 1], or: ['trap'] });
plan.ends('/gone', 'http_410', { status: 410 });
plan.expect('/go', { kind: 'ended', reason: 'duplicate_of', details: ['/a', '/b'] }, 1);
plan.refused('/private', 'robots_disallowed');
plan.unlisted('/api', 'It is an API.');
const expectations: Expectations = {
  ...plan.site({ latencyMs: [0, 0] }),
  patterns: [{ matches: (name) => name.startsWith('/list?'), ends: ['scraped', 'trap'], requestsMax: 2 }],
  notices: ['trap'],
  noticesAllowed: ['sitemap_missing'],
  inFlightMin: 2,
};

const right: Observed = {
  status: 'succeeded',
  notices: ['trap'],
  rows: [
    { name: '/', end: 'scraped' },
    { name: '/empty', end: 'scraped' },
    { name: '/a', end: 'scraped' },
    { name: '/a?copy=1', end: 'duplicate_of', detail: '/a' },
    { name: '/b', end: 'scraped' },
    { name: '/b?late=1', end: 'trap', detail: '/b' },
    { name: '/gone', end: 'http_410' },
    { name: '/go', end: 'duplicate_of', detail: '/b' },
    { name: '/private', end: 'robots_disallowed', detail: '/private' },
    { name: '/list?page=1', end: 'scraped' },
    { name: '/list?page=2', end: 'trap' },
  ],
  pages: [
    { name: '/', text: 'It says Mstart.' },
    { name: '/empty', text: '' },
    { name: '/a', text: 'Ma' },
    { name: '/b', text: 'Mb' },
    { name: '/list?page=1', text: 'A list.' },
  ],
  requests: ['/robots.txt', '/', '/empty', '/a', '/a?copy=1', '/b', '/gone', '/go', '/list?page=1'],
  inFlightMax: 2,
};

function withRow(name: string, change: object): Observed {
  return { ...right, rows: right.rows.map((row) => (row.name === name ? { ...row, ...change } : row)) };
}

function withoutPage(name: string, row: object): Observed {
  return { ...withRow(name, row), pages: right.pages.filter((page) => page.name !== name) };
}

function withText(name: string, text: string): Observed {
  return { ...right, pages: right.pages.map((page) => (page.name === name ? { name, text } : page)) };
}

function withRequests(...names: readonly string[]): Observed {
  return { ...right, requests: [...right.requests, ...names] };
}

test('a right crawl has no fault, and its pages are counted', () => {
  const verdict = compare(expectations, right);
  expect(faultsOf(verdict)).toEqual([]);
  expect(verdict).toMatchObject({ expected: 4, delivered: 5 });
});

test('of copies, which one is delivered does not matter', () => {
  const other: Observed = {
    ...right,
    rows: right.rows.map((row) => {
      if (row.name === '/a') return { name: '/a', end: 'duplicate_of', detail: '/a?copy=1' };
      return row.name === '/a?copy=1' ? { name: row.name, end: 'scraped' } : row;
    }),
    pages: right.pages.map((page) => (page.name === '/a' ? { ...page, name: '/a?copy=1' } : page)),
  };
  expect(faultsOf(compare(expectations, other))).toEqual([]);
});

describe('exactly one fault is', () => {
  test.each<readonly [what: string, observed: Observed, fault: string]>([
    ['a page that was discarded', withoutPage('/', { end: 'trap', detail: '/*' }), 'missing: / is missing: trap (/*)'],
    [
      'copies of which none came',
      withoutPage('/a', { end: 'duplicate_of', detail: '/a?copy=1' }),
      'missing: no copy of /a was delivered: /a duplicate_of (/a?copy=1), /a?copy=1 duplicate_of (/a)',
    ],
    [
      'a forbidden URL that was requested',
      withRequests('/private'),
      'fetched: /private was requested 1 times, and 0 is the most: robots_disallowed',
    ],
    [
      'an unlisted URL that was requested',
      withRequests('/api'),
      'fetched: /api was requested 1 times, and 0 is the most: It is an API.',
    ],
    [
      'a request that nobody expects',
      withRequests('/favicon.ico'),
      'fetched: /favicon.ico was requested 1 times, and 0 is the most: no URL of the site',
    ],
    [
      'a page that was requested 18 times',
      withRequests(...Array.from({ length: 17 }, () => '/a')),
      'fetched: 17 requests were for pages once more, such as /a',
    ],
    [
      'robots.txt that was requested twice',
      withRequests('/robots.txt'),
      'fetched: /robots.txt was requested 2 times, and 1 is the most: It is for crawlers.',
    ],
    ['more requests to a pattern than it may have', withRequests('/list?page=2', '/list?page=3'), 'and 2 is the most'],
    [
      'a file that was not requested',
      { ...right, requests: right.requests.filter((name) => name !== '/robots.txt') },
      'other: /robots.txt was requested 0 times, and 1 is the least',
    ],
    ['another reason', withRow('/gone', { end: 'http_404' }), 'other: /gone ended as http_404, not as http_410'],
    [
      'another reason of a refused URL',
      withRow('/private', { end: 'nofollow' }),
      'other: /private ended as nofollow (/private), not as robots_disallowed',
    ],
    [
      'a copy with a reason of its own',
      withRow('/a?copy=1', { end: 'trap' }),
      'other: /a?copy=1 ended as trap (/a), not as duplicate_of',
    ],
    [
      'a copy of something else',
      withRow('/a?copy=1', { detail: '/b' }),
      'other: /a?copy=1 is duplicate_of (/b), which is no copy of /a',
    ],
    [
      'a redirect to something else',
      withRow('/go', { detail: '/' }),
      'other: /go is duplicate_of (/), and not of /a or /b',
    ],
    [
      'a row that is missing',
      { ...right, rows: right.rows.filter(({ name }) => name !== '/gone') },
      'other: /gone is not in the ledger',
    ],
    [
      'a row that nobody expects',
      { ...right, rows: [...right.rows, { name: '/b.html', end: 'http_404' }] },
      'other: /b.html is listed as http_404, and is no URL of the site',
    ],
    [
      'a row of a pattern with another end',
      withRow('/list?page=2', { end: 'nofollow' }),
      'other: /list?page=2 ended as nofollow, not as scraped or trap',
    ],
    [
      'an unlisted URL in the ledger',
      { ...right, rows: [...right.rows, { name: '/api', end: 'content_type' }] },
      'other: /api is listed as content_type: It is an API.',
    ],
    ['a row that is listed twice', { ...right, rows: [...right.rows, right.rows[6]!] }, 'other: /gone is listed twice'],
    [
      'a page that was delivered twice',
      { ...right, pages: [...right.pages, right.pages[1]!] },
      'other: /empty was delivered twice',
    ],
    [
      'a text without its mark',
      withText('/', 'It says nothing.'),
      'other: / has "Mstart" 0 times, not once: "It says nothing."',
    ],
    [
      'a text with its mark twice',
      withText('/', 'Mstart Mstart'),
      'other: / has "Mstart" 2 times, not once: "Mstart Mstart"',
    ],
    [
      'a text with the navigation',
      withText('/list?page=1', `${navigationMark} Home`),
      'other: /list?page=1 has text of the navigation',
    ],
    ['a notice that is missing', { ...right, notices: [] }, 'other: there is no notice trap'],
    ['a notice that nobody expects', { ...right, notices: ['trap', 'no_pages'] }, 'other: there is a notice no_pages'],
    ['another end of the job', { ...right, status: 'failed' }, 'other: the job ended as failed'],
    [
      'one request at a time',
      { ...right, inFlightMax: 1 },
      'other: at most 1 requests were in flight at once, and 2 is the least',
    ],
  ])('%s', (_, observed, fault) => {
    expect(faultsOf(compare(expectations, observed))).toEqual([expect.stringContaining(fault)]);
  });

  test('a row that was scraped, without a page', () => {
    const observed = withRow('/list?page=2', { end: 'scraped' });
    expect(faultsOf(compare(expectations, observed))).toEqual([
      'other: /list?page=2 is listed as scraped, and was not delivered',
    ]);
  });
});

test('copies that both came are a fault', () => {
  const both: Observed = {
    ...withRow('/a?copy=1', { end: 'scraped' }),
    pages: [...right.pages, { name: '/a?copy=1', text: 'Ma' }],
  };
  expect(faultsOf(compare(expectations, both))).toEqual(['other: copies of /a were delivered: /a, /a?copy=1']);
});

test('a site that is expected to be another has faults of each kind after a real crawl', async () => {
  const site = new SitePlan();
  site.control('/robots.txt', { type: 'text/plain', body: 'User-agent: *\nDisallow: /closed' });
  site.control('/sitemap.xml', { status: 404 });
  site.page(
    '/',
    `<title>Start</title><p>Welcome to Mstart.</p>${['/open', '/closed', '/gone', '/else'].map((path) => `<a href="${path}">${path}</a>`).join('')}`,
    'Mstart',
  );
  // Each of these expectations is wrong.
  site.serve('/closed', '<title>Closed</title><p>Here is Mclosed.</p>');
  site.expect('/closed', { kind: 'page', has: 'Mclosed' }, [0, 1]);
  site.refused('/open', 'robots_disallowed');
  site.ends('/gone', 'http_410', { status: 404 });
  site.page('/else', '<title>Else</title><p>Here is something.</p>', 'Melse');
  const crawler = await startSiteCrawler();
  try {
    const wrong = await crawler.crawl(
      { name: 'wrong', resembles: 'A site.', build: () => site.site({ latencyMs: [0, 0] }) },
      'small',
    );
    expect(wrong.wronglyMissing).toEqual([
      '/closed is missing: robots_disallowed (Disallow: /closed (robots.txt, line 2))',
    ]);
    expect(wrong.wronglyFetched).toEqual(['/open was requested 1 times, and 0 is the most: robots_disallowed']);
    expect(wrong.otherFaults).toEqual([
      '/open ended as scraped, not as robots_disallowed',
      '/gone ended as http_404 (The site responded with 404.), not as http_410',
      expect.stringContaining('/else has "Melse" 0 times, not once'),
    ]);
  } finally {
    await crawler.close();
  }
});
