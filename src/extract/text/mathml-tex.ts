/** Writes presentation MathML as TeX. */
import type { ChildNode, Element } from 'domhandler';
import { isTag } from 'domhandler';
import {
  isTexFunction,
  texAccent,
  texBase,
  texFence,
  texFraction,
  texFunction,
  texRows,
  texSymbols,
  texText,
} from '../../core/tex.ts';
import { nodeText } from '../html/node-text.ts';

/** Writes a row of elements. */
export function mathMlTex(nodes: readonly ChildNode[]): string {
  const parts = nodes.filter((node) => isTag(node));
  if (parts.length === 0) return texSymbols(nodeText(nodes).trim());
  const written: string[] = [];
  for (let at = 0; at < parts.length; at++) {
    const part = parts[at];
    if (part === undefined) continue;
    const table = fencedTable(parts, at);
    written.push(table ?? partOf(part));
    if (table !== undefined) at += isFence(parts[at + 2]) ? 2 : 1;
  }
  return written.join('');
}

/** Only `\left` and `\right` make a fence as high as the table in it. A case distinction has no closing one. */
function fencedTable(parts: readonly Element[], at: number): string | undefined {
  const [open, table, close] = parts.slice(at, at + 3);
  if (open === undefined || table?.name !== 'mtable' || !isFence(open)) return undefined;
  return `\\left${fenceOf(open)}${partOf(table)}\\right${isFence(close) ? fenceOf(close) : '.'}`;
}

function isFence(element: Element | undefined): element is Element {
  return element?.name === 'mo' && /^[()[\]{}|‖⟨⟩⌈⌉⌊⌋]$/u.test(textOf(element));
}

function fenceOf(element: Element): string {
  return texFence(textOf(element), '.');
}

function textOf({ children }: Element): string {
  return nodeText(children).trim();
}

type Write = (parts: readonly string[], element: Element) => string;

/** Elements that are more than their content, with the TeX of their children. */
const shapes: ReadonlyMap<string, Write> = new Map<string, Write>([
  ['mfrac', ([over = '', under = ''], { attribs }) => texFraction(over, under, !isZero(attribs['linethickness']))],
  ['msup', ([base = '', raised = '']) => `${texBase(base)}^{${raised}}`],
  ['msub', ([base = '', lowered = '']) => `${texBase(base)}_{${lowered}}`],
  ['msubsup', ([base = '', lowered = '', raised = '']) => `${texBase(base)}_{${lowered}}^{${raised}}`],
  ['munder', ([base = '', lowered = ''], element) => accented(base, element, lows) ?? `${texBase(base)}_{${lowered}}`],
  [
    'mover',
    ([base = '', raised = ''], element) => accented(base, element, texAccent) ?? `${texBase(base)}^{${raised}}`,
  ],
  ['munderover', ([base = '', lowered = '', raised = '']) => `${texBase(base)}_{${lowered}}^{${raised}}`],
  ['mroot', ([base = '', degree = '']) => `\\sqrt[${degree}]{${base}}`],
  ['mtable', (rows) => texRows('matrix', rows)],
  ['mtr', (cells) => cells.join(' & ')],
  // The label comes first and stands at the end.
  ['mlabeledtr', ([label = '', ...cells]) => [...cells, label].join(' & ')],
  ['mmultiscripts', scripts],
  ['mfenced', fenced],
]);

const rows: ReadonlyMap<string, (row: string, element: Element) => string> = new Map([
  ['msqrt', (row) => `\\sqrt{${row}}`],
  ['menclose', (row, { attribs }) => (/box/.test(attribs['notation'] ?? '') ? `\\boxed{${row}}` : row)],
]);

function partOf(element: Element): string {
  const { name, children } = element;
  switch (name) {
    case 'annotation':
    case 'annotation-xml':
    case 'mphantom':
      return '';
    case 'mspace':
      return ' ';
    case 'mtext':
    case 'ms':
      return texText(nodeText(children));
    case 'mi':
    case 'mo':
    case 'mn':
      return nameOf(textOf(element).replaceAll(invisible, ''), name);
  }
  const shape = shapes.get(name);
  if (shape !== undefined) return shape(children.filter((child) => isTag(child)).map(partOf), element);
  const row = mathMlTex(children);
  return rows.get(name)?.(row, element) ?? row;
}

/** Function application, and operators that are not shown. */
const invisible = /[\u2061-\u2064\u200b]/g;

function nameOf(text: string, element: string): string {
  if (element === 'mn' || !/^[A-Za-z]{2,}$/.test(text)) return texSymbols(text);
  if (isTexFunction(text)) return `${texFunction(text)} `;
  return element === 'mo' ? `${texFunction(text)} ` : `\\mathrm{${text}}`;
}

function isZero(thickness: string | undefined): boolean {
  return thickness !== undefined && /^\s*0(?:\.0*)?\D*$/.test(thickness);
}

function accented(base: string, element: Element, command: (sign: string) => string | undefined): string | undefined {
  const over = element.children.filter((child) => isTag(child))[1];
  const accent = over?.name === 'mo' ? command(textOf(over)) : undefined;
  return accent === undefined ? undefined : `${accent}{${base}}`;
}

function lows(sign: string): string | undefined {
  if (sign === '⏟') return '\\underbrace';
  return sign === '_' || sign === '\u0332' ? '\\underline' : undefined;
}

/** Pairs of a lowered and a raised part: those after the base, then those before it. */
function scripts([base = '', ...parts]: readonly string[], { children }: Element): string {
  const names = children.filter((child) => isTag(child)).map(({ name }) => name);
  const before = names.indexOf('mprescripts') - 1;
  const after = before < 0 ? parts : parts.slice(0, before);
  return `${before < 0 ? '' : `{}${pairs(parts.slice(before + 1))}`}${texBase(base)}${pairs(after)}`;
}

function pairs(parts: readonly string[]): string {
  return parts.map((part, at) => (part === '' ? '' : `${at % 2 === 0 ? '_' : '^'}{${part}}`)).join('');
}

function fenced(parts: readonly string[], { attribs }: Element): string {
  const separators = (attribs['separators'] ?? ',').replaceAll(/\s/g, '');
  const inside = parts.map((part, at) =>
    at === 0 ? part : `${texSymbols(separators[Math.min(at, separators.length) - 1] ?? '')}${part}`,
  );
  return `\\left${texFence(attribs['open'], '(')}${inside.join('')}\\right${texFence(attribs['close'], ')')}`;
}
