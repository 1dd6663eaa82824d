import { getHeapStatistics } from 'node:v8';
import { expect, test } from 'vitest';
import { collectAfter } from './collect-garbage.ts';

const usedMiB = (): number => getHeapStatistics().used_heap_size / 2 ** 20;

/** Answers how much there was while all of it was alive. */
function leaveMuchBehind(): number {
  const nodes: unknown[] = [];
  for (let index = 0; index < 2_000_000; index++) nodes.push({ index, text: `${index}` });
  const used = usedMiB();
  expect(nodes).toHaveLength(2_000_000);
  return used;
}

test('what a large page left behind is gone', () => {
  const before = usedMiB();
  expect(leaveMuchBehind()).toBeGreaterThan(before + 96);
  collectAfter(10_000_000);
  expect(usedMiB()).toBeLessThan(before + 40);
});
