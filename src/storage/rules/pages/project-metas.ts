import { setImmediate } from 'node:timers/promises';
import type { StoredFields, StoredPage } from '../../../core/page.ts';
import { metadataIn } from '../../../page/decode.ts';
import { projectMetadata } from '../../../page/encode.ts';

/** Projected before other tasks run: 1 ms. */
const bytesAtOnce = 64 * 2 ** 10;

/** Pages reduced to some fields of their metadata, in stored order. */
export function projectMetas(pages: readonly StoredPage[], fields: readonly string[]): readonly StoredFields[] {
  const wanted = new Set(fields);
  return pages.map((stored) => ({ page: stored.page, fields: projectMetadata(metadataIn(stored), wanted) }));
}

/** The same on the main thread, which serves other tasks in between. */
export async function projectMetasInTurns(
  pages: readonly StoredPage[],
  fields: readonly string[],
): Promise<readonly StoredFields[]> {
  const wanted = new Set(fields);
  const projected: StoredFields[] = [];
  let bytes = 0;
  for (const stored of pages) {
    const meta = metadataIn(stored);
    projected.push({ page: stored.page, fields: projectMetadata(meta, wanted) });
    bytes += meta.length;
    if (bytes < bytesAtOnce) continue;
    bytes = 0;
    await setImmediate();
  }
  return projected;
}
