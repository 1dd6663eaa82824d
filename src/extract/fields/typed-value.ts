/** Turns what stands at a place into a value of the type of its field. */
import { type ChildNode, type Element, isTag } from 'domhandler';
import type { Field, FieldType, Locator, Scalar } from '../../core/extract.ts';
import { type DayOrder, findDate, isoDate } from '../metadata/iso-date.ts';
import { toMarkdown } from '../write/markdown/to-markdown.ts';
import { toHtml } from '../write/to-html.ts';
import type { Place } from './place.ts';
import { currenciesOf, knownLanguage } from './currencies.ts';
import { type DecimalMark, type NumberFormat, numberFormatOf, numbersIn, readNumber } from './numbers.ts';
import { type Price, readPrice } from './price.ts';
import { oneLine, seam, shownText } from './shown-text.ts';

export type FieldProblem =
  | 'missing'
  | 'type'
  | 'ambiguous'
  | 'cut'
  | 'disagree'
  | 'unsupported'
  | 'unasked'
  | 'bad_answer';
export type Value = Scalar | Price;

export type Read =
  /** `problem`: a part of the value is not known. */
  | { readonly kind: 'value'; readonly value: Value; readonly problem?: 'ambiguous' }
  | { readonly kind: 'problem'; readonly problem: 'type' | 'ambiguous' };

/** How the page writes numbers and dates, and what it says of its language and currency. */
export interface PageFormat {
  readonly number: NumberFormat;
  readonly dayOrder: DayOrder | undefined;
  readonly currency: string | undefined;
  readonly resolve: (reference: string) => string | undefined;
}

/** What answers told of a site. */
export interface SiteFormat {
  readonly decimal?: DecimalMark | undefined;
  readonly dayOrder?: DayOrder | undefined;
}

/** Decides from the texts of all values of a page, otherwise from what is known of its site, or its language. */
export function pageFormatOf(
  texts: { readonly numbers: readonly string[]; readonly dates: readonly string[] },
  page: Pick<PageFormat, 'currency' | 'resolve'> & {
    readonly language: string;
    readonly site?: SiteFormat | undefined;
  },
): PageFormat {
  const { language, currency, resolve, site } = page;
  const number = numberFormatOf(texts.numbers, knownLanguage(language));
  return {
    currency,
    resolve,
    number: number.isSeen || site?.decimal === undefined ? number : { ...number, decimal: site.decimal, isSeen: true },
    dayOrder: dayOrderOf(texts.dates, language, site?.dayOrder),
  };
}

/** `en` alone stands on pages of both orders. */
function dayOrderOf(texts: readonly string[], language: string, ofSite?: DayOrder): DayOrder | undefined {
  const seen = new Set<DayOrder>();
  for (const text of texts) {
    const found = /(?<![\d/-])(\d{1,2})([/-])(\d{1,2})\2(?:\d{4}|\d\d)(?!\d)/.exec(text);
    if (found === null) continue;
    const [one, other] = [Number(found[1]), Number(found[3])];
    if (one > 12 && other <= 12) seen.add('day');
    if (other > 12 && one <= 12) seen.add('month');
  }
  const [only] = seen;
  if (only !== undefined) return seen.size === 1 ? only : undefined;
  if (ofSite !== undefined) return ofSite;
  const tag = language.trim().replaceAll('_', '-');
  if (tag === '' || /^en$/i.test(tag)) return undefined;
  return /^en-(?:us|ph|ca)$/i.test(tag) ? 'month' : 'day';
}

const ambiguous: Read = { kind: 'problem', problem: 'ambiguous' };
const wrongType: Read = { kind: 'problem', problem: 'type' };
const valueOf = (value: Value): Read => ({ kind: 'value', value });

/** The text of a place, with {@link seam}s where its type needs them. */
export function rawText({ nodes, text }: Place, type: FieldType): string {
  if (text !== undefined) return oneLine(text);
  const value = programText(nodes, type);
  if (value !== undefined) return oneLine(value);
  return shownText(nodes, type === 'number' || type === 'integer' || type === 'price');
}

/** What an element says to programs besides its text. */
function programText(nodes: readonly ChildNode[], type: FieldType): string | undefined {
  const [element] = nodes;
  if (nodes.length !== 1 || element === undefined || !isTag(element)) return undefined;
  const { attribs, name } = element;
  if (type === 'date' && attribs['datetime'] !== undefined) return attribs['datetime'];
  return name === 'meta' || (name === 'data' && type !== 'text') ? (attribs['content'] ?? attribs['value']) : undefined;
}

/** Reads the value of a place as the type of its field. */
export function typedValue(
  place: Place,
  field: Pick<Field, 'name' | 'type' | 'allowed'>,
  locator: Locator,
  format: PageFormat,
): Read {
  const { name, type, allowed } = field;
  const text = rawText(place, type);
  const mapped = mappedOf(text, locator.map);
  const read =
    mapped === undefined
      ? readAs(place, text, type, { ...format, currency: format.currency ?? currencyNamed(name) })
      : mappedAs(mapped, type);
  if (allowed === undefined || read.kind !== 'value') return read;
  const named = allowedOf(read.value, allowed);
  return named === undefined ? wrongType : valueOf(named);
}

/** The spelling of the schema, whatever that of the page. */
export function allowedOf(value: unknown, allowed: readonly Scalar[]): Exclude<Scalar, null> | undefined {
  if (typeof value !== 'string' && typeof value !== 'number' && typeof value !== 'boolean') return undefined;
  const wanted = String(value).toLowerCase();
  const found = allowed.find((one) => one === value) ?? allowed.find((one) => String(one).toLowerCase() === wanted);
  return found ?? undefined;
}

function mappedOf(text: string, map: Locator['map']): Scalar | undefined {
  if (map === undefined) return undefined;
  const wanted = text.replaceAll(seam, '').toLowerCase();
  return Object.entries(map).find(([key]) => oneLine(key).toLowerCase() === wanted)?.[1];
}

function mappedAs(value: Scalar, type: FieldType): Read {
  if (type === 'price' && typeof value === 'number') return valueOf({ amount: value, currency: null });
  const kind =
    type === 'number' || type === 'integer' || type === 'price' ? 'number' : type === 'boolean' ? type : 'string';
  return value === null || typeof value === kind ? valueOf(value) : wrongType;
}

function readAs(place: Place, text: string, type: FieldType, format: PageFormat): Read {
  const isPlain = place.isPlain === true || (place.text === undefined && programText(place.nodes, type) !== undefined);
  const numbers: NumberFormat =
    isPlain && /^[-+]?\d+(?:\.\d+)?$/.test(text) ? { ...format.number, decimal: '.', isSeen: true } : format.number;
  switch (type) {
    case 'text':
      return valueOf(text.replaceAll(seam, ''));
    case 'markdown':
      return valueOf(place.text === undefined ? toMarkdown(contentOf(place), format.resolve) : text);
    case 'html':
      return valueOf(place.text === undefined ? toHtml(contentOf(place), format.resolve) : text);
    case 'number':
    case 'integer': {
      const minutes = minutesOf(text);
      const read = minutes === undefined ? readNumber(text, numbers) : ({ kind: 'number', value: minutes } as const);
      if (read.kind === 'ambiguous') return type === 'integer' ? wholeOf(text, numbers) : ambiguous;
      return read.kind === 'none' || (type === 'integer' && !Number.isInteger(read.value))
        ? wrongType
        : valueOf(read.value);
    }
    case 'price': {
      const read = readPrice(text, numbers, format.currency);
      if (read.kind === 'ambiguous') return ambiguous;
      if (read.kind === 'none') return wrongType;
      return { ...valueOf(read.price), ...(read.isOpen && { problem: 'ambiguous' }) };
    }
    case 'date':
      return dateOf(text, format.dayOrder);
    case 'url': {
      const url = format.resolve(place.text ?? addressOf(place.nodes) ?? text);
      return url === undefined ? wrongType : valueOf(url);
    }
    case 'boolean':
      return wrongType;
  }
}

function contentOf({ nodes }: Place): {
  readonly nodes: readonly ChildNode[];
  readonly skipped: ReadonlySet<ChildNode>;
} {
  return { nodes, skipped: new Set() };
}

/** Minutes of a duration such as `PT1H30M`. */
function minutesOf(text: string): number | undefined {
  const [, days = 0, hours = 0, minutes = 0, seconds = 0] =
    /^P(?:(\d+)D)?(?:T(?:(\d+)H)?(?:(\d+)M)?(?:(\d+)S)?)?$/.exec(text) ?? [];
  return /^P.*\d/.test(text)
    ? Number(days) * 1440 + Number(hours) * 60 + Number(minutes) + Number(seconds) / 60
    : undefined;
}

/** A mark in a whole number is none for decimals. */
function wholeOf(text: string, { language }: NumberFormat): Read {
  const [first] = numbersIn(text, language);
  if (first?.shape.kind !== 'ambiguous') return ambiguous;
  const read = readNumber(text, { language, decimal: first.shape.mark === '.' ? ',' : '.' });
  return read.kind === 'number' ? valueOf(read.value) : ambiguous;
}

/** The code in a name such as `price_eur`. */
function currencyNamed(name: string): string | undefined {
  return /[_\s-]/.test(name)
    ? name.split(/[^a-z]+/i).find((part) => part.length === 3 && currenciesOf(part.toLowerCase(), '').length === 1)
    : undefined;
}

/** Of several days, as in `3–5 March 2026`, none is the date. */
function dateOf(text: string, order: DayOrder | undefined): Read {
  const found = findDate(text, order);
  if (!found)
    return findDate(text, 'day') !== undefined && findDate(text, 'month') !== undefined ? ambiguous : wrongType;
  const { date, start, end } = found;
  const before = text.slice(0, start).trimEnd();
  const days =
    /^\d/.test(text.slice(start)) &&
    /(?<![\d:.])\d{1,2}(?:\.|st|nd|rd|th)?\s?(?!am$|pm$)(?:[-–—~〜/+&]|\p{L}{1,3})$/u.test(before);
  const month = isoDate(`${before.replace(/\s?(?:[–—-]|\p{L}{1,3})$/u, '')} ${date.slice(0, 4)}`, order);
  const earlier = days || month !== undefined;
  const later = isoDate(text.slice(end), order)?.slice(0, 10) ?? date.slice(0, 10);
  return earlier || later !== date.slice(0, 10) ? ambiguous : valueOf(date);
}

/** The address of an element, otherwise of the first link or picture in it. */
function addressOf(nodes: readonly ChildNode[]): string | undefined {
  for (const node of nodes) {
    if (!isTag(node)) continue;
    const found = ownAddress(node) ?? addressOf(node.children);
    if (found !== undefined) return found;
  }
  return undefined;
}

function ownAddress({ name, attribs }: Element): string | undefined {
  if (name === 'meta') return attribs['content'];
  return name === 'a' || name === 'link' || name === 'area' ? attribs['href'] : attribs['src'];
}
