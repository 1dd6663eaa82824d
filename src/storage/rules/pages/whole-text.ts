import type { Fragment } from '../../../core/page.ts';
import { inflateFragment } from '../../../page/inflate-fragment.ts';
import { isMetaAsStored, isTextAsStored, packedMetaIn, type PackedMetaRow } from './checksums.ts';

/**
 * True if a text is what was stored and unpacks to what was packed. Detects damage even if the text was damaged before
 * it had a checksum. Takes about 30 us for 6 KB; the checksum alone takes 1 us.
 */
export function isTextWhole(page: number, text: Fragment, checksum: number | null): boolean {
  return isTextAsStored(page, text, checksum) && inflateFragment(text) !== undefined;
}

/** The same for metadata, plain and packed. */
export function isMetaWhole(page: number, row: Omit<PackedMetaRow, 'length'> & { readonly meta: unknown }): boolean {
  const { meta, packed, crc, packedCrc } = row;
  if (!(meta instanceof Uint8Array) || !isMetaAsStored(meta, crc)) return false;
  const stored = packedMetaIn(page, { packed, crc, length: meta.length, packedCrc });
  return stored !== undefined && inflateFragment(stored.packedMeta) !== undefined;
}
