// Reads the styles of a Word file.
import { isOn } from './docx-marks.ts';
import { readXml } from '../parts/read-xml.ts';

export interface ParagraphStyle {
  /** 1 to 6; undefined if the style is not a heading. */
  readonly headingLevel: number | undefined;
  readonly listId: string | undefined;
  readonly listLevel: number | undefined;
  readonly kind: 'quote' | 'code' | undefined;
}

export interface DocxStyles {
  of(styleId: string): ParagraphStyle;
  /** Marks of a style of characters. */
  hidesText(styleId: string): boolean;
}

interface StatedStyle {
  name: string;
  basedOn: string | undefined;
  outlineLevel: number | undefined;
  listId: string | undefined;
  listLevel: number | undefined;
  isHidden: boolean | undefined;
}

const basedOnMax = 10;

export function readStyles(xml: Uint8Array | undefined): DocxStyles {
  const stated = new Map<string, StatedStyle>();
  let style: StatedStyle | undefined;
  if (xml) {
    readXml(xml, {
      open(name, attributes) {
        const value = attributes['w:val'];
        if (name === 'style') {
          style = {
            name: '',
            basedOn: undefined,
            outlineLevel: undefined,
            listId: undefined,
            listLevel: undefined,
            isHidden: undefined,
          };
          stated.set(attributes['w:styleId'] ?? '', style);
        } else if (name === 'vanish' && style) style.isHidden = isOn(value);
        else if (!style || value === undefined) return;
        else if (name === 'name') style.name = value.toLowerCase();
        else if (name === 'basedOn') style.basedOn = value;
        else if (name === 'outlineLvl') style.outlineLevel = Number(value);
        else if (name === 'numId') style.listId = value;
        else if (name === 'ilvl') style.listLevel = Number(value);
      },
      close(name) {
        if (name === 'style') style = undefined;
      },
    });
  }
  const resolve = (styleId: string): ParagraphStyle => {
    let headingLevel: number | undefined;
    let listId: string | undefined;
    let listLevel: number | undefined;
    let kind: ParagraphStyle['kind'];
    let next = stated.get(styleId);
    for (let step = 0; next && step < basedOnMax; step++) {
      headingLevel ??= headingLevelOf(next);
      listId ??= next.listId;
      listLevel ??= next.listLevel;
      kind ??= kindOf(next.name);
      next = next.basedOn === undefined ? undefined : stated.get(next.basedOn);
    }
    return { headingLevel, listId, listLevel, kind };
  };
  const known = new Map<string, ParagraphStyle>();
  return {
    of(styleId) {
      const found = known.get(styleId) ?? resolve(styleId);
      known.set(styleId, found);
      return found;
    },
    hidesText(styleId) {
      let next = stated.get(styleId);
      for (let step = 0; next && step < basedOnMax; step++) {
        if (next.isHidden !== undefined) return next.isHidden;
        next = next.basedOn === undefined ? undefined : stated.get(next.basedOn);
      }
      return false;
    },
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
  const level = stated === undefined ? outlineLevel : Number(stated) - 1;
  return level !== undefined && level >= 0 && level < 9 ? Math.min(level + 1, 6) : undefined;
}
