/** The shapes of pages that documentation generators write. All texts are our own. */
import { describe, expect, it } from 'vitest';
import { chooseContent } from './content/main-content.ts';
import { parseHtml } from './html/parse-html.ts';
import { toText } from './write/markdown/to-markdown.ts';

const textOf = (body: string): string =>
  toText(chooseContent(parseHtml(`<body>${body}</body>`), 'auto', null))
    .replace(/\s+/g, ' ')
    .trim();

const prose = 'The pump moves water from the well to the tank, and it stops as soon as the tank is full. ';
const long = `<p>${prose.repeat(20)}</p>`;

const codes = `<p>${'<code>x</code> '.repeat(10)}</p>`;

describe('documentation', () => {
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
    [
      'many functions without headings next to a long one',
      `<div>${'<div class=top><p>stop :: Pump</p></div>'.repeat(5)}<div class=top><p>start :: Pump</p>${long}</div></div>`,
      ['stop :: Pump', 'start :: Pump'],
    ],
    [
      'a term whose id is the name of a function',
      `<main>${long}<dl><dt id=pump.Pump.get_date>get_date()</dt><dd>The day.</dd></dl></main>`,
      ['get_date()'],
    ],
    [
      'a function whose id repeats its name',
      `<main>${long}<div id=method-i-skip_comments><p>skip_comments()</p></div></main>`,
      ['skip_comments()'],
    ],
    [
      'a term whose name is a link to itself',
      `<main>${long}<dl><dt id=u><a class=permalink href="#u"><code>-u</code></a> <var>unit</var></dt><dd>The unit.</dd></dl></main>`,
      ['-u unit'],
    ],
    [
      'fields of a record next to a long one',
      `<div>${['subject', 'citation', 'place'].map((name) => `<div class="${name} record-field"><h5>The ${name}</h5><p>Of it</p></div>`).join('')}
       <div class="abstract record-field"><h5>Abstract</h5>${long}</div></div>`,
      ['The subject Of it', 'The citation Of it', 'The place Of it'],
    ],
    [
      'a heading that is the name of a value',
      `<main>${long}<h3><a id=PUMP_SHARING>PUMP_SHARING</a></h3><p>Two wells.</p></main>`,
      ['PUMP_SHARING'],
    ],
    [
      'a chapter about how to register something',
      `<main>${long}<section id=registering-filters><h2>Registering Filters</h2><p>${prose.repeat(4)}</p></section></main>`,
      ['Registering Filters'],
    ],
    [
      'a chapter on related things that has a link to itself',
      `<main>${long}<section id=related-pumps><h2>Related pumps<a href=#related-pumps>¶</a></h2><p>${prose.repeat(4)}</p></section></main>`,
      ['Related pumps'],
    ],
    [
      'parameters that are called tags',
      `<main>${long}<div class=tags><p>Returns:</p><ul><li>the level</ul></div><dl class=tags><dt class=tag>Since<dd>1.2</dl></main>`,
      ['Returns:', 'the level', 'Since', '1.2'],
    ],
    [
      'the description of a value in a table',
      `<main>${long}<table><tr><td>level<td><div class=comment>how full the tank is</div></table></main>`,
      ['how full the tank is'],
    ],
    [
      'a module whose id is its declaration',
      `<main>${long}<div id=module-Date><code>module Date : Water</code></div></main>`,
      ['module Date'],
    ],
    [
      'the description of a class that is called its comment',
      `<body>${long}<div id=comment class=fullcommenttop><p>Holds ten litres.</p></div></body>`,
      ['Holds ten litres.'],
    ],
    [
      'an example next to a long section',
      `<main><section class=description><pre>pump.start</pre></section><section class=methods><p>Stop</p>${long}</section></main>`,
      ['pump.start'],
    ],
    [
      'footnotes and boxes between paragraphs',
      `<div>${long}<aside class=topic><p>A finer rule</p></aside>${long}<aside class="footnote-list brackets"><p>Only cold water.</p></aside></div>`,
      ['A finer rule', 'Only cold water.'],
    ],
    [
      'all functions, each of them an article',
      `<div><h1>pump</h1><p>Moves water.</p><article class=func><h4>start()</h4>${long}</article>
       <article class=func><h4>stop()</h4></article></div>`,
      ['Moves water.', 'start()', 'stop()'],
    ],
    [
      'the pages of a chapter after a sentence',
      `<main>${long}<section id=hosts><h2>Hosts<a href=#hosts>¶</a></h2><p>Some are free.</p>
       <ul><li><a href=1>The first of the hosts</a><li><a href=2>The second host</a></ul></section></main>`,
      ['The first of the hosts'],
    ],
    [
      'the pages after a sentence on a line of its own',
      `<main>${long}<p>\n  Documents:\n</p><p>Others: </p><ul><li><a href=1>How to begin with pumps</a><li><a href=2>All of it</a></ul></main>`,
      ['How to begin with pumps'],
    ],
    ...[3, 18].flatMap((count) =>
      ['', '<meta property=og:type content=article>'].map((head): [string, string, string[]] => [
        `${count} cards of links below a heading${head}`,
        `${head}<main>${long}${long}<h3>Social sign-in</h3><div class=grid>${Array.from({ length: count }, (_, at) => `<a href=/${at}><div><h5>Provider ${at + 1}</h5></div></a>`).join('')}</div></main>`,
        [`Provider ${count}`],
      ]),
    ),
    [
      'a chapter of advertising whose id is in another language',
      `<main>${long.repeat(3)}<section id=general-recommendations-for-authors><h3>作者への推奨<a href=#general-recommendations-for-authors>¶</a></h3><p>${long}</p></section></main>`,
      ['作者への推奨'],
    ],
    [
      'a chapter whose id is its heading and more',
      `<main>${long.repeat(3)}<div id=sign-up-for-a-phone-number-section><div><h2>Sign up for a phone number</h2></div><ol><li>Ask the office.</ol>${long}</div></main>`,
      ['Ask the office.'],
    ],
    [
      'the pages below a heading and an empty paragraph',
      `<main>${long}<h3>Documents</h3><p></p><ul><li><a href=1>How to begin with pumps</a><li><a href=2>All of it</a></ul></main>`,
      ['Documents', 'How to begin with pumps'],
    ],
  ])('chooseContent: keeps in documentation %s', (_what, html, kept) => {
    const text = textOf(html);
    for (const part of kept) expect(text).toContain(part);
  });
});

it('chooseContent: keeps in documentation the description that two overloads share', () => {
  const shared =
    'Returns as soon as the tank holds so much water, or when there is no more water in the well that the pump could move.';
  const both = `<h3>fill(int)</h3><div class=block>${shared}</div><h3>fill(long)</h3><div class=block>${shared}</div>`;
  expect(textOf(`<main>${codes}${long}${both}</main>`)).toContain(`fill(int) ${shared} fill(long) ${shared}`);
});
