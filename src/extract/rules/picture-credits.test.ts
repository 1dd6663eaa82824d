import { describe, expect, it } from 'vitest';
import { chooseContent } from '../content/main-content.ts';
import { parseHtml } from '../html/parse-html.ts';
import { toText } from '../write/markdown/to-markdown.ts';

const prose = 'Words of the article itself, enough of them that nobody takes it for a caption or a menu. ';
const textBelowProse = (html: string): string =>
  toText(chooseContent(parseHtml(`<main><p>${prose}</p>${html}</main>`), 'auto', null))
    .slice(prose.length)
    .trim();

describe('credits of pictures', () => {
  it.each([
    '<figure><figcaption>Foto: Ada Lovelace</figcaption></figure>',
    '<p><em>Titelbild: Hay / dpa</em></p>',
    '<div>© Hay Pictures</div>',
    '<small>Photo by Ada on Hay</small>',
    '<p>Crédits photos : Foin</p>',
  ])('picture credits: %s is dropped', (html) => {
    expect(textBelowProse(html)).toBe('');
  });

  it.each([
    ['<p>Image: <code>hay:latest</code></p>', 'Image: hay:latest'],
    ['<p>Photo editors are programs.</p>', 'Photo editors are programs.'],
    ['<figcaption>The rake in use</figcaption>', 'The rake in use'],
    ['<figcaption>The rake. <span>Photo: Ada Lovelace</span></figcaption>', 'The rake. Photo: Ada Lovelace'],
    ['<ul><li><span>Photo:</span> <span>Ada</span></li></ul>', '- Photo: Ada'],
    ['<h2>Photo: the basics</h2>', 'Photo: the basics'],
    [`<p>Photo: ${prose}</p>`, `Photo: ${prose.trim()}`],
  ])('picture credits: %s stays', (html, text) => {
    expect(textBelowProse(html)).toBe(text);
  });
});
