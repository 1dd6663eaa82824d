import { gunzipSync } from 'node:zlib';
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { fragmentOf } from '../../test/fragment.ts';
import type { StoredPage } from '../core/page.ts';
import { GzipMember } from './gzip-member.ts';
import { addPackedRows, resultsBody } from './join-rows.ts';
import { rowStart } from './row.ts';

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

/** `fields`: metadata reduced to some fields. */
type Form = 'text' | 'meta' | 'fields';

function storedPages(values: readonly Row[], form: Form): StoredPage[] {
  return values.map(({ url, title, text }, index) => {
    const meta = `"url":${JSON.stringify(url)},"meta":${JSON.stringify({ title })}}`;
    const page = index + 7;
    if (form === 'fields') return { page, fields: Buffer.from(meta) };
    if (form === 'meta') return { page, meta: fragmentOf(meta) };
    return { page, body: fragmentOf(`${meta},"text":${JSON.stringify(text)}}`) };
  });
}

function expected(values: readonly Row[], form: Form): unknown {
  const data = values.map(({ url, title, text }, index) => ({
    meta: { page: index + 7, url, meta: { title } },
    ...(form === 'text' && { text }),
  }));
  return { data, cursor: 'c' };
}

const forms = ['text', 'meta', 'fields'] as const;

describe.each(forms.flatMap((form) => [true, false].map((packed) => ({ form, packed }))))(
  'resultsBody (stored: $form, packed: $packed)',
  ({ form, packed }) => {
    const read = async (pages: readonly StoredPage[], around = envelope): Promise<string> => {
      const body = await resultsBody(pages, around, packed);
      return (packed ? gunzipSync(body) : body).toString();
    };

    it('resultsBody: contains the rows in their envelope', async () => {
      await fc.assert(
        fc.asyncProperty(rows, async (values) => {
          expect(JSON.parse(await read(storedPages(values, form)))).toEqual(expected(values, form));
        }),
      );
    });

    it('resultsBody: contains no rows when there are no pages', async () => {
      expect(await read([])).toBe('{"data":[],"cursor":"c"}');
    });

    it('resultsBody: writes rows as lines', async () => {
      const values = ['1', '2', '3'].map((text) => ({ url: `https://a.test/${text}`, title: text, text }));
      const lines = (await read(storedPages(values, form), { before: '', between: '\n', after: '\n' })).split('\n');
      expect(lines.pop()).toBe('');
      expect(lines.map((line) => (JSON.parse(line) as { meta: { page: number } }).meta.page)).toEqual([7, 8, 9]);
    });
  },
);

describe('rows', () => {
  it('rowStart: begins with the number of the page', () => {
    expect(rowStart(12)).toBe('{"meta":{"page":12,');
  });

  it('addPackedRows: throws for a page of which some fields were read', () => {
    const pages = storedPages([{ url: 'https://a.test/', title: '', text: '' }], 'fields');
    expect(() => addPackedRows(new GzipMember(), pages, envelope)).toThrow('page 7 was read with some fields only');
  });
});
