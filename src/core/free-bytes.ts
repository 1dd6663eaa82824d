import type { Settlement } from './frontier.ts';
import { type OwnedBytes, ownsMemory } from './owned-bytes.ts';

/**
 * Gives back the memory of bytes that nobody reads again. Without it the memory is held until V8 next collects all garbage,
 * and counts towards how soon that is: a crawl has more bytes of pages than objects. A second time, nothing happens.
 */
export function freeBytes({ buffer }: OwnedBytes): void {
  if (!buffer.detached) buffer.transfer(0);
}

/** The same for bytes that may be a part of other memory, which then stays as it is. */
export function freeIfOwned(bytes: Uint8Array): void {
  if (ownsMemory(bytes)) freeBytes(bytes);
}

/** The same for pages that have been stored. */
export function freePages(settlements: readonly Settlement[]): void {
  for (const { outcome } of settlements) {
    if (outcome.kind !== 'scraped') continue;
    const { meta, packedMeta, body } = outcome.page;
    for (const bytes of [meta, packedMeta.deflated, body.deflated]) freeIfOwned(bytes);
  }
}
