/** Maps the formatting of a Word run (ECMA-376, part 1, 17.3.2) to HTML elements. */
import type { XmlAttributes } from '../parts/read-xml.ts';

/** Element names, outermost first, separated by spaces. */
export type Marks = string;

const order = ['strong', 'em', 'del', 'sup', 'sub', 'code'];
const elements: Readonly<Record<string, string>> = { b: 'strong', i: 'em', strike: 'del', dstrike: 'del' };
const raised: Readonly<Record<string, string>> = { superscript: 'sup', subscript: 'sub' };

/** Returns the marks of a run after adding one of its properties. */
export function withMark(marks: Marks, property: string, attributes: XmlAttributes): Marks {
  const value = attributes['w:val'];
  const element = elementOf(property, value);
  if (element === undefined) return marks;
  const all = new Set([...marks.split(' '), element]);
  return order.filter((name) => all.has(name)).join(' ');
}

function elementOf(property: string, value: string | undefined): string | undefined {
  if (property === 'vertAlign') return raised[value ?? ''];
  if (property === 'rStyle') return codeStyle.test(value ?? '') ? 'code' : undefined;
  return isOn(value) ? elements[property] : undefined;
}

/** Style ids of pandoc, Word and LibreOffice. */
const codeStyle = /^(?:VerbatimChar|HTMLCode|SourceText)$/;

export function startOf(marks: Marks): string {
  return marks.replaceAll(/\w+ ?/g, (name) => `<${name.trim()}>`);
}

export function endOf(marks: Marks): string {
  return marks === ''
    ? ''
    : marks
        .split(' ')
        .toReversed()
        .map((name) => `</${name}>`)
        .join('');
}

export function isOn(value: string | undefined): boolean {
  return value === undefined || (value !== '0' && value !== 'false' && value !== 'off');
}
