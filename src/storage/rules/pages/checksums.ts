// Metadata and texts have a checksum from the moment they are stored. If the disk returns other bytes, the store
// notices and never serves them. They also have a checksum made at conversion, over the inflated data. The checksum
// here covers the bytes on disk, so that a reader need not inflate them.
import { crc32 } from 'node:zlib';
import type { Fragment } from '../../../core/page.ts';

/**
 * Also covers the page number and the two numbers next to the data, because a response is made of all of them. The page
 * number comes last, as an exclusive or, so that a database can add it when it assigns the number.
 */
export function packedChecksum(page: number, fragment: Fragment): number {
  return (unnumberedChecksum(fragment) ^ page) >>> 0;
}

/** {@link packedChecksum} before the page has its number. */
export function unnumberedChecksum({ deflated, crc, length }: Fragment): number {
  return crc32(deflated, (crc ^ length) >>> 0);
}

/** 0.3 ms for 400 packed texts of 3.2 KB. `checksum` is null in a damaged row. */
export function isAsStored(page: number, fragment: Fragment, checksum: number | null): boolean {
  return packedChecksum(page, fragment) === checksum;
}
