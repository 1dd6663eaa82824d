/** Pages that are made to take time: each is far more work than its size says, for a parser or a rule that is careless. */
export const hostilePages: readonly (readonly [why: string, make: () => string])[] = [
  ['200,000 opening brackets', () => repeat('<', 200_000)],
  ['100,000 attributes', () => `<p ${Array.from({ length: 100_000 }, (_, n) => `a${n}=1`).join(' ')}>x`],
  ['wide spans', () => repeat('<table><tr><th>a<td colspan=100000000>x<tr><td rowspan=100000000>y</table>', 200)],
  ['spans in every row', () => `<table><tr><th>a${repeat('<tr><td colspan=1000>x<td rowspan=1000>y', 20_000)}</table>`],
  ['unclosed elements', () => repeat('<p><b><i>x', 100)],
  ['unclosed elements, many', () => repeat('<p><b><i>x', 20_000)],
  ['bold around boxes', () => repeat('<b><div>x</b>', 20_000)],
  ['200,000 open boxes', () => repeat('<div>x', 200_000)],
  ['named elements in one line', () => `<p>${repeat('<span class=tag>x</span>', 100_000)}`],
  ['dates around empty elements', () => repeat('<div class=date>', 400) + repeat('x<i></i><b class=time></b>', 50_000)],
  [
    'lists of tabs',
    () => `<div>${repeat('<ul role=tablist><li role=tab>a<li role=tab>b</ul>', 20_000)}<p>tabpanel</p>`,
  ],
  ['end tags without a start tag', () => repeat('<i>', 500) + repeat('</x>y', 200_000)],
  ['quotes of the greatest depth', () => repeat('<blockquote>', 500) + repeat('a<br>', 50_000)],
  ['lists of the greatest depth', () => repeat('<ul><li>', 250) + repeat('<p>a', 50_000)],
  ['100,000 marks in one paragraph', () => repeat('<b>a</b>*<i>b</i>', 50_000)],
  ['ambiguous marks', () => repeat('a<b>*<i>*', 250) + repeat('</i>)</b>', 250)],
  ['white space', () => `<p>${repeat(' \n', 500_000)}x${repeat('\t', 500_000)}`],
  ['white space in code', () => `<code>${repeat(' \n', 200_000)}x${repeat(' ', 200_000)}\n</code>`],
  ['back-ticks', () => `<code>${repeat('` ', 100_000)}</code><pre>${repeat('`', 100_000)}</pre>`],
  [
    'dashes',
    () =>
      `<p>|${repeat('-', 200_000)}x<p>${repeat('-', 200_000)}x<p>${repeat('#', 200_000)}x<p>${repeat('*', 200_000)}`,
  ],
  ['brackets', () => `<p>${repeat('[', 100_000)}<a href=/>${repeat(']', 100_000)}</a>`],
  [
    'a srcset of a million characters',
    () => `<img srcset="${repeat('a', 1_000_000)} x">${repeat('<img srcset="a,b,c,d 1x,,,">', 1_000)}`,
  ],
  ['entities', () => repeat('&amp;&lt;&#x1F600;&nosuch;&', 20_000)],
  ['menus in menus', () => `${repeat('<div class=menu>', 400)}<h1>x</h1>${repeat('<p>y</p>', 50_000)}`],
  ['marks in 500 marks', () => repeat('<b>', 300_000)],
  ['links in 500 marks', () => repeat('<b>', 500) + repeat('<a href=/x>y</a> ', 100_000)],
  ['one term with 100,000 definitions', () => `<dl><dt>x${repeat('<dd>y', 100_000)}</dl>`],
  ['100,000 terms with one definition', () => `<dl>${repeat('<dt>x', 100_000)}<dd>y</dl>`],
  ['a definition of 300,000 parts', () => `<dl><dt>x<dd>${repeat('<code>a</code> b ', 100_000)}</dl>`],
  ['a cell of 300,000 parts', () => `<table><tr><th>x<td>${repeat('<code>a</code> b ', 100_000)}</table>`],
  ['menus in cells', () => `<table>${repeat('<tr><td><ul><li><a href=/x>y</a></ul><td class=menu>z', 20_000)}</table>`],
  ['cards that are all alike', () => repeat('<div class=card><h3>x</h3><p>y</p></div>', 30_000)],
  [
    'menus that are all alike',
    () =>
      `<p>${repeat('words of prose ', 200_000)}${repeat('<ul class=l><li><a href=/a>The first of the two tools</a><li><a href=/b>b</a></ul>', 20_000)}`,
  ],
  [
    'hidden entries that are all alike',
    () => `<p>${repeat('words of prose ', 1_000)}<ul>${repeat('<li hidden>A tool', 50_000)}</ul>`,
  ],
  ['formulas in hidden boxes', () => `${repeat('<div hidden class=math>', 400)}<math>${repeat('<mi>x</mi>', 50_000)}`],
  [
    'a form of an order with many choices',
    () => `<form action=/cart><p>Size</p>${'<input type=radio name=a><label>Large</label>'.repeat(20_000)}</form>`,
  ],
  [
    'many headings of ends above plain text',
    () => `<p>${'Words. '.repeat(99)}</p>${'<div><h2>Responses</h2><p>Said.</p></div>'.repeat(20_000)}`,
  ],
  [
    'many buttons that open the text beside them',
    () => Array.from({ length: 20_000 }, (_, at) => `<div class=a><button>${at}</button><p>Said.</p></div>`).join(''),
  ],
  [
    'nested tables that set out the page',
    () => `${'<table><tr><td><a href=/>x</a></td><td>'.repeat(5_000)}${'Words of the text. '.repeat(99)}`,
  ],
];

function repeat(part: string, times: number): string {
  return part.repeat(times);
}
