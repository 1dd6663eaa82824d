import { expect, it } from 'vitest';
import { parseHtml } from '../html/parse-html.ts';
import { toText } from './to-text.ts';

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
  ['boxes', '<div>a</div><div>b</div>', 'a\nb'],
  ['no scripts, icons, options', 'a<script>b</script><svg><title>c</title></svg><select><option>d</select>', 'a'],
])('toText: writes %s', (_, html, text) => {
  expect(toText({ nodes: parseHtml(html).children, skipped: new Set() })).toBe(text);
});
