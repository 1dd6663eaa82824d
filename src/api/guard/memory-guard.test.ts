import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { MemoryGuard, memoryOfProcess } from './memory-guard.ts';

const plenty = { resident: 10, residentMax: 100, heap: 10, heapMax: 100 };

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

test.each([
  ['reports enough memory when plenty is free', plenty, false],
  ['reports enough memory when nine tenths are used', { ...plenty, resident: 90 }, false],
  ['reports a shortage when more than nine tenths are used', { ...plenty, resident: 91 }, true],
  ['reports a shortage when the heap of the main thread is nearly full', { ...plenty, heap: 91 }, true],
])('MemoryGuard: %s', (_, memory, isShort) => {
  expect(new MemoryGuard(() => memory).checkShort()).toBe(isShort);
});

test('MemoryGuard: measures at most twice a second, and notices that memory is free again', () => {
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

test('MemoryGuard: reports a shortage of this process only when it uses more than it may', () => {
  expect(new MemoryGuard(() => memoryOfProcess(2 ** 40)).checkShort()).toBe(false);
  expect(new MemoryGuard(() => memoryOfProcess(2 ** 20)).checkShort()).toBe(true);
});
