// Pages of a site of which three were asked: the last part of a path that has two or three.
import { describe, expect, test } from 'vitest';
import type { ExtractOption } from '../../core/extract.ts';
import { fieldsOf } from '../../core/extract.ts';
import { wantedData } from '../fields/page-data.ts';
import { type OpenPage, openPage } from '../open-page.ts';
import { lessonOf } from './lesson.ts';
import { readLearned } from './read-learned.ts';
import { noRules, type Sample } from './rules.ts';
import { type AskedPage, siteView } from './site-view.ts';

const open = ({ url, html }: Pick<Sample, 'url' | 'html'>): OpenPage =>
  openPage(
    html,
    { url, headers: { link: '', refresh: '', contentLanguage: '' }, robotsTag: new Set(), content: 'auto' },
    true,
  );
const pageOf = (parts: readonly string[], body: string): string =>
  `<!doctype html><html lang=en><title>Manual</title><h1 class=way>${parts.map((part) => `<a href="/x">${part}</a>`).join(' / ')}</h1>${body}`;
const usual = '<p class=text>Words of the manual.</p>';
const foreign = `<table class=grid>${'<tr class=row><td class=cell><i class=mark>words</i></td></tr>'.repeat(5)}</table><ul class=more><li class=one>more</li></ul>`;

function readWith(when: readonly string[], html: string): unknown {
  const schema = { type: 'object', properties: { name: { type: 'string' } } };
  const option = { schema, fields: {}, declared: true, declared_things: false, when } as unknown as ExtractOption;
  const wanted = wantedData(option);
  const samples: Sample[] = [];
  const asked: AskedPage[] = [];
  let [rules, view] = [noRules, siteView('0', [], noRules)];
  for (const parts of [
    ['std', 'Vec'],
    ['std', 'sync', 'Arc'],
    ['std', 'io', 'Read'],
    ['core', 'Option'],
  ]) {
    const page = { url: `https://site.example/${parts.join('/')}`, html: pageOf(parts, usual) };
    const { signature, verdict } = readLearned(wanted, open(page), page.url, view, undefined);
    const known = { samples, rules };
    const lesson = lessonOf({ name: parts.at(-1) }, page, known, option, fieldsOf(option), open);
    if (!lesson) throw new Error('no lesson');
    samples.push({ ...page, answer: lesson.answer });
    asked.push({ ...lesson, url: page.url, signature, template: verdict.template });
    ({ rules } = lesson);
    view = siteView(`${when.join(' ')} ${asked.length}`, asked, rules);
  }
  const url = 'https://site.example/another';
  return readLearned(wanted, open({ url, html }), url, view, undefined).extracted;
}

/** What the model answers about pages of one name each; then what is read of a page with this name. */
function readNames(answered: readonly string[], names: readonly string[]): readonly (readonly [unknown, string])[] {
  const schema = { type: 'object', properties: { name: { type: 'string' } } };
  const option = { schema, fields: {}, declared: true, declared_things: false, when: [] } as unknown as ExtractOption;
  const wanted = wantedData(option);
  const samples: Sample[] = [];
  const asked: AskedPage[] = [];
  let [rules, view] = [noRules, siteView('0', [], noRules)];
  const htmlOf = (name: string): string =>
    `<!doctype html><html lang=en><title>Manual</title><h1 class=name>${name.replaceAll('<', '&lt;')}</h1>${usual}`;
  for (const [at, name] of answered.entries()) {
    const page = { url: `https://site.example/${at}`, html: htmlOf(name) };
    const { signature, verdict } = readLearned(wanted, open(page), page.url, view, undefined);
    const lesson = lessonOf({ name }, page, { samples, rules }, option, fieldsOf(option), open);
    if (!lesson) throw new Error('no lesson');
    samples.push({ ...page, answer: lesson.answer });
    asked.push({ ...lesson, url: page.url, signature, template: verdict.template });
    ({ rules } = lesson);
    view = siteView(`${answered.join(' ')} ${asked.length}`, asked, rules);
  }
  return names.map((name) => {
    const url = 'https://site.example/another';
    const { verdict, from, extracted } = readLearned(wanted, open({ url, html: htmlOf(name) }), url, view, undefined);
    expect(extracted).toEqual({ name });
    return [from.problems['name'], verdict.kind];
  });
}

const classes = ['Thread', 'HashMap', 'Map.Entry', 'List', 'Réseau', 'Arrays', 'Base64'];

describe('readLearned', () => {
  test.each([
    [
      'letters of any alphabet, digits, and marks of an answer',
      ['Optional', 'Ångström', 'UTF8', 'Thread.State'],
      undefined,
    ],
    ['a mark that no answer has', ['HashSet<E>', 'Thread-Local', 'a:b'], 'disagree'],
    ['several words', ['const: 1.40', 'Hash Set'], 'disagree'],
  ])('doubts a value of one word only if it looks like no answer: %s', (_, names, problem) => {
    for (const [found, verdict] of readNames(classes, names))
      expect([found, verdict]).toEqual([problem, problem === undefined ? 'read' : 'ask']);
  });

  test('doubts a mark no longer when an answer has it', () => {
    const many = Array.from({ length: 12 }, (_, at) => `Name${at}`);
    expect(readNames([...many, 'HashSet<E>'], ['TreeSet<E>'])).toEqual([[undefined, 'read']]);
  });

  test('doubts no value of a field whose answers have several words, or of which few are known', () => {
    expect(readNames(['Hay rake', ...classes], ['Hoe: new'])).toEqual([[undefined, 'read']]);
    expect(readNames(classes.slice(0, 2), ['HashSet<E>'])[0]?.[0]).not.toBe('disagree');
  });

  test('finds the last part of a path, however many it has', () => {
    const parts = ['std', 'os', 'unix', 'net', 'UCred'];
    expect(readWith([], pageOf(parts, usual))).toEqual({ name: 'UCred' });
  });

  test('reads a page like none that was asked only if the client names the pages with a record', () => {
    const html = pageOf(['std', 'Box'], foreign);
    expect(readWith([], html)).toBeNull();
    expect(readWith(['/**'], html)).toEqual({ name: 'Box' });
  });
});
