/** Reads numbers as sites write them. `3.350` is 3350 on one site and 3.35 on the next: the other numbers decide. */
import { seam } from './shown-text.ts';

export type DecimalMark = '.' | ',';

/** What texts with numbers tell of the marks of their page. */
export interface NumberFormat {
  /** Undefined if the numbers and the language do not tell. */
  readonly decimal: DecimalMark | undefined;
  /** Whether numbers told it, which counts more than the language. */
  readonly isSeen: boolean;
}

export type ReadNumber =
  | { readonly kind: 'number'; readonly value: number }
  | { readonly kind: 'ambiguous' }
  | { readonly kind: 'none' };

/** A longer run of digits and marks is no number, and takes too long to read. */
const writtenLengthMax = 100;
/** A number with its marks, as the text has it. */
export const numberPattern = String.raw`\d(?:[\d.,'’\u066b\u066c${seam}]|[ \u00a0\u202f\u2009](?=\d{3}(?!\d)))*`;
const pattern = new RegExp(numberPattern);

/** Latin digits for those of other scripts. */
export function withLatinDigits(text: string): string {
  return text
    .replace(/[\u0660-\u0669\u06f0-\u06f9\u0966-\u096f\uff10-\uff19]/g, (digit) => {
      const code = digit.charCodeAt(0);
      return String(code >= 0xff10 ? code - 0xff10 : code >= 0x966 ? code - 0x966 : code & 0xf);
    })
    .replaceAll('\u066b', '.')
    .replaceAll('\u066c', ',');
}

/** Decides from the numbers of all values, otherwise from the language; contradictions decide nothing. */
export function numberFormatOf(texts: readonly string[], language: string): NumberFormat {
  const seen = new Set<DecimalMark>();
  for (const text of texts) {
    for (const [written] of withLatinDigits(text).matchAll(new RegExp(numberPattern, 'g'))) {
      const shape = shapeOf(written);
      if (shape.kind === 'number' && shape.decimal !== undefined) seen.add(shape.decimal);
    }
  }
  const [only] = seen;
  if (only !== undefined) return { decimal: seen.size === 1 ? only : undefined, isSeen: true };
  return { decimal: markOf(language), isSeen: false };
}

/** Reads the first number of a text. */
export function readNumber(text: string, { decimal }: Pick<NumberFormat, 'decimal'>): ReadNumber {
  const latin = withLatinDigits(text);
  const found = pattern.exec(latin);
  if (found === null) return { kind: 'none' };
  const before = latin.slice(0, found.index).trimEnd();
  const isNegative = /(?:^|[\s(])[-−]$/.test(before) || /^[-−]$/.test(before);
  const read = readWritten(found[0], decimal);
  return read.kind === 'number' && isNegative ? { kind: 'number', value: -read.value } : read;
}

/** Reads a number as {@link numberPattern} found it. */
export function readWritten(written: string, decimal: DecimalMark | undefined): ReadNumber {
  const shape = shapeOf(written);
  if (shape.kind === 'none') return shape;
  if (shape.kind === 'number') return { kind: 'number', value: shape.value };
  if (decimal === undefined) return { kind: 'ambiguous' };
  return { kind: 'number', value: shape.mark === decimal ? shape.asDecimal : shape.asWhole };
}

type Shape =
  | { readonly kind: 'number'; readonly value: number; readonly decimal?: DecimalMark }
  /** One mark before three digits. */
  | { readonly kind: 'ambiguous'; readonly mark: DecimalMark; readonly asDecimal: number; readonly asWhole: number }
  | { readonly kind: 'none' };

function shapeOf(written: string): Shape {
  if (written.length > writtenLengthMax) return { kind: 'none' };
  const text = written.replace(/[.,'’]+$/, '');
  // Cents in an element of their own.
  const cents = new RegExp(`^(\\d[\\d.,'’ ]*?)${seam}(\\d\\d)$`).exec(text);
  if (cents !== null) {
    const whole = shapeOf(cents[1] ?? '');
    const units = whole.kind === 'ambiguous' ? whole.asWhole : whole.kind === 'number' ? whole.value : NaN;
    return Number.isInteger(units) ? finite(units + Number(cents[2]) / 100) : { kind: 'none' };
  }
  const digits = text.replaceAll(seam, '').replace(/[\s'’]/g, '');
  const isSpaced = digits.length < text.replaceAll(seam, '').length;
  const marks = digits.match(/[.,]/g) ?? [];
  const last = marks.at(-1) as DecimalMark | undefined;
  if (last === undefined) return finite(Number(digits));
  const other = last === '.' ? ',' : '.';
  const [whole, fraction] = [digits.slice(0, digits.lastIndexOf(last)), digits.slice(digits.lastIndexOf(last) + 1)];
  if (marks.every((mark) => mark === last) && marks.length > 1)
    return isGrouped(digits, last) ? finite(Number(digits.replaceAll(last, '')), other) : { kind: 'none' };
  if (marks.length > 1) {
    if (marks.filter((mark) => mark === last).length > 1 || !isGrouped(whole, other)) return { kind: 'none' };
    return finite(Number(`${whole.replaceAll(other, '')}.${fraction}`), last);
  }
  const asDecimal = Number(`${whole}.${fraction}`);
  const isUndecided = fraction.length === 3 && whole.length <= 3 && !whole.startsWith('0') && !isSpaced;
  return isUndecided
    ? { kind: 'ambiguous', mark: last, asDecimal, asWhole: Number(whole + fraction) }
    : finite(asDecimal, last);
}

/** Groups of three, or as in India: two, and three at the end. */
function isGrouped(digits: string, mark: DecimalMark): boolean {
  const [first = '', ...groups] = digits.split(mark);
  const last = groups.at(-1) ?? '';
  const others = groups.slice(0, -1);
  if (first === '' || first.length > 3 || last.length !== 3) return false;
  return others.every(({ length }) => length === 3) || (mark === ',' && others.every(({ length }) => length === 2));
}

function finite(value: number, decimal?: DecimalMark): Shape {
  if (!Number.isFinite(value)) return { kind: 'none' };
  return { kind: 'number', value, ...(decimal !== undefined && { decimal }) };
}

/** Spanish is written with both marks, depending on the country. */
function markOf(language: string): DecimalMark | undefined {
  const tag = language.trim().replaceAll('_', '-');
  if (tag === '' || /^es$/i.test(tag)) return undefined;
  try {
    const parts = new Intl.NumberFormat(tag).formatToParts(1.5);
    if (Intl.NumberFormat.supportedLocalesOf(tag).length === 0) return undefined;
    const mark = parts.find(({ type }) => type === 'decimal')?.value;
    return mark === ',' || mark === '.' ? mark : undefined;
  } catch {
    return undefined;
  }
}
