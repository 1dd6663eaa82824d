// A page of some megabytes makes a tree of a hundred. When it is converted all of that is garbage, but V8 has taken the
// heap for one that needs to be so large, and lets it grow to twice that before it looks again: in each thread, for
// hours (decision 19).
import { getHeapStatistics, setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

/** Bodies below, packed or not, leave little behind, and asking V8 takes time as well. */
const bodyBytesMin = 128 * 1024;
/** Of a heap in which some 20 MB are alive between two pages. */
const usedBytesMax = 96 * 2 ** 20;
/** Outside of the heap, where decoded streams lie: an idle thread would hold them until its next task. */
const externalBytesMax = 16 * 2 ** 20;

let collectAll: (() => void) | undefined;

/**
 * To be called between two pages: takes some 30 ms after a page that has left much behind, and no time after others. A
 * file of any size may have left much: 64 KB of a PDF can decode to 64 MB.
 */
export function collectAfter(bodyBytes: number, { isFile }: { readonly isFile: boolean }): void {
  if (bodyBytes < bodyBytesMin && !isFile) return;
  const { used_heap_size: used, external_memory: external } = getHeapStatistics();
  if (used < usedBytesMax && external < externalBytesMax) return;
  collectAll ??= exposedGc();
  collectAll();
}

/** The only way to it from within: contexts that are made from now on have it. */
function exposedGc(): () => void {
  setFlagsFromString('--expose-gc');
  const gc: unknown = runInNewContext('gc');
  setFlagsFromString('--no-expose-gc');
  return typeof gc === 'function' ? () => void gc() : () => {};
}
