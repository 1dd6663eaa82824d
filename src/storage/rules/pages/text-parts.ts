// Packed texts in objects: the same in every store. They are gathered as they are, one after the other, and nothing packs
// them again.
import type { Fragment } from '../../../core/page.ts';
import type { ReadSegments, TextPart, TextPlace } from '../../../core/ports/blobs.ts';
import type { PlacedTextSegment } from '../../../core/ports/object-store.ts';
import { readShared } from '../jobs/shared-pages.ts';
import { isAsStored } from './checksums.ts';

/**
 * Packed texts of a job below which they stay in the database when it ends. A request takes as long as reading about a
 * hundred pages from the database, and a job of a few pages would need one for each of them.
 */
export const textsBytesMin = 256 * 2 ** 10;
/** A job with more pages is not measured: its texts move. The first 500 are measured in 5 ms. */
export const pagesOfSmallMax = 500;
/** Jobs that are measured in one step. */
export const smallPerStep = 20;
/** A reader gets a whole segment: as many bytes as cost less than a second request. */
const segmentBytes = 64 * 2 ** 10;

/** The text of a part, of which `segment` has the bytes if it has a place. Undefined if it is not what was stored. */
export function textIn(part: TextPart, segment: Uint8Array | undefined): Fragment | undefined {
  const { crc, length, place, sharer } = part;
  const deflated = place ? segment?.subarray(place.at, place.at + place.size) : part.deflated;
  if (!deflated) return undefined;
  const text = { deflated, crc, length };
  if (!isAsStored(part.ofPage, text, part.checksum)) return undefined;
  if (!sharer) return text;
  return isAsStored(part.page, sharer, sharer.checksum) ? readShared(text, sharer) : undefined;
}

/** The texts of parts, in the same order. Undefined: not what was stored, or lost. */
export async function readTexts(
  parts: readonly (TextPart | undefined)[],
  read: ReadSegments,
): Promise<readonly (Fragment | undefined)[]> {
  const keyOf = ({ segment: { object, at } }: TextPlace): string => `${object} ${at}`;
  const places = new Map(parts.flatMap((part) => (part?.place ? [[keyOf(part.place), part.place.segment]] : [])));
  const bytes = places.size === 0 ? [] : await read([...places.values()]);
  const byKey = new Map([...places.keys()].map((key, index) => [key, bytes[index]]));
  return parts.map((part) => part && textIn(part, part.place && byKey.get(keyOf(part.place))));
}

export interface PackedText {
  readonly page: number;
  readonly checksum: number;
  readonly deflated: Uint8Array;
}

/** The segments of an object with these texts. One with a text that is larger than a segment has only that. */
export function textSegments(texts: readonly PackedText[]): readonly PlacedTextSegment[] {
  const segments: { at: number; size: number; texts: PlacedTextSegment['texts'][number][] }[] = [];
  let at = 0;
  for (const { page, checksum, deflated } of texts) {
    const size = deflated.length;
    let last = segments.at(-1);
    if (!last || last.size + size > segmentBytes) segments.push((last = { at, size: 0, texts: [] }));
    last.texts.push({ page, checksum, at: last.size, size });
    last.size += size;
    at += size;
  }
  return segments;
}
