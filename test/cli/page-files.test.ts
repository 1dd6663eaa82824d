// Names of files are made of URLs, and URLs are made by strangers.
import * as fc from 'fast-check';
import { readdirSync, readFileSync, statSync } from 'node:fs';
import path from 'node:path';
import { afterEach, describe, expect, test } from 'vitest';
import { PageFiles } from '../../src/cli/output/page-files.ts';
import type { OutputFormat } from '../../src/core/job.ts';
import type { PageJson } from '../../src/page/decode.ts';
import { withFrontMatter } from '../../src/page/front-matter.ts';
import { newDirectory, removeDirectories } from './program.ts';

afterEach(removeDirectories);

function pageOf(url: string, text = url): PageJson {
  return { meta: { page: 1, url, fetchedUrl: url, meta: { title: '', description: '' } }, text };
}

/** The files that pages of these URLs become, relative to the directory, with their contents. */
async function written(urls: readonly string[], format: OutputFormat = 'markdown'): Promise<Map<string, string>> {
  const directory = newDirectory();
  const files = new PageFiles(path.join(directory, 'inside'), format, 'full');
  for (const url of urls) await files.write(pageOf(url));
  expect(readdirSync(directory)).toEqual(['inside']);
  const names = readdirSync(path.join(directory, 'inside'), { recursive: true, encoding: 'utf8' });
  const isFile = (name: string): boolean => statSync(path.join(directory, 'inside', name)).isFile();
  return new Map(
    names.filter(isFile).map((name) => [name, readFileSync(path.join(directory, 'inside', name), 'utf8')]),
  );
}

describe('the name of a page', () => {
  test.each([
    ['http://example.com/', 'example.com/index.md'],
    ['https://example.com:8443/', 'example.com_8443/index.md'],
    ['http://example.com/guide/install', 'example.com/guide/install.md'],
    ['http://example.com/guide/', 'example.com/guide/index.md'],
    ['http://example.com/a.html', 'example.com/a.md'],
    ['http://example.com/a.md', 'example.com/a.md'],
    ['http://example.com/a.PHP', 'example.com/a.md'],
    ['http://example.com/a..html', 'example.com/a.md'],
    ['http://example.com/.html', 'example.com/_html.md'],
    ['http://example.com/list?page=2&sort=a/b', 'example.com/list_page=2&sort=a_b.md'],
    ['http://example.com/caf%C3%A9', 'example.com/café.md'],
    ['http://example.com/%FF', 'example.com/%FF.md'],
    ['http://example.com//double///slash', 'example.com/double/slash.md'],
    ['http://example.com/..%2f..%2fetc%2fpasswd', 'example.com/__.._etc_passwd.md'],
    ['http://example.com/%2e%2e%5cwindows', 'example.com/__windows.md'],
    ['http://example.com/.htaccess', 'example.com/_htaccess.md'],
    ['http://example.com/con', 'example.com/_con.md'],
    ['http://example.com/aux.h/nul', 'example.com/_aux.h/_nul.md'],
    ['http://example.com/ends.', 'example.com/ends_.md'],
    ['http://example.com/line%0Abreak%1B', 'example.com/line_break_.md'],
    ['http://example.com/a.md/b', 'example.com/a.md_/b.md'],
    ['http://[::1]:8080/x', '[__1]_8080/x.md'],
  ])('%s becomes %s', async (url, name) => {
    expect([...(await written([url])).keys()]).toEqual([name]);
  });

  test.each([
    ['another case', ['http://h.example/Page', 'http://h.example/page']],
    ['an accent written in two ways', ['http://h.example/caf%C3%A9', 'http://h.example/cafe%CC%81']],
    ['a page and pages below it', ['http://h.example/a', 'http://h.example/a/b', 'http://h.example/a.md/b']],
    ['what is replaced', ['http://h.example/a%3Ab', 'http://h.example/a%3Fb', 'http://h.example/a_b']],
    ['what is cut', [`http://h.example/${'x'.repeat(300)}1`, `http://h.example/${'x'.repeat(300)}2`]],
    ['an index', ['http://h.example/', 'http://h.example/index', 'http://h.example/?']],
    ['depth', [`http://h.example/${'d/'.repeat(25)}x`, `http://h.example/${'d/'.repeat(26)}x`]],
  ])('two pages are two files: %s', async (_, urls) => {
    const files = await written(urls);
    expect(files.size).toBe(urls.length);
    const names = [...files.keys()].map((name) => name.normalize('NFC').toLowerCase());
    expect(new Set(names).size).toBe(urls.length);
  });

  test('has the ending of the page where another page has the name without it', async () => {
    const files = await written(['http://h.example/a', 'http://h.example/a.html', 'http://h.example/a.htm']);
    expect([...files.keys()].toSorted()).toEqual(['h.example/a.htm.md', 'h.example/a.html.md', 'h.example/a.md']);
  });

  test('says the format', async () => {
    expect([...(await written(['http://h.example/a'], 'html')).keys()]).toEqual(['h.example/a.html']);
    expect([...(await written(['http://h.example/a'], 'text')).keys()]).toEqual(['h.example/a.txt']);
  });

  test('whatever the URLs: nothing outside the directory, no reserved name, no page lost, the same names again', async () => {
    const piece = fc.oneof(
      fc.constantFrom(
        '..',
        '.',
        '%2e%2e',
        '%2f',
        '%5C',
        'con',
        'COM1',
        'a.md',
        'a',
        'A',
        '%00',
        '%',
        ' ',
        'é',
        '%C3%A9',
        '~',
        '|',
        ':',
      ),
      fc.string({ maxLength: 12 }),
      fc.string({ unit: 'binary', maxLength: 4 }).map(encodeURIComponentOr),
      fc.nat({ max: 300 }).map((length) => 'x'.repeat(length)),
    );
    const url = fc
      .tuple(fc.array(fc.array(piece, { maxLength: 3 }), { maxLength: 6 }), fc.option(piece))
      .map(
        ([parts, query]) =>
          `http://host.example/${parts.map((part) => part.join('')).join('/')}${query === null ? '' : `?${query}`}`,
      )
      .filter((text) => URL.canParse(text))
      .map((text) => new URL(text).href);
    await fc.assert(
      fc.asyncProperty(fc.uniqueArray(url, { minLength: 1, maxLength: 12 }), async (urls) => {
        const files = await written(urls);
        expect(files.size).toBe(urls.length);
        for (const name of files.keys()) {
          expect(Buffer.byteLength(name)).toBeLessThan(3_500);
          for (const part of name.split('/')) {
            expect(part).not.toMatch(/[\p{Cc}<>:"\\|?*]|^\.|[. ]$|^(con|prn|aux|nul|com\d|lpt\d)(\.|$)/iu);
            expect(Buffer.byteLength(part)).toBeLessThan(200);
          }
        }
        expect(await written(urls)).toEqual(files);
      }),
      { numRuns: 150 },
    );
  });
});

describe('converted links', () => {
  const format = { md: 'markdown', html: 'html' } as const;

  /** Files of these pages, given as URL, text and the URL before a redirect. */
  async function linked(
    ending: keyof typeof format,
    pages: readonly (readonly [url: string, text: string, requested?: string])[],
  ): Promise<Record<string, string>> {
    const directory = newDirectory();
    const files = new PageFiles(directory, format[ending], 'none', true);
    const given = pages.map(([fetchedUrl, text, url = fetchedUrl]) => {
      const page = pageOf(url, text);
      return { ...page, meta: { ...page.meta, fetchedUrl } };
    });
    for (const page of given) await files.write(page);
    async function* again(): AsyncGenerator<PageJson> {
      yield* given;
    }
    await files.convertLinks(again());
    const names = readdirSync(directory, { recursive: true, encoding: 'utf8' }).filter((name) => name.endsWith(ending));
    return Object.fromEntries(names.map((name) => [name, readFileSync(path.join(directory, name), 'utf8').trimEnd()]));
  }

  test('lead from file to file, also to a later one, and stay absolute to pages that are not saved', async () => {
    const to = (url: string): string => `[x](${url})`;
    const files = await linked('md', [
      ['http://h.example/', to('http://h.example/guide/a.html#part') + to('http://h.example/gone')],
      ['http://h.example/guide/a.html', to('http://h.example/') + to('http://h.example/guide/b%20(c)?q=1')],
      ['http://h.example/guide/b%20(c)?q=1', to('http://other.example/x') + to('mailto:a@h.example')],
      ['http://other.example/x', to('http://h.example/guide/a.html')],
    ]);
    expect(files).toEqual({
      'h.example/index.md': to('guide/a.md#part') + to('http://h.example/gone'),
      'h.example/guide/a.md': to('../index.md') + to('b%20%28c%29_q%3D1.md'),
      'h.example/guide/b (c)_q=1.md': to('../../other.example/x.md') + to('mailto:a@h.example'),
      'other.example/x.md': to('../h.example/guide/a.md'),
    });
  });

  test('find the file of a page whose name was taken, and of a page by both of its addresses', async () => {
    const links = ['a.html', 'a', 'A', 'old', 'new'].map((name) => `[x](http://h.example/${name})`).join(' ');
    const files = await linked('md', [
      ['http://h.example/a', links],
      ['http://h.example/a.html', ''],
      ['http://h.example/A', ''],
      ['http://h.example/new', '', 'http://h.example/old'],
    ]);
    const name = Object.keys(files)
      .find((file) => /A-[0-9a-f]{8}/.test(file))!
      .split('/')[1]!;
    expect(files['h.example/a.md']).toBe(
      ['a.html.md', 'a.md', name, 'old.md', 'old.md'].map((file) => `[x](${file})`).join(' '),
    );
  });

  test('in HTML only addresses of links change', async () => {
    const link = '<a href="http://h.example/b?x=1&amp;y" title="t">b</a>';
    const text = '<p>&lt;a href="http://h.example/b?x=1&amp;y"</p><img src="http://h.example/b?x=1&amp;y">';
    const files = await linked('html', [
      ['http://h.example/a', link + text],
      ['http://h.example/b?x=1&y', ''],
    ]);
    expect(files['h.example/a.html']).toBe(`<a href="b_x%3D1%26y.html" title="t">b</a>${text}`);
  });
});

describe('front matter', () => {
  test('keeps whatever a page calls itself inside its quotes', () => {
    const title = 'a"b\n---\nevil: true\u0085\u2028\u009b31m';
    const text = withFrontMatter({
      ...pageOf('http://h.example/'),
      meta: { ...pageOf('http://h.example/').meta, meta: { title, description: '' } },
    });
    const [, first = ''] = text.split('\n');
    expect(first).toBe(String.raw`title: "a\"b\n---\nevil: true\u0085\u2028\u009b31m"`);
    expect(JSON.parse(first.slice('title: '.length))).toBe(title);
  });

  test('has the structured data of the page, also where there is none', () => {
    const extracted = { price: { amount: 3.5, currency: 'EUR' }, tags: ['a"b'] };
    expect(withFrontMatter({ ...pageOf('http://h.example/'), extracted })).toContain(
      '\nextracted: {"price":{"amount":3.5,"currency":"EUR"},"tags":["a\\"b"]}\n',
    );
    expect(withFrontMatter({ ...pageOf('http://h.example/'), extracted: null })).toContain('\nextracted: null\n');
    expect(withFrontMatter(pageOf('http://h.example/'))).not.toContain('extracted');
  });

  test('is short, or none, where that is wanted', () => {
    const page = pageOf('http://h.example/a', 'text');
    const meta = { title: 'A', description: 'b', modifiedTime: '2026-01-02', language: 'en', wordCount: 1 };
    const full = { ...page, meta: { ...page.meta, meta } };
    expect(withFrontMatter(full, 'short')).toBe(
      '---\ntitle: "A"\nurl: "http://h.example/a"\ndate: "2026-01-02"\nlanguage: "en"\n---\n\ntext\n',
    );
    expect(withFrontMatter(full, 'none')).toBe('text\n');
  });

  test('names where the page was in the end only where that is another place', () => {
    const page = pageOf('http://h.example/a');
    expect(withFrontMatter(page)).not.toContain('fetchedUrl');
    expect(withFrontMatter({ ...page, meta: { ...page.meta, fetchedUrl: 'http://h.example/b' } })).toContain(
      '\nfetchedUrl: "http://h.example/b"\n',
    );
  });
});

function encodeURIComponentOr(text: string): string {
  try {
    return encodeURIComponent(text);
  } catch {
    return '%ED%A0%80';
  }
}
