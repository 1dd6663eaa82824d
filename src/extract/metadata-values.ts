/** Values of metadata as they are kept: without white space that only lays out, and of bounded length. */
import { decodeHTML } from 'entities';

/** Characters kept of one value, and values kept of a list. */
export const valueLengthMax = 2_000;
export const listLengthMax = 100;

export type Value = string | number | readonly string[];

export function listed(value: Value | undefined): readonly string[] | undefined {
  return typeof value !== 'string' ? undefined : distinct(value.split(/[,;]/).map((part) => part.trim()));
}

export function distinct(values: readonly string[]): readonly string[] {
  return [...new Set(values)].filter((value) => value !== '').slice(0, listLengthMax);
}

/** `4,5` is how half of the world writes it. */
export function number(text: string | undefined): number | undefined {
  const value =
    text === undefined || !/^\s*\d{1,12}(?:[.,]\d{1,12})?\s*$/.test(text) ? Number.NaN : Number(text.replace(',', '.'));
  return Number.isNaN(value) ? undefined : value;
}

/** Templates escape what they write for HTML, also where it is none. */
export function unescaped(value: string): string {
  return tidy(value.includes('&') ? decodeHTML(value.slice(0, valueLengthMax * 2)) : value);
}

/** Cut before anything else, so that a value of megabytes costs nothing. */
export function tidy(value: string): string {
  return value
    .slice(0, valueLengthMax * 2)
    .replace(/\s+/g, ' ')
    .trim()
    .slice(0, valueLengthMax)
    .toWellFormed();
}
