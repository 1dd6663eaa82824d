import { expect, test } from 'vitest';
import type { ExtractOption } from '../core/extract.ts';
import { columnsOf } from './columns.ts';

const option: ExtractOption = { schema: null, fields: {}, declared: true, declared_things: false, when: [] };
const namesOf = (extract: ExtractOption): readonly string[] =>
  columnsOf({ extract })
    .map(({ name }) => name)
    .filter((name) => name.startsWith('extracted_'));

test('columnsOf: gives columns distinct names when a field is called as a part of a price', () => {
  const fields = { p: { css: 'b', type: 'price' }, P_amount: { css: 'i' }, p_amount_2: { css: 'u' } } as const;
  expect(namesOf({ ...option, fields })).toEqual([
    'extracted_p_amount',
    'extracted_p_currency',
    'extracted_P_amount_2',
    'extracted_p_amount_2_2',
  ]);
});

test('columnsOf: gives columns distinct names when a field and one of the schema differ only in case', () => {
  const schema = { properties: { title: { type: 'string' } } } as const;
  const names = namesOf({ ...option, schema, fields: { Title: { css: 'h1' } } }).map((name) => name.toLowerCase());
  expect(new Set(names).size).toBe(2);
});
