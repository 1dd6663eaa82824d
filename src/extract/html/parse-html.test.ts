import type { ChildNode } from 'domhandler';
import { isTag, isText } from 'domhandler';
import * as fc from 'fast-check';
import { parseDocument } from 'htmlparser2';
import { describe, expect, it } from 'vitest';
import { timeGrowth } from '../../../test/time-growth.ts';
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

describe('tags and text', () => {
  it.each([
    ['an empty page', '', ''],
    ['names in any case', '<DIV><Br></dIv>x', 'div(br) x'],
    ['brackets that begin no tag as text', 'a < b <3 <', 'a < b <3 <'],
    ['brackets before a tag', '<<b>x</b>', '< b(x)'],
    ['the start of an end tag', 'a</', 'a</'],
    ['an end tag with attributes', '<b>x</b class="a">y', 'b(x) y'],
    ['an end tag with a quoted bracket', '<b>x</b class="a>b">y', 'b(x) y'],
    ['an end tag with an unclosed quote', '<b>x</b class="a>y', 'b(x)'],
    ['a page that ends in a tag', 'a<b class="x', 'a'],
    ['a page that ends in an end tag', '<b>a</b', 'b(a)'],
    ['an end tag without a name', 'a</>b', 'ab'],
    ['processing instructions and CDATA as comments', 'a<?php x ?>b</ x>c<!x>d<![CDATA[e]]>f', 'a b c d f'],
    ['document types', '<!DOCTYPE html><p>x', 'p(x)'],
    ['comments', 'a<!-- <b> -- > -->b', 'a b'],
    ['comments that end at once', 'a<!-->b<!--->c<!---->d', 'a b c d'],
    ['comments that end in --!>', 'a<!-- x --!>b', 'a b'],
    ['comments without an end', 'a<!-- <b>x</b> --', 'a'],
    ['NUL characters', 'a\0b<b\0r>', 'ab br'],
    ['character references', '&lt;p&gt; &amp &nosuch; &#65; &#x1F600; &notit', '<p> & &nosuch; A 😀 ¬it'],
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
    ['scripts without an end', '<script><p>x', 'script(<p>x)'],
    [
      'elements that hold only text',
      '<title>a <b> &amp;</title><textarea><p></textarea>',
      'title(a <b> &) textarea(<p>)',
    ],
    [
      'elements that browsers do not show as text',
      '<iframe><p></iframe><noembed><p></noembed><xmp><p>&amp;</xmp>',
      'iframe(<p>) noembed(<p>) xmp(<p>&amp;)',
    ],
    ['the content of noscript as elements', '<noscript><p>x</noscript>', 'noscript(p(x))'],
    ['the rest of the page after plaintext as text', '<plaintext><p></plaintext>', 'plaintext(<p></plaintext>)'],
  ])('parseHtml: reads %s', (_, html, expected) => {
    expect(tree(html)).toBe(expected);
  });
});

describe('attributes', () => {
  it.each<[string, string, object]>([
    ['that are quoted or not', `<a b="1 2" c='3"' d=4/5 e>`, { b: '1 2', c: '3"', d: '4/5', e: '' }],
    ['with white space around their equals sign', '<a\n b \t= \f"1"c=2\r/d>', { b: '1', c: '2', d: '' }],
    ['with names in any case', '<a HREF=X>', { href: 'X' }],
    ['and keeps the first of a name', '<a b=1 B=2 b>', { b: '1' }],
    ['with character references', '<a b="&lt;&amp;c=1&copy=2&copy;">', { b: '<&c=1&copy=2©' }],
    ['without a value', '<a b= >', { b: '' }],
    ['with odd names', `<a =b=1 "c" d'e=2>`, { '=b': '1', '"c"': '', "d'e": '2' }],
    ['named like properties of objects', '<a __proto__=1 constructor=2>', { ['__proto__']: '1', constructor: '2' }],
  ])('parseHtml: reads attributes %s', (_, html, expected) => {
    const [element] = parseHtml(html).children;
    expect(element !== undefined && isTag(element) && Object.entries(element.attribs)).toEqual(
      Object.entries(expected),
    );
  });

  it('parseHtml: gives an element no inherited attributes', () => {
    const [element] = parseHtml('<a>').children;
    expect(element !== undefined && isTag(element) && element.attribs['constructor']).toBeUndefined();
  });

  it('parseHtml: keeps up to 1,000 attributes', () => {
    const [element] = parseHtml(`<a ${Array.from({ length: 2_000 }, (_, n) => `a${n}`).join(' ')} href=x>y`).children;
    expect(element !== undefined && isTag(element) && Object.keys(element.attribs).length).toBe(1_000);
    expect(treeOf(element === undefined ? [] : [element])).toBe('a(y)');
  });
});

describe('implied end tags', () => {
  it.each([
    ['elements without content', '<p>a<br>b<img>c</img>d<hr>e', 'p(a br b img cd) hr e'],
    ['self-closing tags that are start tags', '<div/>x', 'div(x)'],
    ['paragraphs', '<p>a<p>b<div>c</div>d', 'p(a) p(b) div(c) d'],
    ['a block inside of a link in a paragraph', '<p><a><div>x</div></a></p>', 'p(a(div(x)))'],
    ['headings', '<h1>a<h2>b</h3>c', 'h1(a) h2(b) c'],
    ['list items', '<ul><li>a<li><b>b<li><ul><li>c</ul>d</ul>e', 'ul(li(a) li(b(b)) li(ul(li(c)) d)) e'],
    ['a list item that ends a paragraph', '<ul><li><div><p>a<li>b', 'ul(li(div(p(a))) li(b))'],
    ['a paragraph before a description', '<dl><p>a<dt>b<p>c<dd>d', 'dl(p(a) dt(b p(c)) dd(d))'],
    ['the end tag of a dialog with open elements', '<dialog><p>a</dialog>b', 'dialog(p(a)) b'],
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
      'row groups of tables',
      '<table><thead><tr><th>a<tbody><tr><td>b</table>c',
      'table(thead(tr(th(a))) tbody(tr(td(b)))) c',
    ],
    ['tables in tables', '<table><tr><td><table><tr><td>a</table>b<td>c', 'table(tr(td(table(tr(td(a))) b) td(c)))'],
    ['column groups', '<table><colgroup><col><tr><td>a<tr><td>b', 'table(colgroup(col) tr(td(a)) tr(td(b)))'],
    ['columns before a cell', '<table><colgroup><col><td>a', 'table(colgroup(col) td(a))'],
    ['a caption', '<table><caption>a<tr><td>b', 'table(caption(a) tr(td(b)))'],
    ['a form between rows', '<table><form><tr><td>a</td></tr></form><tr><td>b', 'table(form tr(td(a)) tr(td(b)))'],
    ['a form in a cell', '<table><tr><td><form>a</form>b', 'table(tr(td(form(a) b)))'],
    [
      'an element between the cells of a row',
      '<table><tr><div><b><td>a</td></b></div><td>b',
      'div(b) table(tr(td(a) td(b)))',
    ],
    [
      'an element between the rows of a table',
      '<table><center><tr><td>a</td></tr></center><tr><td>b',
      'center table(tr(td(a)) tr(td(b)))',
    ],
    ['a table between rows', '<table><tr><td>a<tr><table><tr><td>b</table>c', 'table(tr(td(a)) tr) table(tr(td(b))) c'],
    ['a section inside a section', '<section><section>a</section>b</section>', 'section(section(a) b)'],
    ['nested forms', '<form>a<form>b</form>c', 'form(ab) c'],
    ['the end of the head', '<head><title>a</title><meta><div>b</div></head>c', 'head(title(a) meta) div(b) c'],
    ['a head that text ends', '<html><head> <meta>\n a', 'html(head(  meta) \n a)'],
    ['header and thead elements', '<header>a</header><thead>', 'header(a) thead'],
    ['two body elements', '<html><body class=a>a<body id=b>b</body>c</html>d', 'html(body(abcd))'],
    ['end tags without a start tag', 'a</div>b</i>c</p>d</br>e', 'abc p d br e'],
    ['the end tag of a block with open elements', '<div><b><p>a</div>b', 'div(b(p(a))) b'],
    ['the end tag of an inline element with open blocks', '<div><b><div>a</b>b</div>c</div>d', 'div(b(div(ab)) c) d'],
    ['the end tag of a form with open blocks', '<div><form><div>a</form>b</div>c</div>d', 'div(form(div(ab)) c) d'],
    ['an end tag in a cell of an element outside', '<div><table><tr><td>a</div>b', 'div(table(tr(td(ab))))'],
    ['the end tag of a paragraph around a button', '<p><button>a</p>b', 'p(button(a p b))'],
    ['the end tag of an item around a list', '<ul><li><ul>a</li>b', 'ul(li(ul(ab)))'],
    ['the image element', '<image>a', 'img a'],
    [
      'the images of AMP pages',
      '<amp-img src=a.png><noscript><img src=a.png></noscript></amp-img>b',
      'img(noscript(img)) b',
    ],
  ])('parseHtml: builds the tree of browsers for %s', (_, html, expected) => {
    expect(tree(html)).toBe(expected);
  });

  it.each([
    ['text', '<p>a</p><table>b<tr>c<td>d</td> e</table>f', 'p(a) b c  e table(tr(td(d))) f'],
    ['elements', 'a<table><tr><p>b<i>c</i></p><td>d</td><svg><g/></svg>', 'a p(b i(c)) svg(g) table(tr(td(d)))'],
    ['out of a table in a cell', '<table><td>a<table>b<td>c</table>d', 'table(td(a b table(td(c)) d))'],
    ['into content that was moved before', '<table><div>a<table>b<td>c', 'div(a b table(td(c))) table'],
    ['code', '<pre><table><span class=k>a</span><td>b</table>c</pre>', 'pre(span(a) table(td(b)) c)'],
    [
      'but not elements that can stand there',
      '<table><input><style>a</style><tr><script>b</script>',
      'table(input style(a) tr(script(b)))',
    ],
    ['but not without a table', '<tr>a<b>b</b></tr>', 'tr(a b(b))'],
    ['but not in a template', '<table><template><tr>a</template>', 'table(template(tr(a)))'],
    ['but not in a drawing', '<table><td><svg><tr>a<g/>', 'table(td(svg(tr(a g))))'],
  ])('parseHtml: moves content between rows and cells before the table: %s', (_, html, expected) => {
    expect(tree(html)).toBe(expected);
  });

  it('parseHtml: moves text after white space between cells before the table', () => {
    const { children } = parseHtml('<table><tr> </b>a<td>b', { keepsAll: true });
    expect(treeOf(children)).toBe('a table(tr(  td(b)))');
  });

  it('parseHtml: adds the attributes of a second body to the first', () => {
    const [body] = parseHtml('<body class=a><body class=b lang=de>').children;
    expect(body !== undefined && isTag(body) && { ...body.attribs }).toEqual({ class: 'a', lang: 'de' });
  });
});

describe('drawings and formulas', () => {
  it.each([
    ['with self-closing tags', '<svg><path/><g/></svg><svg/>a', 'svg(path g) svg a'],
    [
      'with markup in style and title',
      '<svg><style>a<g/></style><title><b>c</b></title></svg>',
      'svg(style(a g) title(b(c)))',
    ],
    ['with CDATA', '<svg><![CDATA[a<b>]]></svg>', 'svg(a<b>)'],
    [
      'with HTML in foreignObject',
      '<svg><foreignObject><p>a<p>b</foreignObject></svg>c',
      'svg(foreignobject(p(a) p(b))) c',
    ],
    ['without their end tags', '<svg><g><p>a', 'svg(g) p(a)'],
    ['with elements named like those of HTML', '<svg><image href=a /></svg>', 'svg(image)'],
    [
      'with HTML in annotations of that encoding',
      '<math><annotation-xml encoding=text/HTML><p>a</annotation-xml><mi>b</math>c',
      'math(annotation-xml(p(a)) mi(b)) c',
    ],
    [
      'without HTML in other annotations',
      '<math><annotation-xml encoding=MathML><p>a</math>',
      'math(annotation-xml) p(a)',
    ],
    ['written as MathML', '<math><mi/><mo>+</mo><mspace/></math>a', 'math(mi mo(+) mspace) a'],
  ])('parseHtml: reads drawings and formulas %s', (_, html, expected) => {
    expect(tree(html)).toBe(expected);
  });
});

describe('tree', () => {
  it('parseHtml: links the tree in every direction', () => {
    const document = parseHtml('<div>a<p>b</p><!-- -->c</div>');
    const [div] = document.children;
    if (div === undefined || !isTag(div)) throw new Error('no element');
    const [first, second, third] = div.children;
    expect(div.parent).toBe(document);
    expect([first?.prev, second?.prev, third?.prev]).toEqual([null, first, second]);
    expect([first?.next, second?.next, third?.next]).toEqual([second, third, null]);
    expect(div.children.every(({ parent }) => parent === div)).toBe(true);
  });

  it('parseHtml: drops white space between rows and cells, except with keepsAll', () => {
    const html = '<table>\n <tbody>\n <tr> <td> a </td>\n <td> </td> x </tr>\n</tbody> </table> <p>b';
    expect(tree(html)).toBe(' x  table(tbody(tr(td( a ) td( ))))   p(b)');
    expect(treeOf(parseHtml(html, { keepsAll: true }).children)).toBe(
      ' x  table(\n  tbody(\n  tr(  td( a ) \n  td( )) \n)  )   p(b)',
    );
  });
});

describe('nodesMax', { timeout: 60_000 }, () => {
  it('parsePage: reads up to nodesMax nodes and reports the cut', () => {
    expect(parsePage('<br>'.repeat(nodesMax)).isCut).toBe(false);
    const { document, isCut } = parsePage('<br>'.repeat(nodesMax + 100_000));
    expect(isCut).toBe(true);
    expect(document.children.length).toBe(nodesMax + 1);
  });

  it.each<[string, (times: number) => string]>([
    ['elements', (times) => '<p>a</p>'.repeat(times)],
    ['elements without end tags', (times) => '<p>a'.repeat(times)],
    ['nested elements', (times) => '<i>a'.repeat(times)],
    ['end tags that create elements', (times) => 'a</p>'.repeat(times)],
    ['scripts', (times) => '<script>a</script>'.repeat(times)],
    ['text between comments', (times) => 'a<!-- -->a<!-- -->'.repeat(times)],
    ['cells', (times) => `<table>${'<tr>\n<td>a\n'.repeat(times)}`],
  ])('parsePage: ends with the last node and no markup after nodesMax nodes of %s', (_, make) => {
    const { document, isCut } = parsePage(make(nodesMax));
    expect(isCut).toBe(true);
    const text = textOf(document.children);
    expect(text).not.toContain('<');
    expect(text.length).toBeLessThan(nodesMax * 3);
  });

  it('parsePage: reports no cut when only end tags are left', () => {
    expect(parsePage(`${'<b>'.repeat(500)}${'<i></i>'.repeat(nodesMax - 500)}${'</b>'.repeat(500)}`).isCut).toBe(false);
  });
});

describe('highlight spans in code', () => {
  it.each([
    ['with an id or a class', '<pre>a <span class=k>b</span>\n<span id=l2>c</span> d</pre>', 'pre(a b\nc d)'],
    ['nested', '<code>a<span class=s>b<span class=e>c</span>d</span>e</code>', 'code(abcde)'],
    ['in a link', '<code><a href=/x>a<span>b</span></a>c</code>', 'code(a(ab) c)'],
    ['empty', '<pre>a<span></span>b</pre>', 'pre(ab)'],
    ['around a link', '<pre>a<span>b<a>c</a>d</span>e</pre>', 'pre(ab a(c) de)'],
    ['but not the first of a block', '<pre><span>\n</span><span>a</span></pre>', 'pre(span(\n) a)'],
    ['but not lines', '<pre>a<span class=line>b</span></pre>', 'pre(a span(b))'],
    ['but not around other elements', '<code><span><i>a</i></span></code>', 'code(span(i(a)))'],
    [
      'but not with other attributes',
      '<pre>a<span data-n=1>b</span><span hidden>c</span></pre>',
      'pre(a span(b) span(c))',
    ],
    ['but not outside code', '<p>a<span>b</span></p>', 'p(a span(b))'],
    ['but not after code', '<pre>a</pre><p>a<span>b</span></p>', 'pre(a) p(a span(b))'],
    ['that end after their parent', '<pre>a<b>b<span>c</b>d</span>e</pre>', 'pre(a b(bc) de)'],
    ['that end before their child', '<pre>a<span>b<b>c</span>d</b>e</pre>', 'pre(ab b(c) de)'],
    [
      'in an inline element that ends within a block',
      '<pre>a<b>b<span>c<div>d</b>e</div>f</span>g</pre>',
      'pre(a b(bc div(d e)) fg)',
    ],
  ])('parseHtml: merges highlight spans into the text of code: %s', (_, html, expected) => {
    expect(tree(html)).toBe(expected);
  });

  it('parseHtml: keeps highlight spans as elements with keepsAll', () => {
    const { children } = parseHtml('<pre>a<span class=k>b</span></pre>', { keepsAll: true });
    expect(treeOf(children)).toBe('pre(a span(b))');
  });

  it('parsePage: does not count highlight spans as nodes', () => {
    const html = `<pre>${'a<span>b</span>'.repeat(nodesMax)}</pre>`;
    expect(textOf(parseHtml(html).children)).toHaveLength(2 * nodesMax);
    expect(parsePage(html).isCut).toBe(false);
    expect(parsePage(html, { keepsAll: true }).isCut).toBe(true);
  });
});

describe('nesting', () => {
  const deep = (name: string, times: number): string => `<${name}>`.repeat(times);

  it('parseHtml: nests up to depthMax and flattens what is deeper', () => {
    expect(depthOf(parseHtml(deep('div', depthMax)).children)).toBe(depthMax);
    expect(depthOf(parseHtml(deep('div', depthMax * 3)).children)).toBe(depthMax);
    expect(depthOf(parseHtml('<b><b><b><div></b></b></b>'.repeat(1_000)).children)).toBe(depthMax);
  });

  it('parseHtml: keeps the order of text beyond depthMax', () => {
    const numbers = Array.from({ length: 2_000 }, (_, index) => index);
    const html = numbers.map((n) => `<i>${n} `).join('') + numbers.map((n) => `</i>${n} `).join('');
    expect(textOf(parseHtml(html).children)).toBe(`${numbers.join(' ')} ${numbers.join(' ')} `);
  });

  it('parseHtml: ends no other element by end tags of flattened elements', () => {
    const pairs = depthMax + 100;
    const document = parseHtml(`<main>${deep('div', pairs)}a${deep('/div', pairs)}<p>b</p></main>c`);
    const [main, after] = document.children;
    expect(main !== undefined && isTag(main) && treeOf(main.children.slice(1))).toBe('p(b)');
    expect(after !== undefined && isText(after) && after.data).toBe('c');
  });

  it('parseHtml: nests again after the parent of flattened elements ends', () => {
    const html = `<main><section>${deep('div', depthMax + 100)}a</section><div>b</div>c</div></main>d`;
    const [main, after] = parseHtml(html).children;
    expect(main !== undefined && isTag(main) && treeOf(main.children.slice(1))).toBe('div(b) c');
    expect(after !== undefined && isText(after) && after.data).toBe('d');
  });
});

describe('hostile pages', () => {
  const deep = (html: string): string => '<span>'.repeat(depthMax - 7) + html;

  it.each<[why: string, make: () => string]>([
    ['400,000 open elements', () => '<div>'.repeat(400_000)],
    [
      'formatting left open in every paragraph',
      () => Array.from({ length: 20_000 }, (_, n) => `<b id=${n}><p>`).join(''),
    ],
    ['end tags without a start tag', () => deep('</x>'.repeat(400_000))],
    ['end tags that match nothing in reach', () => `<b><table><td>${deep('</b>'.repeat(400_000))}`],
    ['end tags of paragraphs that are not open', () => `<p><button>${deep('</p>'.repeat(200_000))}`],
    ['items', () => deep('<li>'.repeat(400_000))],
    ['cells', () => `<td>${deep('<td><td></td>'.repeat(100_000))}`],
    ['text and elements between cells', () => `<table>${deep('<tr>a<i><td>'.repeat(100_000))}`],
    ['tables between rows', () => '<table><tr>'.repeat(200_000)],
    ['tables in misplaced elements', () => '<table><div>a'.repeat(200_000)],
    ['links around controls', () => `<a>${deep('<button><a>'.repeat(100_000))}`],
    ['bodies', () => `<body ${'a b c '.repeat(1_000)}>${deep('<body d>'.repeat(200_000))}`],
    ['unclosed comments', () => '<!--'.repeat(500_000)],
    ['a comment of dashes', () => `<!--${'-'.repeat(2_000_000)}`],
    ['unclosed scripts', () => `<script>${'</scrip'.repeat(300_000)}`],
    ['scripts in scripts', () => `<script><!--${'<script></script>'.repeat(200_000)}`],
    ['scripts that end in a comment', () => '<script><!--<script></script>--></script>'.repeat(50_000)],
    ['comments in scripts that end at once', () => `<script>${'<!-->'.repeat(400_000)}`],
    ['unclosed comments in scripts', () => '<script><!--</script>'.repeat(100_000)],
    ['unclosed quotes in end tags', () => '</a b="'.repeat(300_000)],
    ['unclosed quotes in start tags', () => '<a b="'.repeat(300_000)],
    [
      'a different name for every element',
      () => Array.from({ length: 100_000 }, (_, n) => `<x${n}/></x${n}>`).join(''),
    ],
    ['highlight spans', () => `<pre>a${'<span>a'.repeat(400_000)}`],
    ['attributes', () => `<p ${Array.from({ length: 200_000 }, (_, n) => `a${n}`).join(' ')}>`],
  ])('parseHtml: takes processor time in proportion to the page for %s', (_, make) => {
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

  it('parseHtml: builds a linked tree of bounded depth for any page', () => {
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
        // White space between cells is only kept with keepsAll.
        const whole = textOf(parseHtml(html, { keepsAll: true }).children);
        expect(textOf(document.children).replaceAll(/\s/g, '')).toBe(whole.replaceAll(/\s/g, ''));
      }),
      { numRuns: 200 },
    );
  });

  it('parseHtml: finds what htmlparser2 finds when every tag has its end', () => {
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

describe('parsePage of XML', () => {
  const xml = (text: string): string => treeOf(parsePage(text, { isXml: true }).document.children);

  it.each([
    [
      'elements that their start tag closes',
      '<div>a<script src="a.js"/>b<style/><title/><div/>c</div>',
      'div(a script b style title div c)',
    ],
    ['void elements with end tags', '<div>a<br></br>b<img></img><hr/></div>', 'div(a br b img hr)'],
    [
      'CDATA sections as text',
      '<p>a<![CDATA[<b>&amp;]]>b</p><script>//<![CDATA[\nif (a<b) c;\n//]]></script>',
      'p(a<b>&amp;b) script(//\nif (a<b) c;\n//)',
    ],
    ['references in scripts', '<script>a &lt; b &amp;&amp; c</script>', 'script(a < b && c)'],
    ['colours of code that their start tag closes', '<pre>a<span class="k"/>b</pre>c', 'pre(a span b) c'],
    ['declarations', '<?xml version="1.0"?><!DOCTYPE html><html><p>a</p></html>', 'html(p(a))'],
    ['a page without tags', 'a', 'a'],
  ])('parsePage: reads %s when the page is XML', (_, text, expected) => {
    expect(xml(text)).toBe(expected);
  });

  it.each([
    ['an element is open', '<p>a<script src="a"/>b'],
    ['tags cross', '<p><b>a</p></b><div/>b'],
    ['an end tag has no start tag', '<div/>a</p>'],
    ['a void element is open', '<p>a<br>b<div/>c</p>'],
    ['the page ends in a tag', '<p>a</p><div/>b<p class='],
  ])('parsePage: reads XML as HTML when %s', (_, text) => {
    expect(xml(text)).toBe(tree(text));
  });

  it('parsePage: takes processor time in proportion to the page when XML is deep or broken', () => {
    const run = (size: number): void => {
      for (const text of [
        '<div>'.repeat(size) + '</div>'.repeat(size),
        '<p><b><i/>x'.repeat(size) + '</b></p>'.repeat(size),
        `${'<div><i/>'.repeat(size)}x`,
        '<![CDATA['.repeat(size),
        '<!--'.repeat(size),
      ]) {
        expect(depthOf(parsePage(text, { isXml: true }).document.children)).toBeLessThanOrEqual(depthMax);
      }
    };
    expect(timeGrowth(run, 5_000)).toBeLessThan(3);
  });
});
