import { describe, expect, it } from 'vitest';
import { extractPage } from '../extract-page.ts';

const prose = 'Words of the article itself, enough of them that nobody takes it for a caption or a menu. ';
const textOf = (html: string): string =>
  extractPage(`<main><p>${prose}</p>${html}</main>`, {
    url: 'http://a.example/',
    outputFormat: 'text',
    content: 'auto',
    headers: { link: '', refresh: '', contentLanguage: '' },
    robotsTag: new Set(),
    excludeElements: null,
  })
    .text.slice(prose.length)
    .trim();

describe('line numbers of a listing', () => {
  it.each<[why: string, html: string, text: string]>([
    [
      'are dropped from a cell before the code',
      '<table><tr><td><div><pre> 9\n10\n11\n</pre></div></td><td><div><pre>rake()\nhoe()\n</pre></div></td></tr></table>',
      'rake()\nhoe()',
    ],
    [
      'stay when they are all there is',
      '<pre><div>42<br></div></pre><pre><div>1<br></div><div>2</div></pre>',
      '42\n\n1\n2',
    ],
    [
      'stay when they are part of the line',
      '<pre><div><span>1</span><span>. rake</span></div><div><span>2</span><span>. hoe</span></div></pre>',
      '1. rake\n2. hoe',
    ],
    ['are dropped from a box before the code', '<div><pre>1\n2\n</pre><pre>rake()\nhoe()</pre></div>', 'rake()\nhoe()'],
    ['stay when no code follows', '<pre>1\n2\n3</pre><p>Done.</p>', '1\n2\n3\n\nDone.'],
    ['stay when they are not consecutive', '<pre>1\n3\n</pre><pre>rake()</pre>', '1\n3\n\nrake()'],
  ])('line numbers: %s', (_, html, text) => {
    expect(textOf(html)).toBe(text);
  });
});
