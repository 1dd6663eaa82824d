// What every store promises about searches: a part of the contract suite. Pages of the web differ from each other in what a search
// has to bear: languages without spaces, several ways to write a letter, markup, pages of megabytes, damage.
import * as fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { OutputFormat } from '../../src/core/job.ts';
import type { SearchQuery, SearchSlice } from '../../src/core/ports/search.ts';
import type { Store } from '../../src/core/ports/stores.ts';
import { parseQuery } from '../../src/search/query.ts';
import { rangesOf } from '../../src/search/snippet.ts';
import { fragmentOf } from '../fragment.ts';
import { crawl, createJob, leaseAndTake, links, org, scraped, settlement, type TestDatabase } from './test-data.ts';

export interface SearchedPage {
  readonly title?: string;
  readonly text: string;
}

/** A job with these pages, in this order. */
export async function jobWith(
  store: Store,
  pages: readonly (SearchedPage | string)[],
  { format = 'markdown', ended = true }: { readonly format?: OutputFormat; readonly ended?: boolean } = {},
): Promise<string> {
  const startLinks = links(pages.length + (ended ? 0 : 1), `/${Math.random()}/`, { depth: 0 });
  const { id } = await createJob(store, { startLinks, spec: { outputFormat: format, pageLimit: 100_000 } });
  for (const [index, page] of pages.entries()) await deliver(store, index, page);
  return id;
}

/** Works on one more URL, whose page this is. */
export async function deliver(store: Store, index: number, page: SearchedPage | string): Promise<void> {
  const { title = '', text } = typeof page === 'string' ? { text: page } : page;
  const { held, requests } = await leaseAndTake(store, 1);
  const [request] = requests;
  if (!request) throw new Error('no URL was left');
  const { url } = request;
  const meta = `"url":${JSON.stringify(url)},"fetchedUrl":${JSON.stringify(url)},"meta":${JSON.stringify({ title, description: '' })}}`;
  const body = fragmentOf(`${meta},"text":${JSON.stringify(text)}}`);
  const outcome = scraped(request, [], { body, contentKey: `${index} ${url}` });
  await store.frontier.settle(held, [settlement(request, outcome)]);
  await store.frontier.release(held);
}

export async function find(
  store: Store,
  jobId: string,
  text: string,
  query: Partial<SearchQuery> = {},
): Promise<SearchSlice> {
  const phrases = parseQuery(text);
  const found = await store.search.search({ org, jobId, phrases, offset: 0, limit: 100, waitMs: 60_000, ...query });
  if (!found) throw new Error(`there is no job ${jobId}`);
  return found;
}

/** The numbers of the pages, the best first. */
export async function pagesWith(store: Store, jobId: string, text: string): Promise<number[]> {
  return (await find(store, jobId, text)).hits.map(({ page }) => page);
}

async function sortedPagesWith(store: Store, jobId: string, text: string): Promise<number[]> {
  return (await pagesWith(store, jobId, text)).toSorted((a, b) => a - b);
}

/** The first snippet, with hits between brackets. */
async function snippetOf(store: Store, jobId: string, text: string): Promise<string | undefined> {
  const [hit] = (await find(store, jobId, text)).hits;
  return hit?.snippet.map((part) => (part.hit ? `[${part.text}]` : part.text)).join('');
}

/** Syntax of the databases, of SQL and of nobody. */
const hostileQueries = [
  'NEAR(hay rake)',
  'hay OR rake',
  'hay NOT rake',
  'title:hay',
  'title : hay rake',
  '-hay rake',
  '^hay + rake',
  'hay* AND rake*',
  '{title text}:hay',
  "hay'; DROP TABLE page; --",
  'hay & !rake | (x <-> y):*',
  String.raw`hay\ 'rake\'`,
  '"hay',
  'hay""rake"""',
  'hay\0rake',
  'hay\ud800rake\udfff',
  'words_1 MATCH hay',
  '%hay_ $1 ?1 @a :b',
  '\u202ehay',
];

/** Many tests run side by side. */
const slowMs = 120_000;

export function describeSearches(createDatabase: () => Promise<TestDatabase>): void {
  describe('search', () => {
    let database: TestDatabase;
    let store: Store;

    beforeEach(async () => {
      database = await createDatabase();
      store = await database.open({ crawling: true });
      await store.frontier.recover({ delayMs: 0 });
    });
    afterEach(() => database.remove());

    it('search: finds pages with all words, those with a word in the title first, with a snippet', async () => {
      const id = await jobWith(store, [
        { title: 'Tables', text: 'Run VACUUM now and then. A table grows.' },
        { title: 'VACUUM', text: 'Reclaims storage of a table.' },
        { title: 'Other', text: 'Nothing of the kind.' },
      ]);
      const { hits, ...rest } = await find(store, id, 'vacuum table');
      expect(hits.map(({ page, title }) => [page, title])).toEqual([
        [2, 'VACUUM'],
        [1, 'Tables'],
      ]);
      expect(hits[0]!.score).toBeGreaterThan(hits[1]!.score);
      expect(hits[1]!.url).toMatch(/^https:\/\/a\.test\//);
      expect(rest).toEqual({
        status: 'succeeded',
        areResultsGone: false,
        examined: 2,
        more: false,
        pages: 3,
        upToPage: 3,
        damagedPages: 0,
      });
      expect(await snippetOf(store, id, 'vacuum grows')).toBe('Run [VACUUM] now and then. A table [grows].');
    });

    it('search: takes quoted words as a phrase, parts of words as words, and the last word as a prefix', async () => {
      const id = await jobWith(store, ['a hash map of words', 'map the hash', 'std::hash_map', 'hash maps']);
      expect(await sortedPagesWith(store, id, '"hash map"')).toEqual([1, 3]);
      expect(await sortedPagesWith(store, id, 'hash_map')).toEqual([1, 3, 4]);
      expect(await sortedPagesWith(store, id, 'hash ma')).toEqual([1, 2, 3, 4]);
      expect(await pagesWith(store, id, '"hash ma"')).toEqual([]);
      expect(await pagesWith(store, id, 'ha map')).toEqual([]);
      // A phrase does not begin in a title and end in the text.
      const other = await jobWith(store, [{ title: 'hash', text: 'map' }]);
      expect(await pagesWith(store, other, '"hash map"')).toEqual([]);
    });

    it('search: ignores case, accents, vowel points and compatibility forms', async () => {
      const id = await jobWith(store, [
        'Crème BRÛLÉE',
        'Straße in Zürich',
        'ΟΔΟΣ',
        'Ёлка',
        'مَدْرَسَة',
        'ｆｕｌｌｗｉｄｔｈ ﬁle',
        'exam\u00adple',
        'Cafe\u0301 Istanbul İzmir',
      ]);
      const cases: readonly (readonly [string, number])[] = [
        ['"creme brulee"', 1],
        ['STRASSE zurich', 2],
        ['"οδος"', 3],
        ['елка', 4],
        ['مدرسة', 5],
        ['fullwidth file', 6],
        ['"example"', 7],
        ['café izmir', 8],
      ];
      for (const [query, page] of cases) expect([query, await pagesWith(store, id, query)]).toEqual([query, [page]]);
    });

    it(
      'search: finds every part of text without spaces, even one character',
      async () => {
        const id = await jobWith(store, [
          '東京都は日本の首都です。',
          '京都は日本の古都です。',
          'データベースとサーバー',
          '数据库管理系统，第3章',
          '한국어를 공부합니다',
          'ภาษาไทยง่ายนิดเดียว',
          'ﾃﾞｰﾀ React入門',
        ]);
        const cases: readonly (readonly [string, readonly number[]])[] = [
          ['東京', [1]],
          ['京都', [1, 2]],
          ['"東京都は"', [1]],
          ['東都', []],
          ['都', [1, 2]],
          ['日', [1, 2]],
          ['す', [1, 2]],
          ['データ', [3, 7]],
          ['サーバー', [3]],
          ['数据', [4]],
          ['据库管', [4]],
          ['系统', [4]],
          ['第3章', [4]],
          ['3', [4]],
          ['한국', [5]],
          ['국어', [5]],
          ['공부', [5]],
          ['공', [5]],
          ['ไทย', [6]],
          ['react入門', [7]],
          ['react 入', [7]],
          ['日本 首都', [1]],
        ];
        for (const [query, pages] of cases)
          expect([query, await sortedPagesWith(store, id, query)]).toEqual([query, pages]);
        expect(await snippetOf(store, id, '東京')).toBe('[東京]都は日本の首都です。');
        expect(await snippetOf(store, id, '首')).toBe('東京都は日本の[首]都です。');
      },
      slowMs,
    );

    it(
      'search: takes any query as words and quotes only',
      async () => {
        const texts = ['hay and rake and near not or title words 1 match text x y drop table page a b', 'hay', 'rake'];
        const id = await jobWith(store, texts);
        for (const query of hostileQueries) {
          const phrases = parseQuery(query);
          const expected = texts.flatMap((text, index) =>
            new Set(rangesOf(text, phrases).map(({ phrase }) => phrase)).size === phrases.length ? [index + 1] : [],
          );
          expect([query, await sortedPagesWith(store, id, query)]).toEqual([query, expected]);
        }
      },
      slowMs,
    );

    it('search: accepts queries of 32 words or 500 characters', async () => {
      const words = Array.from({ length: 32 }, (_, index) => `w${index}`);
      const chinese = Array.from({ length: 500 }, (_, index) => String.fromCharCode(0x4e_00 + index)).join('');
      const id = await jobWith(store, [words.join(' '), `前${chinese}后`, 'x'.repeat(100_000)]);
      expect(await pagesWith(store, id, words.join(' '))).toEqual([1]);
      expect(await pagesWith(store, id, chinese)).toEqual([2]);
      expect(await pagesWith(store, id, 'x'.repeat(500))).toEqual([3]);
    });

    it('search: finds words of a page, not of its markup', async () => {
      const html = await jobWith(store, ['<div class="note">Fish &amp; <b>chips</b></div>'], { format: 'html' });
      expect(await pagesWith(store, html, 'div')).toEqual([]);
      expect(await pagesWith(store, html, 'class')).toEqual([]);
      expect(await snippetOf(store, html, '"fish chips"')).toBe(' [Fish & chips] ');
      const markdown = await jobWith(store, [
        String.raw`See [the manual](https://example.com/secret "tip") of snake\_case.`,
      ]);
      expect(await pagesWith(store, markdown, 'secret')).toEqual([]);
      expect(await snippetOf(store, markdown, 'manual snake_case')).toBe('See the [manual] of [snake_case].');
      // What looks like markup is text in a job of plain text.
      const text = await jobWith(store, ['a <div> [b](c)'], { format: 'text' });
      expect(await pagesWith(store, text, 'div c')).toEqual([1]);
    });

    it('search: marks hits that a page cannot forge', async () => {
      const id = await jobWith(store, ['<mark>hay</mark> {"hit":true} \u0002hay\u0003 **hay** \u001b[31m hay']);
      const [hit] = (await find(store, id, 'hay')).hits;
      expect(hit!.snippet.filter((part) => part.hit).map((part) => part.text)).toEqual(['hay', 'hay', 'hay', 'hay']);
      // oxlint-disable-next-line no-control-regex -- which must not be there
      expect(hit!.snippet.map((part) => part.text).join('')).not.toMatch(/[\0-\x1f]/);
    });

    it('search: includes pages that are committed while the job runs', async () => {
      const { id } = await createJob(store, {
        startLinks: links(3, '/', { depth: 0 }),
        spec: { outputFormat: 'markdown' },
      });
      expect(await find(store, id, 'hay')).toMatchObject({ status: 'starting', hits: [], pages: 0, upToPage: 0 });
      await deliver(store, 0, 'hay one');
      expect(await pagesWith(store, id, 'hay')).toEqual([1]);
      await deliver(store, 1, 'hay two');
      const found = await find(store, id, 'hay');
      expect(found).toMatchObject({ status: 'running', pages: 2, upToPage: 2 });
      await deliver(store, 2, 'hay three');
      // A list that was begun before stays with its pages.
      expect((await find(store, id, 'hay', { upToPage: found.upToPage })).hits).toHaveLength(2);
      expect((await find(store, id, 'hay')).hits).toHaveLength(3);
      expect(store.search.status()).toMatchObject({ indexedPages: 3, rebuilds: 0, indexing: 0 });
    });

    it('search: lists each hit once over its slices', async () => {
      const id = await jobWith(
        store,
        Array.from({ length: 25 }, (_, index) => `hay ${'rake '.repeat(index)}`),
      );
      const pages: number[] = [];
      for (let more = true; more;) {
        const slice = await find(store, id, 'hay', { offset: pages.length, limit: 4 });
        pages.push(...slice.hits.map(({ page }) => page));
        ({ more } = slice);
      }
      expect(pages.toSorted((a, b) => a - b)).toEqual(Array.from({ length: 25 }, (_, index) => index + 1));
    });

    it(
      'search: returns what is indexed when waitMs is over, and the rest later',
      async () => {
        const id = await jobWith(
          store,
          Array.from({ length: 12 }, () => `hay ${'some words and more of them '.repeat(30_000)}`),
        );
        const early = await find(store, id, 'hay', { waitMs: 0 });
        expect(early.upToPage).toBeLessThanOrEqual(12);
        expect(early.pages).toBe(12);
        expect(early.hits).toHaveLength(early.upToPage);
        expect((await find(store, id, 'hay')).hits).toHaveLength(12);
        expect(store.search.status().indexedPages).toBe(12);
      },
      slowMs,
    );

    it('search: reads only the first part of a huge page', async () => {
      const id = await jobWith(store, [`${'word '.repeat(780_000)} before ${'word '.repeat(100_000)} behind`]);
      expect(await pagesWith(store, id, 'before')).toEqual([1]);
      expect(await pagesWith(store, id, 'behind')).toEqual([]);
    });

    it(
      'search: indexes a page with 200,000 different words',
      async () => {
        const words = Array.from({ length: 200_000 }, (_, index) => `word${index}`).join(' ');
        const id = await jobWith(store, [`first ${words}`, 'second']);
        expect(await pagesWith(store, id, 'first')).toEqual([1]);
        expect(await pagesWith(store, id, 'word12 word17')).toEqual([1]);
        expect(await pagesWith(store, id, '"word12 word13"')).toEqual([1]);
        expect(await pagesWith(store, id, 'second')).toEqual([2]);
      },
      slowMs,
    );

    it('search: returns undefined when the job is of another org or unknown', async () => {
      const id = await jobWith(store, ['hay']);
      const query = { phrases: parseQuery('hay'), offset: 0, limit: 1, waitMs: 1_000 };
      expect(await store.search.search({ ...query, org: 'other', jobId: id })).toBeUndefined();
      expect(await store.search.search({ ...query, org, jobId: 'nothing' })).toBeUndefined();
    });

    it('search: finds no pages of other jobs', async () => {
      const one = await jobWith(store, ['hay one', 'more hay']);
      const two = await jobWith(store, ['hay two']);
      expect(await sortedPagesWith(store, one, 'hay')).toEqual([1, 2]);
      expect(await pagesWith(store, two, 'hay')).toEqual([1]);
      expect(await pagesWith(store, two, 'one')).toEqual([]);
      expect(await pagesWith(store, two, 'more')).toEqual([]);
    });

    it('search: finds nothing in deleted results, and a sweep removes their index', async () => {
      const [one, two] = [await jobWith(store, ['hay one']), await jobWith(store, ['hay two'])];
      for (const id of [one, two]) expect(await pagesWith(store, id, 'hay')).toEqual([1]);
      await store.jobs.delete(org, one);
      expect(await find(store, one, 'hay')).toMatchObject({ areResultsGone: true, hits: [] });
      await store.search.sweep();
      expect(await pagesWith(store, two, 'hay')).toEqual([1]);
      await store.jobs.delete(org, two);
      await store.search.sweep();
      expect(store.search.status().bytes).toBeUndefined();
      const three = await jobWith(store, ['hay three']);
      expect(await pagesWith(store, three, 'hay')).toEqual([1]);
    });

    it(
      'search: indexes every page once when searches of two processes start at once',
      async () => {
        const other = await database.open();
        const jobs: string[] = [];
        for (let job = 0; job < 5; job++)
          jobs.push(
            await jobWith(
              store,
              Array.from({ length: 8 }, (_, index) => `hay job${job} page${index} ${'x '.repeat(20_000)}`),
            ),
          );
        const all = await Promise.all(
          jobs.flatMap((id, job) =>
            [store, other].flatMap((process) => [find(process, id, 'hay'), find(process, id, `job${job} page3`)]),
          ),
        );
        for (const [index, { hits }] of all.entries()) expect(hits).toHaveLength(index % 2 === 0 ? 8 : 1);
        expect(store.search.status().indexedPages + other.search.status().indexedPages).toBe(40);
        await other.close();
      },
      slowMs,
    );

    it(
      'search: finds exactly the pages that have the words, for any texts',
      async () => {
        const piece = fc.constantFrom(
          ...'a ab abc É é ß ss 東 京 東京 한 국 ก ข 1 12 ½ ① ﬁ - _ . , 。 \u0301 \u00ad 😀 \ud800 ( " * : ^ \0'.split(
            ' ',
          ),
          ' ',
          ' ',
          '\n',
        );
        const text = fc.array(piece, { maxLength: 12 }).map((pieces) => pieces.join(''));
        await fc.assert(
          fc.asyncProperty(
            fc.array(text, { minLength: 1, maxLength: 4 }),
            fc.array(text, { minLength: 3, maxLength: 6 }),
            async (texts, queries) => {
              const id = await jobWith(store, texts, { format: 'text' });
              for (const query of queries) {
                const phrases = parseQuery(query);
                if (phrases.length === 0) continue;
                const expected = texts.flatMap((each, index) =>
                  new Set(rangesOf(each, phrases).map(({ phrase }) => phrase)).size === phrases.length
                    ? [index + 1]
                    : [],
                );
                expect(await sortedPagesWith(store, id, query)).toEqual(expected);
              }
            },
          ),
          { numRuns: 25 },
        );
        expect(store.search.status().rebuilds).toBe(0);
      },
      slowMs,
    );

    it('search: keeps its index over a restart', async () => {
      const id = await jobWith(store, ['hay one', 'hay two']);
      expect(await pagesWith(store, id, 'two')).toEqual([2]);
      await store.close();
      store = await database.open({ crawling: true });
      expect(await pagesWith(store, id, 'two')).toEqual([2]);
      expect(store.search.status().indexedPages).toBe(0);
      expect(await crawl(store)).toEqual([]);
    });
  });
}
