import { expect, test } from 'vitest';
import { type FieldSchema, fieldsOf } from '../../core/extract.ts';
import { openPage } from '../open-page.ts';
import { readAnswer, type ReadAnswer } from './read-answer.ts';

const html = '<html lang=en><title>Rake</title><h1>Garden rake</h1><p>$99.00, 13.50 a year, size XL, made in Austria';

function read(given: unknown, properties: Readonly<Record<string, FieldSchema>>): ReadAnswer | undefined {
  const page = openPage(
    html,
    {
      url: 'https://example.com/rake',
      headers: { link: '', refresh: '', contentLanguage: '' },
      robotsTag: new Set(),
      content: 'auto',
    },
    true,
  );
  return readAnswer(given, fieldsOf({ schema: { properties }, fields: {} }), page);
}

test.each([0, 13, 50, 9])(
  'readAnswer: does not believe %d, which the page shows only as a part of a number',
  (value) => {
    expect(read({ value }, { value: { type: 'number' } })?.unsupported).toEqual(['value']);
  },
);

test.each(['N/A', 'us', 'rak'])('readAnswer: does not believe "%s", whose letters stand in other words', (value) => {
  expect(read({ value }, { value: { type: 'string' } })?.unsupported).toEqual(['value']);
});

test.each(['XL', 'Garden Rake', 'in'])('readAnswer: believes "%s", which the page shows', (value) => {
  expect(read({ value }, { value: { type: 'string' } })).toEqual({ answer: { value }, unsupported: [] });
});

test.each([{}, { record: { value: 'XL' } }, [], 'XL'])(
  'readAnswer: reads no answer from %j, which has no field',
  (given) => {
    expect(read(given, { value: { type: 'string' } })).toBeUndefined();
  },
);
