// A page of some megabytes makes a tree of a hundred. After the conversion all of that is garbage, but V8 takes the
// heap for one that needs this size and lets it grow to twice that before the next collection: in each thread, for
// hours (docs/decisions/program.md).
import { getHeapStatistics, setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

/** Smaller bodies, packed or not, leave little garbage, and asking V8 takes time as well. */
const bodyBytesMin = 128 * 1024;
/** Used heap. Some 20 MB are alive between two pages. */
const usedBytesMax = 96 * 2 ** 20;
/** Memory outside the heap, such as decoded streams: an idle thread would hold them until its next task. */
const externalBytesMax = 16 * 2 ** 20;

let collectAll: (() => void) | undefined;

/**
 * Call between two pages. Takes some 30 ms after a page that left much garbage, and no time after others. A file of any
 * size can leave much: 64 KB of a PDF can decode to 64 MB.
 */
export function collectAfter(bodyBytes: number, { isFile }: { readonly isFile: boolean }): void {
  if (bodyBytes < bodyBytesMin && !isFile) return;
  const { used_heap_size: used, external_memory: external } = getHeapStatistics();
  if (used < usedBytesMax && external < externalBytesMax) return;
  collectAll ??= exposedGc();
  collectAll();
}

/** The only way to reach `gc` from within: contexts created from now on have it. */
function exposedGc(): () => void {
  setFlagsFromString('--expose-gc');
  const gc: unknown = runInNewContext('gc');
  setFlagsFromString('--no-expose-gc');
  return typeof gc === 'function' ? () => void gc() : () => {};
}
