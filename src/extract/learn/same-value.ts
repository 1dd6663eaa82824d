/** Compares values as people do: punctuation, case and spelling of a text do not matter. */
import type { Field } from '../../core/extract.ts';
import type { Json } from '../fields/read-record.ts';

/** Letters and digits, in lower case. */
export function lettersOf(text: string): string {
  return text
    .normalize('NFKC')
    .toLowerCase()
    .replace(/[^\p{L}\p{N}\p{M}]+/gu, '');
}

export function sameValue(one: Json, other: Json, type: Field['type']): boolean {
  if (one === null || other === null) return one === other;
  if (Array.isArray(one) && Array.isArray(other))
    return sameList(one as readonly Json[], other as readonly Json[], type);
  if (typeof one === 'object' || typeof other === 'object') return samePrice(one, other);
  if (typeof one === 'number' || typeof one === 'boolean') return one === other;
  if (type === 'url') return one === other;
  if (type === 'date') return sameDate(one, String(other));
  const [letters, others] = [lettersOf(one), lettersOf(String(other))];
  return letters === others && (letters !== '' || one === other);
}

function sameList(some: readonly Json[], others: readonly Json[], type: Field['type']): boolean {
  return some.length === others.length && some.every((one) => others.some((other) => sameValue(one, other, type)));
}

/** A currency that one of them does not know does not differ. */
function samePrice(one: Json, other: Json): boolean {
  const [a, b] = [partsOf(one), partsOf(other)];
  if (!a || !b || a.amount !== b.amount) return false;
  return a.currency === b.currency || typeof a.currency !== 'string' || typeof b.currency !== 'string';
}

function partsOf(value: Json): { readonly amount?: Json; readonly currency?: Json } | undefined {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return undefined;
  return value as { readonly [name: string]: Json };
}

/** A day without a time is the day of every time. */
function sameDate(one: string, other: string): boolean {
  return one.slice(0, 10) === other.slice(0, 10);
}
