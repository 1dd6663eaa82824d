import { getHeapStatistics } from 'node:v8';
import { expect, test } from 'vitest';
import { collectAfter } from './collect-garbage.ts';

const usedMiB = (): number => getHeapStatistics().used_heap_size / 2 ** 20;

/** Returns the memory in use while all of it was alive. */
function leaveMuchBehind(): number {
  const nodes: unknown[] = [];
  for (let index = 0; index < 2_000_000; index++) nodes.push({ index, text: `${index}` });
  const used = usedMiB();
  expect(nodes).toHaveLength(2_000_000);
  return used;
}

test('collectAfter: frees the heap after a large page', () => {
  const before = usedMiB();
  expect(leaveMuchBehind()).toBeGreaterThan(before + 96);
  collectAfter(10_000_000, { isFile: false });
  expect(usedMiB()).toBeLessThan(before + 40);
});

test('collectAfter: frees memory outside the heap after a small file', () => {
  const externalMiB = (): number => getHeapStatistics().external_memory / 2 ** 20;
  const decode = (): number => new Uint8Array(64 * 2 ** 20).length;
  const before = externalMiB();
  expect(decode()).toBe(64 * 2 ** 20);
  expect(externalMiB()).toBeGreaterThan(before + 48);
  collectAfter(1_000, { isFile: true });
  // Another thread frees memory outside the heap; the next collection counts it.
  collectAfter(1_000, { isFile: true });
  expect(externalMiB()).toBeLessThan(before + 16);
});
