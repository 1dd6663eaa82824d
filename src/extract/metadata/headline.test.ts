import { isTag } from 'domhandler';
import { expect, it } from 'vitest';
import { parseHtml } from '../html/parse-html.ts';
import { findAll } from 'domutils';
import { headlineOf } from './headline.ts';

const unknownSite = { name: undefined, host: 'a.example', isStartPage: false };

it.each<[what: string, title: string, html: string, headline: string]>([
  ['drops the sign of a link to the heading', 'Pumps — Water', '<h1>Pumps<a href="#pumps">¶</a></h1>', 'Pumps'],
  [
    'drops a number sign that links to the heading',
    'Old pumps — Water',
    '<h1>Old pumps<a href="#old-pumps"> #</a></h1>',
    'Old pumps',
  ],
  ['keeps a number sign that is part of a name', 'F# — Languages', '<h1><a href="#f">F#</a></h1>', 'F#'],
  ['drops the version of a manual', 'Pump (Water Tools 3.1 API)', '<h1>Class Pump</h1>', 'Pump'],
  ['drops nested brackets', 'Valves (Water (version 7.3.0))', '', 'Valves'],
])('headlineOf: %s', (_what, title, html, headline) => {
  expect(headlineOf(title, headings(html), unknownSite)).toBe(headline);
});

it.each<[what: string, title: string, html: string, headline: string]>([
  ['the title when the h1 is the site', 'Working at Example Corp', '<h1>Example Corp</h1>', 'Working at Example Corp'],
  ['the title that says more', 'Hay in 2026', '<h1>News</h1>', 'Hay in 2026'],
])('headlineOf: takes %s', (_what, title, html, headline) => {
  expect(headlineOf(title, headings(html), { ...unknownSite, name: 'Example Corp' })).toBe(headline);
});

it('headlineOf: keeps brackets that are part of the title', () => {
  expect(headlineOf('Pumps (with an API)', [], unknownSite)).toBe('Pumps (with an API)');
});

it('headlineOf: takes the full stops from the title', () => {
  const html = '<h1><a href=1>Pump</a><a href=2>Valve</a>open_all_valves</h1>';
  expect(headlineOf('Pump.Valve.open_all_valves', headings(html), unknownSite)).toBe('Pump.Valve.open_all_valves');
});

function headings(html: string) {
  return findAll((node) => isTag(node) && node.name === 'h1', parseHtml(html).children);
}
