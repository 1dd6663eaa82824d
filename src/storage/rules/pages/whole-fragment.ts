import type { Fragment } from '../../../core/page.ts';
import { inflateFragment } from '../../../page/inflate-fragment.ts';
import { isAsStored } from './checksums.ts';

/**
 * True if a text or metadata is what was stored and inflates to what was deflated. Detects damage even if it was damaged
 * before it had a checksum. Takes about 30 us for 6 KB; the checksum alone takes 1 us.
 */
export function isWhole(page: number, fragment: Fragment, checksum: number | null): boolean {
  return isAsStored(page, fragment, checksum) && inflateFragment(fragment) !== undefined;
}
