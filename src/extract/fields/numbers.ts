/**
 * Reads numbers as sites write them, whole or not at all: what stands right before and after one decides. `3.350` is 3350
 * on one site and 3.35 on the next: the other numbers, or the language, decide.
 */
import { currenciesOf } from './currencies.ts';
import { seam } from './shown-text.ts';

export type DecimalMark = '.' | ',';

/** What texts with numbers tell of the marks of their page. */
export interface NumberFormat {
  /** Undefined if the numbers and the language do not tell. */
  readonly decimal: DecimalMark | undefined;
  /** Whether numbers told it, which counts more than the language. */
  readonly isSeen: boolean;
  /** A language that CLDR knows; empty: none. Its words for thousands and millions count besides those of English. */
  readonly language: string;
}

export type ReadNumber =
  | { readonly kind: 'number'; readonly value: number }
  | { readonly kind: 'ambiguous' }
  | { readonly kind: 'none' };

/** A number with its marks, and the texts around it. */
export interface WrittenNumber {
  readonly written: string;
  readonly before: string;
  readonly after: string;
  readonly isNegative: boolean;
  readonly factor: number;
  readonly shape: Shape;
}

/** A longer run of digits and marks is no number, and takes too long to read. */
const writtenLengthMax = 100;
const pattern = new RegExp(String.raw`\d(?:[\d.,'’\u066b\u066c${seam}]|[ \u00a0\u202f\u2009](?=\d{3}(?!\d)))*`, 'g');
/** What stands after a number, as far as it can belong to it. */
const aroundMax = 30;

/** Latin digits for those of other scripts, and fractions written out. */
export function withLatinDigits(text: string): string {
  return text
    .replace(/[\u0660-\u0669\u06f0-\u06f9\u0966-\u096f\uff10-\uff19]/g, (digit) => {
      const code = digit.charCodeAt(0);
      return String(code >= 0xff10 ? code - 0xff10 : code >= 0x966 ? code - 0x966 : code & 0xf);
    })
    .replaceAll('\u066b', '.')
    .replaceAll('\u066c', ',')
    .replaceAll('，', ',');
}

/** Every number of a text, with what stands around it. */
export function* numbersIn(text: string, language: string): Generator<WrittenNumber> {
  const latin = withLatinDigits(text);
  let end = 0;
  for (const { 0: whole, index } of latin.matchAll(pattern)) {
    // Cents that belong to the number before.
    if (index < end) continue;
    const before = latin.slice(Math.max(0, index - aroundMax), index);
    const number = numberOf(
      whole,
      before,
      latin.slice(index + whole.length, index + whole.length + aroundMax),
      language,
    );
    yield number;
    end = index + whole.length + number.length;
  }
}

function numberOf(
  whole: string,
  before: string,
  following: string,
  language: string,
): WrittenNumber & { readonly length: number } {
  const written = whole.length > writtenLengthMax ? whole : whole.replace(/[.,'’]+$/, '');
  let after = `${whole.slice(written.length)}${following}`;
  let length = 0;
  const take = (part: RegExp): RegExpExecArray | null => {
    const found = part.exec(after);
    if (found) after = after.slice(found[0].length);
    return found;
  };
  const isNegative = /(?:^|[\s(\p{Sc}])[-−]\p{Sc}?$|(?:^|\s)−\s$/u.test(before);
  // `1.299,-` is whole.
  const dashed = take(/^([.,]?)\s?[-–—]{1,2}(?![\s\d-]*\d)/)?.[1] as DecimalMark | '' | undefined;
  const joined = /^(\p{L}{0,2}\p{Sc}?|:)(\d\d)(?![\d:])/u.exec(after);
  const [joint = '', sign = '', cents] = joined ?? [];
  const hasCents = sign === ':' ? /^:\d\d\s?[\p{L}\p{Sc}]/u.test(after) : isSign(sign, language);
  if (hasCents) {
    length = joint.length;
    after = sign === ':' ? after.slice(length) : sign;
  }
  const part = /^\s?([½⅓⅔¼¾⅛⅜⅝⅞])/.exec(after)?.[1]?.normalize('NFKC').split('⁄');
  if (part) take(/^\s?./);
  const factor = factorOf(after, language);
  let shape = isPart(before, after, written, language) ? none : shapeOf(written);
  if (isRange(after)) shape = { kind: 'range' };
  if (dashed && shape.kind === 'ambiguous') shape = number(shape.asWhole);
  else if (dashed && shape.kind === 'number' && shape.decimal === dashed) shape = none;
  if (hasCents) shape = withPart(shape, Number(cents) / 100);
  if (part) shape = withPart(shape, Number(part[0]) / Number(part[1]));
  return { written, length, before, after: factor.after, isNegative, factor: factor.factor, shape };
}

function isSign(word: string | undefined, language: string): boolean {
  return word !== undefined && currenciesOf(word, language).length > 0;
}

/** Whether digits are a part of something else: `H2O`, `12:30`, `2024/25`, `+43 1 58058`, `5h30`. */
function isPart(before: string, after: string, written: string, language: string): boolean {
  const word = /[\p{L}_.]*[\p{L}_]$/u.exec(before)?.[0];
  if (word !== undefined && !isSign(word, language) && !unspaced.test(word)) return true;
  if (/^\d+$/.test(written) && (/^\s\d/.test(after) || /^[\u2044]/.test(after))) return true;
  if (/(?:\d[:/]|\d[-–—])$/.test(before)) return true;
  const of = /^\/(\d+)(?![\d/])/.exec(after);
  if (of) return !(/[.,]/.test(written) || /^(?:5|10|100)$/.test(of[1] ?? ''));
  const unit = /^(\p{L}+)\d/u.exec(after)?.[1];
  return /^[:/]\d/.test(after) || (unit !== undefined && !isSign(unit, language) && !unspaced.test(unit));
}

/** Scripts without spaces between words. */
const unspaced = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}\p{Script=Thai}]/u;

function isRange(after: string): boolean {
  return /^\s?(?:[-–—~〜]|to|bis|à|al|do|až|till|до)\s?\d/.test(after);
}

/** All numbers that a text can be taken to show, with each of the marks. Of `13.5.2` and the like, the digits. */
export function shownNumbers(text: string, language: string, marks: readonly DecimalMark[]): Set<number> {
  const numbers = new Set<number>();
  for (const number of numbersIn(text, language)) {
    const written = shapeOf(number.written);
    for (const shape of [number.shape, written])
      for (const mark of marks) {
        const read = valueOf({ ...number, shape }, mark);
        if (read.kind === 'number') numbers.add(read.value).add(-read.value);
      }
    if (written.kind === 'none') for (const digits of number.written.match(/\d+/g) ?? []) numbers.add(Number(digits));
    if (numbers.size > shownMax) break;
  }
  return numbers;
}

const shownMax = 50_000;

/** Decides from the numbers of all values, otherwise from the language; contradictions decide nothing. */
export function numberFormatOf(texts: readonly string[], language: string): NumberFormat {
  const seen = new Set<DecimalMark>();
  for (const text of texts)
    for (const { shape } of numbersIn(text, language))
      if (shape.kind === 'number' && shape.decimal !== undefined) seen.add(shape.decimal);
  const [only] = seen;
  if (only !== undefined) return { decimal: seen.size === 1 ? only : undefined, isSeen: true, language };
  return { decimal: markOf(language), isSeen: false, language };
}

/** Reads the first number of a text. */
export function readNumber(text: string, { decimal, language }: Omit<NumberFormat, 'isSeen'>): ReadNumber {
  const [first] = numbersIn(text, language);
  return first && !sum.test(text) ? valueOf(first, decimal) : { kind: 'none' };
}

/** `1 h 30 min`, `6 ft 2 in`. */
const sum = /^\d+\s?\p{L}{1,7}\.?,?\s(?:\p{L}{1,3}\s)?\d+\s?\p{L}{1,7}\.?$/u;

export function valueOf(
  { shape, isNegative, factor }: Pick<WrittenNumber, 'shape' | 'isNegative' | 'factor'>,
  decimal: DecimalMark | undefined,
): ReadNumber {
  switch (shape.kind) {
    case 'none':
      return shape;
    case 'range':
      return { kind: 'ambiguous' };
    case 'number':
      return { kind: 'number', value: exact(isNegative ? -shape.value : shape.value, factor) };
    case 'ambiguous': {
      if (decimal === undefined) return shape;
      const value = shape.mark === decimal ? shape.asDecimal : shape.asWhole;
      return valueOf({ shape: { kind: 'number', value }, isNegative, factor }, decimal);
    }
  }
}

/** 1.1 times a million is 1100000. */
function exact(value: number, factor: number): number {
  return factor === 1 ? value : Number((value * factor).toPrecision(15));
}

export type Shape =
  | { readonly kind: 'number'; readonly value: number; readonly decimal?: DecimalMark }
  /** One mark before three digits. */
  | { readonly kind: 'ambiguous'; readonly mark: DecimalMark; readonly asDecimal: number; readonly asWhole: number }
  | { readonly kind: 'range' }
  | { readonly kind: 'none' };

const none: Shape = { kind: 'none' };

function shapeOf(text: string): Shape {
  if (text.length > writtenLengthMax) return none;
  // Cents in an element of their own.
  const cents = new RegExp(`^(\\d[\\d.,'’ ]*?)${seam}(\\d\\d)$`).exec(text);
  if (cents !== null) return withPart(shapeOf((cents[1] ?? '').replace(/[.,]$/, '')), Number(cents[2]) / 100);
  const digits = text.replaceAll(seam, '').replace(/[\s'’]/g, '');
  const isSpaced = digits.length < text.replaceAll(seam, '').length;
  const marks = digits.match(/[.,]/g) ?? [];
  const last = marks.at(-1) as DecimalMark | undefined;
  if (last === undefined) return number(Number(digits));
  const other = last === '.' ? ',' : '.';
  const [whole, fraction] = [digits.slice(0, digits.lastIndexOf(last)), digits.slice(digits.lastIndexOf(last) + 1)];
  if (marks.every((mark) => mark === last) && marks.length > 1)
    return isGrouped(digits, last) ? number(Number(digits.replaceAll(last, '')), other) : none;
  if (marks.length > 1) {
    if (marks.filter((mark) => mark === last).length > 1 || !isGrouped(whole, other)) return none;
    return number(Number(`${whole.replaceAll(other, '')}.${fraction}`), last);
  }
  const asDecimal = Number(`${whole}.${fraction}`);
  const isUndecided = fraction.length === 3 && whole.length <= 3 && !whole.startsWith('0') && !isSpaced;
  return isUndecided
    ? { kind: 'ambiguous', mark: last, asDecimal, asWhole: Number(whole + fraction) }
    : number(asDecimal, last);
}

/** Groups of three, or as in India: two, and three at the end. */
function isGrouped(digits: string, mark: DecimalMark): boolean {
  const [first = '', ...groups] = digits.split(mark);
  const last = groups.at(-1) ?? '';
  const others = groups.slice(0, -1);
  if (first === '' || first.length > 3 || last.length !== 3) return false;
  return others.every(({ length }) => length === 3) || (mark === ',' && others.every(({ length }) => length === 2));
}

function withPart(shape: Shape, part: number): Shape {
  const whole = shape.kind === 'ambiguous' ? shape.asWhole : shape.kind === 'number' ? shape.value : NaN;
  return Number.isInteger(whole) ? number(whole + part) : none;
}

function number(value: number, decimal?: DecimalMark): Shape {
  if (!Number.isFinite(value)) return none;
  return { kind: 'number', value, ...(decimal !== undefined && { decimal }) };
}

const languagesMax = 50;
const factors = new Map<string, ReadonlyMap<string, number>>();

/** `1.2M`, `1,2 Mio. €`: single letters stand right after the number, or before a currency. */
function factorOf(after: string, language: string): { readonly factor: number; readonly after: string } {
  const [whole = '', space, word = ''] = /^(\s?)([\p{L}\p{M}]+)\.?/u.exec(after) ?? [];
  const isLetter = /^[a-z]$/i.test(word);
  const rest = after.slice(whole.length);
  const isNear = !isLetter || space === '' || /^\s?\p{Sc}/u.test(rest);
  const found = isNear
    ? [language || 'en', 'en', 'en-IN']
        .map((one) => factorsOf(one).get(isLetter ? word : word.toLowerCase()))
        .find(Boolean)
    : undefined;
  if (found !== undefined) return { factor: found, after: rest };
  const [letter = ''] = word;
  const ofScript = /^\p{Script=Han}/u.test(letter) ? factorsOf(language || 'en').get(letter) : undefined;
  return ofScript === undefined ? { factor: 1, after } : { factor: ofScript, after: after.slice(1) };
}

/** Words for powers of ten, by CLDR. */
function factorsOf(language: string): ReadonlyMap<string, number> {
  const known = factors.get(language);
  if (known) return known;
  const words = new Map<string, number>();
  for (const compactDisplay of ['short', 'long'] as const) {
    const format = new Intl.NumberFormat(language, { notation: 'compact', compactDisplay });
    for (let power = 3; power < 13; power++) {
      const parts = format.formatToParts(2 * 10 ** power);
      const [word, shown] = ['compact', 'integer'].map((type) => parts.find((one) => one.type === type)?.value);
      if (word === undefined || (language === 'en-IN' && word.length === 1)) continue;
      words.set(word.length === 1 ? word : word.replace(/\.$/, '').toLowerCase(), (2 * 10 ** power) / Number(shown));
    }
  }
  if (words.has('K')) words.set('k', 1000);
  if (factors.size >= languagesMax) factors.clear();
  factors.set(language, words);
  return words;
}

/** Spanish is written with both marks, depending on the country. */
function markOf(language: string): DecimalMark | undefined {
  if (language === '' || /^es$/i.test(language)) return undefined;
  const parts = new Intl.NumberFormat(language).formatToParts(1.5);
  const mark = parts.find(({ type }) => type === 'decimal')?.value;
  return mark === ',' || mark === '.' ? mark : undefined;
}
