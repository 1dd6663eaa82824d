import { expect, test } from 'vitest';
import { noRules } from './rules.ts';
import { type AskedPage, siteView } from './site-view.ts';

const asked = (misses: readonly string[] | undefined, earlier?: AskedPage['earlier']): AskedPage => ({
  url: 'https://site.example/',
  signature: [1],
  template: 0,
  has: ['name'],
  misses,
  ...(earlier && { earlier }),
});
const earlier = Array.from({ length: 8 }, () => asked([], 'unchecked'));

test.each<[string, readonly AskedPage[], boolean]>([
  ['no page of this job was asked', earlier, false],
  ['one was, and reads as answered', [...earlier, asked([])], false],
  ['two were, and read as answered', [...earlier, asked([]), asked([])], true],
  ['two were, with one miss', [...earlier, asked(['name']), asked([])], true],
  ['two were, with two misses', [...earlier, asked(['name']), asked(['name'])], false],
  ['the misses came later', [...earlier, asked([]), asked([]), asked(['name']), asked(['name'])], true],
  ['two read as answered, and nothing is taken over', [asked([]), asked([])], false],
  ['what is taken over is trusted', Array.from({ length: 8 }, () => asked([], 'trusted')), true],
])('siteView: a template that an earlier job learned is settled after two checks: %s', (_, pages, isSettled) => {
  expect(siteView('site', pages, noRules).templates.map((template) => template.isSettled)).toEqual([isSettled]);
});
