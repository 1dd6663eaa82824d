import type { ChildNode, Document } from 'domhandler';
import { isTag, isText } from 'domhandler';
import { describe, expect, it } from 'vitest';
import { parsePage as referenceParse } from '../../../test/reference-parser/parse-html.ts';
import { parseHtml, parsePage } from './parse-html.ts';

const pieces = [
  [
    '<table>',
    '<tr>',
    '<td>',
    '</td>',
    '</tr>',
    '</table>',
    '<caption>',
    '<col>',
    '<td class=a><table>',
    '<form>',
    '</form>',
  ],
  [
    'x',
    ' ',
    'é',
    '\u{1F600}',
    '\u{FEFF}',
    '\0',
    '&amp;',
    'a&nbsp;',
    '&#xD800;',
    '&ngE;',
    '<',
    '</',
    '<!',
    '<a b="',
    "<i x='",
  ],
  [
    '<b>',
    '</b>',
    '<p>',
    '</p>',
    '<li>',
    '<ul>',
    '</ul>',
    '</br>',
    '<br/>',
    '<h1>',
    '</h2>',
    '<div/>',
    '<DIV ID=a>',
    '</DIV>',
  ],
  ['<pre>', '</pre>', '<code>', '</code>', '<span class=k>', '<span class="line">', '<span id=a class=b>', '</span>'],
  ['<body a=1 b=2>', '<body class=x c=3>', '<html lang=de>', '<HTML LANG=en x>', '<head>', '</head>', '<!-- c -->'],
  ['<svg>', '</svg>', '<math><mi>', '<annotation-xml encoding="text/html">', '<![CDATA[ <x> ]]>', '<image>', '<img/>'],
  ['<script>a<!--<script>', '</script>', '-->', '<title>t&lt;', '</title>', '<textarea>', '</textarea>', '<template>'],
  ['<select>', '<option>', '<input>', '<button>', '<dd>', '<dt>', '<plaintext>', '</template>'],
  ['<a href="x?a&b=c" HREF=y title=\'é&amp;\' É=1 data-x>', '</a>', '<x-y Q=1>', '</X-Y>', '<É>', '<aé É=1>'],
].flat();

/** Pages of random pieces, the same in each run. */
function* randomPages(count: number): Generator<string> {
  let state = 1;
  const random = (below: number): number => {
    state = (Math.imul(state, 1_103_515_245) + 12_345) >>> 0;
    return (state >>> 8) % below;
  };
  for (let page = 0; page < count; page++)
    yield Array.from({ length: 1 + random(40) }, () => pieces[random(pieces.length)]).join('');
}

/** The tree, and where the nodes of it do not lead to each other. */
function written({ children }: Document): string {
  const parts: string[] = [];
  write(children, parts);
  return parts.join('');
}

function write(nodes: readonly ChildNode[], parts: string[]): void {
  for (const [at, node] of nodes.entries()) {
    if (node.prev !== (nodes[at - 1] ?? null) || node.next !== (nodes[at + 1] ?? null)) parts.push('!');
    if (isText(node)) parts.push(JSON.stringify(node.data));
    if (!isTag(node)) continue;
    parts.push(`<${node.type} ${node.name} ${JSON.stringify({ ...node.attribs })}>`);
    if (node.children.some(({ parent }) => parent !== node)) parts.push('!');
    write(node.children, parts);
    parts.push('</>');
  }
}

describe('parsePage', () => {
  it.each([{}, { keepsAll: true }, { isXml: true }])(
    'parsePage: makes the trees of the reference parser from bytes and from strings with %o',
    { timeout: 120_000 },
    (options) => {
      for (const html of randomPages(300)) {
        const expected = written(referenceParse(html, options).document);
        for (const source of [html, Buffer.from(html)])
          expect(written(parsePage(source, options).document), html).toBe(expected);
      }
    },
  );

  it('parsePage: keeps what was read of the page before, and throws for the rest', () => {
    const { document } = parsePage('<div class=a><p>one</div>');
    const [box] = document.children;
    parsePage('<ul><li>two</ul>');
    expect(box !== undefined && isTag(box) && box.children).toHaveLength(1);
    expect(() => box !== undefined && isTag(box) && box.attribs).toThrow('Another page was read since');
  });

  it('parseHtml: leaves the page readable that was read before', () => {
    const { document } = parsePage('<p class=a>one');
    const stated = parseHtml('<p class=b>two');
    expect(written(document)).toBe('<tag p {"class":"a"}>"one"</>');
    expect(written(stated)).toBe('<tag p {"class":"b"}>"two"</>');
  });
});
