// Reads the styles of a Word file.
import { isOn } from './docx-marks.ts';
import { readXml, type XmlElement } from '../parts/read-xml.ts';
import { styleChain } from './style-chain.ts';

export interface ParagraphStyle {
  /** 1 to 6; undefined if the style is not a heading. */
  readonly headingLevel: number | undefined;
  readonly listId: string | undefined;
  readonly listLevel: number | undefined;
  readonly kind: 'quote' | 'code' | undefined;
  readonly isHidden: boolean;
}

/** By the id of the style. */
export type DocxStyles = (styleId: string) => ParagraphStyle;

interface StatedStyle {
  name: string;
  basedOn?: string;
  outlineLevel?: number;
  listId?: string;
  listLevel?: number;
  isHidden?: boolean;
}

export function readStyles(xml: Uint8Array | undefined): DocxStyles {
  const stated = new Map<string, StatedStyle>();
  let style: StatedStyle | undefined;
  const property = (read: (value: string) => Partial<StatedStyle>): XmlElement => ({
    open: ({ 'w:val': value }) => style && value !== undefined && void Object.assign(style, read(value)),
  });
  readXml(xml, {
    elements: {
      style: {
        open({ 'w:styleId': id = '' }) {
          style = { name: '' };
          stated.set(id, style);
        },
        close: () => (style = undefined),
      },
      vanish: { open: ({ 'w:val': value }) => style && (style.isHidden = isOn(value)) },
      name: property((value) => ({ name: value.toLowerCase() })),
      basedOn: property((value) => ({ basedOn: value })),
      outlineLvl: property((value) => ({ outlineLevel: Number(value) })),
      numId: property((value) => ({ listId: value })),
      ilvl: property((value) => ({ listLevel: Number(value) })),
    },
  });
  const known = new Map<string, ParagraphStyle>();
  return (styleId) => {
    const found = known.get(styleId) ?? resolved(styleChain(stated, styleId, ({ basedOn }) => basedOn));
    known.set(styleId, found);
    return found;
  };
}

function resolved(chain: readonly StatedStyle[]): ParagraphStyle {
  const first = <Value>(read: (style: StatedStyle) => Value | undefined): Value | undefined =>
    chain.map(read).find((value) => value !== undefined);
  return {
    headingLevel: first(headingLevelOf),
    listId: first(({ listId }) => listId),
    listLevel: first(({ listLevel }) => listLevel),
    kind: first(({ name }) => kindOf(name)),
    isHidden: first(({ isHidden }) => isHidden) ?? false,
  };
}

/** Uses the style names of Word, LibreOffice and pandoc, which are the same in every language. */
function kindOf(name: string): ParagraphStyle['kind'] {
  if (/^(?:quote|intense quote|quotations|block text|block quote)$/.test(name)) return 'quote';
  return /^(?:html preformatted|preformatted text|source code|macro text?|plain text|code)$/.test(name)
    ? 'code'
    : undefined;
}

function headingLevelOf({ name, outlineLevel }: StatedStyle): number | undefined {
  if (name === 'title') return 1;
  const stated = /^heading ([1-9])$/.exec(name)?.[1];
  return stated === undefined ? outlineHeading(outlineLevel) : outlineHeading(Number(stated) - 1);
}

/** Levels of an outline count from 0; 9 is body text. */
export function outlineHeading(level = 9): number | undefined {
  return level >= 0 && level < 9 ? Math.min(level + 1, 6) : undefined;
}
