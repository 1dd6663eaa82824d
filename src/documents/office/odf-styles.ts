// Reads the styles of an OpenDocument file (ODF 1.3, part 3, 16): how text looks, what is hidden, how lists count.
import type { ListLevel } from '../parts/list-labels.ts';
import type { XmlAttributes } from '../parts/read-xml.ts';
import { readOdfXml } from './read-odf-xml.ts';
import { styleChain } from './style-chain.ts';

export interface OdfStyle {
  parent: string | undefined;
  /** As users see it, with `_20_` for a space. */
  readonly name: string;
  isBold?: boolean;
  isItalic?: boolean;
  isStruck?: boolean;
  isHidden?: boolean;
  raised?: 'sup' | 'sub' | 'none';
}

export interface OdfStyles {
  /** What the style says, or the style that it is based on. */
  of(id: string | undefined): OdfStyle;
  /** Returns true if one of the style and those that it is based on has this name. */
  isNamed(id: string | undefined, pattern: RegExp): boolean;
  lists: ReadonlyMap<string, readonly (ListLevel | undefined)[]>;
}

/** The id of the levels of headings among the lists. */
export const outlineId = ' outline';

const formats: Readonly<Record<string, string>> = {
  '1': 'decimal',
  a: 'lowerLetter',
  A: 'upperLetter',
  i: 'lowerRoman',
  I: 'upperRoman',
  '': 'none',
};

export function readOdfStyles(sources: readonly (Uint8Array | undefined)[]): OdfStyles {
  const styles = new Map<string, OdfStyle>();
  const lists = new Map<string, (ListLevel | undefined)[]>();
  for (const source of sources) readInto(source, styles, lists);
  const known = new Map<string, OdfStyle>();
  const chainOf = (id: string): readonly OdfStyle[] => styleChain(styles, id, ({ parent }) => parent);
  return {
    of(id = '') {
      const found = known.get(id) ?? Object.assign({ name: id, parent: undefined }, ...chainOf(id).toReversed());
      known.set(id, found);
      return found;
    },
    isNamed: (id = '', pattern) =>
      pattern.test(id) || chainOf(id).some(({ name, parent = '' }) => pattern.test(name) || pattern.test(parent)),
    lists,
  };
}

function readInto(
  source: Uint8Array | undefined,
  styles: Map<string, OdfStyle>,
  lists: Map<string, (ListLevel | undefined)[]>,
): void {
  let style: OdfStyle | undefined;
  let levels: (ListLevel | undefined)[] | undefined;
  readOdfXml(source, {
    open(name, attributes) {
      const id = attributes['style:name'] ?? '';
      if (name === 'style') {
        style = { name: id, parent: attributes['style:parent-style-name'] };
        styles.set(id, style);
      } else if (name === 'text-properties' && style) textProperties(style, attributes);
      else if ((name === 'table-properties' || name === 'drawing-page-properties') && style) {
        if (attributes['table:display'] === 'false' || attributes['presentation:visibility'] === 'hidden')
          style.isHidden = true;
      } else if (name === 'list-style' || name === 'outline-style') {
        levels = [];
        lists.set(name === 'list-style' ? id : outlineId, levels);
      } else if (levels && /^(?:list-level-style-|outline-level-style)/.test(name)) {
        const at = Number(attributes['text:level']) - 1;
        if (at >= 0 && at < 10) levels[at] = levelOf(name, attributes, at);
      }
    },
    close(name) {
      if (name === 'style') style = undefined;
      else if (name === 'list-style' || name === 'outline-style') levels = undefined;
    },
  });
}

function textProperties(style: OdfStyle, attributes: XmlAttributes): void {
  const weight = attributes['fo:font-weight'];
  if (weight !== undefined) style.isBold = weight === 'bold' || Number(weight) >= 600;
  const slant = attributes['fo:font-style'];
  if (slant !== undefined) style.isItalic = slant === 'italic' || slant === 'oblique';
  const struck = attributes['style:text-line-through-style'] ?? attributes['style:text-line-through-type'];
  if (struck !== undefined) style.isStruck = struck !== 'none';
  const display = attributes['text:display'];
  if (display !== undefined) style.isHidden = display === 'none' || display === 'condition';
  const position = attributes['style:text-position'];
  if (position !== undefined) {
    const percent = Number.parseFloat(position);
    style.raised =
      position.startsWith('super') || percent > 0 ? 'sup' : position.startsWith('sub') || percent < 0 ? 'sub' : 'none';
  }
}

function levelOf(name: string, attributes: XmlAttributes, at: number): ListLevel {
  if (name === 'list-level-style-bullet' || name === 'list-level-style-image')
    return { format: 'bullet', text: attributes['text:bullet-char'] ?? '•', start: 1 };
  const format = formats[attributes['style:num-format'] ?? ''] ?? 'decimal';
  const shown = Math.min(Math.max(Math.trunc(Number(attributes['text:display-levels'])) || 1, 1), at + 1);
  const numbers = Array.from({ length: shown }, (_, above) => `%${at + 2 - shown + above}`).join('.');
  const text = `${attributes['style:num-prefix'] ?? ''}${format === 'none' ? '' : numbers}${attributes['style:num-suffix'] ?? ''}`;
  return {
    format,
    text: format === 'none' ? '' : text,
    start: Math.trunc(Number(attributes['text:start-value'] ?? 1)) || 0,
  };
}
