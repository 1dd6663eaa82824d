import { setImmediate } from 'node:timers/promises';
import type { StoredMetadata } from '../../../core/page.ts';
import { projectMetadata } from '../../../page/encode.ts';

/** Projected before other tasks run: 1 ms. */
const bytesAtOnce = 128 * 2 ** 10;

/** Metadata reduced to some of its fields, in stored order. 2 ms for 400 pages. */
export function projectMetas(metas: readonly StoredMetadata[], fields: readonly string[]): readonly StoredMetadata[] {
  const wanted = new Set(fields);
  return metas.map(({ page, meta }) => ({ page, meta: projectMetadata(meta, wanted) }));
}

/** The same on the main thread, which serves other tasks in between. */
export async function projectMetasInTurns(
  metas: readonly StoredMetadata[],
  fields: readonly string[],
): Promise<readonly StoredMetadata[]> {
  const wanted = new Set(fields);
  const projected: StoredMetadata[] = [];
  let bytes = 0;
  for (const { page, meta } of metas) {
    projected.push({ page, meta: projectMetadata(meta, wanted) });
    bytes += meta.length;
    if (bytes < bytesAtOnce) continue;
    bytes = 0;
    await setImmediate();
  }
  return projected;
}
