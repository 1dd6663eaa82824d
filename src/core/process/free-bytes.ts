import type { PageRecord } from '../page.ts';
import type { Settlement } from '../ports/frontier.ts';
import { type OwnedBytes, ownsMemory } from '../bytes/owned-bytes.ts';

/**
 * Frees the memory of bytes that nothing reads any more. Otherwise the memory stays until the next full garbage
 * collection and brings that forward: a crawl has more bytes of pages than objects. A second call does nothing.
 */
export function freeBytes({ buffer }: OwnedBytes): void {
  if (!buffer.detached) buffer.transfer(0);
}

/** The same for bytes that can be part of other memory, which stays unchanged in that case. */
export function freeIfOwned(bytes: Uint8Array): void {
  if (ownsMemory(bytes)) freeBytes(bytes);
}

/** The same for stored pages. */
export function freePages(pages: readonly PageRecord[]): void {
  for (const { meta, body, screenshot, raw } of pages) {
    const all = [meta.deflated, body.deflated, screenshot?.bytes, raw?.received, raw?.rendered];
    for (const bytes of all) if (bytes) freeIfOwned(bytes);
  }
}

export function freePagesOf(settlements: readonly Settlement[]): void {
  freePages(settlements.flatMap(({ outcome }) => (outcome.kind === 'scraped' ? outcome.page : [])));
}
