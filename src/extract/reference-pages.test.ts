/** The shapes of pages that documentation generators write. All texts are our own. */
import { describe, expect, it } from 'vitest';
import { chooseContent } from './content/main-content.ts';
import { parseHtml } from './html/parse-html.ts';
import { toText } from './write/to-text.ts';

const textOf = (body: string): string =>
  toText(chooseContent(parseHtml(`<body>${body}</body>`), 'auto', null))
    .replace(/\s+/g, ' ')
    .trim();

const prose = 'The pump moves water from the well to the tank, and it stops as soon as the tank is full. ';
const long = `<p>${prose.repeat(20)}</p>`;

const codes = `<p>${'<code>x</code> '.repeat(10)}</p>`;

describe('documentation keeps', () => {
  it.each<[what: string, html: string, kept: string[]]>([
    [
      'short chapters next to a long one',
      `<div><div class=chapter><h2>Functions</h2><table><tr><td>void<td>pump_start()</table></div>
       <div class=chapter><h2>Details</h2>${long}</div></div>`,
      ['Functions', 'pump_start()'],
    ],
    [
      'sections next to a long one',
      `<main><section><h2>Guides</h2><ul><li>Pumps</ul></section><section><h2>Introduction</h2>${long}</section></main>`,
      ['Guides', 'Pumps'],
    ],
    [
      'code and definitions that stand between boxes of prose',
      `<div><pre>import pump</pre><dl><dt>speed</dt><dd>In litres</dd></dl><div>${long}</div></div>`,
      ['import pump', 'speed', 'In litres'],
    ],
  ])('%s', (_what, html, kept) => {
    const text = textOf(html);
    for (const part of kept) expect(text).toContain(part);
  });
});

it('documentation keeps the description that two overloads share', () => {
  const shared =
    'Returns as soon as the tank holds so much water, or when there is no more water in the well that the pump could move.';
  const both = `<h3>fill(int)</h3><div class=block>${shared}</div><h3>fill(long)</h3><div class=block>${shared}</div>`;
  expect(textOf(`<main>${codes}${long}${both}</main>`)).toContain(`fill(int) ${shared} fill(long) ${shared}`);
});
