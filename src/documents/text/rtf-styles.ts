/** Formatting of RTF (1.9.1) that HTML has elements for. */

/** Properties that a group inherits and that end with it. */
export interface RtfFormat {
  readonly bold: boolean;
  readonly italic: boolean;
  readonly strike: boolean;
  readonly raised: 'sup' | 'sub' | undefined;
  /** Hidden or deleted text. */
  readonly hidden: boolean;
  /** Number of the paragraph's style. */
  readonly style: number | undefined;
  /** Counts from 0; 9 is body text. */
  readonly outlineLevel: number | undefined;
  readonly inTable: boolean;
  /** 0 is no list. */
  readonly list: number;
  /** Counts from 0. */
  readonly listLevel: number;
  /** Indents of the paragraph and of its first line, in twentieths of a point. */
  readonly indent: number;
  readonly firstIndent: number;
}

const plainText = { bold: false, italic: false, strike: false, raised: undefined, hidden: false } as const;
const plainParagraph = {
  style: undefined,
  outlineLevel: undefined,
  inTable: false,
  list: 0,
  listLevel: 0,
  indent: 0,
  firstIndent: 0,
} as const;
export const plainFormat: RtfFormat = { ...plainText, ...plainParagraph };

/** Returns what a control word changes; undefined if it is no word of formatting. */
export function formatChange(word: string, number: number | undefined): Partial<RtfFormat> | undefined {
  const isOn = number !== 0;
  switch (word) {
    case 'plain':
      return plainText;
    case 'pard':
      return plainParagraph;
    case 'b':
      return { bold: isOn };
    case 'i':
      return { italic: isOn };
    case 'strike':
    case 'striked':
      return { strike: isOn };
    case 'super':
      return { raised: isOn ? 'sup' : undefined };
    case 'sub':
      return { raised: isOn ? 'sub' : undefined };
    case 'nosupersub':
      return { raised: undefined };
    case 'v':
    case 'deleted':
      return { hidden: isOn };
    case 's':
      return { style: number ?? 0 };
    case 'outlinelevel':
      return { outlineLevel: number ?? 0 };
    case 'intbl':
      return { inTable: isOn };
    case 'ls':
      return { list: number ?? 0 };
    case 'ilvl':
      return { listLevel: Math.min(Math.max(number ?? 0, 0), 8) };
    case 'li':
      return { indent: number ?? 0 };
    case 'fi':
      return { firstIndent: number ?? 0 };
    default:
      return undefined;
  }
}

/** Element names, outermost first. */
export function marksOf({ bold, italic, strike, raised }: RtfFormat): readonly string[] {
  return [bold ? 'strong' : '', italic ? 'em' : '', strike ? 'del' : '', raised ?? ''].filter((name) => name !== '');
}

/** Levels of headings by the number of their style, from the style sheet of a file. */
export class RtfStyles {
  readonly #levels = new Map<number, number>();

  /** `name` as the style sheet has it, with its semicolon. Word's names are English in every language. */
  add(style: number, name: string, outlineLevel: number | undefined): void {
    const stated = /^(?:heading ([1-9])|(title));?$/i.exec(name.trim());
    const level = stated ? Number(stated[1] ?? 1) - 1 : outlineLevel;
    if (level !== undefined) this.#levels.set(style, level);
  }

  /** Returns 1 to 6; undefined if the paragraph is no heading. */
  headingLevel({ style, outlineLevel }: RtfFormat): number | undefined {
    const level = outlineLevel ?? (style === undefined ? undefined : this.#levels.get(style));
    return level !== undefined && level >= 0 && level < 9 ? Math.min(level + 1, 6) : undefined;
  }
}
