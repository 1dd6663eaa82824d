/** Reads the names of months as CLDR writes them in dates, and the years of the calendars that they belong to. */

export interface NamedMonth {
  /** 1 to 12. */
  readonly month: number;
  readonly isPersian: boolean;
}

/** Returns undefined for a word that is no month. Names are made for one script at a time, when a word needs them. */
export function monthNamed(word: string): NamedMonth | undefined {
  const letters = lettersOf(word);
  const script = scripts.find(({ pattern }) => pattern.test(letters));
  return script === undefined ? undefined : script.names().get(letters);
}

/** Returns the Gregorian day as `YYYY-MM-DD`. Years of the Buddhist era are 543 ahead. */
export function gregorianDay(
  year: number,
  { month, isPersian }: NamedMonth,
  day: number,
): readonly [year: number, month: number, day: number] | undefined {
  if (!isPersian) return [year > buddhistMin ? year - buddhistYears : year, month, day];
  const guess = Date.UTC(year + 621, 2, 20) + dayMs * (month <= 7 ? (month - 1) * 31 : 186 + (month - 7) * 30);
  for (let offset = -2; offset <= 3; offset++) {
    const time = guess + dayMs * (day - 1 + offset);
    if (persianDate(time) !== `${year}-${month}-${day}`) continue;
    const date = new Date(time);
    return [date.getUTCFullYear(), date.getUTCMonth() + 1, date.getUTCDate()];
  }
  return undefined;
}

const buddhistMin = 2440;
const buddhistYears = 543;
const dayMs = 86_400_000;

function persianDate(time: number): string {
  persian ??= new Intl.DateTimeFormat('en-u-ca-persian', { timeZone: 'UTC', dateStyle: 'short' });
  const parts = new Map(persian.formatToParts(time).map(({ type, value }) => [type, value]));
  return `${parts.get('year')}-${parts.get('month')}-${parts.get('day')}`;
}

let persian: Intl.DateTimeFormat | undefined;

interface Script {
  readonly pattern: RegExp;
  readonly names: () => ReadonlyMap<string, NamedMonth>;
}

/** Croatian is left out: its November is the Czech October. */
const scripts: readonly Script[] = [
  script(/^[a-z]/, ['cs', 'sk', 'pl', 'tr', 'hu', 'ro', 'fi', 'id', 'ca', 'lt']),
  script(/^\p{Script=Greek}/u, ['el']),
  script(/^\p{Script=Cyrillic}/u, ['uk', 'bg', 'sr', 'ru']),
  script(/^\p{Script=Hebrew}/u, ['he']),
  // Months have other names in the Levant and in the Maghreb.
  script(/^\p{Script=Arabic}/u, ['ar', 'ar-LB', 'ar-DZ', 'ar-MA', 'fa', 'fa-u-ca-persian']),
  script(/^\p{Script=Thai}/u, ['th']),
  script(/^\p{Script=Devanagari}/u, ['hi']),
];

function script(pattern: RegExp, languages: readonly string[]): Script {
  let names: Map<string, NamedMonth> | undefined;
  return { pattern, names: () => (names ??= new Map(languages.flatMap(namesIn))) };
}

function namesIn(language: string): readonly (readonly [string, NamedMonth])[] {
  const isPersian = language.endsWith('persian');
  const locale = isPersian ? language : `${language}-u-ca-gregory`;
  return (['long', 'short'] as const).flatMap((width) => {
    const format = new Intl.DateTimeFormat(locale, { timeZone: 'UTC', day: 'numeric', month: width });
    return Array.from({ length: 12 }, (_, at): readonly [string, NamedMonth] => {
      // The first month of the Persian year begins in March.
      const time = Date.UTC(2026, isPersian ? at + 3 : at, 5);
      const name = format.formatToParts(time).find(({ type }) => type === 'month')?.value ?? '';
      return [lettersOf(name), { month: at + 1, isPersian }];
    });
  });
}

/** Without accents and full stops. Vowels of Thai are no accents. */
function lettersOf(name: string): string {
  return name
    .toLowerCase()
    .normalize('NFD')
    .replaceAll(/[\u0300-\u036f\u0654\u200b-\u200f.\u05f3'’]/g, '')
    .replaceAll('ı', 'i');
}
