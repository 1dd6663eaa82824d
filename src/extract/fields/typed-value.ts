/** Turns what stands at a place into a value of the type of its field. */
import { type ChildNode, type Element, isTag } from 'domhandler';
import type { Field, FieldType, Locator, Scalar } from '../../core/extract.ts';
import { type DayOrder, findDate, isoDate } from '../metadata/iso-date.ts';
import { toMarkdown } from '../write/markdown/to-markdown.ts';
import { toHtml } from '../write/to-html.ts';
import type { Place } from './place.ts';
import { type DecimalMark, type NumberFormat, numberFormatOf, readNumber } from './number-format.ts';
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
  | { readonly kind: 'value'; readonly value: Value }
  | { readonly kind: 'problem'; readonly problem: 'type' | 'ambiguous' };

/** How the page writes numbers and dates, and what it says of its language and currency. */
export interface PageFormat {
  readonly number: NumberFormat;
  readonly dayOrder: DayOrder | undefined;
  readonly language: string;
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
  page: Pick<PageFormat, 'language' | 'currency' | 'resolve'> & { readonly site?: SiteFormat | undefined },
): PageFormat {
  const { language, currency, resolve, site } = page;
  const number = numberFormatOf(texts.numbers, language);
  return {
    language,
    currency,
    resolve,
    number: number.isSeen || site?.decimal === undefined ? number : { decimal: site.decimal, isSeen: true },
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
  const element = nodes.find(isTag);
  if (element && nodes.length === 1) {
    const { attribs, name } = element;
    if (type === 'date' && attribs['datetime'] !== undefined) return oneLine(attribs['datetime']);
    if (name === 'meta' || (name === 'data' && type !== 'text'))
      return oneLine(attribs['content'] ?? attribs['value'] ?? shownText(nodes));
  }
  return shownText(nodes, type === 'number' || type === 'integer' || type === 'price');
}

export function typedValue(
  place: Place,
  field: Pick<Field, 'type' | 'allowed'>,
  locator: Locator,
  format: PageFormat,
): Read {
  const { type, allowed } = field;
  const text = rawText(place, type);
  const mapped = mappedOf(text, locator.map);
  const read = mapped === undefined ? readAs(place, text, type, format) : mappedAs(mapped, type);
  if (allowed === undefined || read.kind !== 'value') return read;
  return allowedOf(read.value, allowed);
}

/** The spelling of the schema, whatever that of the page. */
function allowedOf(value: Value, allowed: readonly Scalar[]): Read {
  const wanted = typeof value === 'object' ? '' : String(value).toLowerCase();
  const found = allowed.find((one) => one === value) ?? allowed.find((one) => String(one).toLowerCase() === wanted);
  return found === undefined ? wrongType : valueOf(found);
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
  switch (type) {
    case 'text':
      return valueOf(text.replaceAll(seam, ''));
    case 'markdown':
      return valueOf(place.text === undefined ? toMarkdown(contentOf(place), format.resolve) : text);
    case 'html':
      return valueOf(place.text === undefined ? toHtml(contentOf(place), format.resolve) : text);
    case 'number':
    case 'integer': {
      const read = readNumber(text, format.number);
      if (read.kind === 'ambiguous') return ambiguous;
      return read.kind === 'none' || (type === 'integer' && !Number.isInteger(read.value))
        ? wrongType
        : valueOf(read.value);
    }
    case 'price': {
      const read = readPrice(text, format.number, format.language, format.currency);
      if (read.kind === 'ambiguous') return ambiguous;
      return read.kind === 'none' ? wrongType : valueOf(read.price);
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

function dateOf(text: string, order: DayOrder | undefined): Read {
  const date = isoDate(text, order);
  if (date !== undefined) return valueOf(date);
  return findDate(text, 'day') !== undefined && findDate(text, 'month') !== undefined ? ambiguous : wrongType;
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
