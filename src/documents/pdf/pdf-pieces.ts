/**
 * Turns what pdf.js reads of a page into pieces of text with position, font and link. Coordinates are rotated so that
 * all text runs to the right.
 */
import { leadsOut } from '../parts/html-text.ts';
import type { Tags, TextItem } from './pdf-structure.ts';

export interface TextStyle {
  readonly fontFamily: string;
  /** Font name as written in the file; see `bound-pdfjs.ts`. */
  readonly name?: unknown;
}

/** A link annotation of pdf.js. */
export interface LinkArea {
  readonly url: string;
  /** Left, bottom, right, top. */
  readonly rect: readonly number[];
}

export interface Piece {
  readonly text: string;
  readonly left: number;
  readonly right: number;
  /** Height of the baseline, from the bottom. */
  readonly y: number;
  readonly size: number;
  /** In degrees. A line never mixes angles. */
  readonly angle: number;
  readonly isCode: boolean;
  readonly isBold: boolean;
  readonly url: string | undefined;
  readonly tags: Tags | undefined;
}

/** Returns the pieces in the order of the file. White space between pieces follows from their distance. */
export function piecesOf(
  items: readonly TextItem[],
  styles: Readonly<Record<string, TextStyle>>,
  links: readonly LinkArea[],
): Piece[] {
  const areas = new LinkAreas(links);
  const begun = new Set<object>();
  const drawn = new DrawnTexts();
  return items.flatMap((item) => {
    if (item.str.trim() === '' || isWithoutLetters(item.str)) return [];
    const piece = pieceOf(withBullet(item, begun), styles[item.fontName]);
    if (drawn.isAgain(piece)) return [];
    // Link boxes use page coordinates, so rotated text gets no links.
    return piece.angle === 0 ? areas.divided(piece) : [piece];
  });
}

/** Programs draw a text twice, a bit apart, to make it bold or to give it a shadow. */
class DrawnTexts {
  readonly #known = new Map<string, Piece[]>();

  isAgain(piece: Piece): boolean {
    const { text, left, right, y, size, angle } = piece;
    const known = this.#known.get(text);
    if (!known) {
      this.#known.set(text, [piece]);
      return false;
    }
    const apart = Math.min(size * 0.12, (right - left) * 0.4);
    const isAgain = known.some(
      (one) =>
        Math.abs(one.left - left) <= apart && Math.abs(one.y - y) <= apart && one.angle === angle && one.size === size,
    );
    // The copy follows soon; a page of one letter must not be compared with itself.
    if (!isAgain && known.push(piece) > 8) known.shift();
    return isAgain;
  }
}

/** The bullet of a tagged item can be a drawing. */
function withBullet(item: TextItem, begun: Set<object>): TextItem {
  const { tags, str } = item;
  if (!tags?.item || begun.has(tags.item)) return item;
  begun.add(tags.item);
  return tags.isLabel === true || label.test(str) ? item : { ...item, str: `• ${str.trimStart()}` };
}

/** What begins with a sign or a short number or letter has its bullet. */
const label = /^\s*(?:[^\p{L}\p{N}\s"'“”‘’«»([{$€£¥#@&/+~]|[([]?[\p{L}\p{N}]{1,4}[.)\]](?:\s|$))/u;

/** Counts the glyphs that the file gives no letters for, dropped or not. */
export function unreadableIn(items: readonly TextItem[]): number {
  return items.reduce((sum, { str }) => (str.includes('\ufffd') ? sum + str.split('\ufffd').length - 1 : sum), 0);
}

/** Returns true for glyphs that the file gives no letters for; see `bound-pdfjs.ts`. */
function isWithoutLetters(text: string): boolean {
  return text.includes('\ufffd') && !/[\p{L}\p{N}]/u.test(text);
}

function pieceOf(item: TextItem, style: TextStyle | undefined): Piece {
  const { str, dir, width, height, transform } = item;
  const [a = 1, b = 0, c = 0, d = 1, x = 0, y = 0] = transform;
  const name = typeof style?.name === 'string' ? style.name : '';
  const common = {
    text: normalized(str),
    isCode: codeFont.test(name) || (style?.fontFamily === 'monospace' && !otherScript.test(str)),
    isBold: boldFont.test(name),
    url: undefined,
    tags: item.tags,
  };
  if (dir === 'ttb') {
    // Vertical lines run down, and the next line is to the left.
    return { ...common, left: -y, right: -y + height, y: x, size: Math.hypot(c, d) || width || 1, angle: 90 };
  }
  const length = Math.hypot(a, b) || 1;
  const [cosine, sine] = [a / length, b / length];
  const left = x * cosine + y * sine;
  const angle = Math.round((Math.atan2(sine, cosine) * 180) / Math.PI);
  return { ...common, left, right: left + width, y: y * cosine - x * sine, size: height || length, angle };
}

const codeFont =
  /mono|courier|consol|typewriter|menlo|monaco|fixed|source ?code|cmtt|(?:sf|lm|ec|tx)tt|^[A-Z]{6}\+pcr|zi4/i;
/** A monospaced font means code only for Latin letters: most Chinese, Japanese and Korean fonts are monospaced. */
const otherScript = /[^ -\u024f\u2000-\u2bff]/;
const boldFont = /bold|black|heavy|cmbx|sfbx/i;

/**
 * Replaces Arabic and Hebrew presentation forms, which fonts use for letters by their place in a word, and soft hyphens,
 * which are visible where they are drawn.
 */
function normalized(text: string): string {
  const letters = presentationForms.test(text) ? text.normalize('NFKC') : text;
  return letters.includes('\u00ad') ? letters.replaceAll('\u00ad', '-') : letters;
}

const presentationForms = /[\ufb1d-\ufdff\ufe70-\ufefc]/;

/** Limits for a page and for one band of heights. */
const linksMax = 2_000;
const linksAtHeightMax = 64;
/** In points. */
const bandHeight = 8;

/** Links indexed by height, since a page can have thousands. */
class LinkAreas {
  readonly #bands = new Map<number, LinkArea[]>();

  constructor(links: readonly LinkArea[]) {
    for (const link of links.slice(0, linksMax)) {
      const [, bottom = 0, , top = 0] = link.rect;
      const last = Math.min(Math.floor(top / bandHeight), Math.floor(bottom / bandHeight) + linksAtHeightMax);
      for (let band = Math.floor(bottom / bandHeight); band <= last; band++) {
        const areas = this.#bands.get(band) ?? [];
        if (areas.length < linksAtHeightMax) areas.push(link);
        this.#bands.set(band, areas);
      }
    }
  }

  /** Splits a piece where a link starts or ends. Letter positions are estimates, so only whole words are linked. */
  divided(piece: Piece): Piece[] {
    const middle = piece.y + piece.size * 0.3;
    const areas = this.#bands.get(Math.floor(middle / bandHeight)) ?? [];
    const area = areas.find(({ rect: [left = 0, bottom = 0, right = 0, top = 0] }) => {
      const shared = Math.min(right, piece.right) - Math.max(left, piece.left);
      return bottom <= middle && middle <= top && shared > Math.min(piece.size / 2, (piece.right - piece.left) / 2);
    });
    if (!area) return [piece];
    const { text, left, right } = piece;
    const perCharacter = (right - left) / text.length || 1;
    const at = (x: number): number => wordEdge(text, Math.round((x - left) / perCharacter));
    const [start, end] = [at(area.rect[0] ?? 0), at(area.rect[2] ?? 0)];
    if (start >= end) return [piece];
    const cut = (from: number, to: number, url: string | undefined): Piece[] =>
      from >= to
        ? []
        : [
            {
              ...piece,
              text: text.slice(from, to),
              left: left + from * perCharacter,
              right: left + to * perCharacter,
              url,
            },
          ];
    const rest = cut(end, text.length, undefined);
    return [...cut(0, start, undefined), ...cut(start, end, area.url), ...(rest[0] ? this.divided(rest[0]) : [])];
  }
}

/** Returns the nearest word boundary within three characters. */
function wordEdge(text: string, at: number): number {
  if (at <= 1) return 0;
  if (at >= text.length - 1) return text.length;
  for (let off = 0; off <= 3; off++) {
    for (const place of [at - off, at + off]) {
      if (text[place] === ' ' || text[place - 1] === ' ') return place;
    }
  }
  return at;
}

/** Returns only links that lead out of the file, as for the other formats. */
export function linkAreas(annotations: readonly unknown[]): LinkArea[] {
  return annotations.flatMap((annotation) => {
    if (typeof annotation !== 'object' || annotation === null) return [];
    const { subtype, url, rect } = annotation as Readonly<Record<string, unknown>>;
    if (subtype !== 'Link' || typeof url !== 'string' || !leadsOut(url) || !Array.isArray(rect)) return [];
    return [{ url, rect: rect.map(Number) }];
  });
}
