import { describe, expect, it } from 'vitest';
import { pageUrls } from '../../scan/page-urls.ts';
import { parseHtml } from '../../html/parse-html.ts';
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
    ['what only keeps a line from collapsing', '<p>a&nbsp;</p><p>&nbsp;</p><p>b</p>', 'a\n\nb'],
    ['breaks at the edges say nothing', '<p><br>a<br></p>', 'a'],
    ['boxes are paragraphs', '<div>a</div><div>b</div>', 'a\n\nb'],
    ['what only places a line break is dropped', 'soft&shy;hyphen zero&#8203;width', 'softhyphen zerowidth'],
    [
      'scripts, icons, form controls',
      'a<script>x</script><svg><title>x</title></svg><input value=x><select><option>x</select>',
      'a',
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

describe('what is raised or lowered', () => {
  table([
    ['numbers', '10<sup>6</sup> m<sup>-2</sup> H<sub>2</sub>O <sup>14</sup>C', '10⁶ m⁻² H₂O ¹⁴C'],
    ['charges', 'Na<sup>+</sup> Ca<sup>2+</sup>', 'Na⁺ Ca²⁺'],
    ['letters', 'x<sup>n</sup> a<sub>i+1</sub> x<sup><i>n</i></sup>', 'x<sup>n</sup> a<sub>i+1</sub> x<sup>*n*</sup>'],
    ['in code', '<code>2<sup>n</sup></code> <code>a<sub>i</sub></code>', '`2^n` `a_i`'],
    ['what says the same on the line', '1<sup>st</sup> XIX<sup>e</sup> M<sup>me</sup>', '1st XIXe Mme'],
    ['marks of trade and of notes', 'A<sup>TM</sup> B<sup>®</sup> c<sup>*</sup> d<sup>[1]</sup>', 'ATM B® c* d[1]'],
    ['links', 'a<sup><a href="/n">n</a></sup>', 'a[n](https://e.com/n)'],
    ['what stands alone', '<sup>New</sup> a <sub>small</sub>', 'New a small'],
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
    [
      'without tags or links of their own',
      '<script type="math/tex">a<b [x](javascript:y) <img src=x onerror=z></script>',
      String.raw`$a\lt b [x] (javascript:y) \lt img src=x onerror=z>$`,
    ],
    ['with their signs', '<script type="math/tex">1 < 2 <= 3</script>', '$1 < 2 <= 3$'],
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
    ['that say nothing', '<p>a<sup><a href="#n">1</a></sup></p><ol><li id=n></li></ol>', 'a[^1]\n\n[^1]:'],
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
      'in a list of terms, as older docutils has them',
      '<p>a<a class="footnote-reference brackets" href="#n" id=r>1</a></p><dl class="footnote brackets"><dt class=label id=n>' +
        '<span class=brackets><a class=fn-backref href="#r">1</a></span></dt>\n<dd><p>b</p></dd></dl>',
      'a[^1]\n\n[^1]: b',
    ],
    [
      'in a table, as the oldest does',
      '<p>a<a class=footnote-reference href="#n" id=r>[1]</a></p><table class="docutils footnote" id=n><tr>' +
        '<td class=label><a class=fn-backref href="#r">[1]</a></td><td>b</td></tr></table>',
      'a[^1]\n\n[^1]: b',
    ],
    [
      'citations',
      '<p>a <a class="reference internal" href="#k" id=r><span>[Knu-84]</span></a></p><div class=citation id=k role=doc-biblioentry>' +
        '<span class=label><span class=fn-bracket>[</span><a role=doc-backlink href="#r">Knu-84</a><span class=fn-bracket>]</span></span><p>b</p></div>',
      'a [^Knu-84]\n\n[^Knu-84]: b',
    ],
    [
      'references to anything else in brackets',
      '<a class=reference href="#s">[s]</a><h2 id=s>S</h2>',
      '[[s]](https://e.com/d/#s)\n\n## S',
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
    ['a label in two marks', '<b><i>Note:</i></b>text', '**_Note:_** text'],
    [
      'brackets that only half of would be moved',
      '<b>Size (cm)</b>40 这是<i>斜体（注）</i>也行',
      '**Size (cm)** 40 这是*斜体（注）* 也行',
    ],
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
    [
      'with marks in them',
      '<p>[<i>a</i>]: b</p><p>[[a](b)]: c</p><p>[<a href=/>1</a>] c</p>',
      '\\[*a*]: b\n\n[[a\\](b)]: c\n\n[[1](https://e.com/)] c',
    ],
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
    ['language on the code', '<pre><code class="hljs language-js">a</code></pre>', '```javascript\na\n```'],
    [
      'language on a wrapper',
      '<div class="highlight-python notranslate"><div class=highlight><pre>a</pre></div></div>',
      '```python\na\n```',
    ],
    ['language as data', '<pre data-lang=go>a</pre>', '```go\na\n```'],
    ['breaks and lines', '<pre>a<br>b<div>c</div></pre>', '```\na\nb\nc\n```'],
    [
      'lines that a style sheet ends',
      '<pre><code><span class=line><i>a</i> b</span><span class=line></span><span class=line>c</span></code></pre>',
      '```\na b\n\nc\n```',
    ],
    [
      'lines that end by themselves',
      '<pre><span class=line>a\n</span><span class=line>\n</span><span class=line>b</span></pre>',
      '```\na\n\nb\n```',
    ],
    [
      'lines with their ends between',
      '<pre><span class=line>a</span>\n<span class=line>b</span></pre>',
      '```\na\nb\n```',
    ],
    ['colours are no lines', '<pre><span class=kw>let</span><span class=outline>a</span></pre>', '```\nleta\n```'],
    [
      'language behind another name of its kind',
      '<div class="code-block language-yaml"><pre>a</pre></div>',
      '```yaml\na\n```',
    ],
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
    [
      'names in a list',
      '<code><a href=/a>a</a>, <a href=/b>b</a></code>',
      '[`a`](https://e.com/a), [`b`](https://e.com/b)',
    ],
  ]);
});

describe('links and images', () => {
  table([
    [
      'absolute',
      '<a href="../x?a=1&amp;b" title="T &quot;q&quot;">a</a>',
      String.raw`[a](https://e.com/x?a=1&b "T \"q\"")`,
    ],
    [
      'a title of several lines',
      '<a href=/ title="\nT  t\n\n- u\n">a</a> <img src=/i alt=i title="v\nw">',
      '[a](https://e.com/ "&#10;T t&#10;&#10;- u&#10;") ![i](https://e.com/i "v&#10;w")',
    ],
    [
      'no signs in a title that has none',
      '<a href=/ title="T &amp;amp;copy; &amp; &amp;copy;">a</a>',
      String.raw`[a](https://e.com/ "T \&amp;copy; & \&copy;")`,
    ],
    ['brackets in the text', '<a href=/>a [b]</a>', '[a [b]](https://e.com/)'],
    ['but not half of them', '<a href=/>a] [b</a>', String.raw`[a\] \[b](https://e.com/)`],
    ['nor a link', '<a href=/>[a](b)</a>', String.raw`[\[a\](b)](https://e.com/)`],
    [
      'brackets in the address',
      '<a href="/a(b)">x</a> <a href="/a)b">x</a>',
      '[x](https://e.com/a(b)) [x](<https://e.com/a)b>)',
    ],
    ['no title that repeats the text', '<a href=/ title="A.b">a.b()</a>', '[a.b()](https://e.com/)'],
    [
      'or the address',
      '<a href="m#os.path.join" title=os.path.join>join()</a>',
      '[join()](https://e.com/d/m#os.path.join)',
    ],
    ['nor what follows the reader', '<a href="/?utm_source=x&amp;a=1#b">a</a>', '[a](https://e.com/?a=1#b)'],
    ['its own address', '<a href="https://e.com/">https://e.com/</a>', '<https://e.com/>'],
    ['nothing that runs', '<a href="javascript:x()">a</a> <a href="data:x">b</a>', 'a b'],
    ['nor with no-break spaces only', 'a<a href=/ title=t><i>&nbsp;</i></a>b', 'a\u00a0b'],
    ['without text there is none', 'a<a class=icon href=/></a>', 'a'],
    ['but its label', '<a class=icon aria-label=Twitter href=/></a>', '[Twitter](https://e.com/)'],
    ['nor of the last of 1,001', 'a'.concat('<a href=/></a>'.repeat(1_001)), `a${' <https://e.com/>'.repeat(1_000)}`],
    ['unless the page has nothing else to say of it', 'a<a href=/></a>', 'a <https://e.com/>'],
    ['nor of one that another repeats', '<a href=/></a> <a href=/>a</a><a href=/></a>', '[a](https://e.com/)'],
    ['nor in a heading', '<h2><a href=/></a></h2><h2>a<a href=/></a></h2>', '## a'],
    [
      'a heading that is only a picture',
      '<h2><img src=i></h2><h2><a href=/><img src=j></a></h2><h2><img src=k alt=A></h2>',
      '![](https://e.com/d/i)\n\n[![](https://e.com/d/j)](https://e.com/)\n\n## ![A](https://e.com/d/k)',
    ],
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
    [
      'icons once',
      '<p><img src=i alt="">a</p><p><img src=i>b</p><p><img src=i alt=c></p>',
      '![](https://e.com/d/i)a\n\nb\n\n![c](https://e.com/d/i)',
    ],
    ['nothing that counts visitors', 'a<img src=/count width=1 height=1>', 'a'],
    ['embedded video', '<iframe title=Talk src="https://v.com/1"></iframe>', '[Talk](https://v.com/1)'],
  ]);
});

describe('rules', () => {
  table([
    ['between paragraphs', '<p>a</p><hr><p>b</p>', 'a\n\n---\n\nb'],
    ['alone', '<hr>', '---'],
    ['two in a row', '<p>a</p><hr>\n<hr><p>b</p>', 'a\n\n---\n\n---\n\nb'],
    ['one where something was left out', '<p>a</p><hr><div><script>x</script></div><hr><p>b</p>', 'a\n\n---\n\nb'],
    ['not at the edges of an item', '<ul><li><hr>a</li><li>b<hr>c<hr></li></ul>', '- a\n\n- b\n\n  ___\n\n  c'],
    ['an item that is only a rule', '<ul><li><hr></li></ul>', '- ___'],
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
    ['code in an item', '<ul><li>a<pre>b\n c</pre></li></ul>', '- a\n\n  ```\n  b\n   c\n  ```'],
    ['items without a list', '<div><li>a</li><li>b</li></div>', '- a\n- b'],
    ['empty items make no rule', '<ul><li><ul><li><ul><li></li><li>a</li></ul></li></ul></li></ul>', '- - - a'],
    ['icons leave no items', '<ul><li><svg></svg></li><li>a</li></ul>', '- a'],
    ['terms', '<dl><dt>a</dt><dd>b</dd><dt>c</dt><dd>d</dd></dl>', '- **a**: b\n- **c**: d'],
    ['terms behind a list', '<ul><li>a</li></ul><dl><dt>b</dt><dd>c</dd></dl>', '- a\n\n* **b**: c'],
    [
      'terms that end themselves',
      '<dl><dt>Since:</dt><dd>1</dd><dt>Why?</dt><dd>2</dd></dl>',
      '- **Since:** 1\n- **Why?** 2',
    ],
    ['terms that share a text', '<dl><dt>a</dt><dt><code>b</code></dt><dd>c</dd></dl>', '- **a**, `b`: c'],
    ['terms with marks of their own', '<dl><dt>a_b <i>c</i></dt><dd>d</dd></dl>', '- **a_b *c***: d'],
    [
      'signatures, as Sphinx has them',
      '<dl><dt class="sig sig-object py"><em>class</em> <span>C</span>(<em>*a_b</em>, <a href=#T>T</a>)<a class=headerlink href=#C>¶</a></dt><dd>d</dd></dl>',
      '`class C(*a_b, T)`\n\nd',
    ],
    [
      'signatures, as rustdoc has them',
      '<details><summary><section><h4 class=code-header>fn <a href=f>f</a>()</h4></section></summary>a</details>',
      '#### `fn f()`\n\na',
    ],
    [
      'signatures, as javadoc has them',
      '<div class=member-signature><span>public</span>\n<a href=T>T</a>&lt;U&gt; f()</div>',
      '`public T<U> f()`',
    ],
    [
      'items with headings of their own',
      '<ul class=posts><li><h3>A</h3><p>a</p></li><li><h3>B</h3></li></ul>',
      '### A\n\na\n\n### B',
    ],
    ['terms with long texts', '<dl><dt>a</dt><dd><p>b</p><pre>c</pre></dd></dl>', '- **a**: b\n\n  ```\n  c\n  ```'],
    ['terms in terms', '<dl><dt>a</dt><dd>b<dl><dt>c<dd>d</dl></dd><dt>e</dl>', '- **a**: b\n  - **c**: d\n- **e**'],
    ['terms over sections', '<dl><dt>a</dt><dd><h2>B</h2>c</dd></dl>', '**a**\n\n## B\n\nc'],
  ]);
});

describe('notes in boxes', () => {
  const note = '> **Note**\n>\n> a';
  table([
    ['Sphinx', '<div class="admonition note"><p class=admonition-title>Note</p><p>a</p></div>', note],
    ['MkDocs, to be opened', '<details class=note><summary>Note</summary><p>a</p></details>', note],
    [
      'Docusaurus',
      '<div class="theme-admonition theme-admonition-note admonition_x alert"><div class=admonitionHeading_x><svg></svg>note</div><div>a</div></div>',
      note,
    ],
    [
      'VitePress',
      '<div class="info custom-block"><p class=custom-block-title>INFO</p><p>a</p></div>',
      '> **Info**\n>\n> a',
    ],
    [
      'GitHub',
      '<div class="markdown-alert markdown-alert-note"><p class=markdown-alert-title>Note</p><p>a</p></div>',
      note,
    ],
    ['MDN', '<div class="notecard note"><p><strong>Note:</strong></p><p>a</p></div>', note],
    ['DocBook', '<div class=note><h3 class=title>Note</h3><p>a</p></div>', note],
    ['Microsoft', '<div class=NOTE><p>Note</p><p>a</p></div>', note],
    ['rustdoc', '<div class=warning><p>a</p></div>', '> **Warning**\n>\n> a'],
    ['that say what they are in their text', '<div class=note>Note: a</div>', '> Note: a'],
    [
      'Asciidoctor',
      '<div class="admonitionblock note"><table><tr><td class=icon><div class=title>Note</div></td><td class=content>a</td></tr></table></div>',
      note,
    ],
    [
      'with a title of their own',
      '<div class="admonition tip"><p class=admonition-title>Do <i>b</i></p>a</div>',
      '> **Do b**\n>\n> a',
    ],
    [
      'in a cell',
      '<table><tr><th>A<tr><td><div class=note><h3>Note</h3>a</div></table>',
      '| A |\n| --- |\n| **Note**<br>a |',
    ],
    ['nothing that only calls', '<div class=callout><p>Buy</p></div><div class="sticky-note">b</div>', 'Buy\n\nb'],
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
    [
      'rows of all lengths',
      '<table><tr><td>&nbsp;<tr><td>1<tr><td>2<td>3</table>',
      '|  |  |\n| --- | --- |\n| 1 |  |\n| 2 | 3 |',
    ],
    [
      'a pipe behind a backslash, in code',
      '<table><tr><th>A<tr><td><code>a\\|b</code></table>',
      '| A |\n| --- |\n| <code>a\\\\&#124;b</code> |',
    ],
    ['pipes', '<table><tr><th>A<tr><td>x|y <code>a|b</code></table>', '| A |\n| --- |\n| x\\|y `a\\|b` |'],
    ['blocks in cells', '<table><tr><th>A<tr><td><p>x</p><ul><li>y</li></ul></table>', '| A |\n| --- |\n| x<br>- y |'],
    [
      'spans',
      '<table><tr><th colspan=2>A<th>B<tr><td rowspan=2>1<td>2<td>3<tr><td>4<td>5</table>',
      '| A | A | B |\n| --- | --- | --- |\n| 1 | 2 | 3 |\n| 1 | 4 | 5 |',
    ],
    [
      'a span of columns and rows',
      '<table><tr><th>A<th>B<th>C<tr><td colspan=2 rowspan=2>1<td>2<tr><td>3</table>',
      '| A | B | C |\n| --- | --- | --- |\n| 1 | 1 | 2 |\n| 1 | 1 | 3 |',
    ],
    [
      'a heading between rows',
      '<table><tr><th>A<th>B<tr><td colspan=2>S<tr><td>1<td>2</table>',
      '| A | B |\n| --- | --- |\n| S |  |\n| 1 | 2 |',
    ],
    [
      'no columns that nothing stands in',
      '<table><tr><th>A<th colspan=50>B<tr><td>1<td>2</table>',
      '| A | B |\n| --- | --- |\n| 1 | 2 |',
    ],
    [
      'several rows of heads',
      '<table><thead><tr><th rowspan=2>A<th colspan=2>B<tr><th>C<th>D</thead><tr><td>1<td>2<td>3</table>',
      '| A | B C | B D |\n| --- | --- | --- |\n| 1 | 2 | 3 |',
    ],
    [
      'the title of all heads',
      '<table><tr><th colspan=2>T|1<tr><th>A<th>B<tr><td>1<td>2</table>',
      'T|1\n\n| A | B |\n| --- | --- |\n| 1 | 2 |',
    ],
    [
      'data within the head',
      '<table><thead><tr><th>A<th>B<tr><td>1<td>2</thead></table>',
      '| A | B |\n| --- | --- |\n| 1 | 2 |',
    ],
    ['nothing but head', '<table><tr><th>A<th>B<tr><th>1<th>2</table>', '| A | B |\n| --- | --- |\n| 1 | 2 |'],
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
    [
      'boxes that say they are a table',
      '<div role=table><div role=row><div role=columnheader>A</div><div role=columnheader>B</div></div>' +
        '<div role=rowgroup><div role=row><div role=cell>1</div><div role=cell>2</div></div></div></div>',
      '| A | B |\n| --- | --- |\n| 1 | 2 |',
    ],
    [
      'summaries of javadoc',
      '<div class="summary-table two-column-summary"><div class=table-header>A</div><div class=table-header>B</div><div>1</div><div>2</div></div>',
      '| A | B |\n| --- | --- |\n| 1 | 2 |',
    ],
    ['layout', '<table><tr><td><h2>H</h2>a</td></tr><tr><td>b</td></tr></table>', '## H\n\na\n\nb'],
    [
      'a table in a table',
      '<table><tr><td><table><tr><th>A<tr><td>1</table></td></tr></table>',
      '| A |\n| --- |\n| 1 |',
    ],
  ]);
});
