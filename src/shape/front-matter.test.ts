import { expect, test } from 'vitest';
import { timeGrowth } from '../../test/time-growth.ts';
import { splitFrontMatter } from './front-matter.ts';

const fieldsOf = (yaml: string): Record<string, readonly string[]> =>
  Object.fromEntries(splitFrontMatter(`---\n${yaml}\n---\n\nText`).fields);

test.each<[yaml: string, fields: Record<string, readonly string[]>]>([
  ['title: The guide', { title: ['The guide'] }],
  ['title: "A: \\"b\\" # c" # d', { title: ['A: "b" # c'] }],
  ["title: 'it''s'", { title: ["it's"] }],
  ['Title: One # a comment\ntitle: Two', { title: ['One'] }],
  ['tags: [a, "b, c", \'d\']\ndraft: false', { tags: ['a', 'b, c', 'd'], draft: ['false'] }],
  ['tags:\n  - a\n  - b\nlang: de', { tags: ['a', 'b'], lang: ['de'] }],
  ['tags:\n- a\n- b', { tags: ['a', 'b'] }],
  ['authors:\n  - name: Ada\n    url: /ada\n  - name: "Bob"', { authors: ['Ada', 'Bob'] }],
  ['author:\n  name: Ada', { author: ['Ada'] }],
  ['description: >-\n  One\n  line\nlang: de', { description: ['One line'], lang: ['de'] }],
  ['description: One\n  line', { description: ['One line'] }],
  ['a: ~\nb: null\nc: {d: e}\nf:', { a: [], b: [], c: [], f: [] }],
])('splitFrontMatter: reads the fields when the YAML is %j', (yaml, fields) => {
  expect(fieldsOf(yaml)).toEqual(fields);
  expect(splitFrontMatter(`---\n${yaml}\n---\n\nText`).body).toBe('\nText');
});

test.each(['---\n\nText\n\n---\n', '---\ntitle: a\n', 'title: a\n---\n', '----\ntitle: a\n---\n', ''])(
  'splitFrontMatter: leaves the text alone when it has no front matter: %j',
  (text) => {
    expect(splitFrontMatter(text)).toEqual({ fields: new Map(), body: text });
  },
);

test('splitFrontMatter: takes processor time in proportion to the text when it is hostile', () => {
  for (const part of ['a: [', 'a: "', '- ', 'a:\n', "a: '", ' #', '\n---\nb']) {
    const run = (size: number): void => {
      for (let n = 0; n < 20; n++) splitFrontMatter(`---\na: [${part.repeat(size)}\n---\n`);
    };
    expect(timeGrowth(run, 2_500)).toBeLessThan(3);
  }
});
