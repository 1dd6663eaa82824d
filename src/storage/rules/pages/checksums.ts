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

/** As it is read: a damaged row can have something else in place of its bytes. */
export interface FragmentColumns {
  readonly deflated: unknown;
  readonly crc: number | null;
  readonly length: number | null;
  readonly packed_crc: number | null;
}

/** In SQL. A damaged number can exceed what JavaScript can hold. */
export const fragmentColumns = `deflated, ${['crc', 'length', 'packed_crc'].map((name) => `${name} & ${2 ** 32 - 1} AS ${name}`).join(', ')}`;

/** Undefined if it is not what was stored. */
export function fragmentOf(row: FragmentColumns, page: number): Fragment | undefined {
  const { deflated, crc, length, packed_crc: checksum } = row;
  if (!(deflated instanceof Uint8Array) || typeof crc !== 'number' || typeof length !== 'number') return undefined;
  const fragment = { deflated, crc, length };
  return isAsStored(page, fragment, checksum) ? fragment : undefined;
}

/** 0.3 ms for 400 packed texts of 3.2 KB. `checksum` is null in a damaged row. */
export function isAsStored(page: number, fragment: Fragment, checksum: number | null): boolean {
  return packedChecksum(page, fragment) === checksum;
}
