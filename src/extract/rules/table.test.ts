import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { chooseContent } from '../content/main-content.ts';
import { parseHtml } from '../html/parse-html.ts';
import { toText } from '../write/markdown/to-markdown.ts';
import { furtherRules, RuleTable, ruleNames } from './table.ts';

const evidence = JSON.parse(readFileSync(new URL('evidence.json', import.meta.url), 'utf8')) as Record<
  string,
  Readonly<Record<string, unknown>>
>;

it('ruleNames: names every rule once, and each has its evidence', () => {
  expect(new Set(ruleNames).size).toBe(ruleNames.length);
  expect(Object.keys(evidence).toSorted()).toEqual([...ruleNames].toSorted());
  expect(ruleNames).toEqual(expect.arrayContaining([...furtherRules]));
});

it('evidence: says of each rule if it changes pages of our own alone', () => {
  for (const [name, { pages: _, only, ...counts }] of Object.entries(evidence)) {
    const { facts = 0, ...others } = counts as Record<string, number>;
    const changesOthers = Object.values(others).some((value) => value !== 0);
    expect.soft(only, name).toBe(changesOthers ? undefined : facts === 0 ? 'cliffs' : 'fact pages');
  }
});

it('RuleTable: has every rule but those that it is made without', () => {
  const table = new RuleTable(['menu']);
  expect(ruleNames.filter((name) => !table.has(name))).toEqual(['menu']);
});

it('RuleTable: what it says of a page does not depend on the pages before', () => {
  const prose =
    '<p>Words of the article itself, enough of them that nobody takes it for a caption or a menu.</p>'.repeat(6);
  const parts = [
    '<div>A</div>',
    '<div role=menu>B</div>',
    '<div hidden>C</div>',
    '<div><h2>Related articles</h2>D</div>',
  ];
  const shared = new RuleTable();
  const textOf = (part: string, rules: RuleTable): string =>
    toText(chooseContent(parseHtml(`<main>${prose}${part}</main>`), 'auto', null, '', rules));
  for (const part of [...parts, ...parts.toReversed()])
    expect(textOf(part, shared)).toBe(textOf(part, new RuleTable()));
  expect(parts.map((part) => /[A-D]$/.test(textOf(part, shared).trim()))).toEqual([true, false, false, false]);
});
