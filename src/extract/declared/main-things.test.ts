import { describe, expect, test } from 'vitest';
import type { Thing } from '../scan/json-ld.ts';
import { mainThings, type PageSubject } from './main-things.ts';

const thing = (type: string, values: Record<string, unknown>): Thing => ({ types: [type], values });
const page: PageSubject = {
  headings: ['Garden rake'],
  title: 'Garden rake | Hay Tools',
  isThisPage: (url) => url === 'https://example.com/rake',
};
const rake = thing('Product', { name: 'Garden rake' });

const neighbours = [
  thing('BreadcrumbList', { name: 'Garden rake' }),
  thing('Product', { name: 'Gift card' }),
  thing('Event', { name: 'Hay day', url: 'https://example.com/rake' }),
  thing('Organization', { name: 'Hay Tools', url: 'https://example.com/rake' }),
  thing('WebPage', { name: 'Garden rake', url: 'https://example.com/rake' }),
];

describe('mainThings', () => {
  test('mainThings: returns the thing of the heading among its neighbours, in any order', () => {
    for (const [at] of [...neighbours, rake].entries()) {
      const all = neighbours.toSpliced(at, 0, rake);
      expect(mainThings(all, page)).toEqual([rake]);
    }
  });

  test('mainThings: returns nothing when the page declares only neighbours', () => {
    const [crumbs, card, , site, around] = neighbours;
    expect(
      mainThings(
        [crumbs, card, site, around].filter((one) => one !== undefined),
        page,
      ),
    ).toEqual([]);
  });

  test('mainThings: returns nothing when the page declares one neighbour alone', () => {
    for (const one of neighbours.filter(({ types: [type] }) => type !== 'Event'))
      expect(mainThings([one], page)).toEqual([]);
  });

  test.each<readonly [string, Thing]>([
    ['its name is the heading, in other letters', thing('Product', { name: 'GARDEN  RAKE' })],
    ['its name is the heading, escaped', thing('Product', { headline: 'Garden&nbsp;rake' })],
    ['its URL is this page', thing('Event', { name: 'A fair', url: 'https://example.com/rake' })],
    [
      'it says of which page it is the main thing',
      thing('Article', { mainEntityOfPage: { '@id': 'https://example.com/rake' } }),
    ],
    ['its name is longer than the heading', thing('Product', { name: 'Garden rake, 12 teeth' })],
    ['a person has the name of the heading', thing('Person', { name: 'Garden rake' })],
  ])('mainThings: returns a thing when %s', (_, one) => {
    expect(mainThings([thing('Product', { name: 'Gift card' }), one], page)).toEqual([one]);
  });

  test('mainThings: returns every declaration of one subject', () => {
    const other = thing('Recipe', { name: 'Garden rake' });
    expect(mainThings([rake, other], page)).toEqual([rake, other]);
  });

  test('mainThings: returns none of two things that have the address of the page', () => {
    const two = ['A fair', 'A feast'].map((name) => thing('Event', { name, url: 'https://example.com/rake' }));
    expect(mainThings(two, page)).toEqual([]);
  });
});
