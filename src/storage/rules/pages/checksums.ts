// Metadata and texts have a checksum from the moment they are stored. If the disk returns other bytes, the store
// notices and never serves them. Packed data has a second checksum, made at conversion, over the unpacked data.
// The checksums here cover the bytes on disk, so that a reader need not unpack them.
import { crc32 } from 'node:zlib';
import type { Fragment, StoredPackedMetadata } from '../../../core/page.ts';

/** 0.1 ms for 400 pages. `checksum`: CRC-32 of the metadata; null in a damaged row. */
export function isMetaAsStored(meta: Uint8Array, checksum: number | null): boolean {
  return crc32(meta) === checksum;
}

/**
 * Also covers the page number and the two numbers next to the text, because a response is made of all of them. The page
 * number comes last, as an exclusive or, so that a database can add it when it assigns the number.
 */
export function packedChecksum(page: number, text: Fragment): number {
  return (unnumberedChecksum(text) ^ page) >>> 0;
}

/** {@link packedChecksum} before the page has its number. */
export function unnumberedChecksum({ deflated, crc, length }: Fragment): number {
  return crc32(deflated, (crc ^ length) >>> 0);
}

/** 0.3 ms for 400 packed texts of 3.2 KB. `checksum` null: as above. */
export function isTextAsStored(page: number, text: Fragment, checksum: number | null): boolean {
  // mutant damaged-text-read, promise 11: `=== checksum` -> `>= 0`; damage "the text of the first page"
  return packedChecksum(page, text) === checksum;
}

/** Packed metadata as stored in its row. In a damaged row, anything can be null. */
export interface PackedMetaRow {
  readonly packed: unknown;
  /** CRC-32 of the unpacked metadata. */
  readonly crc: number | null;
  readonly length: number | null;
  readonly packedCrc: number | null;
}

/** Undefined if it is not what was stored. */
export function packedMetaIn(
  page: number,
  { packed, crc, length, packedCrc }: PackedMetaRow,
): StoredPackedMetadata | undefined {
  if (!(packed instanceof Uint8Array) || crc === null || length === null) return undefined;
  const packedMeta = { deflated: packed, crc, length };
  return isTextAsStored(page, packedMeta, packedCrc) ? { page, packedMeta } : undefined;
}
