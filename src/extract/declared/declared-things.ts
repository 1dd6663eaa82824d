/** Lists what a page declares, as its metadata shows it. */
import { isRecord, type Thing } from '../scan/json-ld.ts';

export interface DeclaredThing {
  readonly source: 'json-ld' | 'microdata' | 'rdfa' | 'opengraph';
  readonly type: readonly string[];
  /** The page is about it. */
  readonly main?: true;
  readonly values: Readonly<Record<string, unknown>>;
}

export interface SourcedThing extends Thing {
  readonly source: DeclaredThing['source'];
}

/** Bytes of all things as JSON. */
const bytesMax = 32 * 1024;
const depthMax = 8;
const listMax = 100;
const textLengthMax = 2_000;

/** The page's subject first, then the others in document order, as far as they fit; and the number of those left out. */
export function declaredThings(
  things: readonly SourcedThing[],
  subjects: readonly SourcedThing[],
): { readonly things: readonly DeclaredThing[]; readonly omitted: number } {
  const ordered = [...subjects, ...things.filter((thing) => !subjects.includes(thing))];
  const shown: DeclaredThing[] = [];
  let [bytes, omitted] = [2, 0];
  for (const thing of ordered) {
    const { source, types, values } = thing;
    const isMain = subjects.includes(thing);
    const { '@type': _, '@context': __, ...rest } = values;
    const left = { values: bytesMax / 2 };
    const one = {
      source,
      type: types,
      ...(isMain && { main: true as const }),
      values: pruned(rest, 0, left) as DeclaredThing['values'],
    };
    const size = left.values < 0 ? Infinity : Buffer.byteLength(JSON.stringify(one)) + 1;
    if (bytes + size > bytesMax) omitted++;
    else {
      shown.push(one);
      bytes += size;
    }
  }
  return { things: shown, omitted };
}

/** Bounded copies: what a page declares can be deep, and have one thing under many names. Each value takes two bytes. */
function pruned(value: unknown, depth: number, left: { values: number }): unknown {
  if (--left.values < 0) return null;
  if (typeof value === 'string') return printed(value.slice(0, textLengthMax));
  if (typeof value === 'number' || typeof value === 'boolean' || value === null) return value;
  if (depth >= depthMax) return null;
  if (Array.isArray(value)) return value.slice(0, listMax).map((one) => pruned(one, depth + 1, left));
  if (!isRecord(value)) return null;
  return Object.fromEntries(
    Object.entries(value)
      .slice(0, listMax)
      .filter(([name]) => name !== '__proto__')
      .map(([name, one]) => [printed(name.slice(0, textLengthMax)), pruned(one, depth + 1, left)]),
  );
}

function printed(text: string): string {
  // oxlint-disable-next-line no-control-regex
  return text.replace(/[\0-\x08\x0b-\x1f\x7f]/g, '').toWellFormed();
}
