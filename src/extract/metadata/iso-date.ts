/** Converts dates and times as pages write them to ISO 8601. */
import { gregorianDay, monthNamed, type NamedMonth } from './month-names.ts';

/** Day first, as in most of the world, or month first. Decides what `3/4/2026` means. */
export type DayOrder = 'day' | 'month';

/**
 * Returns the first date in the text, with its time if one follows: `2026-03-04` or `2026-03-04T05:06:07`, with an
 * offset if the text gives one. Returns undefined without a whole date, or if `3/4/2026` is ambiguous and `order` is
 * missing.
 */
export function isoDate(text: string, order?: DayOrder): string | undefined {
  return findDate(text, order)?.date;
}

export interface FoundDate {
  /** ISO 8601. */
  readonly date: string;
  /** Start and end in the text. */
  readonly start: number;
  readonly end: number;
}

/** Like {@link isoDate}, with the position. Reads the first 200 characters. */
export function findDate(text: string, order?: DayOrder): FoundDate | undefined {
  let beginning = text.slice(0, textLengthMax);
  // Most texts have no year, and searching for one is cheaper than searching for a date.
  if (!mayHoldYear.test(beginning)) return undefined;
  const isPersian = /[\u06f0-\u06f9]/.test(beginning);
  beginning = beginning.replace(otherDigits, (digit) => String((digit.charCodeAt(0) & 0xf) % 10));
  let first: FoundDate | undefined;
  for (const { pattern, read } of forms) {
    if (first?.start === 0) break;
    const found = pattern.exec(beginning);
    if (found === null || (first !== undefined && found.index >= first.start)) continue;
    const day = read(found, order);
    if (day === undefined) continue;
    const start = found.index;
    const end = start + found[0].length;
    first = withTime(day, start, end, beginning);
  }
  return first ?? findNamed(beginning) ?? (isPersian ? findPersian(beginning) : undefined);
}

function withTime(day: string, start: number, end: number, text: string): FoundDate {
  const time = timePattern.exec(text.slice(end));
  return { date: `${day}${timeOf(time)}`, start, end: end + (time?.[0].length ?? 0) };
}

/** Finds a date with the name of a month in any of the languages that CLDR knows. */
function findNamed(text: string): FoundDate | undefined {
  for (const { pattern, at } of namedForms) {
    for (const found of text.matchAll(pattern)) {
      const [year, word, day] = at.map((group) => found[group] ?? '');
      const month = namesOf(word ?? '')
        .map(monthNamed)
        .find((named) => named !== undefined);
      const iso = month && isoDayOf(Number(year), month, Number(day));
      if (iso !== undefined) return withTime(iso, found.index, found.index + found[0].length, text);
    }
  }
  return undefined;
}

function isoDayOf(year: number, month: NamedMonth, day: number): string | undefined {
  const date = gregorianDay(year, month, day);
  return date === undefined ? undefined : dayOf(String(date[0]), String(date[1]), String(date[2]));
}

/** Two words can be one name, and Hebrew writes `in` before it. */
function namesOf(words: string): readonly string[] {
  const [first = ''] = words.split(/\s/, 1);
  return [words, first, first.replace(/^\u05d1/, '')];
}

/** Numbers in Persian digits with a year of the Persian calendar. */
function findPersian(text: string): FoundDate | undefined {
  const found = /(?<!\d)(1[34]\d\d)([-/.])(\d{1,2})\2(\d{1,2})(?!\d)/.exec(text);
  if (found === null) return undefined;
  const [whole, year, , month, day] = found;
  const iso = isoDayOf(Number(year), { month: Number(month), isPersian: true }, Number(day));
  return iso === undefined ? undefined : withTime(iso, found.index, found.index + whole.length, text);
}

const namedYear = String.raw`((?:1[349]|20|25)\d\d)(?!\d)`;
const named = String.raw`(\p{L}[\p{L}\p{M}.\u05f3’]{1,15}(?:\s\p{L}{3,10})?)`;
const betweenNamed = String.raw`(?:[\s.,،/-]|[Dd][Ee]\s|พ\.ศ\.){0,4}`;

interface NamedForm {
  readonly pattern: RegExp;
  /** Groups of year, month and day. */
  readonly at: readonly [number, number, number];
}

/** Without the flag `i`, with which all letters of the world take three times as long to compile. */
const namedForms: readonly NamedForm[] = [
  {
    pattern: new RegExp(
      String.raw`(?<!\d)(\d{1,2})\.?[\s-]{0,2}(?:[Dd][Ee] |[Dd][’'])?${named}${betweenNamed}${namedYear}`,
      'gu',
    ),
    at: [3, 2, 1],
  },
  {
    pattern: new RegExp(String.raw`(?<!\d)${namedYear}(?:\.|\s[Mm]\.)?\s${named}\s(\d{1,2})(?!\d)`, 'gu'),
    at: [1, 2, 3],
  },
  { pattern: new RegExp(String.raw`(?<!\p{L})${named}\s(\d{1,2})[,،]?\s${namedYear}`, 'gu'), at: [3, 1, 2] },
];

const textLengthMax = 200;
/** In Western, Arabic or Persian digits, or of the Buddhist era. */
const mayHoldYear = /(?:19|20|25)\d\d|^\s*\d\d\.\d\d\.\d\d|[\u0660-\u0669\u06f0-\u06f9]{4}|[\u0600-\u06ff]\s1[34]\d\d/;
const otherDigits = /[\u0660-\u0669\u06f0-\u06f9]/g;

interface Form {
  readonly pattern: RegExp;
  readonly read: (found: RegExpExecArray, order: DayOrder | undefined) => string | undefined;
}

/** First letters of the month names, in a dozen languages. */
const months: readonly string[] = [
  'jan|ene|gen|янв',
  'feb|fév|fev|фев',
  'mar|mär|mrt|maa|мар',
  'apr|avr|abr|апр',
  'may|mai|mei|maj|mag|мая|май',
  'jun|juin|giu|июн',
  'jul|juil|lug|июл',
  'aug|aoû|aou|ago|авг',
  'sep|set|сен',
  'oct|okt|ott|out|окт',
  'nov|ноя',
  'dec|dez|déc|dic|дек',
];
const monthText = String.raw`(${months.join('|')})\p{L}{0,9}`;

const forms: readonly Form[] = [
  {
    pattern: /(?<!\d)((?:19|20)\d\d)([-/.])(\d{1,2})\2(\d{1,2})(?!\d)/,
    read: ([, year, , month, day]) => dayOf(year, month, day),
  },
  {
    pattern: /(?<!\d)((?:19|20)\d\d)\s?[年년]\s?(\d{1,2})\s?[月월]\s?(\d{1,2})\s?[日일]/,
    read: ([, year, month, day]) => dayOf(year, month, day),
  },
  {
    // Vietnamese.
    pattern: /(?<!\d)(\d{1,2})\s+tháng\s+(\d{1,2})(?:,|\s+năm)?\s+((?:19|20)\d\d)(?!\d)/i,
    read: ([, day, month, year]) => dayOf(year, month, day),
  },
  { pattern: /^\s*((?:19|20)\d\d)(\d\d)(\d\d)(?!\d)/, read: ([, year, month, day]) => dayOf(year, month, day) },
  {
    pattern: /(?<![\d.])(\d{1,2})\.\s?(\d{1,2})\.\s?((?:19|20)\d\d)(?!\d)/,
    read: ([, day, month, year]) => dayOf(year, month, day),
  },
  {
    // Nothing else stands there: `10.11.12` can be a version.
    pattern: /^\s*(\d\d)\.(\d\d)\.(\d\d)(?=\s*$|[\s,]+\d{1,2}[:.]\d\d)/,
    read: ([, day, month, year = '']) => dayOf(`${Number(year) < 70 ? 20 : 19}${year}`, month, day),
  },
  {
    pattern: /(?<![\d/-])(\d{1,2})([/-])(\d{1,2})\2((?:19|20)\d\d)(?!\d)/,
    read: ([, one, , other, year], order) => {
      const isDayFirst = Number(one) > 12 || (order === 'day' && Number(other) <= 12);
      if (isDayFirst) return dayOf(year, other, one);
      return Number(other) > 12 || order === 'month' || one === other ? dayOf(year, one, other) : undefined;
    },
  },
  {
    pattern: new RegExp(
      String.raw`(?<!\d)(\d{1,2})(?:st|nd|rd|th|er|º|ª|\.)?[\s-]+(?:of\s+|de\s+)?${monthText}[.,]?[\s-]*(?:de\s+)?((?:19|20)\d\d)(?!\d)`,
      'iu',
    ),
    read: ([, day, month = '', year]) => dayOf(year, monthOf(month), day),
  },
  {
    pattern: new RegExp(
      String.raw`(?<!\p{L})${monthText}\.?[\s-]+(\d{1,2})(?:st|nd|rd|th)?,?[\s-]+((?:19|20)\d\d)(?!\d)`,
      'iu',
    ),
    read: ([, month = '', day, year]) => dayOf(year, monthOf(month), day),
  },
  {
    pattern: new RegExp(String.raw`(?<!\d)((?:19|20)\d\d)[.,]?[\s-]+${monthText}\.?[\s-]+(\d{1,2})(?!\d)`, 'iu'),
    read: ([, year, month = '', day]) => dayOf(year, monthOf(month), day),
  },
];

function monthOf(letters: string): string {
  const written = letters.toLowerCase();
  return String(months.findIndex((names) => names.split('|').includes(written)) + 1);
}

/** Returns undefined for dates such as 31 February. */
function dayOf(year = '', month = '', day = ''): string | undefined {
  const date = `${year}-${month.padStart(2, '0')}-${day.padStart(2, '0')}`;
  const time = Date.parse(`${date}T00:00:00Z`);
  return !Number.isNaN(time) && new Date(time).toISOString().startsWith(date) ? date : undefined;
}

/** Matches right after the date. */
const timePattern =
  /^(?:T|,?\s+(?:at\s+)?)(\d{1,2}):(\d\d)(?::(\d\d))?(?:\.(\d{1,9}))?(?:\s?([ap])\.?m\b\.?)?(?:\s*(Z\b|UTC\b|GMT\b|[+-]\d\d:?\d\d))?/i;

function timeOf(found: RegExpExecArray | null): string {
  if (found === null) return '';
  const [, hours = '', minutes = '', seconds = '00', fraction, half, offset] = found;
  const isAfternoon = half?.toLowerCase() === 'p';
  const hour = half === undefined ? Number(hours) : (Number(hours) % 12) + (isAfternoon ? 12 : 0);
  if (hour > 23 || Number(minutes) > 59 || Number(seconds) > 59) return '';
  const time = `T${String(hour).padStart(2, '0')}:${minutes}:${seconds}${fraction === undefined ? '' : `.${fraction}`}`;
  return `${time}${offsetOf(offset)}`;
}

function offsetOf(offset: string | undefined): string {
  if (offset === undefined) return '';
  if (/^[a-z]/i.test(offset)) return 'Z';
  return offset.includes(':') ? offset : `${offset.slice(0, 3)}:${offset.slice(3)}`;
}
