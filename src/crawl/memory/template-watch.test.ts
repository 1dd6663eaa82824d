import { describe, expect, it, test } from 'vitest';
import { lineHashes } from '../../extract/text/text-lines.ts';
import { urlTemplates, type UrlTemplates } from '../../url/url-template.ts';
import { TemplateWatch } from './template-watch.ts';
import type { EndedTemplate } from '../../core/ports/frontier.ts';

const jobId = 'job';

interface SitePage {
  readonly path: string;
  /** Undefined for a page with the text of another one. */
  readonly text: string | undefined;
}

interface Crawl {
  readonly fetched: number;
  readonly ended: readonly EndedTemplate[];
}

/** Fetches pages in order, except those whose template has ended. */
function crawl(pages: Iterable<SitePage>, watch = new TemplateWatch()): Crawl {
  const ended: EndedTemplate[] = [];
  let fetched = 0;
  for (const { path, text } of pages) {
    const url = `https://a.example${path}`;
    const templates = urlTemplates(new URL(url));
    if (watch.endedTemplate(jobId, templates) !== undefined) continue;
    fetched += 1;
    const end = watch.observe(jobId, templates, lineHashes(text ?? '', { url, numbers: templates.numbers }));
    if (end !== undefined) ended.push(end);
  }
  return { fetched, ended };
}

const from = <T>(count: number, make: (index: number) => T): T[] =>
  Array.from({ length: count }, (_, index) => make(index));

/** The same sequence in every run. */
function chance(seed: number): (below: number) => number {
  let state = seed;
  return (below) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) | 0;
    return (state >>> 8) % below;
  };
}

/** A word of its own for each number, in letters. */
const word = (index: number): string => index.toString(26).replace(/\d/g, (digit) => 'qrstuvwxyz'[Number(digit)] ?? '');

const boilerplate = 'Welcome to our site\nHome\nProducts\nAbout us\nAll rights reserved.';
const pageOf = (text: string): string => `${boilerplate}\n${text}`;

describe('TemplateWatch: traps', () => {
  const monthNames = 'January February March April May June July August September October November December'.split(' ');
  const dayNames = 'Sunday Monday Tuesday Wednesday Thursday Friday Saturday'.split(' ');

  test('TemplateWatch: ends a calendar of months after a year and a hundred pages', () => {
    const months = from(2_000, (index) => {
      const [year, month] = [2024 + Math.floor(index / 12), index % 12];
      const grid = from(31, (day) => `${day + 1}\tNo events`).join('\n');
      const text = pageOf(`${monthNames[month]} ${year}\nNext: ${monthNames[(month + 1) % 12]} ${year}\n${grid}`);
      return { path: `/calendar/${year}/${String(month + 1).padStart(2, '0')}`, text };
    });
    expect(crawl(months)).toEqual({ fetched: 116, ended: [{ template: 'a.example:443/calendar/#/#', pages: 100 }] });
  });

  test.each([
    ['in the path', (date: string) => `/calendar/${date.replaceAll('-', '/')}`],
    ['in one segment', (date: string) => `/events/${date}/`],
    ['in the query', (date: string) => `/events?date=${date}`],
    ['in parts in the query', (date: string) => `/events?y=${date.slice(0, 4)}&d=${date.slice(5)}`],
  ])('TemplateWatch: ends a calendar of days with the date %s', (_, path) => {
    const days = from(5_000, (index) => {
      const date = new Date(Date.UTC(2031, 0, index + 1));
      const name = `${dayNames[date.getUTCDay()]}, ${date.getUTCDate()} ${monthNames[date.getUTCMonth()]}`;
      return {
        path: path(date.toISOString().slice(0, 10)),
        text: pageOf(`${name} ${date.getUTCFullYear()}\nNo events today\n08:00\n09:00`),
      };
    });
    expect(crawl(days).fetched).toBeLessThan(600);
  });

  test('TemplateWatch: ends a calendar whose text is one line', () => {
    const months = from(2_000, (index) => {
      const [year, month] = [2024 + Math.floor(index / 12), index % 12];
      const days = from(28 + (index % 4), (day) => `${day + 1} ${dayNames[(index + day) % 7]}`).join(' ');
      const text = `${boilerplate.replaceAll('\n', ' ')} ${monthNames[month]} ${year} ${days} Subscribe to the calendar`;
      return { path: `/cal?month=${year}-${month + 1}`, text };
    });
    expect(crawl(months).fetched).toBeLessThan(500);
  });

  test('TemplateWatch: ends facets that show the same products in any order', () => {
    const random = chance(1);
    const names = ['color', 'size', 'sort', 'brand', 'material', 'price', 'rating', 'view', 'stock', 'page'];
    const facets = from(10_000, () => {
      const parameters = names.filter(() => random(2) === 0).map((name) => `${name}=${random(9)}`);
      const products = from(20, () => random(400)).map((product) => `Product ${word(product)}\n${product * 3} EUR`);
      return {
        path: `/shop/shoes?${parameters.join('&')}`,
        text: pageOf(`${random(9_999)} hits\n${products.join('\n')}`),
      };
    });
    const pages = [...new Map(facets.map((page) => [page.path, page])).values()];
    expect(pages.length).toBeGreaterThan(7_000);
    const { fetched, ended } = crawl(pages);
    // Up to 91 of these have at most one parameter: their number is finite.
    expect(fetched).toBeLessThan(550);
    expect(ended.at(-1)?.template).toBe('a.example:443/shop/shoes?');
  });

  test('TemplateWatch: ends a path that repeats a group of segments', () => {
    const loop = from(2_000, (index) => ({ path: '/a/b'.repeat(index + 1), text: pageOf('Hello') }));
    // Two before it repeats itself three times, four that are not compared, one that the hundred are compared with.
    expect(crawl(loop).fetched).toBe(107);
  });

  test('TemplateWatch: ends relative links that lead through all pages again and again', () => {
    const names = ['about', 'contact', 'products', 'team'];
    const paths = from(7, (depth) =>
      from(4 ** depth, (index) => from(depth, (at) => names[(index >> (2 * at)) & 3]).join('/')),
    );
    const pages = paths.flat().map((path) => ({ path: `/${path}`, text: pageOf(`Page ${path.split('/').at(-1)}`) }));
    expect(pages.length).toBeGreaterThan(5_000);
    expect(crawl(pages).fetched).toBeLessThan(1_500);
  });

  test('TemplateWatch: ends relative links that repeat a segment', () => {
    const pages = from(3_000, (index) => ({
      path: `/blog${'/blog'.repeat(1 + (index % 3))}/${word(index)}`,
      text: undefined,
    }));
    expect(crawl(pages).ended).toEqual([{ template: 'a.example:443/blog/{repeating}', pages: 300 }]);
  });

  test('TemplateWatch: ends session ids in the path', () => {
    const random = chance(2);
    const session = (): string => from(20, (at) => (at % 3 === 1 ? String(random(10)) : word(random(26)))).join('');
    const pages = from(2_000, () => ({ path: `/s/${session()}/page`, text: pageOf('The same') }));
    expect(crawl(pages)).toEqual({ fetched: 105, ended: [{ template: 'a.example:443/s/{token}/page', pages: 100 }] });
  });

  test.each([
    ['path', (id: number) => `/item/${id}`],
    ['query', (id: number) => `/item?id=${id}`],
  ])('TemplateWatch: ends error pages with status 200 that name their URL, with the id in the %s', (_, path) => {
    const pages = from(2_000, (index) => ({
      path: path(index),
      text: pageOf(`The page ${path(index)} was not found on https://a.example${path(index)}`),
    }));
    expect(crawl(pages).fetched).toBe(105);
  });

  test('TemplateWatch: ends pages whose text is empty or that of other pages', () => {
    expect(crawl(from(500, (index) => ({ path: `/print/${index}`, text: undefined }))).fetched).toBe(100);
    expect(crawl(from(500, (index) => ({ path: `/empty/${index}`, text: '' }))).fetched).toBe(100);
  });
});

describe('TemplateWatch: sites that are no traps', () => {
  const numbered = from(9_000, (index) => index + 1);
  /** Small numbers, each on a line of its own, so that every line has been there before. */
  const measured = (random: (below: number) => number): string =>
    `High\t${random(35)}\nLow\t${random(20)}\nRain\t${random(30)} mm\nWind\t${random(40)} km/h`;
  const days = from(1_500, (index) => new Date(Date.UTC(2022, 0, index + 1)).toISOString().slice(0, 10));
  const weatherSites = (
    [
      ['in the path', (date: string) => `/weather/${date.replaceAll('-', '/')}`],
      ['in one parameter', (date: string) => `/r?date=${date}`],
    ] as const
  ).map(([where, path]): [string, SitePage[]] => {
    const random = chance(4);
    return [
      `daily pages with a few small numbers, the date ${where}`,
      days.map((date) => ({ path: path(date), text: pageOf(`Weather of ${date}\n${measured(random)}`) })),
    ];
  });
  test.each<[string, readonly SitePage[]]>([
    [
      'numbered pages with words of their own',
      numbered.map((id) => ({ path: `/p/${id}`, text: pageOf(`About ${word(id)}`) })),
    ],
    [
      'numbered pages that differ only in their numbers',
      numbered.map((id) => ({ path: `/p/${id}`, text: pageOf(`Number ${id}`) })),
    ],
    [
      'numbered pages that differ only in one number in a long line',
      numbered.map((id) => ({ path: `/p/${id}`, text: `${boilerplate.replaceAll('\n', ' ').repeat(6)} Number ${id}` })),
    ],
    [
      'ids in the query, and pages that differ only in their numbers',
      numbered.map((id) => ({ path: `/p?id=${id}`, text: pageOf(`Price ${id * 3}`) })),
    ],
    [
      'pages with two parameters',
      numbered.map((id) => ({ path: `/topic?forum=${id % 9}&topic=${id}`, text: pageOf(`About ${word(id)}`) })),
    ],
    [
      'articles by date',
      numbered.map((id) => ({
        path: `/articles/${2000 + (id % 25)}/${String((id % 12) + 1).padStart(2, '0')}/${word(id)}`,
        text: pageOf(`Article ${word(id)}`),
      })),
    ],
    [
      'articles by date and number',
      numbered.map((id) => ({ path: `/news/${2000 + (id % 25)}/05/${id}`, text: pageOf(`Article ${word(id)}`) })),
    ],
    [
      'the pages of a list',
      from(300, (page) => ({
        path: `/list?page=${page + 1}`,
        text: pageOf(from(20, (item) => `Item ${word(page * 20 + item)}`).join('\n')),
      })),
    ],
    [
      'the pages of a sorted list of numbered products',
      from(300, (page) => ({
        path: `/list?page=${page + 1}&sort=name`,
        text: pageOf(from(20, (item) => `Item ${word(page * 20 + item)}\n${item} EUR`).join('\n')),
      })),
    ],
    [
      'documentation of 5,000 classes of which half are empty',
      from(5_000, (index) => ({
        path: `/api/org/${word(index % 40)}/${word(index)}.html`,
        text: index % 2 === 0 ? pageOf('') : pageOf(`Class ${word(index)}`),
      })),
    ],
    [
      'objects with ids of their own',
      numbered.map((id) => ({ path: `/o/507f1f77bcf86cd7${id + 10_000}`, text: pageOf(`Object ${word(id)}`) })),
    ],
    ...weatherSites,
    [
      'pages of which one in 91 has something new',
      numbered.map((id) => ({
        path: `/user/${id}`,
        text: pageOf(
          id % 91 === 0 ? `I am ${word(id)}\nand I like ${word(id + 9_000)}` : 'This user has not written anything',
        ),
      })),
    ],
  ])('TemplateWatch: does not end %s', (_, pages) => {
    expect(crawl(pages)).toEqual({ fetched: pages.length, ended: [] });
  });
});

describe('TemplateWatch', () => {
  const same = Uint32Array.of(1, 2, 3);
  const none = new Uint32Array(0);
  const template = (fine: string, coarse?: string): UrlTemplates => ({
    fine,
    ...(coarse !== undefined && { coarse }),
    family: fine,
    numbers: 'all',
  });
  const observeTimes = (watch: TemplateWatch, times: number, templates: UrlTemplates, job = jobId) =>
    from(times, () => watch.observe(job, templates, none)).filter((end) => end !== undefined);

  it('TemplateWatch: ends a template once, and returns how many pages had nothing new', () => {
    const watch = new TemplateWatch({ finePages: 10 });
    const templates = template('a/#');
    expect(from(20, () => watch.observe(jobId, templates, same)).filter((end) => end !== undefined)).toEqual([
      { template: 'a/#', pages: 10 },
    ]);
    expect(watch.endedTemplate(jobId, templates)).toBe('a/#');
    expect(watch.endedTemplate(jobId, template('b/#'))).toBeUndefined();
    expect(watch.endedTemplate('other', templates)).toBeUndefined();
  });

  it('TemplateWatch: does not end a template by pages that other families link to, and remembers their lines', () => {
    const watch = new TemplateWatch({ finePages: 10 });
    const templates = template('a/#');
    const observe = (times: number, lines: Uint32Array, selfFed: boolean): (EndedTemplate | undefined)[] =>
      from(times, () => watch.observe(jobId, templates, lines, selfFed)).filter((end) => end !== undefined);
    expect(observe(9, none, true)).toEqual([]);
    expect(observe(100, none, false)).toEqual([]);
    expect(observe(1, Uint32Array.of(7), false)).toEqual([]);
    // The run continues, and line 7 is not new.
    expect(observe(1, Uint32Array.of(7), true)).toEqual([{ template: 'a/#', pages: 10 }]);
  });

  it('TemplateWatch: starts to count again with every new line', () => {
    const watch = new TemplateWatch({ finePages: 10 });
    const ends = from(200, (index) =>
      watch.observe(jobId, template('a/#'), index % 9 === 0 ? Uint32Array.of(index * 0x9e3779b1, 7) : same),
    );
    expect(ends.filter((end) => end !== undefined)).toEqual([]);
  });

  it('TemplateWatch: ends the fine template alone, or the coarse template with all that it contains', () => {
    const watch = new TemplateWatch({ finePages: 10, coarsePages: 25 });
    expect(observeTimes(watch, 10, template('a?x', 'a?'))).toEqual([{ template: 'a?x', pages: 10 }]);
    expect(watch.endedTemplate(jobId, template('a?y', 'a?'))).toBeUndefined();
    expect(from(15, (index) => watch.observe(jobId, template(`a?${index}`, 'a?'), none)).at(-1)).toEqual({
      template: 'a?',
      pages: 25,
    });
    expect(watch.endedTemplate(jobId, template('a?y', 'a?'))).toBe('a?');
    expect(watch.endedTemplate(jobId, template('a'))).toBeUndefined();
  });

  it('TemplateWatch: returns the coarse template when one page ends both', () => {
    const watch = new TemplateWatch({ finePages: 5, coarsePages: 5 });
    expect(observeTimes(watch, 9, template('a?x', 'a?'))).toEqual([{ template: 'a?', pages: 5 }]);
    expect(watch.endedTemplate(jobId, template('a?x', 'a?'))).toBe('a?');
  });

  it('TemplateWatch.wantsLines: returns true after a few pages of a template, and a page without lines counts as new', () => {
    const watch = new TemplateWatch({ finePages: 5 });
    for (let n = 0; n < 4; n++) {
      expect(watch.wantsLines(jobId, template('a?x', 'a?'))).toBe(false);
      watch.observe(jobId, template('a?x', 'a?'), undefined);
    }
    expect(watch.wantsLines(jobId, template('a?x', 'a?'))).toBe(true);
    expect(watch.wantsLines(jobId, template('a?y', 'a?'))).toBe(true);
    expect(watch.wantsLines(jobId, template('b'))).toBe(false);
    expect(watch.wantsLines('other', template('a?x', 'a?'))).toBe(false);
    expect(from(20, () => watch.observe(jobId, template('a/#'), undefined)).filter((end) => end !== undefined)).toEqual(
      [],
    );
  });

  it('TemplateWatch: forgets the template that it has not observed for longest', () => {
    const watch = new TemplateWatch({ finePages: 5, templatesMax: 2 });
    observeTimes(watch, 4, template('a/#'));
    observeTimes(watch, 4, template('b/#'));
    observeTimes(watch, 1, template('c/#'));
    expect(observeTimes(watch, 1, template('b/#'))).toEqual([{ template: 'b/#', pages: 5 }]);
    expect(observeTimes(watch, 4, template('a/#'))).toEqual([]);
  });

  it('TemplateWatch: ends at most endedMax templates of a job', () => {
    const watch = new TemplateWatch({ finePages: 3, endedMax: 2 });
    expect(from(4, (index) => observeTimes(watch, 9, template(`${index}`)).length)).toEqual([1, 1, 0, 0]);
    expect(observeTimes(watch, 9, template('0'), 'other')).toHaveLength(1);
  });

  it('TemplateWatch: treats known lines as new when there are more than it can keep', () => {
    const watch = new TemplateWatch({ finePages: 100 });
    const random = chance(3);
    const manyLines = () => Uint32Array.from({ length: 500 }, () => Math.imul(random(2 ** 24), 0x9e3779b1));
    const ends = from(300, () => watch.observe(jobId, template('a/#'), manyLines()));
    expect(ends.filter((end) => end !== undefined)).toEqual([]);
  });
});
