import { describe, expect, it } from 'vitest';
import { pageUrls } from '../../scan/page-urls.ts';
import { parseHtml } from '../../html/parse-html.ts';
import { toMarkdown } from './to-markdown.ts';

const write = (html: string): string =>
  toMarkdown({ nodes: parseHtml(html).children, skipped: new Set() }, pageUrls('https://e.com/d/', undefined).readable);

function table(cases: readonly (readonly [why: string, html: string, markdown: string])[]): void {
  it.each(cases)('toMarkdown: writes %s', (_, html, markdown) => {
    expect(write(html)).toBe(markdown);
  });
}

describe('text', () => {
  table([
    ['white space as layout', '<p> a\n  b </p>\n\n<p>c</p>', 'a b\n\nc'],
    ['a line break', 'a<br>b', 'a\\\nb'],
    ['two line breaks as the end of a paragraph', '<b>a<br><br>b</b>', '**a**\n\n**b**'],
    ['no paragraph of no-break spaces only', '<p>a&nbsp;</p><p>&nbsp;</p><p>b</p>', 'a\n\nb'],
    ['no line breaks at the edges of a paragraph', '<p><br>a<br></p>', 'a'],
    ['boxes as paragraphs', '<div>a</div><div>b</div>', 'a\n\nb'],
    ['no soft hyphens and zero-width spaces', 'soft&shy;hyphen zero&#8203;width', 'softhyphen zerowidth'],
    [
      'no scripts, icons and form controls',
      'a<script>x</script><svg><title>x</title></svg><input value=x><select><option>x</select>',
      'a',
    ],
    ['quotations', '<q>a</q>', '“a”'],
    [
      'ruby annotations in brackets',
      '<ruby>漢<rt>kan</rt></ruby> <ruby>字<rp>[</rp><rt>ji</rt><rp>]</rp></ruby>',
      '漢(kan) 字[ji]',
    ],
    ['MathML without TeX', '<math><mfrac><mn>1</mn><mi>x</mi></mfrac></math>', String.raw`$\frac{1}{x}$`],
    ['MathML with TeX', '<math><mi>x</mi><annotation encoding="application/x-tex">x^2</annotation></math>', '$x^2$'],
    [
      'pictures of formulas',
      '<p>a <img src="https://latex.example/svg.image?%5Cinline%20%5Cfrac%7B1%7D%7Bx%7D"> b ' +
        '<img class=latex src="/latex.php?latex=x%5E2&amp;bg=f" alt="x^2"> c <img src="/chart?cht=tx&amp;chl=a%2Bb"></p>',
      String.raw`a $\frac{1}{x}$ b $x^2$ c $a+b$`,
    ],
    ['a picture that is no formula', '<img src="/i.png?latex=1" alt=A>', '![A](https://e.com/i.png?latex=1)'],
    [
      'no mark that a style undoes',
      '<b style="font-weight:normal" id=docs-internal-guid-1><p>a <b>b</b></p></b><i style="font-style: normal">c</i>',
      'a **b**\n\nc',
    ],
    ['a mark that a style confirms', '<b style="font-weight: 700">a</b>', '**a**'],
    ['details with a bold summary', '<details><summary>More</summary>text</details>', '**More**\n\ntext'],
    [
      'figures',
      '<figure><img src=i.png alt=A><figcaption>Cap</figcaption></figure>',
      '![A](https://e.com/d/i.png)\n\nCap',
    ],
  ]);
});

describe('raised and lowered text', () => {
  table([
    ['raised and lowered numbers', '10<sup>6</sup> m<sup>-2</sup> H<sub>2</sub>O <sup>14</sup>C', '10⁶ m⁻² H₂O ¹⁴C'],
    ['raised charges', 'Na<sup>+</sup> Ca<sup>2+</sup>', 'Na⁺ Ca²⁺'],
    [
      'raised and lowered letters',
      'x<sup>n</sup> a<sub>i+1</sub> x<sup><i>n</i></sup>',
      'x<sup>n</sup> a<sub>i+1</sub> x<sup>*n*</sup>',
    ],
    ['raised and lowered text in code', '<code>2<sup>n</sup></code> <code>a<sub>i</sub></code>', '`2^n` `a_i`'],
    ['ordinals on the line', '1<sup>st</sup> XIX<sup>e</sup> M<sup>me</sup>', '1st XIXe Mme'],
    [
      'trade marks and note marks on the line',
      'A<sup>TM</sup> B<sup>®</sup> c<sup>*</sup> d<sup>[1]</sup>',
      'ATM B® c* d[1]',
    ],
    ['raised links', 'a<sup><a href="/n">n</a></sup>', 'a[n](https://e.com/n)'],
    ['raised and lowered text that stands alone', '<sup>New</sup> a <sub>small</sub>', 'New a small'],
  ]);
});

describe('formulas', () => {
  const math = '<math alttext="x^2"><mi>x</mi><mn>2</mn></math>';
  table([
    ['a formula of KaTeX once', `<span class=katex-mathml>${math}</span><span class=katex-html>x2</span>`, '$x^2$'],
    ['a formula of MathJax 2 once', '<span class=MathJax>x2</span><script type="math/tex">x^2</script>', '$x^2$'],
    ['a display formula between $$', '<script type="math/tex; mode=display">x^2</script>', '$$x^2$$'],
    ['a formula of MathJax 3 once', `<mjx-container><mjx-math>x2</mjx-math>${math}</mjx-container>`, '$x^2$'],
    [
      'a formula of MediaWiki once',
      `<span>${math}<img class=mwe-math-fallback-image-inline src=/i alt="x^2"></span>`,
      '$x^2$',
    ],
    ['a formula that is TeX in the page', String.raw`<span class="math inline">\(a_b\)</span>`, '$a_b$'],
    [
      'a formula without tags or links',
      '<script type="math/tex">a<b [x](javascript:y) <img src=x onerror=z></script>',
      String.raw`$a\lt b [x] (javascript:y) \lt img src=x onerror=z>$`,
    ],
    ['a formula with its comparison signs', '<script type="math/tex">1 < 2 <= 3</script>', '$1 < 2 <= 3$'],
    ['text in a box named math as text', '<div class=math>1 < 2</div>', '1 < 2'],
  ]);
});

describe('footnotes', () => {
  table([
    [
      'a footnote with a link back',
      '<p>a<sup id=r><a href="#n">1</a></sup></p><ol><li id=n><p>b <a href="#r">↩</a></p><p>c</p></li></ol>',
      'a[^1]\n\n[^1]: b\n\n    c',
    ],
    ['an empty footnote', '<p>a<sup><a href="#n">1</a></sup></p><ol><li id=n></li></ol>', 'a[^1]\n\n[^1]:'],
    [
      'the footnotes of MediaWiki',
      '<p>a<sup><a href="#n-1">[1]</a></sup></p><ol><li id=n-1><span class=mw-cite-backlink>^ <a href="#r">a</a></span> b</li></ol>',
      'a[^1]\n\n[^1]: b',
    ],
    [
      'footnotes in boxes',
      '<p>a<a class=footnote-reference href="#n" id=r>1</a></p><aside class=footnote id=n><span class=label>[<a href="#r">1</a>]</span><p>b</p></aside>',
      'a[^1]\n\n[^1]: b',
    ],
    [
      'footnotes of older docutils in a list of terms',
      '<p>a<a class="footnote-reference brackets" href="#n" id=r>1</a></p><dl class="footnote brackets"><dt class=label id=n>' +
        '<span class=brackets><a class=fn-backref href="#r">1</a></span></dt>\n<dd><p>b</p></dd></dl>',
      'a[^1]\n\n[^1]: b',
    ],
    [
      'footnotes of the oldest docutils in a table',
      '<p>a<a class=footnote-reference href="#n" id=r>[1]</a></p><table class="docutils footnote" id=n><tr>' +
        '<td class=label><a class=fn-backref href="#r">[1]</a></td><td>b</td></tr></table>',
      'a[^1]\n\n[^1]: b',
    ],
    [
      'citations as footnotes',
      '<p>a <a class="reference internal" href="#k" id=r><span>[Knu-84]</span></a></p><div class=citation id=k role=doc-biblioentry>' +
        '<span class=label><span class=fn-bracket>[</span><a role=doc-backlink href="#r">Knu-84</a><span class=fn-bracket>]</span></span><p>b</p></div>',
      'a [^Knu-84]\n\n[^Knu-84]: b',
    ],
    [
      'other references in brackets as links',
      '<a class=reference href="#s">[s]</a><h2 id=s>S</h2>',
      '[[s]](https://e.com/d/#s)\n\n## S',
    ],
    [
      'other raised links as links',
      '<p>a<sup><a href="#s">1</a></sup></p><h2 id=s>S</h2>',
      'a[1](https://e.com/d/#s)\n\n## S',
    ],
    [
      'raised links to an earlier item as links',
      '<ol><li id=n>b</li></ol>a<sup><a href="#n">1</a></sup>',
      '1. b\n\na[1](https://e.com/d/#n)',
    ],
  ]);
});

describe('emphasis', () => {
  table([
    ['bold text with the white space outside', 'a<b> b </b>c', 'a **b** c'],
    ['bold text with the no-break spaces outside', 'a<b>&nbsp;b</b>', 'a\u00a0**b**'],
    ['emphasis within a word', 'un<em>believ</em>able', 'un*believ*able'],
    ['bold text with brackets at its edge', 'a<b>(b)</b>c', 'a(**b**)c'],
    ['a bold label before text', '<b>Note:</b>text', '**Note:** text'],
    ['a label in two marks', '<b><i>Note:</i></b>text', '**_Note:_** text'],
    [
      'emphasis that ends with a closing bracket',
      '<b>Size (cm)</b>40 这是<i>斜体（注）</i>也行',
      '**Size (cm)** 40 这是*斜体（注）* 也行',
    ],
    ['emphasis in East Asian brackets', '这是<b>「粗体」</b>文字', '这是「**粗体**」文字'],
    ['neighbouring bold elements as one', '<b>a</b><b>b</b>', '**ab**'],
    ['nothing for empty bold elements', 'a<b></b><i> </i>b', 'a b'],
    ['bold and italic around the same text', '<b><i>x</i></b>', '**_x_**'],
    ['italic text in bold text', '<b>a <i>b</i></b>', '**a *b***'],
    ['bold text in bold text once', '<strong><b>a</b></strong>', '**a**'],
    ['bold text around blocks', '<b><p>a</p><p>b</p></b>', '**a**\n\n**b**'],
    ['deleted text', '<del>a</del> <s>b</s>', '~~a~~ ~~b~~'],
    ['bold code at a word without bold', 'a<b><code>b</code></b>', 'a`b`'],
  ]);
});

describe('escapes', () => {
  table([
    ['text like emphasis with escapes', '*a* _b_ ~c~', String.raw`\*a\* \_b\_ \~c\~`],
    ['no escapes where emphasis cannot begin', '2 * 3 snake_case', '2 * 3 snake_case'],
    ['no escapes where nothing closes emphasis', 'f(*args) _private ~5', 'f(*args) _private ~5'],
    ['an escape where a later mark could close emphasis', '*args <i>x</i>', String.raw`\*args *x*`],
    ['text like links with escapes', '[a](b) [c]', String.raw`[a\](b) [c]`],
    [
      'text like tags and entities with escapes',
      '&lt;div&gt; 1 &lt; 2 &amp;copy; AT&amp;T',
      String.raw`\<div> 1 < 2 \&copy; AT&T`,
    ],
    [
      'addresses in pointed brackets with escapes',
      '&lt;http://a/b c&gt; &lt;http://a&gt;',
      String.raw`\<http\://a/b c> \<http://a>`,
    ],
    ['backslashes before punctuation with escapes', String.raw`C:\dir \*`, String.raw`C:\dir \\*`],
    [
      'text like block marks at the start of a line with escapes',
      '<p># a</p><p>- b</p><p>1. c</p><p>&gt; d</p><p>+ e</p>',
      '\\# a\n\n\\- b\n\n1\\. c\n\n\\> d\n\n\\+ e',
    ],
    ['no escapes for block marks in a line', 'a # b - c 1. d > e', 'a # b - c 1. d > e'],
    ['text like rules and underlines with escapes', '<p>---</p><p>a<br>===</p>', '\\---\n\na\\\n\\==='],
    ['text like a definition with an escape', '[a]: b', String.raw`\[a]: b`],
    [
      'text like a definition with marks in it',
      '<p>[<i>a</i>]: b</p><p>[[a](b)]: c</p><p>[<a href=/>1</a>] c</p>',
      '\\[*a*]: b\n\n[[a\\](b)]: c\n\n[[1](https://e.com/)] c',
    ],
    ['text like check boxes with escapes', '<ul><li>[ ] a</li></ul>', String.raw`- \[ ] a`],
    ['number signs at the end of a heading with an escape', '<h2>C# #</h2>', String.raw`## C# \#`],
    ['an exclamation mark before a link with an escape', '!<a href=/>a</a>', String.raw`\![a](https://e.com/)`],
  ]);
});

describe('code', () => {
  table([
    ['inline code with back-ticks', '<code>a`b</code> <kbd>*</kbd>', '``a`b`` `*`'],
    ['code blocks with their white space', '<pre>\na\n\n  b\n</pre>', '```\na\n\n  b\n```'],
    ['code blocks with fences inside', '<pre>```</pre>', '````\n```\n````'],
    [
      'the language of a code block from the code',
      '<pre><code class="hljs language-js">a</code></pre>',
      '```javascript\na\n```',
    ],
    [
      'the language of a code block from a wrapper',
      '<div class="highlight-python notranslate"><div class=highlight><pre>a</pre></div></div>',
      '```python\na\n```',
    ],
    ['the language of a code block from an attribute', '<pre data-lang=go>a</pre>', '```go\na\n```'],
    ['line breaks and boxes in a code block as lines', '<pre>a<br>b<div>c</div></pre>', '```\na\nb\nc\n```'],
    [
      'lines of code that a style sheet ends',
      '<pre><code><span class=line><i>a</i> b</span><span class=line></span><span class=line>c</span></code></pre>',
      '```\na b\n\nc\n```',
    ],
    [
      'lines of code that end with a line break',
      '<pre><span class=line>a\n</span><span class=line>\n</span><span class=line>b</span></pre>',
      '```\na\n\nb\n```',
    ],
    [
      'lines of code with line breaks between them',
      '<pre><span class=line>a</span>\n<span class=line>b</span></pre>',
      '```\na\nb\n```',
    ],
    [
      'highlight spans in a code block without lines',
      '<pre><span class=kw>let</span><span class=outline>a</span></pre>',
      '```\nleta\n```',
    ],
    [
      'the language of a code block from a second class',
      '<div class="code-block language-yaml"><pre>a</pre></div>',
      '```yaml\na\n```',
    ],
    [
      'the language of a code block from a class that is its name',
      '<pre><code class="hljs rust">a</code></pre>',
      '```rust\na\n```',
    ],
    ['no language from any other class', '<pre class="programlisting">a</pre>', '```\na\n```'],
    [
      'a code block without its column of line numbers',
      '<table><tr><td class=linenos><pre>1</pre></td><td class=code><pre>a</pre></td></tr></table>',
      '```\na\n```',
    ],
    ['an empty code block', '<pre><code></code></pre>', '```\n```'],
    ['no code block for an empty place for scripts', '<pre id=output></pre>', ''],
    [
      'a code block without line numbers and buttons',
      '<pre><span class=lineno>1</span>a<button>Copy</button></pre>',
      '```\na\n```',
    ],
    [
      'inline code with links and without colours',
      '<code><b>a</b><a href=/x>b</a></code>',
      '`a`[`b`](https://e.com/x)',
    ],
    ['neighbouring code elements as one', '<code>a</code><code>b</code>', '`ab`'],
    [
      'linked names in code as linked code',
      '<code><a href=/a>a</a>, <a href=/b>b</a></code>',
      '[`a`](https://e.com/a), [`b`](https://e.com/b)',
    ],
  ]);
});

describe('links and images', () => {
  table([
    [
      'absolute addresses of links',
      '<a href="../x?a=1&amp;b" title="T &quot;q&quot;">a</a>',
      String.raw`[a](https://e.com/x?a=1&b "T \"q\"")`,
    ],
    [
      'titles with line breaks of links and images',
      '<a href=/ title="\nT  t\n\n- u\n">a</a> <img src=/i alt=i title="v\nw">',
      '[a](https://e.com/ "&#10;T t&#10;&#10;- u&#10;") ![i](https://e.com/i "v&#10;w")',
    ],
    [
      'titles with entities of links',
      '<a href=/ title="T &amp;amp;copy; &amp; &amp;copy;">a</a>',
      String.raw`[a](https://e.com/ "T \&amp;copy; & \&copy;")`,
    ],
    ['links with brackets in their text', '<a href=/>a [b]</a>', '[a [b]](https://e.com/)'],
    ['links with half of a bracket pair in their text', '<a href=/>a] [b</a>', String.raw`[a\] \[b](https://e.com/)`],
    ['text like a link in a link with escapes', '<a href=/>[a](b)</a>', String.raw`[\[a\](b)](https://e.com/)`],
    [
      'links with brackets in their address',
      '<a href="/a(b)">x</a> <a href="/a)b">x</a>',
      '[x](https://e.com/a(b)) [x](<https://e.com/a)b>)',
    ],
    ['no link title that repeats the text', '<a href=/ title="A.b">a.b()</a>', '[a.b()](https://e.com/)'],
    [
      'no link title that repeats the address',
      '<a href="m#os.path.join" title=os.path.join>join()</a>',
      '[join()](https://e.com/d/m#os.path.join)',
    ],
    ['links without tracking parameters', '<a href="/?utm_source=x&amp;a=1#b">a</a>', '[a](https://e.com/?a=1#b)'],
    [
      'a link whose text is its address as an autolink',
      '<a href="https://e.com/">https://e.com/</a>',
      '<https://e.com/>',
    ],
    ['no links that run scripts', '<a href="javascript:x()">a</a> <a href="data:x">b</a>', 'a b'],
    ['no link around no-break spaces only', 'a<a href=/ title=t><i>&nbsp;</i></a>b', 'a\u00a0b'],
    ['no link without text', 'a<a class=icon href=/></a>', 'a'],
    ['a link without text by its label', '<a class=icon aria-label=Twitter href=/></a>', '[Twitter](https://e.com/)'],
    [
      'no more than 1,000 links without text',
      'a'.concat('<a href=/></a>'.repeat(1_001)),
      `a${' <https://e.com/>'.repeat(1_000)}`,
    ],
    ['a link without text when the page links nowhere else', 'a<a href=/></a>', 'a <https://e.com/>'],
    [
      'no link without text that another repeats',
      '<a href=/></a> <a href=/>a</a><a href=/></a>',
      '[a](https://e.com/)',
    ],
    ['no link without text in a heading', '<h2><a href=/></a></h2><h2>a<a href=/></a></h2>', '## a'],
    [
      'a heading that is only a picture as the picture',
      '<h2><img src=i></h2><h2><a href=/><img src=j></a></h2><h2><img src=k alt=A></h2>',
      '![](https://e.com/d/i)\n\n[![](https://e.com/d/j)](https://e.com/)\n\n## ![A](https://e.com/d/k)',
    ],
    [
      'a link around a heading into the heading',
      '<a href=/><img src=i.png><h2>H</h2><p>t</p></a>',
      '![](https://e.com/d/i.png)\n\n## [H](https://e.com/)\n\nt',
    ],
    ['headings without their anchor links', '<h2>H<a href="#h">¶</a></h2><h3><a href="#i">I</a></h3>', '## H\n\n### I'],
    [
      'the address of a lazy image',
      '<img data-src=i.png src="data:image/gif;base64,R0" alt=A>',
      '![A](https://e.com/d/i.png)',
    ],
    ['the text of an image without an address', '<img src="data:image/gif;base64,R0" alt="A*">', 'A*'],
    [
      'the image in a noscript instead of its placeholder',
      '<img src=p.gif class=lazy alt=A><noscript><img src=i.png></noscript>',
      '![A](https://e.com/d/i.png)',
    ],
    [
      'each icon once',
      '<p><img src=i alt="">a</p><p><img src=i>b</p><p><img src=i alt=c></p>',
      '![](https://e.com/d/i)a\n\nb\n\n![c](https://e.com/d/i)',
    ],
    ['no tracking pixels', 'a<img src=/count width=1 height=1>', 'a'],
    ['an embedded video as a link', '<iframe title=Talk src="https://v.com/1"></iframe>', '[Talk](https://v.com/1)'],
  ]);
});

describe('rules', () => {
  table([
    ['a rule between paragraphs', '<p>a</p><hr><p>b</p>', 'a\n\n---\n\nb'],
    ['a rule alone', '<hr>', '---'],
    ['two rules in a row', '<p>a</p><hr>\n<hr><p>b</p>', 'a\n\n---\n\n---\n\nb'],
    [
      'one rule for two with nothing between them',
      '<p>a</p><hr><div><script>x</script></div><hr><p>b</p>',
      'a\n\n---\n\nb',
    ],
    ['no rules at the edges of an item', '<ul><li><hr>a</li><li>b<hr>c<hr></li></ul>', '- a\n\n- b\n\n  ___\n\n  c'],
    ['an item with only a rule', '<ul><li><hr></li></ul>', '- ___'],
  ]);
});

describe('lists', () => {
  table([
    ['a tight list', '<ul><li>a</li><li>b</li></ul>', '- a\n- b'],
    ['a nested list', '<ol><li>a<ul><li>b</li></ul></li></ol>', '1. a\n   - b'],
    ['a loose list', '<ul><li><p>a</p><p>b</p></li><li>c</li></ul>', '- a\n\n  b\n\n- c'],
    ['the numbers of a list', '<ol start=9><li>a</li><li>b</li><li value=20>c</li></ol>', '9. a\n10. b\n20. c'],
    ['a reversed list', '<ol reversed><li>a</li><li>b</li></ol>', '2. a\n1. b'],
    [
      'a task list',
      '<ul><li><input type=checkbox checked> a</li><li><label><input type=checkbox>b</label></li></ul>',
      '- [x] a\n- [ ] b',
    ],
    ['two lists in a row with different marks', '<ul><li>a</li></ul><ul><li>b</li></ul>', '- a\n\n* b'],
    ['a list that stands directly in a list', '<ul><li>a</li><ul><li>b</li></ul><li>c</li></ul>', '- a\n  - b\n- c'],
    ['a code block in an item', '<ul><li>a<pre>b\n c</pre></li></ul>', '- a\n\n  ```\n  b\n   c\n  ```'],
    ['items without a list', '<div><li>a</li><li>b</li></div>', '- a\n- b'],
    ['empty items without a rule', '<ul><li><ul><li><ul><li></li><li>a</li></ul></li></ul></li></ul>', '- - - a'],
    ['no second bullet', '<ul><li>• a</li><li>▪ b</li><li>• • c</li></ul>', '- a\n- b\n- • • c'],
    [
      'no second name of a language',
      '<p>a</p><div><span>http</span></div><pre class="brush: http">GET /</pre>',
      'a\n\n```http\nGET /\n```',
    ],
    [
      'emoji that are pictures',
      '<p>won <img alt="🎉" src=i.png> and <img alt=A src=j.png></p>',
      'won 🎉 and ![A](https://e.com/d/j.png)',
    ],
    ['no items with only an icon', '<ul><li><svg></svg></li><li>a</li></ul>', '- a'],
    ['a list of terms', '<dl><dt>a</dt><dd>b</dd><dt>c</dt><dd>d</dd></dl>', '- **a**: b\n- **c**: d'],
    ['a list of terms after a list', '<ul><li>a</li></ul><dl><dt>b</dt><dd>c</dd></dl>', '- a\n\n* **b**: c'],
    [
      'terms that end with punctuation',
      '<dl><dt>Since:</dt><dd>1</dd><dt>Why?</dt><dd>2</dd></dl>',
      '- **Since:** 1\n- **Why?** 2',
    ],
    ['two terms with one text', '<dl><dt>a</dt><dt><code>b</code></dt><dd>c</dd></dl>', '- **a**, `b`: c'],
    ['terms with marks in them', '<dl><dt>a_b <i>c</i></dt><dd>d</dd></dl>', '- **a_b *c***: d'],
    [
      'the signatures of Sphinx',
      '<dl><dt class="sig sig-object py"><em>class</em> <span>C</span>(<em>*a_b</em>, <a href=#T>T</a>)<a class=headerlink href=#C>¶</a></dt><dd>d</dd></dl>',
      '`class C(*a_b, T)`\n\nd',
    ],
    [
      'the signatures of rustdoc',
      '<details><summary><section><h4 class=code-header>fn <a href=f>f</a>()</h4></section></summary>a</details>',
      '#### `fn f()`\n\na',
    ],
    [
      'the signatures of javadoc',
      '<div class=member-signature><span>public</span>\n<a href=T>T</a>&lt;U&gt; f()</div>',
      '`public T<U> f()`',
    ],
    [
      'items with headings as sections',
      '<ul class=posts><li><h3>A</h3><p>a</p></li><li><h3>B</h3></li></ul>',
      '### A\n\na\n\n### B',
    ],
    [
      'terms with several blocks of text',
      '<dl><dt>a</dt><dd><p>b</p><pre>c</pre></dd></dl>',
      '- **a**: b\n\n  ```\n  c\n  ```',
    ],
    ['terms in terms', '<dl><dt>a</dt><dd>b<dl><dt>c<dd>d</dl></dd><dt>e</dl>', '- **a**: b\n  - **c**: d\n- **e**'],
    ['a term above sections', '<dl><dt>a</dt><dd><h2>B</h2>c</dd></dl>', '**a**\n\n## B\n\nc'],
  ]);
});

describe('notes in boxes', () => {
  const note = '> **Note**\n>\n> a';
  table([
    ['the notes of Sphinx', '<div class="admonition note"><p class=admonition-title>Note</p><p>a</p></div>', note],
    ['the collapsible notes of MkDocs', '<details class=note><summary>Note</summary><p>a</p></details>', note],
    [
      'the notes of Docusaurus',
      '<div class="theme-admonition theme-admonition-note admonition_x alert"><div class=admonitionHeading_x><svg></svg>note</div><div>a</div></div>',
      note,
    ],
    [
      'the notes of VitePress',
      '<div class="info custom-block"><p class=custom-block-title>INFO</p><p>a</p></div>',
      '> **Info**\n>\n> a',
    ],
    [
      'the notes of GitHub',
      '<div class="markdown-alert markdown-alert-note"><p class=markdown-alert-title>Note</p><p>a</p></div>',
      note,
    ],
    ['the notes of MDN', '<div class="notecard note"><p><strong>Note:</strong></p><p>a</p></div>', note],
    ['the notes of DocBook', '<div class=note><h3 class=title>Note</h3><p>a</p></div>', note],
    ['the notes of Microsoft Learn', '<div class=NOTE><p>Note</p><p>a</p></div>', note],
    ['the warnings of rustdoc', '<div class=warning><p>a</p></div>', '> **Warning**\n>\n> a'],
    ['a note whose text says what it is', '<div class=note>Note: a</div>', '> Note: a'],
    [
      'the notes of Asciidoctor',
      '<div class="admonitionblock note"><table><tr><td class=icon><div class=title>Note</div></td><td class=content>a</td></tr></table></div>',
      note,
    ],
    [
      'a note with its own title',
      '<div class="admonition tip"><p class=admonition-title>Do <i>b</i></p>a</div>',
      '> **Do b**\n>\n> a',
    ],
    [
      'a note in a cell',
      '<table><tr><th>A<tr><td><div class=note><h3>Note</h3>a</div></table>',
      '| A |\n| --- |\n| **Note**<br>a |',
    ],
    ['no note for a call to action', '<div class=callout><p>Buy</p></div><div class="sticky-note">b</div>', 'Buy\n\nb'],
  ]);
});

describe('quotes and rules', () => {
  table([
    ['an empty quote', '<blockquote>\n</blockquote>', '>'],
    ['a quote', '<blockquote><p>a</p><p>b</p></blockquote>', '> a\n>\n> b'],
    ['a quote in a quote', '<blockquote>a<blockquote>b</blockquote></blockquote>', '> a\n>\n> > b'],
    ['a rule between texts', 'a<hr>b', 'a\n\n---\n\nb'],
    ['an item that is only a rule', '<ul><li><hr></li></ul>', '- ___'],
  ]);
});

describe('tables', () => {
  table([
    [
      'a table with a header row',
      '<table><thead><tr><th>A<th align=right>B</thead><tr><td>1<td>2</table>',
      '| A | B |\n| --- | ---: |\n| 1 | 2 |',
    ],
    [
      'a table without a header row',
      '<table><tr><td>A<td>B<tr><td>1<td>2</table>',
      '|  |  |\n| --- | --- |\n| A | B |\n| 1 | 2 |',
    ],
    [
      'table rows of different lengths',
      '<table><tr><td>&nbsp;<tr><td>1<tr><td>2<td>3</table>',
      '|  |  |\n| --- | --- |\n| 1 |  |\n| 2 | 3 |',
    ],
    [
      'a pipe after a backslash in the code of a cell',
      '<table><tr><th>A<tr><td><code>a\\|b</code></table>',
      '| A |\n| --- |\n| <code>a\\\\&#124;b</code> |',
    ],
    ['pipes in cells', '<table><tr><th>A<tr><td>x|y <code>a|b</code></table>', '| A |\n| --- |\n| x\\|y `a\\|b` |'],
    [
      'pipes in the addresses and titles of cells',
      '<table><tr><th>A<th>B<tr><td><a href="/s?q=a|b" title="x|y">c</a><td><img src="/i|j.png" alt="k|l" title="m|n">' +
        '<tr><td><a href="https://f.example/g|h">https://f.example/g|h</a><td>z</table>',
      '| A | B |\n| --- | --- |\n| [c](https://e.com/s?q=a%7Cb "x\\|y") | ![k\\|l](https://e.com/i%7Cj.png "m\\|n") |\n' +
        '| [https://f.example/g\\|h](https://f.example/g%7Ch) | z |',
    ],
    ['blocks in cells', '<table><tr><th>A<tr><td><p>x</p><ul><li>y</li></ul></table>', '| A |\n| --- |\n| x<br>- y |'],
    [
      'spanning cells',
      '<table><tr><th colspan=2>A<th>B<tr><td rowspan=2>1<td>2<td>3<tr><td>4<td>5</table>',
      '| A | A | B |\n| --- | --- | --- |\n| 1 | 2 | 3 |\n| 1 | 4 | 5 |',
    ],
    [
      'a foot before the body',
      '<table><thead><tr><th>A<tfoot><tr><td>sum<tbody><tr><td>1</table>',
      '| A |\n| --- |\n| 1 |\n| sum |',
    ],
    [
      'a cell that spans columns and rows',
      '<table><tr><th>A<th>B<th>C<tr><td colspan=2 rowspan=2>1<td>2<tr><td>3</table>',
      '| A | B | C |\n| --- | --- | --- |\n| 1 | 1 | 2 |\n| 1 | 1 | 3 |',
    ],
    [
      'a heading between table rows',
      '<table><tr><th>A<th>B<tr><td colspan=2>S<tr><td>1<td>2</table>',
      '| A | B |\n| --- | --- |\n| S |  |\n| 1 | 2 |',
    ],
    [
      'a table without empty columns',
      '<table><tr><th>A<th colspan=50>B<tr><td>1<td>2</table>',
      '| A | B |\n| --- | --- |\n| 1 | 2 |',
    ],
    [
      'several header rows',
      '<table><thead><tr><th rowspan=2>A<th colspan=2>B<tr><th>C<th>D</thead><tr><td>1<td>2<td>3</table>',
      '| A | B C | B D |\n| --- | --- | --- |\n| 1 | 2 | 3 |',
    ],
    [
      'a title above all header cells',
      '<table><tr><th colspan=2>T|1<tr><th>A<th>B<tr><td>1<td>2</table>',
      'T|1\n\n| A | B |\n| --- | --- |\n| 1 | 2 |',
    ],
    [
      'data rows within the table head',
      '<table><thead><tr><th>A<th>B<tr><td>1<td>2</thead></table>',
      '| A | B |\n| --- | --- |\n| 1 | 2 |',
    ],
    [
      'a table of header cells only',
      '<table><tr><th>A<th>B<tr><th>1<th>2</table>',
      '| A | B |\n| --- | --- |\n| 1 | 2 |',
    ],
    [
      'lists in cells',
      '<table><tr><th>A<tr><td><ol start=3><li>x</li><li>y</li></ol></table>',
      '| A |\n| --- |\n| 3. x<br>4. y |',
    ],
    [
      'a bold first row as a header row',
      '<table><tr><td><b>A</b><td><b>B</b><tr><td>1<td>2</table>',
      '| A | B |\n| --- | --- |\n| 1 | 2 |',
    ],
    [
      'a header row above a column of names',
      '<table><tr><td></td><th>B</th></tr><tr><th>1</th><td>2</td></tr></table>',
      '|  | B |\n| --- | --- |\n| 1 | 2 |',
    ],
    ['a table caption', '<table><caption>C</caption><tr><th>A<tr><td>1</table>', 'C\n\n| A |\n| --- |\n| 1 |'],
    [
      'boxes with table roles as a table',
      '<div role=table><div role=row><div role=columnheader>A</div><div role=columnheader>B</div></div>' +
        '<div role=rowgroup><div role=row><div role=cell>1</div><div role=cell>2</div></div></div></div>',
      '| A | B |\n| --- | --- |\n| 1 | 2 |',
    ],
    [
      'the summary tables of javadoc',
      '<div class="summary-table two-column-summary"><div class=table-header>A</div><div class=table-header>B</div><div>1</div><div>2</div></div>',
      '| A | B |\n| --- | --- |\n| 1 | 2 |',
    ],
    ['a layout table as blocks', '<table><tr><td><h2>H</h2>a</td></tr><tr><td>b</td></tr></table>', '## H\n\na\n\nb'],
    [
      'a table in a table',
      '<table><tr><td><table><tr><th>A<tr><td>1</table></td></tr></table>',
      '| A |\n| --- |\n| 1 |',
    ],
  ]);
});
