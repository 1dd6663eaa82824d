/** Normalizes metadata values: layout white space is removed, and the length is bounded. */
import { oneLine } from '../html/node-text.ts';
import { decodeHTML } from 'entities';

/** Characters per value and values per list. */
export const valueLengthMax = 2_000;
export const listLengthMax = 100;

export type Value = string | number | readonly string[];

export function listed(value: Value | undefined): readonly string[] | undefined {
  return typeof value !== 'string' ? undefined : distinct(value.split(/[,;]/).map((part) => part.trim()));
}

export function distinct(values: readonly string[]): readonly string[] {
  return [...new Set(values)].filter((value) => value !== '').slice(0, listLengthMax);
}

/** Accepts `4,5`, a common spelling. */
export function number(text: string | undefined): number | undefined {
  const value =
    text === undefined || !/^\s*\d{1,12}(?:[.,]\d{1,12})?\s*$/.test(text) ? Number.NaN : Number(text.replace(',', '.'));
  return Number.isNaN(value) ? undefined : value;
}

/** Templates escape values for HTML, even outside HTML. */
export function unescaped(value: string): string {
  return tidy(value.includes('&') ? decodeHTML(value.slice(0, valueLengthMax * 2)) : value);
}

/** Cut first, so that a value of megabytes costs nothing. */
export function tidy(value: string): string {
  return oneLine(value.slice(0, valueLengthMax * 2))
    .slice(0, valueLengthMax)
    .toWellFormed();
}
