/** How a run of a Word file is set (ECMA-376, part 1, 17.3.2), as elements of HTML. */
import type { XmlAttributes } from './read-xml.ts';

/** Names of elements, the outermost first, with a space between. */
export type Marks = string;

const order = ['strong', 'em', 'del', 'sup', 'sub'];
const elements: Readonly<Record<string, string>> = { b: 'strong', i: 'em', strike: 'del', dstrike: 'del' };
const raised: Readonly<Record<string, string>> = { superscript: 'sup', subscript: 'sub' };

/** The marks of a run when a property of it is read as well. */
export function withMark(marks: Marks, property: string, attributes: XmlAttributes): Marks {
  const value = attributes['w:val'];
  const element = property === 'vertAlign' ? raised[value ?? ''] : isOn(value) ? elements[property] : undefined;
  if (element === undefined) return marks;
  const all = new Set([...marks.split(' '), element]);
  return order.filter((name) => all.has(name)).join(' ');
}

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
