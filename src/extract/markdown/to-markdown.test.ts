import { describe, expect, it } from 'vitest';
import { pageUrls } from '../page-urls.ts';
import { parseHtml } from '../parse-html.ts';
import { toMarkdown } from './to-markdown.ts';

const write = (html: string): string =>
  toMarkdown({ nodes: parseHtml(html).children, skipped: new Set() }, pageUrls('https://e.com/d/', undefined).readable);

function table(cases: readonly (readonly [why: string, html: string, markdown: string])[]): void {
  it.each(cases)('%s', (_, html, markdown) => {
    expect(write(html)).toBe(markdown);
  });
}

describe('text', () => {
  table([
    ['white space is layout', '<p> a\n  b </p>\n\n<p>c</p>', 'a b\n\nc'],
    ['a break', 'a<br>b', 'a\\\nb'],
    ['two breaks end a paragraph', '<b>a<br><br>b</b>', '**a**\n\n**b**'],
    ['breaks at the edges say nothing', '<p><br>a<br></p>', 'a'],
    ['boxes are paragraphs', '<div>a</div><div>b</div>', 'a\n\nb'],
    ['what only places a line break is dropped', 'soft&shy;hyphen zero&#8203;width', 'softhyphen zerowidth'],
    [
      'scripts, icons, form controls',
      'a<script>x</script><svg><title>x</title></svg><input value=x><select><option>x</select>',
      'a',
    ],
    [
      'raised numbers stay apart from what they raise',
      '10<sup>6</sup> m<sup>-2</sup> 1<sup>st</sup> H<sub>2</sub>O',
      '10⁶ m⁻² 1st H2O',
    ],
    ['quotations', '<q>a</q>', '“a”'],
    ['readings', '<ruby>漢<rt>kan</rt></ruby> <ruby>字<rp>[</rp><rt>ji</rt><rp>]</rp></ruby>', '漢(kan) 字[ji]'],
    ['formulas without TeX', '<math><mfrac><mn>1</mn><mi>x</mi></mfrac></math>', String.raw`$\frac{1}{x}$`],
    ['formulas', '<math><mi>x</mi><annotation encoding="application/x-tex">x^2</annotation></math>', '$x^2$'],
    ['details', '<details><summary>More</summary>text</details>', '**More**\n\ntext'],
    [
      'figures',
      '<figure><img src=i.png alt=A><figcaption>Cap</figcaption></figure>',
      '![A](https://e.com/d/i.png)\n\nCap',
    ],
  ]);
});

describe('formulas are written once', () => {
  const math = '<math alttext="x^2"><mi>x</mi><mn>2</mn></math>';
  table([
    ['KaTeX', `<span class=katex-mathml>${math}</span><span class=katex-html>x2</span>`, '$x^2$'],
    ['MathJax 2', '<span class=MathJax>x2</span><script type="math/tex">x^2</script>', '$x^2$'],
    ['on lines of their own', '<script type="math/tex; mode=display">x^2</script>', '$$x^2$$'],
    ['MathJax 3', `<mjx-container><mjx-math>x2</mjx-math>${math}</mjx-container>`, '$x^2$'],
    ['MediaWiki', `<span>${math}<img class=mwe-math-fallback-image-inline src=/i alt="x^2"></span>`, '$x^2$'],
    ['as TeX in the page', String.raw`<span class="math inline">\(a_b\)</span>`, '$a_b$'],
    ['but not what is only named so', '<div class=math>1 < 2</div>', '1 < 2'],
  ]);
});

describe('footnotes', () => {
  table([
    [
      'with a way back',
      '<p>a<sup id=r><a href="#n">1</a></sup></p><ol><li id=n><p>b <a href="#r">↩</a></p><p>c</p></li></ol>',
      'a[^1]\n\n[^1]: b\n\n    c',
    ],
    [
      'of an encyclopedia',
      '<p>a<sup><a href="#n-1">[1]</a></sup></p><ol><li id=n-1><span class=mw-cite-backlink>^ <a href="#r">a</a></span> b</li></ol>',
      'a[^1]\n\n[^1]: b',
    ],
    [
      'in boxes',
      '<p>a<a class=footnote-reference href="#n" id=r>1</a></p><aside class=footnote id=n><span class=label>[<a href="#r">1</a>]</span><p>b</p></aside>',
      'a[^1]\n\n[^1]: b',
    ],
    [
      'no other raised links',
      '<p>a<sup><a href="#s">1</a></sup></p><h2 id=s>S</h2>',
      'a[1](https://e.com/d/#s)\n\n## S',
    ],
    [
      'nor what stands before',
      '<ol><li id=n>b</li></ol>a<sup><a href="#n">1</a></sup>',
      '1. b\n\na[1](https://e.com/d/#n)',
    ],
  ]);
});

describe('emphasis survives being read again', () => {
  table([
    ['white space is moved out', 'a<b> b </b>c', 'a **b** c'],
    ['and no-break spaces', 'a<b>&nbsp;b</b>', 'a\u00a0**b**'],
    ['within a word', 'un<em>believ</em>able', 'un*believ*able'],
    ['punctuation at the edge', 'a<b>(b)</b>c', 'a(**b**)c'],
    ['a label', '<b>Note:</b>text', '**Note:** text'],
    ['East Asian brackets', '这是<b>「粗体」</b>文字', '这是「**粗体**」文字'],
    ['neighbours are one', '<b>a</b><b>b</b>', '**ab**'],
    ['empty ones leave no trace', 'a<b></b><i> </i>b', 'a b'],
    ['both kinds around the same text', '<b><i>x</i></b>', '**_x_**'],
    ['one in the other', '<b>a <i>b</i></b>', '**a *b***'],
    ['bold twice is bold', '<strong><b>a</b></strong>', '**a**'],
    ['around blocks', '<b><p>a</p><p>b</p></b>', '**a**\n\n**b**'],
    ['struck out', '<del>a</del> <s>b</s>', '~~a~~ ~~b~~'],
    ['around code at a word it cannot be said', 'a<b><code>b</code></b>', 'a`b`'],
  ]);
});

describe('escapes', () => {
  table([
    ['what would be emphasis', '*a* _b_ ~c~', String.raw`\*a\* \_b\_ \~c\~`],
    ['but not what would not', '2 * 3 snake_case', '2 * 3 snake_case'],
    ['nor what nothing closes', 'f(*args) _private ~5', 'f(*args) _private ~5'],
    ['what a mark could close', '*args <i>x</i>', String.raw`\*args *x*`],
    ['links', '[a](b) [c]', String.raw`[a\](b) [c]`],
    ['tags and entities', '&lt;div&gt; 1 &lt; 2 &amp;copy; AT&amp;T', String.raw`\<div> 1 < 2 \&copy; AT&T`],
    ['addresses in no link', '&lt;http://a/b c&gt; &lt;http://a&gt;', String.raw`\<http\://a/b c> \<http://a>`],
    ['backslashes before punctuation', String.raw`C:\dir \*`, String.raw`C:\dir \\*`],
    [
      'line starts',
      '<p># a</p><p>- b</p><p>1. c</p><p>&gt; d</p><p>+ e</p>',
      '\\# a\n\n\\- b\n\n1\\. c\n\n\\> d\n\n\\+ e',
    ],
    ['but only there', 'a # b - c 1. d > e', 'a # b - c 1. d > e'],
    ['rules and underlines', '<p>---</p><p>a<br>===</p>', '\\---\n\na\\\n\\==='],
    ['definitions', '[a]: b', String.raw`\[a]: b`],
    ['check boxes', '<ul><li>[ ] a</li></ul>', String.raw`- \[ ] a`],
    ['the end of a heading', '<h2>C# #</h2>', String.raw`## C# \#`],
    ['a bang before a link', '!<a href=/>a</a>', String.raw`\![a](https://e.com/)`],
  ]);
});

describe('code', () => {
  table([
    ['within a line', '<code>a`b</code> <kbd>*</kbd>', '``a`b`` `*`'],
    ['white space is kept in blocks', '<pre>\na\n\n  b\n</pre>', '```\na\n\n  b\n```'],
    ['fences inside', '<pre>```</pre>', '````\n```\n````'],
    ['language on the code', '<pre><code class="hljs language-js">a</code></pre>', '```js\na\n```'],
    [
      'language on a wrapper',
      '<div class="highlight-python notranslate"><div class=highlight><pre>a</pre></div></div>',
      '```python\na\n```',
    ],
    ['language as data', '<pre data-lang=go>a</pre>', '```go\na\n```'],
    ['breaks and lines', '<pre>a<br>b<div>c</div></pre>', '```\na\nb\nc\n```'],
    ['language by its name alone', '<pre><code class="hljs rust">a</code></pre>', '```rust\na\n```'],
    ['but not any name', '<pre class="programlisting">a</pre>', '```\na\n```'],
    [
      'no column of numbers',
      '<table><tr><td class=linenos><pre>1</pre></td><td class=code><pre>a</pre></td></tr></table>',
      '```\na\n```',
    ],
    ['left empty', '<pre><code></code></pre>', '```\n```'],
    ['but not a place for scripts', '<pre id=output></pre>', ''],
    ['no line numbers and buttons', '<pre><span class=lineno>1</span>a<button>Copy</button></pre>', '```\na\n```'],
    ['colour is dropped, links are not', '<code><b>a</b><a href=/x>b</a></code>', '`a`[`b`](https://e.com/x)'],
    ['neighbours are one', '<code>a</code><code>b</code>', '`ab`'],
  ]);
});

describe('links and images', () => {
  table([
    [
      'absolute',
      '<a href="../x?a=1&amp;b" title="T &quot;q&quot;">a</a>',
      String.raw`[a](https://e.com/x?a=1&b "T \"q\"")`,
    ],
    ['brackets in the text', '<a href=/>a [b]</a>', '[a [b]](https://e.com/)'],
    ['but not half of them', '<a href=/>a] [b</a>', String.raw`[a\] \[b](https://e.com/)`],
    ['nor a link', '<a href=/>[a](b)</a>', String.raw`[\[a\](b)](https://e.com/)`],
    [
      'brackets in the address',
      '<a href="/a(b)">x</a> <a href="/a)b">x</a>',
      '[x](https://e.com/a(b)) [x](<https://e.com/a)b>)',
    ],
    ['its own address', '<a href="https://e.com/">https://e.com/</a>', '<https://e.com/>'],
    ['nothing that runs', '<a href="javascript:x()">a</a> <a href="data:x">b</a>', 'a b'],
    ['without text there is none', 'a<a class=icon href=/></a>', 'a'],
    ['but its label', '<a class=icon aria-label=Twitter href=/></a>', '[Twitter](https://e.com/)'],
    ['unless the page has nothing else to say of it', 'a<a href=/></a>', 'a[](https://e.com/)'],
    [
      'around a heading',
      '<a href=/><img src=i.png><h2>H</h2><p>t</p></a>',
      '![](https://e.com/d/i.png)\n\n## [H](https://e.com/)\n\nt',
    ],
    ["a heading's own anchor", '<h2>H<a href="#h">¶</a></h2><h3><a href="#i">I</a></h3>', '## H\n\n### I'],
    ['lazy image', '<img data-src=i.png src="data:image/gif;base64,R0" alt=A>', '![A](https://e.com/d/i.png)'],
    ['an image without an address is its text', '<img src="data:image/gif;base64,R0" alt="A*">', 'A*'],
    [
      'what a script would load',
      '<img src=p.gif class=lazy alt=A><noscript><img src=i.png></noscript>',
      '![A](https://e.com/d/i.png)',
    ],
    ['nothing that counts visitors', 'a<img src=/count width=1 height=1>', 'a'],
    ['embedded video', '<iframe title=Talk src="https://v.com/1"></iframe>', '[Talk](https://v.com/1)'],
  ]);
});

describe('lists', () => {
  table([
    ['tight', '<ul><li>a</li><li>b</li></ul>', '- a\n- b'],
    ['nested', '<ol><li>a<ul><li>b</li></ul></li></ol>', '1. a\n   - b'],
    ['loose', '<ul><li><p>a</p><p>b</p></li><li>c</li></ul>', '- a\n\n  b\n\n- c'],
    ['numbers', '<ol start=9><li>a</li><li>b</li><li value=20>c</li></ol>', '9. a\n10. b\n20. c'],
    ['backwards', '<ol reversed><li>a</li><li>b</li></ol>', '2. a\n1. b'],
    [
      'tasks',
      '<ul><li><input type=checkbox checked> a</li><li><label><input type=checkbox>b</label></li></ul>',
      '- [x] a\n- [ ] b',
    ],
    ['two in a row stay two', '<ul><li>a</li></ul><ul><li>b</li></ul>', '- a\n\n* b'],
    ['a list right in a list', '<ul><li>a</li><ul><li>b</li></ul><li>c</li></ul>', '- a\n  - b\n- c'],
    ['code in an item', '<ul><li>a<pre>b\n c</pre></li></ul>', '- a\n  ```\n  b\n   c\n  ```'],
    ['items without a list', '<div><li>a</li><li>b</li></div>', '- a\n- b'],
    ['empty items make no rule', '<ul><li><ul><li><ul><li></li><li>a</li></ul></li></ul></li></ul>', '- - - a'],
    ['icons leave no items', '<ul><li><svg></svg></li><li>a</li></ul>', '- a'],
    ['terms', '<dl><dt>a</dt><dd>b</dd><dt>c</dt><dd>d</dd></dl>', '- **a**: b\n- **c**: d'],
    ['terms with long texts', '<dl><dt>a</dt><dd><p>b</p><pre>c</pre></dd></dl>', '**a**\n\nb\n\n```\nc\n```'],
  ]);
});

describe('quotes and rules', () => {
  table([
    ['left empty', '<blockquote>\n</blockquote>', '>'],
    ['a quote', '<blockquote><p>a</p><p>b</p></blockquote>', '> a\n>\n> b'],
    ['in a quote', '<blockquote>a<blockquote>b</blockquote></blockquote>', '> a\n>\n> > b'],
    ['a rule', 'a<hr>b', 'a\n\n---\n\nb'],
    ['a rule in an item', '<ul><li><hr></li></ul>', '- ___'],
  ]);
});

describe('tables', () => {
  table([
    [
      'with a head',
      '<table><thead><tr><th>A<th align=right>B</thead><tr><td>1<td>2</table>',
      '| A | B |\n| --- | ---: |\n| 1 | 2 |',
    ],
    ['without one', '<table><tr><td>A<td>B<tr><td>1<td>2</table>', '|  |  |\n| --- | --- |\n| A | B |\n| 1 | 2 |'],
    ['pipes', '<table><tr><th>A<tr><td>x|y <code>a|b</code></table>', '| A |\n| --- |\n| x\\|y `a\\|b` |'],
    ['blocks in cells', '<table><tr><th>A<tr><td><p>x</p><ul><li>y</li></ul></table>', '| A |\n| --- |\n| x<br>- y |'],
    [
      'spans',
      '<table><tr><th colspan=2>A<th>B<tr><td rowspan=2>1<td>2<td>3<tr><td>4<td>5</table>',
      '| A |  | B |\n| --- | --- | --- |\n| 1 | 2 | 3 |\n| 1 | 4 | 5 |',
    ],
    [
      'lists in cells',
      '<table><tr><th>A<tr><td><ol start=3><li>x</li><li>y</li></ol></table>',
      '| A |\n| --- |\n| 3. x<br>4. y |',
    ],
    [
      'a header by hand',
      '<table><tr><td><b>A</b><td><b>B</b><tr><td>1<td>2</table>',
      '| A | B |\n| --- | --- |\n| 1 | 2 |',
    ],
    [
      'a header over a column of names',
      '<table><tr><td></td><th>B</th></tr><tr><th>1</th><td>2</td></tr></table>',
      '|  | B |\n| --- | --- |\n| 1 | 2 |',
    ],
    ['caption', '<table><caption>C</caption><tr><th>A<tr><td>1</table>', 'C\n\n| A |\n| --- |\n| 1 |'],
    ['layout', '<table><tr><td><h2>H</h2>a</td></tr><tr><td>b</td></tr></table>', '## H\n\na\n\nb'],
    [
      'a table in a table',
      '<table><tr><td><table><tr><th>A<tr><td>1</table></td></tr></table>',
      '| A |\n| --- |\n| 1 |',
    ],
  ]);
});
