// Any tree of HTML that a page may be, with texts that look like Markdown.
import * as fc from 'fast-check';

const words = [
  ...'a bc 1 é 中文 한국 عربي 😀 👍🏽 * _ ** __ ` `` ~ ~~ [x] [ ] ( ) (y) ! # | \\ - + = &lt; &gt; &amp; &amp;amp; : 「 」 （ ） … $ " \''.split(
    ' ',
  ),
  ...'1. 12) x*y snake_case _p q_ **b** [a](b) ![a](b) &lt;b&gt; &lt;T&gt; &lt;/p&gt; --- === *** ``` ~~~ |a|b| [^1] [a]: # ##'.split(
    ' ',
  ),
  ' ',
  ' ',
  ' ',
  ' ',
  '\n',
  '&nbsp;',
  '\t',
  '  ',
  '&#8203;',
  '&shy;',
  '&emsp;',
  '1. a',
  '- a',
  '# a',
  '&gt; a',
  '+ a',
];
const text = fc.array(fc.constantFrom(...words), { maxLength: 5 }).map((parts) => parts.join(''));
const element = (name: string, inner: string, attributes = ''): string => `<${name}${attributes}>${inner}</${name}>`;
const wrapped = (name: string, inner: fc.Arbitrary<string>, maxLength = 3): fc.Arbitrary<string> =>
  fc.array(inner, { maxLength }).map((parts) => element(name, parts.join('')));

/** `others`: elements whose text is written as another, so that only the second pass can be compared. */
export function pages(isTextKept: boolean): fc.Arbitrary<string> {
  const marks = isTextKept
    ? ['b', 'i', 'em', 'strong', 'code', 'del', 'span', 'u']
    : ['b', 'i', 'em', 'strong', 'code', 'del', 'span', 'sup', 'sub', 'q', 'kbd', 'cite', 'small'];
  const { block } = fc.letrec<{ inline: string; block: string }>((tie) => ({
    inline: fc.oneof(
      { maxDepth: 4, depthSize: 'small' },
      text,
      fc.constantFrom(...marks).chain((name) => wrapped(name, tie('inline'))),
      fc
        .tuple(
          // A link without text is written as its address, where that is absolute.
          fc.constantFrom('/u', '/a(b)', '/a%20b', ...(isTextKept ? ['/a|b'] : ['https://e.com/_x_'])),
          fc.array(tie('inline'), { minLength: 1, maxLength: 3 }),
        )
        .map(([href, inner]) => element('a', inner.join(''), ` href="${href}"`)),
      fc.constantFrom('<br>', '<br><br>', '<img src="/i" alt="x_y*[|">', '<img src="/a)b" alt="" title=\'"\'>'),
    ),
    block: fc.oneof(
      { maxDepth: 4, depthSize: 'small' },
      wrapped('p', tie('inline'), 4),
      fc.array(tie('inline'), { maxLength: 3 }).map((parts) => parts.join('')),
      fc.constantFrom('h1', 'h2', 'h6').chain((name) => wrapped(name, tie('inline'))),
      fc
        .tuple(
          fc.constantFrom(['ul', ''], ['ol', ''], ['ol', ' start=7'], ['ol', ' start=0']),
          fc.array(fc.array(fc.oneof(tie('block'), tie('inline')), { maxLength: 3 }), { maxLength: 3 }),
        )
        .map(([[name = '', attributes = ''], items]) =>
          element(name, items.map((blocks) => element('li', blocks.join(''))).join(''), attributes),
        ),
      wrapped('blockquote', tie('block'), 2),
      wrapped('div', tie('block'), 2),
      text.map((code) => element('pre', code)),
      text.map((code) => element('pre', element('code', code, ' class=language-js'))),
      fc.constant('<hr>'),
      tables(tie('inline')),
      ...(isTextKept ? [] : [tables(tie('block')), definitions(tie('block'))]),
    ),
  }));
  return fc.array(block, { maxLength: 4 }).map((blocks) => blocks.join(''));
}

function tables(cell: fc.Arbitrary<string>): fc.Arbitrary<string> {
  const row = fc.tuple(cell, cell).map((cells) => element('tr', cells.map((inner) => element('td', inner)).join('')));
  return fc
    .array(row, { minLength: 1, maxLength: 3 })
    .map((rows) => element('table', `<tr><th>h</th><th>k</th></tr>${rows.join('')}`));
}

function definitions(inner: fc.Arbitrary<string>): fc.Arbitrary<string> {
  return fc
    .array(fc.tuple(text, inner), { maxLength: 2 })
    .map((parts) => element('dl', parts.map(([term, blocks]) => element('dt', term) + element('dd', blocks)).join('')));
}
