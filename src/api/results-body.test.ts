import { gunzipSync } from 'node:zlib';
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { fragmentOf } from '../../test/fragment.ts';
import type { StoredPage } from '../core/page.ts';
import { addTextRows, resultsBody, rowStart } from './results-body.ts';
import { GzipMember } from './gzip-member.ts';

const envelope = { before: '{"data":[', between: ',', after: '],"cursor":"c"}' };

interface Row {
  readonly url: string;
  readonly title: string;
  readonly text: string;
}

const rows = fc.array(
  fc.record({
    url: fc.webUrl(),
    title: fc.string({ unit: 'grapheme' }),
    text: fc.string({ unit: 'binary', maxLength: 500 }),
  }),
  { maxLength: 20 },
);

function storedPages(values: readonly Row[], withText: boolean): StoredPage[] {
  return values.map(({ url, title, text }, index) => {
    const meta = `"url":${JSON.stringify(url)},"meta":${JSON.stringify({ title })}}`;
    const page = index + 7;
    return withText
      ? { page, body: fragmentOf(`${meta},"text":${JSON.stringify(text)}}`) }
      : { page, meta: Buffer.from(meta) };
  });
}

function expected(values: readonly Row[], withText: boolean): unknown {
  const data = values.map(({ url, title, text }, index) => ({
    meta: { page: index + 7, url, meta: { title } },
    ...(withText && { text }),
  }));
  return { data, cursor: 'c' };
}

describe.each([
  { withText: true, packed: true },
  { withText: true, packed: false },
  { withText: false, packed: true },
  { withText: false, packed: false },
])('a results body (texts: $withText, packed: $packed)', ({ withText, packed }) => {
  const read = async (pages: readonly StoredPage[], form = envelope): Promise<string> => {
    const body = await resultsBody(pages, form, packed);
    return (packed ? gunzipSync(body) : body).toString();
  };

  it('is the rows in their envelope', async () => {
    await fc.assert(
      fc.asyncProperty(rows, async (values) => {
        expect(JSON.parse(await read(storedPages(values, withText)))).toEqual(expected(values, withText));
      }),
    );
  });

  it('has no rows where there are none', async () => {
    expect(await read([])).toBe('{"data":[],"cursor":"c"}');
  });

  it('can be lines', async () => {
    const values = ['1', '2', '3'].map((text) => ({ url: `https://a.test/${text}`, title: text, text }));
    const lines = (await read(storedPages(values, withText), { before: '', between: '\n', after: '\n' })).split('\n');
    expect(lines.pop()).toBe('');
    expect(lines.map((line) => (JSON.parse(line) as { meta: { page: number } }).meta.page)).toEqual([7, 8, 9]);
  });
});

describe('a row', () => {
  it('begins with the number of its page', () => {
    expect(rowStart(12)).toBe('{"meta":{"page":12,');
  });

  it('cannot be made of a page that was read without its text', () => {
    const pages = storedPages([{ url: 'https://a.test/', title: '', text: '' }], false);
    expect(() => addTextRows(new GzipMember(), pages, envelope)).toThrow('page 7 was read without its text');
  });
});
