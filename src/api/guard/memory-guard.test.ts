import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { MemoryGuard } from './memory-guard.ts';

const plenty = { resident: 10, residentMax: 100, heap: 10, heapMax: 100 };

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

test.each([
  ['there is plenty', plenty, false],
  ['nine tenths of the memory are used', { ...plenty, resident: 90 }, false],
  ['more than that is', { ...plenty, resident: 91 }, true],
  ['the heap of the main thread is nearly full', { ...plenty, heap: 91 }, true],
])('where %s', (_, memory, isShort) => {
  expect(new MemoryGuard(() => memory).checkShort()).toBe(isShort);
});

test('measures at most twice a second, and sees that there is room again', () => {
  let memory = { ...plenty, resident: 99 };
  const measure = vi.fn<() => typeof memory>(() => memory);
  const guard = new MemoryGuard(measure);
  expect([guard.checkShort(), guard.checkShort()]).toEqual([true, true]);
  memory = plenty;
  vi.advanceTimersByTime(499);
  expect(guard.checkShort()).toBe(true);
  vi.advanceTimersByTime(1);
  expect(guard.checkShort()).toBe(false);
  expect(measure).toHaveBeenCalledTimes(2);
});

test('this process has memory left', () => {
  expect(new MemoryGuard().checkShort()).toBe(false);
});
