// Reads the styles and list definitions of a Word file.
import { readXml } from '../parts/read-xml.ts';

export interface ParagraphStyle {
  /** 1 to 6; undefined if the style is not a heading. */
  readonly headingLevel: number | undefined;
  readonly listId: string | undefined;
  readonly kind: 'quote' | 'code' | undefined;
}

export interface DocxStyles {
  of(styleId: string): ParagraphStyle;
  listKind(listId: string, level: number): ListKind;
}

/** `none` has neither bullets nor numbers: its paragraphs belong to the item before them. */
export type ListKind = 'ol' | 'ul' | 'none';

interface StatedStyle {
  name: string;
  basedOn: string | undefined;
  outlineLevel: number | undefined;
  listId: string | undefined;
}

const basedOnMax = 10;

export function readStyles(xml: Uint8Array | undefined, kinds: ReadonlyMap<string, ListKind>): DocxStyles {
  const stated = new Map<string, StatedStyle>();
  let style: StatedStyle | undefined;
  if (xml) {
    readXml(xml, {
      open(name, attributes) {
        const value = attributes['w:val'];
        if (name === 'style') {
          style = { name: '', basedOn: undefined, outlineLevel: undefined, listId: undefined };
          stated.set(attributes['w:styleId'] ?? '', style);
        } else if (!style || value === undefined) return;
        else if (name === 'name') style.name = value.toLowerCase();
        else if (name === 'basedOn') style.basedOn = value;
        else if (name === 'outlineLvl') style.outlineLevel = Number(value);
        else if (name === 'numId') style.listId = value;
      },
      close(name) {
        if (name === 'style') style = undefined;
      },
    });
  }
  const resolve = (styleId: string): ParagraphStyle => {
    let headingLevel: number | undefined;
    let listId: string | undefined;
    let kind: ParagraphStyle['kind'];
    let next = stated.get(styleId);
    for (let step = 0; next && step < basedOnMax; step++) {
      headingLevel ??= headingLevelOf(next);
      listId ??= next.listId;
      kind ??= kindOf(next.name);
      next = next.basedOn === undefined ? undefined : stated.get(next.basedOn);
    }
    return { headingLevel, listId, kind };
  };
  const known = new Map<string, ParagraphStyle>();
  return {
    of(styleId) {
      const found = known.get(styleId) ?? resolve(styleId);
      known.set(styleId, found);
      return found;
    },
    listKind: (listId, level) => kinds.get(`${listId} ${level}`) ?? 'ul',
  };
}

/** Returns the kinds of list levels, by `id level`. */
export function readListKinds(xml: Uint8Array | undefined): ReadonlyMap<string, ListKind> {
  const levels = new Map<string, Map<string, ListKind>>();
  const lists = new Map<string, string>();
  let [abstractId, listId, level] = ['', '', ''];
  const state = (kind: ListKind): void => {
    levels.get(abstractId)?.set(level, kind);
  };
  if (xml) {
    readXml(xml, {
      open(name, attributes) {
        const value = attributes['w:val'] ?? '';
        if (name === 'abstractNum') {
          abstractId = attributes['w:abstractNumId'] ?? '';
          levels.set(abstractId, new Map());
        } else if (name === 'lvl') level = attributes['w:ilvl'] ?? '';
        else if (name === 'numFmt') state(value === 'bullet' ? 'ul' : value === 'none' ? 'none' : 'ol');
        else if (name === 'lvlText' && value.trim() === '' && levels.get(abstractId)?.get(level) === 'ul')
          state('none');
        else if (name === 'num') listId = attributes['w:numId'] ?? '';
        else if (name === 'abstractNumId') lists.set(listId, value);
      },
    });
  }
  return new Map(
    [...lists].flatMap(([id, of]) => Array.from(levels.get(of) ?? [], ([at, kind]) => [`${id} ${at}`, kind] as const)),
  );
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
