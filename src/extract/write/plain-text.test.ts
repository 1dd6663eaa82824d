import { expect, it } from 'vitest';
import { parseHtml } from '../html/parse-html.ts';
import { selectElements } from '../html/select-elements.ts';
import { toText, writePage } from './markdown/to-markdown.ts';

it.each<[why: string, html: string, text: string]>([
  ['paragraphs with blank lines between them', '<h1>T</h1><p>a\n b</p><p>c</p>', 'T\n\na b\n\nc'],
  ['list items on their own lines', '<p>x</p><ul><li>a</li><li>b <b>c</b></li></ul>', 'x\n\n- a\n- b c'],
  [
    'table rows on their own lines',
    '<table><tr><th>A</th><th>B</th></tr><tr><td>1</td><td>2</td></tr></table>',
    'A\tB\n1\t2',
  ],
  ['items with paragraphs', '<ul><li><p>a</p></li><li></li><li><p>b</p></li></ul>', '- a\n\n- b'],
  [
    'blocks in cells on one line',
    '<table><tr><th>A</th><td><p>x</p><p>y</p></td></tr><tr><td>1</td><td>2</td></tr></table>',
    'A\tx y\n1\t2',
  ],
  ['a layout table as blocks', '<table role=none><tr><td><p>a</p><p>b</p></td><td>c</td></tr></table>', 'a\n\nb\n\nc'],
  ['a formula once', '<math><mi>x</mi><annotation encoding="application/x-tex">x^2</annotation></math>', '$x^2$'],
  ['white space of code', '<pre>\na\n  b\n</pre>', 'a\n  b'],
  ['no-break spaces as spaces', 'a&nbsp;b&nbsp; c', 'a b c'],
  ['one space around what only allows line breaks', 'a &#x200b; b &shy;\nc', 'a b c'],
  ['line breaks', 'a<br>b<br><br>c', 'a\nb\n\nc'],
  ['no space between elements that has none', '<b>a</b>b <i> c</i>', 'ab c'],
  ['terms and definitions on their own lines', '<dl><dt>a<dd>b<dt>c<dd>d</dl><p>e', 'a\nb\nc\nd\n\ne'],
  ['raised numbers as in Markdown', 'H<sub>2</sub>O, 10<sup>2</sup>', 'H₂O, 10²'],
  ['an empty cell', '<table><tr><th>A<th>B<tr><td><td>2</table>', 'A\tB\n\t2'],
  [
    'the title of a table once',
    '<table><thead><tr><th colspan=2>T<tr><th>A<th>B<tbody><tr><td>1<td>2</table>',
    'T\nA\tB\n1\t2',
  ],
  ['a note with its label', 'a<sup><a href="#f">1</a></sup><p>b<ol><li id=f>c</ol>', 'a[1]\n\nb\n\n[1] c'],
  ['no labels of images and frames', '<img src=x alt=y>a<iframe src=http://e.com/ title=z></iframe>', 'a'],
  ['boxes', '<div>a</div><div>b</div>', 'a\nb'],
  ['no scripts, icons, options', 'a<script>b</script><svg><title>c</title></svg><select><option>d</select>', 'a'],
])('toText: writes %s', (_, html, text) => {
  expect(toText({ nodes: parseHtml(html).children, skipped: new Set() })).toBe(text);
});

it.each<[html: string, expected: string[]]>([
  ['<h1>A <em>b</em>\n c</h1><div><h3>D<br>e</h3></div>', ['# A b c', '### D e']],
  ['<h2>Sizes<a class=headerlink href="#sizes">¶</a></h2>', ['## Sizes']],
  ['<h2><a href="/sizes">Sizes</a></h2>', ['## Sizes']],
  ['<h2> </h2><h2><img src=x></h2><h2><svg><title>x</title></svg></h2>', []],
  ['<h2><span>Heuer</span><span>Rake 60</span></h2>', ['## Heuer Rake 60']],
  ['<nav><h2>Menu</h2></nav><h2>Text<nav>x</nav></h2>', ['## Text']],
  [
    '<ul><li><h2>Sizes</h2></ul><table><tr><th><h3>In a cell</h3><th>x<tr><td>1<td>2</table>',
    ['## Sizes', '### In a cell'],
  ],
  ['<p>Text<h2>- 5 degrees</h2>', ['## - 5 degrees']],
  [`<h6>${'x '.repeat(100_000)}</h6>`, [`###### ${'x '.repeat(100).trim()}`]],
])('writePage: lists the headings of %s', (html, expected) => {
  const document = parseHtml(html);
  const content = { nodes: document.children, skipped: selectElements(document, 'nav') };
  expect(writePage(content, () => undefined).headings).toEqual(expected);
});

it('writePage: lists at most a hundred headings', () => {
  const content = { nodes: parseHtml('<h2>x</h2>'.repeat(1_000)).children, skipped: new Set<never>() };
  expect(writePage(content, () => undefined).headings).toHaveLength(100);
});
