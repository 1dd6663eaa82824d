import { expect, it } from 'vitest';
import { parseHtml } from '../html/parse-html.ts';
import { toMarkdown } from '../write/markdown/to-markdown.ts';

const written = (html: string): string =>
  toMarkdown({ nodes: parseHtml(html).children, skipped: new Set() }, (reference) => reference);

const rows =
  '<mtr><mtd><mn>1</mn></mtd><mtd><mn>2</mn></mtd></mtr><mtr><mtd><mn>3</mn></mtd><mtd><mn>4</mn></mtd></mtr>';

it.each<[what: string, mathMl: string, tex: string]>([
  ['a matrix', `<mtable>${rows}</mtable>`, String.raw`\begin{matrix}1 & 2 \\ 3 & 4\end{matrix}`],
  [
    'a matrix in brackets',
    `<mi>A</mi><mo>=</mo><mo>[</mo><mtable>${rows}</mtable><mo>]</mo>`,
    String.raw`A=\left[\begin{matrix}1 & 2 \\ 3 & 4\end{matrix}\right]`,
  ],
  [
    'a case distinction',
    `<mrow><mo>{</mo><mtable>${rows}</mtable></mrow>`,
    String.raw`\left\{\begin{matrix}1 & 2 \\ 3 & 4\end{matrix}\right.`,
  ],
  [
    'a labelled row',
    '<mtable><mlabeledtr><mtd><mtext>(1)</mtext></mtd><mtd><mi>x</mi></mtd></mlabeledtr></mtable>',
    String.raw`\begin{matrix}x & \text{(1)}\end{matrix}`,
  ],
  ['a binomial', '<mfrac linethickness="0"><mi>n</mi><mi>k</mi></mfrac>', String.raw`\genfrac{}{}{0pt}{}{n}{k}`],
  ['a thin bar', '<mfrac linethickness="0.5px"><mi>n</mi><mi>k</mi></mfrac>', String.raw`\frac{n}{k}`],
  [
    'accents',
    '<mover><mi>x</mi><mo>˙</mo></mover><mover accent=true><mi>B</mi><mo>→</mo></mover><mover><mi>y</mi><mo>^</mo></mover>',
    String.raw`\dot{x}\vec{B}\hat{y}`,
  ],
  ['a limit above', '<mover><mi>x</mi><mn>2</mn></mover>', 'x^{2}'],
  [
    'names of functions',
    '<mi>sin</mi><mo>&#x2061;</mo><mi>x</mi><mo>+</mo><mo>log</mo><mi>y</mi><mo>+</mo><mi>foo</mi>',
    String.raw`\sin x+\log y+\mathrm{foo}`,
  ],
  [
    'sums and limits',
    '<munderover><mo>∑</mo><mi>i</mi><mi>n</mi></munderover><munder><mi>lim</mi><mi>x</mi></munder>',
    String.raw`\sum_{i}^{n}\lim_{x}`,
  ],
  ['text and braces', '<mo>{</mo><mtext>a set</mtext><mo>}</mo>', String.raw`\{\text{a set}\}`],
  ['a base of several signs', '<msup><mrow><mi>a</mi><mi>b</mi></mrow><mn>2</mn></msup>', '{ab}^{2}'],
  [
    'indices on both sides',
    '<mmultiscripts><mi>X</mi><mn>1</mn><mn>2</mn><mprescripts/><mn>3</mn><none/></mmultiscripts>',
    '{}_{3}X_{1}^{2}',
  ],
  ['fences', '<mfenced open="["><mi>a</mi><mi>b</mi></mfenced>', String.raw`\left[a,b\right)`],
])('toMarkdown: writes %s of MathML as TeX', (_, mathMl, tex) => {
  expect(written(`<p><math>${mathMl}</math></p>`)).toBe(`$${tex}$`);
});

it('toMarkdown: keeps two formulas in a row apart', () => {
  expect(written('<p><math><mi>x</mi></math><math><mi>y</mi></math></p>')).toBe('$x$ $y$');
});
