import type { Settlement } from './frontier.ts';

/**
 * Gives back the memory of bytes that nobody reads again. Without it the memory is held until V8 next collects all garbage,
 * and counts towards how soon that is: a crawl has more bytes of pages than objects.
 *
 * Bytes that lie in memory shared with others stay as they are.
 */
export function freeBytes({ buffer, byteLength }: Uint8Array): void {
  if (buffer instanceof ArrayBuffer && !buffer.detached && byteLength === buffer.byteLength) buffer.transfer(0);
}

/** The same for pages that have been stored. */
export function freePages(settlements: readonly Settlement[]): void {
  for (const { outcome } of settlements) {
    if (outcome.kind !== 'scraped') continue;
    freeBytes(outcome.page.meta);
    freeBytes(outcome.page.body.deflated);
  }
}
