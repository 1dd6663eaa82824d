import { describe, expect, it } from 'vitest';
import type { ExtractOptions } from './extract-page.ts';
import { extractPage } from './extract-page.ts';

const options: ExtractOptions = {
  url: 'https://example.com/guide/',
  headers: { link: '', refresh: '', contentLanguage: '' },
  robotsTag: new Set(),
  outputFormat: 'markdown',
  content: 'auto',
  excludeElements: null,
};

const page = `<!doctype html>
<html lang="en"><head>
<title>Rakes – Hay Tools</title>
<meta name="description" content="How to choose a rake.">
<link rel="canonical" href="/guide/rakes">
<style>body { color: green }</style>
</head><body>
<header><a href="/">Hay Tools</a></header>
<nav><ul><li><a href="/guide/">Guide</a></li><li><a href="/shop">Shop</a></li></ul></nav>
<main>
  <h1>Choosing a rake<a class="headerlink" href="#choosing">¶</a></h1>
  <p>A rake has <em>tines</em>, a head and a handle. See <a href="forks">forks</a> for the rest.</p>
  <h2>Sizes</h2>
  <table>
    <thead><tr><th>Width</th><th>Tines</th></tr></thead>
    <tbody><tr><td>60 cm</td><td>14</td></tr><tr><td>72 cm</td><td>18</td></tr></tbody>
  </table>
  <ol><li>Measure your <code>field_width</code>.</li><li>Divide by <b>two</b>.</li></ol>
  <div class="highlight-sh"><pre>rake --width 60 \\
     --tines 14
</pre></div>
  <blockquote><p>Make hay while the sun shines.</p></blockquote>
</main>
<footer>© Hay Tools <a href="/imprint" rel="nofollow">Imprint</a></footer>
<script>track()</script>
</body></html>`;

describe('whole page', () => {
  const extracted = extractPage(page, options);

  it('extractPage: writes a whole page as Markdown', () => {
    expect(extracted.text).toBe(`# Choosing a rake

A rake has *tines*, a head and a handle. See [forks](https://example.com/guide/forks) for the rest.

## Sizes

| Width | Tines |
| --- | --- |
| 60 cm | 14 |
| 72 cm | 18 |

1. Measure your \`field_width\`.
2. Divide by **two**.

\`\`\`sh
rake --width 60 \\
     --tines 14
\`\`\`

> Make hay while the sun shines.`);
  });

  it('extractPage: writes a whole page as text', () => {
    expect(extractPage(page, { ...options, outputFormat: 'text' }).text).toBe(
      `Choosing a rake¶

A rake has tines, a head and a handle. See forks for the rest.

Sizes

Width\tTines
60 cm\t14
72 cm\t18

- Measure your field_width.
- Divide by two.

rake --width 60 \\
     --tines 14

Make hay while the sun shines.`.replace('¶', ''),
    );
  });

  it('extractPage: returns all links of the page, also from outside of the content', () => {
    expect(extracted.links).toEqual([
      { url: 'https://example.com/guide/rakes', nofollow: false },
      { url: 'https://example.com/', nofollow: false },
      { url: 'https://example.com/guide/', nofollow: false },
      { url: 'https://example.com/shop', nofollow: false },
      { url: 'https://example.com/guide/forks', nofollow: false },
      { url: 'https://example.com/imprint', nofollow: true },
    ]);
  });

  it('extractPage: returns the metadata of the page', () => {
    expect(extracted.canonical).toBe('https://example.com/guide/rakes');
    expect(extracted.metadata).toEqual({
      title: 'Rakes – Hay Tools',
      headline: 'Choosing a rake',
      description: 'How to choose a rake.',
      language: 'en',
      canonical: 'https://example.com/guide/rakes',
      extractionMethod: 'main',
      extractionQuality: expect.any(Number),
      headings: ['# Choosing a rake', '## Sizes'],
      contentHash: expect.stringMatching(/^[\w-]{22}$/),
      wordCount: 43,
    });
  });

  it.each(['markdown', 'text', 'html'] as const)(
    'extractPage: returns the same text length when written as %s',
    (outputFormat) => {
      expect(extractPage(page, { ...options, outputFormat }).textLength).toBe(extracted.textLength);
    },
  );
});

it.each<[what: string, title: string, body: string, headline: string | undefined]>([
  [
    'the only h1 above the text, whatever the title says',
    'High water - Herald',
    '<h1>Flood in the valley</h1>TEXT',
    'Flood in the valley',
  ],
  ['the only h1 under the title of the whole site', 'Working at Hay', '<h1>Driver for hay</h1>TEXT', 'Driver for hay'],
  ['the only h1 of a page without a title', '', '<h1>谷の洪水</h1>TEXT', '谷の洪水'],
  [
    'the h1 of the page, not that of the header of the site',
    'The Daily Herald',
    '<header><h1><a href=/>The Daily Herald</a></h1><nav><a href=/a>News</a></nav></header><main><h1>Flood in the valley</h1>TEXT</main>',
    'Flood in the valley',
  ],
  [
    'the h1 above the text when parts of it have their own',
    'Hay in 2026',
    '<h1>All the hay</h1>TEXT<h1>All the straw</h1>',
    'All the hay',
  ],
  ['the title when the h1 can name a part of the site', 'Hay in 2026', '<h1>News</h1>TEXT', 'Hay in 2026'],
  ['the title when the h1 stands below the text', 'Hay in 2026', 'TEXT<h1>Tell all your friends</h1>', 'Hay in 2026'],
])('extractPage: takes as headline %s', (_, title, body, headline) => {
  const text = '<p>Words of the page itself, enough of them that nobody takes it for a caption or a menu.</p>'.repeat(
    6,
  );
  const html = `<title>${title}</title><body>${body.replace('TEXT', `<div>${text}</div>`)}`;
  expect(extractPage(html, options).metadata['headline']).toBe(headline);
});

it('extractPage: drops the icon button of a heading, and keeps one that is its text', () => {
  const html = `<h2>Tines<button><img src=/copy.svg alt="Copy"></button></h2><h2><button>Why <img src=/i.png alt=not></button></h2>`;
  const { text } = extractPage(`${html}<p>Because of the hay that lies about.</p>`, options);
  expect(text).toBe('## Tines\n\n## Why ![not](https://example.com/i.png)\n\nBecause of the hay that lies about.');
});

describe('parts that browsers show', () => {
  const written = (html: string): string => extractPage(`<main><h1>Hay</h1><p>Dry.</p>${html}</main>`, options).text;

  it('extractPage: reads declarative shadow DOM and no other template', () => {
    const { text, links } = extractPage(
      '<main><h1>Hay</h1><x-card><template shadowrootmode=open><style>p{}</style><p>In the <a href=/sun>sun</a>.</p><slot></slot>' +
        '</template><p>On the field.</p></x-card><template><p>Row</p></template></main>',
      options,
    );
    expect(text).toBe('# Hay\n\nIn the [sun](https://example.com/sun).\n\nOn the field.');
    expect(links.map(({ url }) => url)).toEqual(['https://example.com/sun']);
  });

  it.each([
    [
      'a button that copies its path',
      '<h2>Struct <b>Vec</b> <button id=copy-path>Copy item path</button></h2>',
      '## Struct **Vec**',
    ],
    ['a button that copies its link', '<h3>Config<button class=c>Link kopieren</button></h3>', '### Config'],
    ['a button that is the heading', '<h2><button>How dry?</button></h2>', '## How dry?'],
    [
      'a button that opens a part',
      '<h2><i>1</i> <button aria-expanded=false>How dry?</button></h2>',
      '## *1* How dry?',
    ],
  ])('extractPage: writes a heading with %s', (_, html, markdown) => {
    expect(written(`${html}<p>It is hay.</p>`)).toContain(`\n\n${markdown}\n\nIt is hay.`);
  });
});

describe('pages of other times', () => {
  it('extractPage: links to the frames of a page that is a set of frames', () => {
    const html =
      '<title>Mill</title><frameset><frame src=menu.html name=menu><frame src=main.html title=Text></frameset>';
    expect(extractPage(html, options).text).toBe(
      '[menu](https://example.com/guide/menu.html)\n\n[Text](https://example.com/guide/main.html)',
    );
  });

  it('extractPage: writes what a drawing stands for in a table', () => {
    const drawing = '<svg role="img" aria-label="yes"><path/></svg>';
    const html = `<main><table><tr><th>Mill<th>Open</tr><tr><td>East<td>${drawing}</table><a href=/x>${drawing}Next</a></main>`;
    const { text } = extractPage(html, options);
    expect(text).toContain('| East | yes |');
    expect(text).toContain('[Next]');
  });
});
