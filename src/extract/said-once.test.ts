import { expect, it } from 'vitest';
import { extractPage } from './extract-page.ts';

const prose = 'The river rose in the night and cut off two villages, which are reached by boat since then. '.repeat(4);
const lead = 'Two villages have been cut off since the river rose on Tuesday night, and more rain is to come.';

const read = (head: string, body: string, lang = 'en'): string =>
  extractPage(`<html lang=${lang}><head><title>High water</title>${head}</head><body>${body}</body></html>`, {
    url: 'https://news.example/high-water',
    headers: { link: '', refresh: '', contentLanguage: '' },
    robotsTag: new Set(),
    outputFormat: 'text',
    content: 'auto',
    excludeElements: null,
  }).text;

const article =
  '<meta property="og:type" content=article><meta property="og:site_name" content="Valley Herald"><meta name=author content="Ada Field"><meta property="article:published_time" content="2019-11-20T09:28:00Z">';
const text = `<p>${prose}</p><p>${prose}</p><p>${prose}</p>`;

it.each([
  ['en', 'By Ada Field', 'Nov. 20, 2019, 9:28 AM UTC'],
  ['en', 'Ada Field', 'Published Nov. 20, 2019', 'Updated 20 November 2019'],
  ['de', 'Von Ada Field', 'Veröffentlicht am 20. November 2019, 09:28 Uhr'],
  ['fr', 'Par Ada Field', 'Publié le 20 novembre 2019'],
  ['ru', 'Ada Field, 20 ноября 2019'],
  ['zh', 'Valley Herald', '发布时间:2019年11月20日'],
  ['en', 'Valley Herald | By Ada Field | 20/11/2019'],
])('saidOnce: leaves out what the metadata says, in %s: %s', (lang, ...lines) => {
  const expected = ['High water', lead, prose.trim(), prose.trim(), prose.trim()].join('\n\n');
  const h1 = '<h1>High water</h1>';
  const standfirst = `<p class=intro>${lead}</p>`;
  const div = lines.map((line) => `<div><span class=x1>${line}</span></div>`).join('');
  const list = `<ul>${lines.map((line) => `<li>${line}</li>`).join('')}</ul>`;
  const broken = `<p>${lines.join('<br>')}</p>`;
  for (const said of [div, list, broken]) {
    expect(read(article, `<article>${h1}${said}${standfirst}${text}</article>`, lang)).toBe(expected);
    expect(read(article, `<article>${h1}${standfirst}${said}${text}</article>`, lang)).toBe(expected);
  }
});

it.each([
  ['a name that is not in the metadata', '<p>By Ben Hay</p>', 'Ben Hay'],
  ['a name among others', '<p>By Ada Field and Ben Hay</p>', 'Ada Field and Ben Hay'],
  ['another day', '<p>23 November 2019</p>', '23 November 2019'],
  ['words beside the date', '<p>Paris, 20 November 2019</p>', 'Paris, 20 November 2019'],
  ['the value of another label', '<p>Last day to apply:</p><p>20 November 2019</p>', '20 November 2019'],
  ['a cell', '<table><tr><td>Applied<td>20 November 2019</table>', '20 November 2019'],
])('saidOnce: keeps %s', (_, line, kept) => {
  expect(read(article, `<article><h1>High water</h1>${line}${text}</article>`)).toContain(kept);
});

it('saidOnce: leaves out a date below the last paragraph, and keeps a name alone, which can begin an address', () => {
  const below = '<p>Ada Field</p><p>Mill Lane 4</p>';
  expect(read(article, `<article><h1>High water</h1>${text}${below}</article>`)).toContain('Ada Field\n\nMill Lane 4');
  expect(read(article, `<article><h1>High water</h1>${text}<p>Published: 20 Nov 2019</p></article>`)).not.toContain(
    '2019',
  );
});

it('saidOnce: keeps the day of an event, which the metadata can take for that of the page', () => {
  const day = '<p>By Ada Field</p><p>20 November 2019</p>';
  expect(read('', `<main><h1>High water</h1>${day}${text}</main>`)).toContain('20 November 2019');
});
