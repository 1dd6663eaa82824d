/** Reads prices: the number next to a currency, and the currency. */
import { type NumberFormat, numberPattern, type ReadNumber, readWritten, withLatinDigits } from './number-format.ts';

export interface Price {
  readonly amount: number;
  /** ISO 4217; null if the page does not tell. */
  readonly currency: string | null;
}

export type ReadPrice = { readonly kind: 'price'; readonly price: Price } | Exclude<ReadNumber, { kind: 'number' }>;

const signs: Readonly<Record<string, string>> = {
  us$: 'USD',
  usd$: 'USD',
  a$: 'AUD',
  au$: 'AUD',
  c$: 'CAD',
  ca$: 'CAD',
  nz$: 'NZD',
  hk$: 'HKD',
  s$: 'SGD',
  mx$: 'MXN',
  nt$: 'TWD',
  r$: 'BRL',
  '€': 'EUR',
  '£': 'GBP',
  '₹': 'INR',
  '₽': 'RUB',
  '₩': 'KRW',
  '₺': 'TRY',
  '₴': 'UAH',
  '₫': 'VND',
  '₪': 'ILS',
  '฿': 'THB',
  '₱': 'PHP',
  '₦': 'NGN',
  '₸': 'KZT',
  円: 'JPY',
  元: 'CNY',
  zł: 'PLN',
  kč: 'CZK',
  ft: 'HUF',
  lei: 'RON',
  лв: 'BGN',
  руб: 'RUB',
  'fr.': 'CHF',
  sfr: 'CHF',
  euro: 'EUR',
  'rs.': 'INR',
};
/** Signs of several currencies, by the region or language of the page. */
const shared: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  $: {
    US: 'USD',
    CA: 'CAD',
    AU: 'AUD',
    NZ: 'NZD',
    SG: 'SGD',
    HK: 'HKD',
    MX: 'MXN',
    AR: 'ARS',
    CL: 'CLP',
    CO: 'COP',
    TW: 'TWD',
  },
  kr: { SE: 'SEK', sv: 'SEK', NO: 'NOK', nb: 'NOK', nn: 'NOK', no: 'NOK', DK: 'DKK', da: 'DKK', IS: 'ISK', is: 'ISK' },
  '¥': { JP: 'JPY', ja: 'JPY', CN: 'CNY', zh: 'CNY' },
};
/** Codes that a text can have in capitals without meaning a currency are left out. */
const codes =
  'AED ARS AUD BGN BRL CAD CHF CLP CNY COP CZK DKK EGP EUR GBP HKD HUF IDR ILS INR ISK JPY KRW KZT MXN MYR NGN NOK NZD PHP PKR PLN RON RSD RUB SAR SEK SGD THB TRY TWD UAH USD VND ZAR KWD BHD OMR TND JOD'.split(
    ' ',
  );
const threeDecimals = new Set(['KWD', 'BHD', 'OMR', 'TND', 'JOD']);

const escaped = (text: string): string => text.replace(/[$.]/g, String.raw`\$&`);

function makePattern(): RegExp {
  const sign = [...Object.keys(signs).toSorted((one, other) => other.length - one.length), '\\$', '¥', 'kr', ...codes]
    .map((one) => (one === '\\$' ? one : escaped(one)))
    .map((one) => (/^[a-z]/i.test(one) && !one.includes('$') ? String.raw`(?<![\p{L}])${one}(?![\p{L}])` : one))
    .join('|');
  return new RegExp(
    String.raw`(?<minus>[-−]\s?)?(?:(?<before>${sign})\s?(?<minusInside>[-−])?\s?(?<amountAfter>${numberPattern})|(?<amount>${numberPattern})(?:[.,]?[-–—])?\s?(?<after>${sign}))`,
    'iu',
  );
}

/** Made on first use: it takes 6 ms, in each thread, and few jobs read prices. */
let pattern: RegExp | undefined;
const textLengthMax = 500;

/** `known`: the currency that the page declares. */
export function readPrice(text: string, format: NumberFormat, language: string, known: string | undefined): ReadPrice {
  const latin = withLatinDigits(text.slice(0, textLengthMax));
  pattern ??= makePattern();
  const found = pattern.exec(latin);
  const groups = found?.groups ?? {};
  const written = groups['amountAfter'] ?? groups['amount'] ?? new RegExp(numberPattern).exec(latin)?.[0];
  if (written === undefined) return { kind: 'none' };
  const currency = currencyOf(groups['before'] ?? groups['after'], language, known);
  const read = readAmount(written, format, currency);
  if (read.kind !== 'number') return read;
  const isNegative = groups['minus'] !== undefined || groups['minusInside'] !== undefined;
  return { kind: 'price', price: { amount: isNegative ? -read.value : read.value, currency } };
}

/** Nearly no price has three decimals, so the language alone does not make `3.350` one. */
function readAmount(written: string, { decimal, isSeen }: NumberFormat, currency: string | null): ReadNumber {
  const read = readWritten(written, decimal);
  if (read.kind !== 'number' || readWritten(written, undefined).kind !== 'ambiguous') return read;
  const isDecimal = read.value === Number(written.replace(',', '.'));
  return isDecimal && !isSeen && !threeDecimals.has(currency ?? '') ? { kind: 'ambiguous' } : read;
}

function currencyOf(found: string | undefined, language: string, known: string | undefined): string | null {
  const declared = known !== undefined && /^[a-z]{3}$/i.test(known.trim()) ? known.trim().toUpperCase() : undefined;
  if (found === undefined) return declared ?? null;
  const word = found.toLowerCase();
  const own = signs[word] ?? codes.find((code) => code === found.toUpperCase());
  if (own !== undefined) return own;
  const choices = shared[word] ?? {};
  if (declared !== undefined && Object.values(choices).includes(declared)) return declared;
  const [base = '', region = ''] = language.trim().split(/[-_]/);
  const usual = word === '$' ? 'USD' : word === '¥' ? 'JPY' : null;
  return choices[region.toUpperCase()] ?? choices[base.toLowerCase()] ?? usual;
}
