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
      headline: 'Rakes',
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

it('extractPage: drops the icon button of a heading, and keeps one that is its text', () => {
  const html = `<h2>Tines<button><img src=/copy.svg alt="Copy"></button></h2><h2><button>Why <img src=/i.png alt=not></button></h2>`;
  const { text } = extractPage(`${html}<p>Because of the hay that lies about.</p>`, options);
  expect(text).toBe('## Tines\n\n## Why ![not](https://example.com/i.png)\n\nBecause of the hay that lies about.');
});
