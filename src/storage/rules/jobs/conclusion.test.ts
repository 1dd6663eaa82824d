import { describe, expect, test } from 'vitest';
import { conclude, completeness } from './conclusion.ts';
import type { JobRow } from './job-row.ts';
import { countNotice, sayings } from './sayings.ts';

const spec = { urls: ['https://a.test/'], maxDepth: null, excludeGlobs: [], excludePatterns: [] };

function ended(fields: Partial<JobRow>): JobRow {
  const counts = { queued: 0, in_flight: 0, scraped: 100, discarded: 0, failed: 0, outside: 0, sitemap_pages: 0 };
  const maps = { reasons: {}, tally: {}, examples: {} };
  const state = { status: 'succeeded', kind: 'crawl', end_reason: null, retry_of: null, notices: '[]', changes: '{}' };
  return { ...counts, ...maps, ...state, spec: JSON.stringify(spec), ...fields } as unknown as JobRow;
}

function codesOf(fields: Partial<JobRow>, left = 0): string[] {
  const row = ended(fields);
  conclude(row, left, 1);
  return sayings(row).findings.map(({ code }) => code);
}

const properties = { price: { type: 'string' }, by: { properties: { name: {} }, required: ['name'] } };
const extract = { schema: { properties, required: ['price'] }, fields: {} };
const extracting = JSON.stringify({ ...spec, extract });

describe('conclude', () => {
  test.each<[of: string, expected: string[], fields: Partial<JobRow>]>([
    ['a failure of few URLs', ['failed_pages'], { scraped: 5, failed: 1, tally: { 'unread timeout': 1 } }],
    ['two failures of 400 URLs', [], { scraped: 398, failed: 2, tally: { 'unread http_500': 2 } }],
    ['three failures of 400 URLs', ['failed_pages'], { scraped: 397, failed: 3, tally: { 'unread http_500': 3 } }],
    ['dead links', [], { failed: 50, reasons: { http_404: 40, http_410: 10 } }],
    ['URLs that are not for everybody', [], { failed: 30, reasons: { http_403: 30 }, tally: { private: 30 } }],
    ['URLs of a host that refuses for good', [], { failed: 30, tally: { 'refusing a.test': 30 } }],
    [
      'URLs that failed besides those of such a host',
      ['failed_pages'],
      { failed: 33, tally: { 'refusing a.test': 30, 'unread timeout': 3 } },
    ],
    ['tests whether a person is there', [], { failed: 30, reasons: { challenge: 30 } }],
    ['a start URL that is gone', ['failed_pages'], { failed: 1, tally: { startFailed: 1, 'unread http_404': 1 } }],
    ['a start page that three other paths show', ['same_page'], { scraped: 1, discarded: 3, tally: { copied: 3 } }],
    ['a start page that two other paths show', [], { scraped: 1, discarded: 2, tally: { copied: 2 } }],
    ['a start page that other paths lead to', [], { scraped: 1, discarded: 9 }],
    ['copies of pages', [], { scraped: 40, discarded: 60, tally: { copied: 60 } }],
    ['URLs that ask for a password', [], { scraped: 70, discarded: 30, tally: { 'signedOut https://a.test/in': 30 } }],
    [
      'URLs that ask for a password in spite of a session',
      ['signed_out'],
      { scraped: 70, discarded: 30, tally: { 'signedOut https://a.test/in': 30, session: 1 } },
    ],
    ['a tenth of the pages without text', [], { tally: { empty: 10 } }],
    ['more pages without text', ['empty_pages'], { tally: { empty: 11 } }],
    ['a start page without text', ['empty_pages'], { tally: { empty: 1, startEmpty: 1 } }],
    ['half of the pages in another language', [], { tally: { 'language de': 50 } }],
    ['more pages in other languages', ['language_changed'], { tally: { 'language de': 40, 'language fr': 11 } }],
    ['many URLs forbidden', [], { scraped: 10, outside: 80, reasons: { robots_disallowed: 80 } }],
    ['more URLs forbidden than delivered', ['robots_forbids'], { scraped: 9, reasons: { robots_disallowed: 10 } }],
    ['two forbidden URLs of a sitemap', [], { reasons: { robots_disallowed: 2 }, tally: { listedForbidden: 2 } }],
    [
      'three forbidden URLs of a sitemap of 299',
      ['robots_forbids'],
      { reasons: { robots_disallowed: 3 }, sitemap_pages: 299, tally: { listedForbidden: 3 } },
    ],
    [
      'three of a sitemap of 300',
      [],
      { reasons: { robots_disallowed: 3 }, sitemap_pages: 300, tally: { listedForbidden: 3 } },
    ],
    ['links of which a third lead to one host', [], { scraped: 1, outside: 30, tally: { 'offHost b.test': 10 } }],
    ['links that all lead to one host', ['all_off_host'], { scraped: 1, outside: 10, tally: { 'offHost b.test': 10 } }],
    ['such links of a retry', [], { scraped: 1, outside: 10, tally: { 'offHost b.test': 10 }, retry_of: 'x' }],
    ['19 pages that `when` leaves out', [], { tally: { unwanted: 19 }, spec: extracting }],
    ['20 pages that `when` leaves out', ['pattern_unmatched'], { tally: { unwanted: 20 }, spec: extracting }],
    ['such pages besides one with a record', [], { tally: { unwanted: 99, wanted: 1 }, spec: extracting }],
    ['19 pages without a required field', [], { tally: { wanted: 19 }, spec: extracting }],
    [
      'a required field of no page, in another',
      ['pattern_unmatched'],
      { tally: { wanted: 20, 'field price': 1, 'field by': 1 }, spec: extracting },
    ],
    [
      'fields of one page each, or with values that could not be read',
      [],
      { tally: { wanted: 99, 'field price': 1, 'unreadField by.name': 1 }, spec: extracting },
    ],
    [
      'a required field of no page, of a re-extraction',
      ['pattern_unmatched'],
      { tally: { wanted: 20, 'field by.name': 1 }, spec: extracting, kind: 'reextract' },
    ],
    ['such links of a batch', [], { scraped: 1, outside: 10, tally: { 'offHost b.test': 10 }, kind: 'batch' }],
  ])('conclude: judges %s', (_, expected, fields) => {
    expect(codesOf(fields)).toEqual(expected);
  });

  test('conclude: does not report a page that asks for a password as one that every URL shows, too', () => {
    const notices = JSON.stringify([{ code: 'same_page', message: '', at: 1, count: 7, example: 'https://a.test/7' }]);
    const tally = { 'asks https://a.test/login': 1, 'signedOut https://a.test/login': 80 };
    const row = ended({ scraped: 20, discarded: 80, tally, notices });
    conclude(row, 0, 1);
    expect(sayings(row).findings).toMatchObject([{ code: 'signed_out', count: 80 }]);
  });

  test('conclude: counts pages that ask for a password once', () => {
    const tally = { 'signedOut https://a.test/in': 30, session: 1 };
    const row = ended({ scraped: 70, discarded: 30, tally });
    countNotice(row, 'signed_out', 'https://a.test/x', 1, 16);
    conclude(row, 0, 1);
    expect(sayings(row).findings).toMatchObject([{ code: 'signed_out', count: 30, example: 'https://a.test/x' }]);
  });

  test('conclude: counts refusals of a host as blocked if it has then refused for good, and else as failed', () => {
    const tally = {
      'refusing a.test': 20,
      'refused a.test': 4,
      'refused b.test': 6,
      'unread http_403': 8,
      private: 2,
      'private a.test': 1,
      'private b.test': 1,
      startFailed: 2,
      'refusedStart a.test': 2,
    };
    const examples = { 'refused a.test': 'https://a.test/1', 'refused b.test': 'https://b.test/1' };
    const notice = { code: 'blocked', message: '', at: 1, count: 20, example: 'https://a.test/2' };
    const row = ended({ failed: 30, tally, examples, notices: JSON.stringify([notice]) });
    conclude(row, 0, 1);
    expect(sayings(row).findings).toMatchObject([
      { code: 'blocked', count: 24, example: 'https://a.test/2' },
      { code: 'failed_pages', count: 5, example: 'https://b.test/1' },
    ]);
    expect(sayings(row).notices).toMatchObject([{ code: 'not_public', count: 1 }]);
  });

  test('conclude: has a limit only if URLs were left', () => {
    expect(codesOf({ end_reason: 'page_limit' })).toEqual([]);
    expect(codesOf({ end_reason: 'page_limit' }, 1)).toEqual(['page_limit_reached']);
    expect(codesOf({ end_reason: 'cancelled', status: 'cancelled' })).toEqual(['cancelled']);
  });

  test('conclude: says of a job of reextract that it was cancelled, and of no other end', () => {
    const row = ended({ kind: 'reextract', end_reason: 'cancelled', status: 'cancelled' });
    conclude(row, 0, 1);
    expect(sayings(row).findings).toMatchObject([
      { code: 'cancelled', message: 'The job was cancelled before its end.' },
    ]);
    expect(completeness(row)).toBe(false);
    expect(codesOf({ kind: 'reextract' })).toEqual([]);
  });

  test('conclude: names the exclude patterns that match no URL, and the number of them', () => {
    const excluding = { ...spec, excludeGlobs: ['/a*', '/b*'], excludePatterns: ['c$'] };
    const row = ended({ spec: JSON.stringify(excluding), tally: { 'exclude /a*': 1 } });
    conclude(row, 0, 1);
    expect(sayings(row)).toMatchObject({
      findings: [],
      notices: [{ code: 'exclude_unmatched', count: 2, example: '/b*' }],
    });
  });

  test.each(['needs_javascript', 'browser_missing'] as const)(
    'conclude: makes the notice script_pages of %s when it is about two pages, and none a start page',
    (code) => {
      const about = (count: number, tally: JobRow['tally'] = {}) => {
        const notice = { code, message: 'No text.', at: 1, count, example: 'https://a.test/search' };
        const row = ended({ notices: JSON.stringify([notice]), tally });
        conclude(row, 0, 1);
        const { findings, notices } = sayings(row);
        return [findings, notices].map((all) => all.map((one) => `${one.code} ${one.count} ${one.example}`));
      };
      expect(about(2)).toEqual([[], ['script_pages 2 https://a.test/search']]);
      expect(about(3)).toEqual([[`${code} 3 https://a.test/search`], []]);
      expect(about(2, { startBare: 1 })).toEqual([[`${code} 2 https://a.test/search`], []]);
    },
  );

  test('conclude: says nothing of a map or a scrape', () => {
    for (const kind of ['map', 'scrape'] as const)
      expect(codesOf({ kind, scraped: 0, failed: 1, tally: { startFailed: 1 } })).toEqual([]);
  });

  test('completeness: is null until the end, and true without a finding', () => {
    const row = ended({});
    expect(completeness({ ...row, status: 'running' })).toBeNull();
    expect(completeness({ ...row, kind: 'map' })).toBeNull();
    expect(completeness(row)).toBe(true);
    const notice = { code: 'trap', message: 'A calendar.', at: 1 };
    expect(completeness({ ...row, notices: JSON.stringify([notice]) })).toBe(true);
    expect(completeness({ ...row, notices: JSON.stringify([notice, { ...notice, code: 'no_pages' }]) })).toBe(false);
  });
});

describe('sayings', () => {
  test('sayings: joins the findings of one code, those of hosts before those of pages', () => {
    const notices = JSON.stringify([
      { code: 'host_unreachable', message: 'a.test is gone.', at: 1 },
      { code: 'trap', message: 'A calendar.', at: 1 },
      { code: 'host_unreachable', message: 'b.test is gone.', at: 2 },
      { code: 'links_cut', message: '3 pages.', at: 2, count: 3, example: 'https://a.test/' },
    ]);
    const { findings, notices: others } = sayings({ notices });
    expect(others.map(({ code }) => code)).toEqual(['trap']);
    expect(findings).toMatchObject([
      { code: 'host_unreachable', count: 2, example: '', message: 'a.test is gone. And 1 more like this.' },
      { code: 'links_cut', count: 3, example: 'https://a.test/' },
    ]);
  });

  test.each([
    ['http_401', 'cookies'],
    ['http_403', 'contact'],
    ['http_404', 'address'],
    ['timeout', 'Retry'],
  ])('conclude: the remedy against failed pages is that of the reason that most have: %s', (reason, word) => {
    const row = ended({ failed: 9, tally: { [`unread ${reason}`]: 5, 'unread http_418': 4 } });
    conclude(row, 0, 1);
    expect(sayings(row).findings).toMatchObject([
      { code: 'failed_pages', count: 9, remedy: expect.stringContaining(word) },
    ]);
  });

  test.each<[changed: number, unchanged: number, said: boolean]>([
    [9, 0, false],
    [10, 0, true],
    [10, 1, true],
    [10, 2, false],
    [950, 50, true],
  ])(
    'conclude: of %i pages that changed and %i that did not, it says that all change: %s',
    (changed, unchanged, said) => {
      const counts = { baseline: changed + unchanged, changed, unchanged };
      const row = ended({ changes: JSON.stringify(counts), examples: { changed: 'https://a.test/1' } });
      conclude(row, 0, 1);
      const { findings, notices } = sayings(row);
      expect(findings).toEqual([]);
      expect(notices.map(({ code, count, example }) => [code, count, example])).toEqual(
        said ? [['all_changed', changed, 'https://a.test/1']] : [],
      );
    },
  );
});
