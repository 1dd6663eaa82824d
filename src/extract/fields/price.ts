/** Reads prices: the number next to a currency, and the currency. */
import { currenciesOf, type Currencies, decimalsOf } from './currencies.ts';
import { type NumberFormat, numbersIn, type ReadNumber, valueOf, type WrittenNumber } from './numbers.ts';

export interface Price {
  readonly amount: number;
  /** ISO 4217; null if the page does not tell. */
  readonly currency: string | null;
}

/** `isOpen`: the sign is that of several currencies. */
export type ReadPrice =
  | { readonly kind: 'price'; readonly price: Price; readonly isOpen: boolean }
  | Exclude<ReadNumber, { kind: 'number' }>;

const textLengthMax = 500;
/** What a price is of: `1,99 € / 100 g`. */
const perUnit = /^[^\d\p{L}]?\s?(?:\/|per\b|pro\b|je\b)/u;

/** `known`: the currency that the page declares, or the name of the field. A number without any currency is no price. */
export function readPrice(text: string, format: NumberFormat, known: string | undefined): ReadPrice {
  const all = [...numbersIn(text.slice(0, textLengthMax), format.language)].map((number) => signed(number, format));
  const priced = all.filter(({ before, after }) => before.length + after.length > 0);
  const declared = known !== undefined && /^[a-z]{3}$/i.test(known.trim()) ? known.trim().toUpperCase() : undefined;
  if (priced.length === 0) {
    const [only] = all;
    // In a text with words, a number can be anything.
    if (all.length !== 1 || !only || /\p{L}/u.test(text)) return { kind: 'none' };
    const price = priceOf(only.number, declared === undefined ? [] : [declared], declared, format);
    return price.kind === 'price' && declared === undefined ? { kind: 'none' } : price;
  }
  const isBefore = (priced[0]?.before.length ?? 0) > 0;
  const read = priced.map(({ number, before, after }, at) => {
    const [usual, other] = isBefore ? [before, after] : [after, before];
    return {
      isUnit: at > 0 && perUnit.test(number.after.replace(signAfter, '')),
      price: priceOf(number, usual.length > 0 ? usual : other, declared, format),
    };
  });
  const [first, ...others] = read.filter(({ isUnit }) => !isUnit).map(({ price }) => price);
  if (!first) return { kind: 'none' };
  return others.every((one) => JSON.stringify(one) === JSON.stringify(first)) ? first : { kind: 'ambiguous' };
}

const signBefore = /([\p{L}\p{M}\p{Sc}.'’/]*[\p{L}\p{M}\p{Sc}./])\s?[-−]?\s?$/u;
const signAfter = /^\s?(:-|\$\s?[A-Z]{2}(?!\p{L})|\p{Sc}|[\p{L}\p{M}\p{Sc}.'’ʻ]+)/u;

interface Signed {
  readonly number: WrittenNumber;
  readonly before: Currencies;
  readonly after: Currencies;
}

function signed(number: WrittenNumber, { language }: NumberFormat): Signed {
  return {
    number,
    before: meaning(signBefore.exec(number.before)?.[1] ?? '', language, /\p{Sc}$/u),
    after: meaning(signAfter.exec(number.after)?.[1] ?? '', language, /^(?:\p{Sc}|[円元원])/u),
  };
}

/** A sign can touch other words. */
function meaning(word: string, language: string, own: RegExp): Currencies {
  if (word === '') return [];
  if (word === ':-') return currenciesOf('kr', language);
  const whole = currenciesOf(word, language);
  return whole.length > 0 ? whole : currenciesOf(own.exec(word)?.[0] ?? '', language);
}

function priceOf(
  number: WrittenNumber,
  among: Currencies,
  declared: string | undefined,
  format: NumberFormat,
): ReadPrice {
  const [only = null] = among.length === 1 ? among : [];
  const currency = declared !== undefined && among.includes(declared) ? declared : only;
  // In accounts, a price in brackets is negative.
  if (/(?:^|\s)\([^)]*$/.test(number.before) && /^\S*\)$/.test(number.after.trim())) return { kind: 'none' };
  if (/(?<![\p{L}\d.,])\d[\d.,]*\s?[-–—x×]\s?\P{L}?\s?$/u.test(number.before)) return { kind: 'ambiguous' };
  const read = amountOf(number, currency === null ? among : [currency], format);
  if (read.kind !== 'number') return read;
  return { kind: 'price', price: { amount: read.value, currency }, isOpen: currency === null };
}

/** Nearly no price has three decimals, so the language alone does not make `3.350` one. */
function amountOf(number: WrittenNumber, among: Currencies, { decimal, isSeen }: NumberFormat): ReadNumber {
  const { shape } = number;
  const decimals = new Set(among.map(decimalsOf));
  if (shape.kind !== 'ambiguous' || decimals.has(3)) return valueOf(number, decimal);
  const whole = shape.mark === '.' ? ',' : '.';
  if (decimals.has(0)) return valueOf(number, whole);
  return shape.mark === decimal && !isSeen ? { kind: 'ambiguous' } : valueOf(number, decimal);
}
