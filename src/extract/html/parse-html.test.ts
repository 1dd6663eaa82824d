import type { ChildNode } from 'domhandler';
import { isTag, isText } from 'domhandler';
import * as fc from 'fast-check';
import { parseDocument } from 'htmlparser2';
import { describe, expect, it } from 'vitest';
import { depthMax, nodesMax, parseHtml, parsePage } from './parse-html.ts';

/** Such as `div(p(Text) br)`. */
function treeOf(nodes: readonly ChildNode[]): string {
  return nodes
    .map((node) => {
      if (isText(node)) return node.data;
      return isTag(node) ? node.name + (node.children.length > 0 ? `(${treeOf(node.children)})` : '') : '?';
    })
    .join(' ');
}

const tree = (html: string): string => treeOf(parseHtml(html).children);

function depthOf(nodes: readonly ChildNode[]): number {
  let deepest = 0;
  const pending = nodes.map((node) => ({ node, depth: 1 }));
  for (let next = pending.pop(); next !== undefined; next = pending.pop()) {
    const { node, depth } = next;
    if (!isTag(node)) continue;
    deepest = Math.max(deepest, depth);
    for (const child of node.children) pending.push({ node: child, depth: depth + 1 });
  }
  return deepest;
}

function textOf(nodes: readonly ChildNode[]): string {
  const parts: string[] = [];
  const visit = (children: readonly ChildNode[]): void => {
    for (const node of children) {
      if (isText(node)) parts.push(node.data);
      else if (isTag(node)) visit(node.children);
    }
  };
  visit(nodes);
  return parts.join('');
}

describe('what is a tag and what is text', () => {
  it.each([
    ['nothing', '', ''],
    ['names in any case', '<DIV><Br></dIv>x', 'div(br) x'],
    ['brackets that begin nothing', 'a < b <3 <', 'a < b <3 <'],
    ['brackets before a tag', '<<b>x</b>', '< b(x)'],
    ['the start of an end tag', 'a</', 'a</'],
    ['an end tag with more in it', '<b>x</b class="a">y', 'b(x) y'],
    ['an end tag with a quoted bracket', '<b>x</b class="a>b">y', 'b(x) y'],
    ['an end tag with a quote that does not end', '<b>x</b class="a>y', 'b(x)'],
    ['a tag that the page ends in', 'a<b class="x', 'a'],
    ['an end tag that the page ends in', '<b>a</b', 'b(a)'],
    ['an end tag without a name', 'a</>b', 'ab'],
    ['what no browser knows', 'a<?php x ?>b</ x>c<!x>d<![CDATA[e]]>f', 'a b c d f'],
    ['document types', '<!DOCTYPE html><p>x', 'p(x)'],
    ['comments', 'a<!-- <b> -- > -->b', 'a b'],
    ['comments that end at once', 'a<!-->b<!--->c<!---->d', 'a b c d'],
    ['comments that end in --!>', 'a<!-- x --!>b', 'a b'],
    ['comments without end', 'a<!-- <b>x</b> --', 'a'],
    ['NUL characters', 'a\0b<b\0r>', 'ab br'],
    ['references', '&lt;p&gt; &amp &nosuch; &#65; &#x1F600; &notit', '<p> & &nosuch; A 😀 ¬it'],
    ['scripts', '<script>if (a<b) "<p>&amp;"</scripty></SCRIPT >x', 'script(if (a<b) "<p>&amp;"</scripty>) x'],
    [
      'scripts that write scripts',
      '<script><!-- write("<script src=a></script>") //--></script>x<script><!-- <SCRIPT/</script </script>y',
      'script(<!-- write("<script src=a></script>") //-->) x script(<!-- <SCRIPT/</script ) y',
    ],
    [
      'scripts in comments that end',
      '<script><!-- <scripts --></script>a<script><!--> <script></script>b<script><!--->',
      'script(<!-- <scripts -->) a script(<!--> <script>) b script(<!--->)',
    ],
    ['scripts in comments that do not end', '<script><!-- <script></script>x', 'script(<!-- <script></script>x)'],
    ['scripts without end', '<script><p>x', 'script(<p>x)'],
    ['text elements', '<title>a <b> &amp;</title><textarea><p></textarea>', 'title(a <b> &) textarea(<p>)'],
    [
      'elements that browsers show nothing of',
      '<iframe><p></iframe><noembed><p></noembed><xmp><p>&amp;</xmp>',
      'iframe(<p>) noembed(<p>) xmp(<p>&amp;)',
    ],
    ['what scripts would hide', '<noscript><p>x</noscript>', 'noscript(p(x))'],
    ['the rest of the page', '<plaintext><p></plaintext>', 'plaintext(<p></plaintext>)'],
  ])('%s', (_, html, expected) => {
    expect(tree(html)).toBe(expected);
  });
});

describe('attributes', () => {
  it.each<[string, string, object]>([
    ['quoted or not', `<a b="1 2" c='3"' d=4/5 e>`, { b: '1 2', c: '3"', d: '4/5', e: '' }],
    ['spaces', '<a\n b \t= \f"1"c=2\r/d>', { b: '1', c: '2', d: '' }],
    ['in any case', '<a HREF=X>', { href: 'X' }],
    ['the first counts', '<a b=1 B=2 b>', { b: '1' }],
    ['references', '<a b="&lt;&amp;c=1&copy=2&copy;">', { b: '<&c=1&copy=2©' }],
    ['no value', '<a b= >', { b: '' }],
    ['odd names', `<a =b=1 "c" d'e=2>`, { '=b': '1', '"c"': '', "d'e": '2' }],
    ['names of properties', '<a __proto__=1 constructor=2>', { ['__proto__']: '1', constructor: '2' }],
  ])('%s', (_, html, expected) => {
    const [element] = parseHtml(html).children;
    expect(element !== undefined && isTag(element) && Object.entries(element.attribs)).toEqual(
      Object.entries(expected),
    );
  });

  it('has no others', () => {
    const [element] = parseHtml('<a>').children;
    expect(element !== undefined && isTag(element) && element.attribs['constructor']).toBeUndefined();
  });

  it('keeps as many as a person may have written', () => {
    const [element] = parseHtml(`<a ${Array.from({ length: 2_000 }, (_, n) => `a${n}`).join(' ')} href=x>y`).children;
    expect(element !== undefined && isTag(element) && Object.keys(element.attribs).length).toBe(1_000);
    expect(treeOf(element === undefined ? [] : [element])).toBe('a(y)');
  });
});

describe('what tags end', () => {
  it.each([
    ['elements without content', '<p>a<br>b<img>c</img>d<hr>e', 'p(a br b img cd) hr e'],
    ['self-closing tags are start tags', '<div/>x', 'div(x)'],
    ['paragraphs', '<p>a<p>b<div>c</div>d', 'p(a) p(b) div(c) d'],
    ['a block inside of a link in a paragraph', '<p><a><div>x</div></a></p>', 'p(a(div(x)))'],
    ['headings', '<h1>a<h2>b</h3>c', 'h1(a) h2(b) c'],
    ['items', '<ul><li>a<li><b>b<li><ul><li>c</ul>d</ul>e', 'ul(li(a) li(b(b)) li(ul(li(c)) d)) e'],
    ['an item through a paragraph', '<ul><li><div><p>a<li>b', 'ul(li(div(p(a))) li(b))'],
    ['a paragraph before a description', '<dl><p>a<dt>b<p>c<dd>d', 'dl(p(a) dt(b p(c)) dd(d))'],
    ['a dialog with all that it holds', '<dialog><p>a</dialog>b', 'dialog(p(a)) b'],
    ['descriptions', '<dl><dt>a<dd><p>b<dt>c', 'dl(dt(a) dd(p(b)) dt(c))'],
    [
      'options',
      '<select><optgroup><option>a<option>b<optgroup><option>c',
      'select(optgroup(option(a) option(b)) optgroup(option(c)))',
    ],
    ['ruby', '<ruby>a<rt>b<rp>c', 'ruby(a rt(b) rp(c))'],
    ['links', '<a>a<b>b<a>c', 'a(a b(b)) a(c)'],
    ['cells', '<table><tr><td>a<td><b>b<th>c<tr><td>d', 'table(tr(td(a) td(b(b)) th(c)) tr(td(d)))'],
    [
      'parts of tables',
      '<table><thead><tr><th>a<tbody><tr><td>b</table>c',
      'table(thead(tr(th(a))) tbody(tr(td(b)))) c',
    ],
    ['tables in tables', '<table><tr><td><table><tr><td>a</table>b<td>c', 'table(tr(td(table(tr(td(a))) b) td(c)))'],
    ['columns', '<table><colgroup><col><tr><td>a<tr><td>b', 'table(colgroup(col) tr(td(a)) tr(td(b)))'],
    ['columns before a cell', '<table><colgroup><col><td>a', 'table(colgroup(col) td(a))'],
    ['a caption', '<table><caption>a<tr><td>b', 'table(caption(a) tr(td(b)))'],
    ['a form between rows', '<table><form><tr><td>a</td></tr></form><tr><td>b', 'table(form tr(td(a)) tr(td(b)))'],
    ['a form in a cell', '<table><tr><td><form>a</form>b', 'table(tr(td(form(a) b)))'],
    ['strays before a cell', '<table><tr><div><b><td>a</td></b></div><td>b', 'div(b) table(tr(td(a) td(b)))'],
    [
      'strays before a row',
      '<table><center><tr><td>a</td></tr></center><tr><td>b',
      'center table(tr(td(a)) tr(td(b)))',
    ],
    ['a table between rows', '<table><tr><td>a<tr><table><tr><td>b</table>c', 'table(tr(td(a)) tr) table(tr(td(b))) c'],
    ['a section is no part of a table', '<section><section>a</section>b</section>', 'section(section(a) b)'],
    ['forms', '<form>a<form>b</form>c', 'form(ab) c'],
    ['the head', '<head><title>a</title><meta><div>b</div></head>c', 'head(title(a) meta) div(b) c'],
    ['the head, by text', '<html><head> <meta>\n a', 'html(head(  meta) \n a)'],
    ['the head is nowhere else', '<header>a</header><thead>', 'header(a) thead'],
    ['one body', '<html><body class=a>a<body id=b>b</body>c</html>d', 'html(body(abcd))'],
    ['end tags of nothing', 'a</div>b</i>c</p>d</br>e', 'abc p d br e'],
    ['blocks with all that they hold', '<div><b><p>a</div>b', 'div(b(p(a))) b'],
    ['an inline element alone', '<div><b><div>a</b>b</div>c</div>d', 'div(b(div(ab)) c) d'],
    ['a form alone', '<div><form><div>a</form>b</div>c</div>d', 'div(form(div(ab)) c) d'],
    ['not out of a cell', '<div><table><tr><td>a</div>b', 'div(table(tr(td(ab))))'],
    ['not a paragraph around a button', '<p><button>a</p>b', 'p(button(a p b))'],
    ['not an item around a list', '<ul><li><ul>a</li>b', 'ul(li(ul(ab)))'],
    ['image', '<image>a', 'img a'],
    [
      'the image of AMP pages',
      '<amp-img src=a.png><noscript><img src=a.png></noscript></amp-img>b',
      'img(noscript(img)) b',
    ],
  ])('%s', (_, html, expected) => {
    expect(tree(html)).toBe(expected);
  });

  it.each([
    ['text', '<p>a</p><table>b<tr>c<td>d</td> e</table>f', 'p(a) b c  e table(tr(td(d))) f'],
    ['elements', 'a<table><tr><p>b<i>c</i></p><td>d</td><svg><g/></svg>', 'a p(b i(c)) svg(g) table(tr(td(d)))'],
    ['from a table in a cell', '<table><td>a<table>b<td>c</table>d', 'table(td(a b table(td(c)) d))'],
    ['from what was moved', '<table><div>a<table>b<td>c', 'div(a b table(td(c))) table'],
    ['code', '<pre><table><span class=k>a</span><td>b</table>c</pre>', 'pre(span(a) table(td(b)) c)'],
    [
      'not what can stand there',
      '<table><input><style>a</style><tr><script>b</script>',
      'table(input style(a) tr(script(b)))',
    ],
    ['not where there is no table', '<tr>a<b>b</b></tr>', 'tr(a b(b))'],
    ['not from a template', '<table><template><tr>a</template>', 'table(template(tr(a)))'],
    ['not in a drawing', '<table><td><svg><tr>a<g/>', 'table(td(svg(tr(a g))))'],
  ])('moves strays between rows and cells in front of the table: %s', (_, html, expected) => {
    expect(tree(html)).toBe(expected);
  });

  it('moves text that follows white space between cells', () => {
    const { children } = parseHtml('<table><tr> </b>a<td>b', { keepsAll: true });
    expect(treeOf(children)).toBe('a table(tr(  td(b)))');
  });

  it('adds the attributes of a second body to the first', () => {
    const [body] = parseHtml('<body class=a><body class=b lang=de>').children;
    expect(body !== undefined && isTag(body) && { ...body.attribs }).toEqual({ class: 'a', lang: 'de' });
  });
});

describe('drawings and formulas', () => {
  it.each([
    ['close themselves', '<svg><path/><g/></svg><svg/>a', 'svg(path g) svg a'],
    [
      'have markup in style and title',
      '<svg><style>a<g/></style><title><b>c</b></title></svg>',
      'svg(style(a g) title(b(c)))',
    ],
    ['have CDATA', '<svg><![CDATA[a<b>]]></svg>', 'svg(a<b>)'],
    ['have HTML in them', '<svg><foreignObject><p>a<p>b</foreignObject></svg>c', 'svg(foreignobject(p(a) p(b))) c'],
    ['that nobody ended', '<svg><g><p>a', 'svg(g) p(a)'],
    ['have elements of their own names', '<svg><image href=a /></svg>', 'svg(image)'],
    [
      'have HTML in annotations that say so',
      '<math><annotation-xml encoding=text/HTML><p>a</annotation-xml><mi>b</math>c',
      'math(annotation-xml(p(a)) mi(b)) c',
    ],
    ['and no HTML in others', '<math><annotation-xml encoding=MathML><p>a</math>', 'math(annotation-xml) p(a)'],
    ['formulas', '<math><mi/><mo>+</mo><mspace/></math>a', 'math(mi mo(+) mspace) a'],
  ])('%s', (_, html, expected) => {
    expect(tree(html)).toBe(expected);
  });
});

describe('a tree', () => {
  it('is linked in every direction', () => {
    const document = parseHtml('<div>a<p>b</p><!-- -->c</div>');
    const [div] = document.children;
    if (div === undefined || !isTag(div)) throw new Error('no element');
    const [first, second, third] = div.children;
    expect(div.parent).toBe(document);
    expect([first?.prev, second?.prev, third?.prev]).toEqual([null, first, second]);
    expect([first?.next, second?.next, third?.next]).toEqual([second, third, null]);
    expect(div.children.every(({ parent }) => parent === div)).toBe(true);
  });

  it('has no white space between the rows and cells of a table, unless everything is kept', () => {
    const html = '<table>\n <tbody>\n <tr> <td> a </td>\n <td> </td> x </tr>\n</tbody> </table> <p>b';
    expect(tree(html)).toBe(' x  table(tbody(tr(td( a ) td( ))))   p(b)');
    expect(treeOf(parseHtml(html, { keepsAll: true }).children)).toBe(
      ' x  table(\n  tbody(\n  tr(  td( a ) \n  td( )) \n)  )   p(b)',
    );
  });
});

describe('a page of more nodes than are read', { timeout: 60_000 }, () => {
  it('is read up to there, and says so', () => {
    expect(parsePage('<br>'.repeat(nodesMax)).isCut).toBe(false);
    const { document, isCut } = parsePage('<br>'.repeat(nodesMax + 100_000));
    expect(isCut).toBe(true);
    expect(document.children.length).toBe(nodesMax + 1);
  });

  it.each<[string, (times: number) => string]>([
    ['elements', (times) => '<p>a</p>'.repeat(times)],
    ['elements that are never closed', (times) => '<p>a'.repeat(times)],
    ['elements in each other', (times) => '<i>a'.repeat(times)],
    ['end tags that make elements', (times) => 'a</p>'.repeat(times)],
    ['scripts', (times) => '<script>a</script>'.repeat(times)],
    ['text between comments', (times) => 'a<!-- -->a<!-- -->'.repeat(times)],
    ['cells', (times) => `<table>${'<tr>\n<td>a\n'.repeat(times)}`],
  ])('ends with the last node that is read, and none of the markup behind it: %s', (_, make) => {
    const { document, isCut } = parsePage(make(nodesMax));
    expect(isCut).toBe(true);
    const text = textOf(document.children);
    expect(text).not.toContain('<');
    expect(text.length).toBeLessThan(nodesMax * 3);
  });

  it('is a whole page where only tags that close are left', () => {
    expect(parsePage(`${'<b>'.repeat(500)}${'<i></i>'.repeat(nodesMax - 500)}${'</b>'.repeat(500)}`).isCut).toBe(false);
  });
});

describe('colours of code', () => {
  it.each([
    ['one text', '<pre>a <span class=k>b</span>\n<span id=l2>c</span> d</pre>', 'pre(a b\nc d)'],
    ['in each other', '<code>a<span class=s>b<span class=e>c</span>d</span>e</code>', 'code(abcde)'],
    ['in a link', '<code><a href=/x>a<span>b</span></a>c</code>', 'code(a(ab) c)'],
    ['empty ones', '<pre>a<span></span>b</pre>', 'pre(ab)'],
    ['around a link', '<pre>a<span>b<a>c</a>d</span>e</pre>', 'pre(ab a(c) de)'],
    ['but not the first of a block', '<pre><span>\n</span><span>a</span></pre>', 'pre(span(\n) a)'],
    ['but not lines', '<pre>a<span class=line>b</span></pre>', 'pre(a span(b))'],
    ['but not around lines', '<code><span><i>a</i></span></code>', 'code(span(i(a)))'],
    ['but not what says more', '<pre>a<span data-n=1>b</span><span hidden>c</span></pre>', 'pre(a span(b) span(c))'],
    ['but not elsewhere', '<p>a<span>b</span></p>', 'p(a span(b))'],
    ['but not after the code', '<pre>a</pre><p>a<span>b</span></p>', 'pre(a) p(a span(b))'],
    ['that end too late', '<pre>a<b>b<span>c</b>d</span>e</pre>', 'pre(a b(bc) de)'],
    ['that end too early', '<pre>a<span>b<b>c</span>d</b>e</pre>', 'pre(ab b(c) de)'],
    ['in what ends alone', '<pre>a<b>b<span>c<div>d</b>e</div>f</span>g</pre>', 'pre(a b(bc div(d e)) fg)'],
  ])('are text: %s', (_, html, expected) => {
    expect(tree(html)).toBe(expected);
  });

  it('are elements where they are asked for', () => {
    const { children } = parseHtml('<pre>a<span class=k>b</span></pre>', { keepsAll: true });
    expect(treeOf(children)).toBe('pre(a span(b))');
  });

  it('count for nothing', () => {
    const html = `<pre>${'a<span>b</span>'.repeat(nodesMax)}</pre>`;
    expect(textOf(parseHtml(html).children)).toHaveLength(2 * nodesMax);
    expect(parsePage(html).isCut).toBe(false);
    expect(parsePage(html, { keepsAll: true }).isCut).toBe(true);
  });
});

describe('nesting', () => {
  const deep = (name: string, times: number): string => `<${name}>`.repeat(times);

  it('is kept up to the depth that browsers keep, and flattened beyond it', () => {
    expect(depthOf(parseHtml(deep('div', depthMax)).children)).toBe(depthMax);
    expect(depthOf(parseHtml(deep('div', depthMax * 3)).children)).toBe(depthMax);
    expect(depthOf(parseHtml('<b><b><b><div></b></b></b>'.repeat(1_000)).children)).toBe(depthMax);
  });

  it('keeps the text in its order', () => {
    const numbers = Array.from({ length: 2_000 }, (_, index) => index);
    const html = numbers.map((n) => `<i>${n} `).join('') + numbers.map((n) => `</i>${n} `).join('');
    expect(textOf(parseHtml(html).children)).toBe(`${numbers.join(' ')} ${numbers.join(' ')} `);
  });

  it('ends nothing else by the end tags of what was flattened', () => {
    const pairs = depthMax + 100;
    const document = parseHtml(`<main>${deep('div', pairs)}a${deep('/div', pairs)}<p>b</p></main>c`);
    const [main, after] = document.children;
    expect(main !== undefined && isTag(main) && treeOf(main.children.slice(1))).toBe('p(b)');
    expect(after !== undefined && isText(after) && after.data).toBe('c');
  });

  it('starts anew when what was flattened stood in something that ends', () => {
    const html = `<main><section>${deep('div', depthMax + 100)}a</section><div>b</div>c</div></main>d`;
    const [main, after] = parseHtml(html).children;
    expect(main !== undefined && isTag(main) && treeOf(main.children.slice(1))).toBe('div(b) c');
    expect(after !== undefined && isText(after) && after.data).toBe('d');
  });
});

describe('a hostile page', () => {
  const deep = (html: string): string => '<span>'.repeat(depthMax - 7) + html;

  it.each<[why: string, make: () => string]>([
    ['400,000 open elements', () => '<div>'.repeat(400_000)],
    [
      'formatting left open in every paragraph',
      () => Array.from({ length: 20_000 }, (_, n) => `<b id=${n}><p>`).join(''),
    ],
    ['end tags of nothing', () => deep('</x>'.repeat(400_000))],
    ['end tags that reach nothing', () => `<b><table><td>${deep('</b>'.repeat(400_000))}`],
    ['paragraphs that end nowhere', () => `<p><button>${deep('</p>'.repeat(200_000))}`],
    ['items', () => deep('<li>'.repeat(400_000))],
    ['cells', () => `<td>${deep('<td><td></td>'.repeat(100_000))}`],
    ['strays between cells', () => `<table>${deep('<tr>a<i><td>'.repeat(100_000))}`],
    ['tables between rows', () => '<table><tr>'.repeat(200_000)],
    ['tables in strays', () => '<table><div>a'.repeat(200_000)],
    ['links around controls', () => `<a>${deep('<button><a>'.repeat(100_000))}`],
    ['bodies', () => `<body ${'a b c '.repeat(1_000)}>${deep('<body d>'.repeat(200_000))}`],
    ['comments that do not end', () => '<!--'.repeat(500_000)],
    ['dashes', () => `<!--${'-'.repeat(2_000_000)}`],
    ['scripts that do not end', () => `<script>${'</scrip'.repeat(300_000)}`],
    ['scripts in scripts', () => `<script><!--${'<script></script>'.repeat(200_000)}`],
    ['scripts that end in a comment', () => '<script><!--<script></script>--></script>'.repeat(50_000)],
    ['comments that end at once in scripts', () => `<script>${'<!-->'.repeat(400_000)}`],
    ['scripts with comments that do not end', () => '<script><!--</script>'.repeat(100_000)],
    ['quotes of end tags that do not end', () => '</a b="'.repeat(300_000)],
    ['quotes that do not end', () => '<a b="'.repeat(300_000)],
    ['a name for every element', () => Array.from({ length: 100_000 }, (_, n) => `<x${n}/></x${n}>`).join('')],
    ['colours', () => `<pre>a${'<span>a'.repeat(400_000)}`],
    ['attributes', () => `<p ${Array.from({ length: 200_000 }, (_, n) => `a${n}`).join(' ')}>`],
  ])('costs no more than its size: %s', (_, make) => {
    const html = make();
    const start = process.cpuUsage();
    expect(depthOf(parseHtml(html).children)).toBeLessThanOrEqual(depthMax);
    // Processor time, since other processes can load the machine. A tenth of it is enough.
    expect(process.cpuUsage(start).user / 1e6).toBeLessThan(5);
  });
});

describe('any page', () => {
  const name = fc.constantFrom(
    ...'a b i div span p ul li dl dt dd h1 h2 table tbody tr td th form button select option html head body title'.split(
      ' ',
    ),
    ...'script style textarea iframe noscript svg math mi foreignObject path br img input template pre x-y'.split(' '),
  );
  const piece = fc.oneof(
    name.map((tag) => `<${tag}>`),
    name.map((tag) => `</${tag}>`),
    name.map((tag) => `<${tag} a="1" b='2' c=3 hidden/>`),
    fc.constantFrom(
      '<!--',
      '-->',
      '<![CDATA[',
      ']]>',
      '<',
      '>',
      '</',
      '"',
      '&lt;',
      '&amp',
      '\0',
      '<!doctype html>',
      '<?',
    ),
    fc.string({ unit: 'binary', maxLength: 4 }),
  );

  it('becomes a tree of bounded depth that is linked in every direction', () => {
    const visit = (parent: { readonly children: readonly ChildNode[] }): void => {
      let previous: ChildNode | null = null;
      for (const node of parent.children) {
        expect(node.parent).toBe(parent);
        expect(node.prev).toBe(previous);
        expect(previous === null || previous.next === node).toBe(true);
        previous = node;
        if (isTag(node)) visit(node);
      }
    };
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 80 }), (pieces) => {
        const html = pieces.join('');
        const document = parseHtml(html);
        expect(depthOf(document.children)).toBeLessThanOrEqual(80);
        visit(document);
        expect(textOf(document.children)).toBe(textOf(parseHtml(html, { keepsAll: true }).children));
      }),
      { numRuns: 200 },
    );
  });

  it('has the elements, attributes and text that htmlparser2 finds, where every tag has its end', () => {
    const inline = fc.constantFrom('b', 'i', 'span', 'em', 'x-y', 'label');
    const block = fc.constantFrom('div', 'section', 'article', 'ul', 'blockquote', 'noscript');
    const text = fc.string({ unit: fc.constantFrom(...'ab <>&;#"\'=/\n\t\u00e9\u4e2d'.split('')), maxLength: 8 });
    const escaped = text.map((value) => value.replaceAll('<', '&lt;'));
    const attributes = fc.dictionary(fc.constantFrom('a', 'href', 'class', 'data-x'), text).map((values) =>
      Object.entries(values)
        .map(([key, value]) => ` ${key}="${value.replaceAll('"', '&quot;')}"`)
        .join(''),
    );
    const { html } = fc.letrec<{ html: string; node: string }>((tie) => ({
      html: fc.array(tie('node'), { maxLength: 4 }).map((nodes) => nodes.join('')),
      node: fc.oneof(
        { depthSize: 'small' },
        escaped,
        fc.constantFrom(
          '<br>',
          '<img src="a">',
          '<!-- c -->',
          '<script>a < b && "<p>"</script>',
          '<title>&amp;</title>',
          '<svg><g><path d="a"/>b</g></svg>',
        ),
        fc
          .tuple(fc.oneof(inline, block), attributes, tie('html'))
          .map(([tag, given, content]) => `<${tag}${given}>${content}</${tag}>`),
      ),
    }));
    const shapeOf = (nodes: readonly ChildNode[]): unknown[] =>
      nodes.flatMap((node): unknown[] => {
        if (isText(node)) return [node.data];
        return isTag(node) ? [[node.name, Object.entries(node.attribs), shapeOf(node.children)]] : [];
      });
    fc.assert(
      fc.property(html, (input) => {
        expect(shapeOf(parseHtml(input).children)).toEqual(shapeOf(parseDocument(input).children));
      }),
      { numRuns: 300 },
    );
  });
});
