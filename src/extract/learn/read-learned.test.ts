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

describe('readLearned', () => {
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
