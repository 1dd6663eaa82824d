import { describe, expect, it } from 'vitest';
import { chooseContent } from './main-content.ts';
import { parseHtml } from '../html/parse-html.ts';
import { toText } from '../write/markdown/to-markdown.ts';

const prose = 'Words of the article itself, enough of them that nobody takes it for a caption or a menu. ';
const textBelow = (html: string, head = ''): string => {
  const page = `${head}<body><main><h1>Rakes</h1>${`<p>${prose}</p>`.repeat(20)}</main>${html}</body>`;
  return (
    toText(chooseContent(parseHtml(page), 'auto', null))
      .split(prose.trimEnd())
      .at(-1)
      ?.trim() ?? ''
  );
};

describe('lines below the content', () => {
  it.each<[why: string, html: string, kept: string]>([
    ['a day alone', '<div class=foot><span>May 4, 2023</span> <span>current</span></div>', 'May 4, 2023 current'],
    [
      'a day in the foot of the page, and nothing else of it',
      '<footer><a href=/edit>Edit on a host</a><p>Last updated: <time>18.04.2024</time></p><nav><a href=/x>Next</a></nav></footer>',
      'Last updated: 18.04.2024',
    ],
    [
      'who wrote it, after a word that says so',
      '<footer><span class=author>Posted by <a href=/ada rel=author>Ada Rake</a></span></footer>',
      'Posted by Ada Rake',
    ],
    ['a sentence with a day', '<p><em>Published in the print edition of March 17, 2025.</em></p>', 'March 17, 2025'],
  ])('chooseContent: keeps %s', (_why, html, kept) => {
    expect(textBelow(html)).toContain(kept);
    expect(textBelow(html)).not.toMatch(/Edit|Next/);
  });

  it.each<[why: string, html: string, head?: string]>([
    ['a day after the next heading', '<section><h2>News</h2><p>May 4, 2023</p></section>'],
    ['a day after further text', `<div>${'Text about something else. '.repeat(20)}</div><p>May 4, 2023</p>`],
    ['who holds the rights', '<p>© Hay Tools, May 4, 2023</p>'],
    ['a link with a day', '<p><a href=/older>Rakes of ash, May 4, 2023</a></p>'],
    ['a portrait with a name', '<div><img src=/ada.jpg><span class=author>By Ada Rake</span></div>'],
    ['a line with a day in its script alone', "<div>Want our news? <script>load('/2020-08-17/a.js')</script></div>"],
    ['a day below a product', '<p>May 4, 2023</p>', '<meta property=og:type content=product>'],
  ])('chooseContent: leaves out %s', (_why, html, head) => {
    expect(textBelow(html, head)).toBe('');
  });
});
