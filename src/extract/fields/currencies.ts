/** What stands for a currency, by CLDR: its sign in the language of the page, elsewhere, and in its own country. */

/** Codes, several if a sign such as `$` does not tell which. */
export type Currencies = readonly string[];

/** Signs and words that CLDR does not list. */
const others: ReadonlyMap<string, string> = new Map(
  'us$=USD c$=CAD s$=SGD au$=AUD sfr=CHF fr=CHF euro=EUR euros=EUR tl=TRY sr=SAR 원=KRW 円=JPY 元=CNY руб=RUB грн=UAH сум=UZS đ=VND din=RSD'
    .split(' ')
    .map((pair) => [pair.slice(0, -4), pair.slice(-3)] as const),
);
/** Codes that texts have in capitals without meaning a currency; in small letters these and others are words. */
const words = /^(?:ALL|AMD|BOB|CUP|GEL|MOP|SOS|TOP)$/;
const smallWords = /^(?:bam|cad|cop|lak|mad|pen|php|ron|try)$/;
/** Signs of two letters that count in every language. Others are units and words: `KM`, `Le`, `Ar`. */
const shortSigns = /^(?:kr|kn|rp|rm|rs|ft)$/;

let codes: ReadonlySet<string> | undefined;
const tables = new Map<string, ReadonlyMap<string, Currencies>>();
const tablesMax = 50;

/** Returns the currencies that a word or sign means on a page of a {@link knownLanguage}; none if it is no sign. */
export function currenciesOf(written: string, language: string): Currencies {
  const sign = bare(written);
  if (sign === '') return [];
  codes ??= new Set(Intl.supportedValuesOf('currency'));
  const [small, code] = [sign.toLowerCase(), sign.toUpperCase()];
  if (codes.has(code) && !words.test(code) && (sign === code || (sign === small && !smallWords.test(sign))))
    return [code];
  if (codes.has(small.slice(0, 3).toUpperCase()) && small.endsWith('$')) return [code.slice(0, 3)];
  const own = language === '' ? undefined : tableOf(language).get(small);
  if (own) return own;
  if (/^[a-z]{2}$/i.test(sign) && sign === small && small !== 'kr' && small !== 'kn') return [];
  const other = others.get(small);
  return other !== undefined ? [other] : (tableOf('').get(small) ?? homeSigns().get(small) ?? []);
}

function bare(sign: string): string {
  return sign.normalize('NFKC').replace(/[\s\u200b\u200e\u200f\u061c]+|\.$/g, '');
}

/** A language as CLDR knows it; empty if it does not. */
export function knownLanguage(given: string): string {
  const tag = given.trim().replaceAll('_', '-');
  try {
    return Intl.NumberFormat.supportedLocalesOf(tag).length === 0 ? '' : tag;
  } catch {
    return '';
  }
}

/** Digits of a currency after the decimal mark. */
export function decimalsOf(code: string): number {
  return (
    new Intl.NumberFormat('en', { style: 'currency', currency: code }).resolvedOptions().maximumFractionDigits ?? 2
  );
}

/** Signs of a language; of none: those that English has for all currencies. 5 to 20 ms for each language. */
function tableOf(language: string): ReadonlyMap<string, Currencies> {
  let table = tables.get(language);
  if (!table) {
    if (tables.size >= tablesMax) tables.clear();
    table = signsIn(() => language || 'en', language === '' ? 'narrowSymbol' : 'symbol');
    tables.set(language, table);
  }
  return table;
}

let home: ReadonlyMap<string, Currencies> | undefined;

/** Signs of currencies in their own countries, whose codes they begin with. 150 ms, so only for words that are no others. */
function homeSigns(): ReadonlyMap<string, Currencies> {
  home ??= signsIn((code) => {
    const { language } = new Intl.Locale(`und-${code.slice(0, 2)}`).maximize();
    return `${language}-${code.slice(0, 2)}`;
  }, 'narrowSymbol');
  return home;
}

function signsIn(
  localeOf: (code: string) => string,
  currencyDisplay: 'symbol' | 'narrowSymbol',
): ReadonlyMap<string, Currencies> {
  const signs = new Map<string, string[]>();
  const isLocal = currencyDisplay === 'symbol';
  for (const currency of codes ?? []) {
    const parts = new Intl.NumberFormat(localeOf(currency), {
      style: 'currency',
      currency,
      currencyDisplay,
    }).formatToParts(1);
    const sign = bare(parts.find(({ type }) => type === 'currency')?.value ?? '').toLowerCase();
    if (sign === '' || sign === currency.toLowerCase()) continue;
    if (!isLocal && /^[a-z]{1,2}$/.test(sign) && !shortSigns.test(sign)) continue;
    const known = signs.get(sign);
    if (known) known.push(currency);
    else signs.set(sign, [currency]);
  }
  return signs;
}
