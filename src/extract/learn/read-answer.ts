/** Reads what a model answered: values of the right type that stand on the page. Everything else is left out. */
import type { Field } from '../../core/extract.ts';
import { isRecord } from '../scan/json-ld.ts';
import { isoDate } from '../metadata/iso-date.ts';
import { numberFormatOf, readNumber } from '../fields/numbers.ts';
import { readPrice } from '../fields/price.ts';
import type { Json } from '../fields/read-record.ts';
import { oneLine } from '../fields/shown-text.ts';
import { allowedOf } from '../fields/typed-value.ts';
import type { OpenPage } from '../open-page.ts';
import { type PageValues, pageValues } from './page-values.ts';
import type { Answer } from './rules.ts';
import { lettersOf } from './same-value.ts';

export interface ReadAnswer {
  readonly answer: Answer;
  /** Fields whose value the page does not contain, or that are not of their type. */
  readonly unsupported: readonly string[];
}

const textLengthMax = 10_000;
const listMax = 200;

/** Undefined if the answer is no object with a field. Only own properties that are fields count. */
export function readAnswer(
  given: unknown,
  fields: readonly Field[],
  page: Pick<OpenPage, 'document' | 'urls' | 'elements'>,
): ReadAnswer | undefined {
  if (!isRecord(given) || !fields.some(({ name }) => Object.hasOwn(given, name))) return undefined;
  const values = pageValues(page);
  const unsupported: string[] = [];
  const entries = fields.map((field): [string, Json] => {
    const value = Object.hasOwn(given, field.name) ? given[field.name] : null;
    const read = isMissing(value) ? null : readField(value, field, values, page.urls.readable);
    if (read === undefined) unsupported.push(field.name);
    return [field.name, read ?? null];
  });
  const hasRecord = entries.some(([, value]) => value !== null) || unsupported.length > 0;
  return { answer: hasRecord ? Object.fromEntries(entries) : null, unsupported };
}

function isMissing(value: unknown): boolean {
  return value === null || value === undefined || value === '' || (Array.isArray(value) && value.length === 0);
}

type Resolve = (reference: string) => string | undefined;

function readField(value: unknown, field: Field, values: PageValues, resolve: Resolve): Json | undefined {
  if (!field.isList) return Array.isArray(value) ? undefined : readValue(value, field, values, resolve);
  const items = (Array.isArray(value) ? (value as unknown[]) : [value]).slice(0, listMax);
  const read = items.flatMap((item) => readValue(item, field, values, resolve) ?? []);
  return read.length === 0 ? undefined : read;
}

function readValue(given: unknown, field: Field, values: PageValues, resolve: Resolve): Json | undefined {
  const value = typeof given === 'string' ? oneLine(given.slice(0, textLengthMax)) : given;
  if (field.allowed) return allowedOf(value, field.allowed);
  switch (field.type) {
    case 'number':
    case 'integer': {
      const number = numberOf(value);
      if (number === undefined || (field.type === 'integer' && !Number.isInteger(number))) return undefined;
      return values.numbers.has(number) ? number : undefined;
    }
    case 'price': {
      const price = priceOf(value);
      return price && values.numbers.has(price.amount) ? { ...price } : undefined;
    }
    case 'boolean':
      return booleanOf(value);
    case 'date': {
      const date = typeof value === 'string' ? isoDate(value) : undefined;
      return date !== undefined && values.dates.has(date.slice(0, 10)) ? date : undefined;
    }
    case 'url': {
      const url = typeof value === 'string' ? resolve(value) : undefined;
      return url !== undefined && values.urls.has(url) ? url : undefined;
    }
    case 'text':
    case 'markdown':
    case 'html':
      return textOf(value, values);
  }
}

/** A text in other punctuation than that of the page is one of it: its parts are all there. */
function textOf(value: unknown, { letters, text: shown }: PageValues): string | undefined {
  if (typeof value !== 'string' && typeof value !== 'number') return undefined;
  const text = String(value);
  const whole = lettersOf(text);
  if (whole === '') return undefined;
  // A few letters stand in other words: those of `N/A` in every long text.
  if (/^[a-z\d]{1,3}$/.test(whole)) return isWordIn(shown, text) ? text : undefined;
  if (letters.includes(whole)) return text;
  const parts = text.split(/[\n,;|·•/()]+/).map(lettersOf);
  return parts.length > 1 && parts.every((part) => part === '' || (part.length > 1 && letters.includes(part)))
    ? text
    : undefined;
}

function isWordIn(shown: string, word: string): boolean {
  const [all, wanted] = [shown.toLowerCase(), word.toLowerCase()];
  for (let at = all.indexOf(wanted); at !== -1; at = all.indexOf(wanted, at + 1))
    if (!/[\p{L}\p{N}]/u.test(`${all.charAt(at - 1)}${all.charAt(at + wanted.length)}`)) return true;
  return false;
}

function numberOf(value: unknown): number | undefined {
  if (typeof value === 'number') return Number.isFinite(value) ? value : undefined;
  if (typeof value !== 'string') return undefined;
  const read = readNumber(value, numberFormatOf([value], 'en'));
  return read.kind === 'number' ? read.value : undefined;
}

function priceOf(value: unknown): { readonly amount: number; readonly currency: string | null } | undefined {
  if (typeof value === 'string') {
    const read = readPrice(value, { ...numberFormatOf([value], 'en'), isSeen: true }, undefined);
    if (read.kind === 'price') return read.price;
  }
  const amount = numberOf(isRecord(value) ? value['amount'] : value);
  if (amount === undefined) return undefined;
  const currency = isRecord(value) ? value['currency'] : undefined;
  const isCode = typeof currency === 'string' && /^[a-z]{3}$/i.test(currency);
  return { amount, currency: isCode ? currency.toUpperCase() : null };
}

function booleanOf(value: unknown): boolean | undefined {
  if (typeof value === 'boolean') return value;
  if (value === 'true') return true;
  return value === 'false' ? false : undefined;
}
