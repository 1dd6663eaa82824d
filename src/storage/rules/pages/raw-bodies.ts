// Raw bodies of pages: the same in every store.
import type { FoundSlice, Segment } from '../../../core/ports/blobs.ts';

/** Segments removed in one step. Most have less than 200 KiB. */
export const segmentsPerStep = 100;

/** Either `bytes` or the other three are null. */
export interface SegmentRow {
  readonly bytes: Uint8Array | null;
  readonly length: number;
  readonly object: string | null;
  readonly object_at: number | null;
  readonly size: number | null;
}

export function segmentIn({ bytes, length, object, object_at: at, size }: SegmentRow): Segment {
  if (object === null) return { bytes: bytes ?? new Uint8Array(), length };
  return { bytes: new Uint8Array(), length, place: { object, at: at ?? 0, size: size ?? 0 } };
}

/** The first slices that together have at most `bytesMax` bytes when unpacked, and one at least. */
export function within(slices: readonly FoundSlice[], bytesMax: number): readonly FoundSlice[] {
  let bytes = 0;
  const end = slices.findIndex(({ length }, index) => (bytes += length) > bytesMax && index > 0);
  return end === -1 ? slices : slices.slice(0, end);
}

/** The last page that a read looked at. */
export function lastOf(
  { after, limit, scraped }: { readonly after: number; readonly limit: number; readonly scraped: number },
  found: readonly FoundSlice[],
  read: readonly FoundSlice[],
): number {
  return read.length < found.length ? (read.at(-1)?.page ?? after) : Math.min(after + limit, Math.max(scraped, after));
}
