/** Numbers and labels of list items, as Word and OpenDocument define them: "Article 1", "1.1", "(a)". */

export interface ListLevel {
  /** Formats of Word: `decimal`, `lowerLetter`, `bullet`. */
  readonly format: string;
  /** With `%1` for the number of the first level. */
  readonly text: string;
  readonly start: number;
  /** Numbers of all levels are written as decimals. */
  readonly isLegal?: boolean;
}

export interface ItemLabel {
  /** `none` has neither bullet nor number: its paragraph belongs to the item before it. */
  readonly kind: 'ol' | 'ul' | 'none';
  readonly number: number;
  /** As the file shows it; empty for a bullet. */
  readonly shown: string;
  /** What Markdown cannot write as the number of an item; empty if it can. */
  readonly text: string;
}

export const listLevelsMax = 10;

const bullet: ItemLabel = { kind: 'ul', number: 1, shown: '', text: '' };

/** Counts the items of all lists of a file. */
export class ListLabels {
  readonly #counts = new Map<string, (number | undefined)[]>();

  /** Sets the number of the next item of a level. */
  restart(list: string, level: number, start: number): void {
    const counts = [...(this.#counts.get(list) ?? [])].slice(0, level);
    counts[level] = start - 1;
    this.#counts.set(list, counts);
  }

  /** The label of the next item. `level` counts from 0. */
  next(list: string, levels: readonly (ListLevel | undefined)[], level: number): ItemLabel {
    const of = levels[level];
    if (!of) return bullet;
    const counts = (this.#counts.get(list) ?? []).slice(0, level + 1);
    for (let above = 0; above < level; above++) counts[above] ??= levels[above]?.start ?? 1;
    const number = (counts[level] ?? of.start - 1) + 1;
    counts[level] = number;
    this.#counts.set(list, counts);
    if (of.format === 'bullet') return of.text.trim() === '' ? { ...bullet, kind: 'none' } : bullet;
    const pattern = of.text.trim();
    const shown = pattern.replaceAll(/%(\d)/g, (_, digit: string) => {
      const at = Number(digit) - 1;
      const format = levels[at]?.format;
      return numberAs(of.isLegal === true || format === undefined ? 'decimal' : format, counts[at] ?? 1);
    });
    if (shown === '') return { kind: 'none', number, shown, text: '' };
    const isPlain = /^%\d\.?$/.test(pattern) && shown.replace('.', '') === String(number);
    return { kind: isPlain ? 'ol' : 'ul', number, shown, text: isPlain ? '' : shown };
  }
}

function numberAs(format: string, number: number): string {
  switch (format) {
    case 'lowerLetter':
      return letters(number);
    case 'upperLetter':
      return letters(number).toUpperCase();
    case 'lowerRoman':
      return roman(number);
    case 'upperRoman':
      return roman(number).toUpperCase();
    case 'decimalZero':
      return String(number).padStart(2, '0');
    case 'none':
      return '';
    default:
      return String(number);
  }
}

/** As Word counts: z is followed by aa, bb. */
function letters(number: number): string {
  if (number < 1 || number > 26 * 8) return String(number);
  return String.fromCharCode(97 + ((number - 1) % 26)).repeat(Math.ceil(number / 26));
}

const romans: readonly (readonly [value: number, letters: string])[] = [
  [1000, 'm'],
  [900, 'cm'],
  [500, 'd'],
  [400, 'cd'],
  [100, 'c'],
  [90, 'xc'],
  [50, 'l'],
  [40, 'xl'],
  [10, 'x'],
  [9, 'ix'],
  [5, 'v'],
  [4, 'iv'],
  [1, 'i'],
];

function roman(number: number): string {
  if (number < 1 || number > 3_999) return String(number);
  let [left, text] = [number, ''];
  for (const [value, sign] of romans) {
    text += sign.repeat(Math.floor(left / value));
    left %= value;
  }
  return text;
}
