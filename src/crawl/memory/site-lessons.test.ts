import { expect, test } from 'vitest';
import { noRules } from '../../extract/learn/rules.ts';
import { type KnownPage, noLessons, packLessons, takenOver, unpackLessons } from './site-lessons.ts';

const page = (at: number, template: number): KnownPage => ({
  url: `https://site.example/${template}/${at}`,
  signature: [template],
  template,
  has: ['name'],
  misses: [],
  sample: { answer: { name: `${at}` }, unsupported: [], html: new Uint8Array([at]) },
});

test('takenOver: keeps of each template the first asked page, which it is recognised by, and the last 19', () => {
  const pages = Array.from({ length: 30 }, (_, at) => [page(at, 0), ...(at < 3 ? [page(at, 1)] : [])]).flat();
  const { pages: kept, revision, view } = takenOver('later', { pages, rules: noRules }, 'unchecked');
  const of = (template: number): number[] =>
    kept.filter((each) => each.template === template).map(({ url }) => Number(url.split('/').at(-1)));
  expect(of(0)).toEqual([0, ...Array.from({ length: 19 }, (_, at) => 11 + at)]);
  expect(of(1)).toEqual([0, 1, 2]);
  expect(revision).toBe(0);
  expect(
    view.templates.map(({ leader, asked, askedHere, isSettled }) => ({ leader, asked, askedHere, isSettled })),
  ).toEqual([
    { leader: [0], asked: 20, askedHere: 0, isSettled: false },
    { leader: [1], asked: 3, askedHere: 0, isSettled: false },
  ]);
});

test('takenOver: pages that an earlier job asked about are still told apart after they were stored', () => {
  const taken = takenOver('later', { pages: [page(1, 0)], rules: noRules }, 'trusted');
  const { pages } = unpackLessons('later', { revision: 1, data: packLessons(taken) });
  expect(pages).toMatchObject([{ url: page(1, 0).url, earlier: 'trusted' }]);
});

test('packLessons: keeps signatures and counts, and neither HTML nor an answer', () => {
  const { sample: _, ...kept } = page(7, 0);
  const lessons = { ...noLessons('site'), pages: [page(7, 0)] };
  const { pages, revision } = unpackLessons('site', { revision: 3, data: packLessons(lessons) });
  expect([pages, revision]).toEqual([[kept], 3]);
});
