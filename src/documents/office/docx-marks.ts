/** Maps the formatting of a Word run (ECMA-376, part 1, 17.3.2) to HTML elements. */

const order = ['strong', 'em', 'del', 'sup', 'sub', 'code'];
const elements: Readonly<Record<string, string>> = { b: 'strong', i: 'em', strike: 'del', dstrike: 'del' };
const raised: Readonly<Record<string, string>> = { superscript: 'sup', subscript: 'sub' };

/** Returns the names of the elements of a run, outermost first, after adding one of its properties. */
export function withMark(marks: readonly string[], property: string, value: string | undefined): readonly string[] {
  const element = elementOf(property, value);
  return order.filter((name) => name === element || marks.includes(name));
}

function elementOf(property: string, value: string | undefined): string | undefined {
  if (property === 'vertAlign') return raised[value ?? ''];
  if (property === 'rStyle') return codeStyle.test(value ?? '') ? 'code' : undefined;
  return isOn(value) ? elements[property] : undefined;
}

/** Style ids of pandoc, Word and LibreOffice. */
const codeStyle = /^(?:VerbatimChar|HTMLCode|SourceText)$/;

export function isOn(value: string | undefined): boolean {
  return value === undefined || (value !== '0' && value !== 'false' && value !== 'off');
}
