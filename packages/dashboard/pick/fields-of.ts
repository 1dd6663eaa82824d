// Picked values as the option `extract` of a request.
import type { FieldType, Place } from './places.ts';

export interface PickedField {
  readonly key: number;
  readonly name: string;
  readonly type: FieldType;
  readonly place: Place;
  /** All values of the place, not only the first. */
  readonly isList: boolean;
  /** The value is one of each of these blocks. */
  readonly block: string | undefined;
}

export interface Located {
  readonly css?: string;
  readonly label?: string;
  readonly list?: true;
  readonly type?: FieldType;
  readonly fields?: Readonly<Record<string, Located>>;
}

export interface Extract {
  readonly fields: Readonly<Record<string, Located>>;
}

/** Fields of one block become one list of records, so that a missing value shifts no other. */
export function extractOf(picked: readonly PickedField[]): Extract {
  const fields: Record<string, Located> = {};
  for (const { name, block, ...field } of picked) {
    if (block !== undefined) continue;
    fields[name] = located(field);
  }
  for (const block of new Set(picked.flatMap((field) => field.block ?? []))) {
    const inside = picked.filter((field) => field.block === block);
    fields[listName(block, Object.keys(fields))] = {
      css: block,
      list: true,
      fields: Object.fromEntries(inside.map(({ name, ...field }) => [name, located(field)])),
    };
  }
  return { fields };
}

function located({ place, type, isList }: Omit<PickedField, 'name' | 'block'>): Located {
  return {
    ...place,
    ...(isList && { list: true }),
    ...(type !== 'text' && { type }),
  };
}

function listName(css: string, taken: readonly string[]): string {
  const word = /([a-z]\w*)[^a-z]*$/i.exec(css)?.[1]?.toLowerCase() ?? 'item';
  const base = word.endsWith('s') ? word : `${word}s`;
  let name = base;
  for (let at = 2; taken.includes(name); at++) name = `${base}_${at}`;
  return name;
}

/** Why the API would refuse a name; undefined for a good one. */
export function nameProblem(name: string, others: readonly string[]): string | undefined {
  if (!/^[\p{L}_][\p{L}\p{M}\p{N}_ .-]{0,63}$/u.test(name))
    return 'Give letters, digits, spaces, and . _ -: at most 64.';
  if (/^(?:__proto__|constructor|prototype)$/.test(name)) return 'Give another name.';
  return others.includes(name) ? 'Another field has this name.' : undefined;
}
