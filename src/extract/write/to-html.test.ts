import { describe, expect, it } from 'vitest';
import { pageUrls } from '../scan/page-urls.ts';
import { parseHtml } from '../html/parse-html.ts';
import { toHtml } from './to-html.ts';

const clean = (html: string): string =>
  toHtml(
    { nodes: parseHtml(html).children, skipped: new Set() },
    pageUrls('https://example.com/a/', undefined).readable,
  );

describe('toHtml', () => {
  it.each<[why: string, html: string, expected: string]>([
    ['absolute addresses', '<a href="b" target=_blank>x</a>', '<a href="https://example.com/a/b">x</a>'],
    ['no event handlers and scripts', '<p onclick="x()">a<script>b()</script></p>', '<p>a</p>'],
    ['no script addresses', '<a href=" java\nscript:x()">a</a>', 'a'],
    ['no data addresses', '<img src="data:text/html,x" alt=a><a href="data:text/html,x">b</a>', 'b'],
    ['no classes, styles and ids', '<p class=big style="color:red" id=x lang=de>a</p>', '<p lang="de">a</p>'],
    ['the language of code', '<code class="hljs language-js">a</code>', '<code class="language-js">a</code>'],
    ['spans of cells', '<td colspan=2 width=3>a</td>', '<td colspan="2">a</td>'],
    ['the content of unknown elements', '<x-card><font>a</font></x-card>', 'a'],
    ['no forms and drawings', '<form><input value=a>b</form><svg><text>c</text></svg>', 'b'],
    [
      'embedded media as links',
      'a<iframe src="/v" title="&lt;Talk>"></iframe>b',
      'a<p><a href="https://example.com/v">&lt;Talk&gt;</a></p>b',
    ],
    [
      'embedded media without a name by their address',
      '<video controls><source src="v.mp4">Not for you</video>',
      '<p><a href="https://example.com/a/v.mp4">https://example.com/a/v.mp4</a></p>',
    ],
    [
      'embedded media within a line of text',
      '<p>a<audio src=v.mp3 title=V></audio>b</p>',
      '<p>a <a href="https://example.com/a/v.mp3">V</a> b</p>',
    ],
    [
      'no icons and tracking pixels',
      '<p>a<a href="/"><i class=icon></i></a><img src=/count width=1 height=1></p>',
      '<p>a</p>',
    ],
    ['no invisible frames', '<iframe src="/count" height=0></iframe><iframe src="javascript:x()"></iframe>', ''],
    ['text like markup as text', '<p>&lt;script&gt; &amp;amp;</p>', '<p>&lt;script&gt; &amp;amp;</p>'],
    ['attributes with escapes', '<p title="&quot;><script>">a</p>', '<p title="&quot;&gt;&lt;script&gt;">a</p>'],
    [
      'lines of code that a style sheet ends',
      '<pre><span class=line>a</span><span class=line>b</span></pre>',
      '<pre><span>a</span>\n<span>b</span></pre>',
    ],
    ['white space of code', '<pre>a\n   b</pre>', '<pre>a\n   b</pre>'],
    [
      'the address of lazy images',
      '<img src="data:image/gif;base64,R0" data-src="/i.png" alt=I>',
      '<img src="https://example.com/i.png" alt="I">',
    ],
  ])('toHtml: writes %s', (_, html, expected) => {
    expect(clean(html)).toBe(expected);
  });
});
