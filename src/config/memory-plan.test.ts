import { expect, test } from 'vitest';
import { memoryMbMin, memoryPlan } from './memory-plan.ts';

const mib = 2 ** 20;
const plan = (memoryMb: number, usesBrowser = true, processors = 4): ReturnType<typeof memoryPlan> =>
  memoryPlan({ memoryMb, usesBrowser, processors });

test('memoryPlan: gives the usual limits when memory is plentiful', () => {
  expect(plan(16_384)).toEqual({
    browserMb: 1_024,
    browserPages: 5,
    ownMb: 15_360,
    converterThreads: 4,
    converterMb: 512,
    converterSharedMb: 128,
    converterYoungMb: 24,
    bodiesBytes: 32 * mib,
    waitingBytes: 960 * mib,
    cacheBytes: 480 * mib,
  });
  expect(plan(16_384, true, 64).converterThreads).toBe(8);
});

test('memoryPlan: gives less of everything when memory is scarce', () => {
  expect(plan(512)).toEqual({
    browserMb: 0,
    browserPages: 1,
    ownMb: 512,
    converterThreads: 3,
    converterMb: 204,
    converterSharedMb: 68,
    converterYoungMb: 12,
    bodiesBytes: 32 * mib,
    waitingBytes: 32 * mib,
    cacheBytes: 16 * mib,
  });
  expect(plan(1_024)).toMatchObject({ browserMb: 512, ownMb: 512, browserPages: 5, converterThreads: 3 });
  expect(plan(2_048)).toMatchObject({ browserMb: 1_024, ownMb: 1_024, converterThreads: 4, converterMb: 409 });
  expect(plan(memoryMbMin)).toMatchObject({ browserMb: 0, converterThreads: 1, converterMb: 102 });
});

test('memoryPlan: shares the memory for files among the threads that the operator has set', () => {
  const { converterThreads, converterSharedMb } = memoryPlan({
    memoryMb: 512,
    usesBrowser: false,
    processors: 2,
    converterThreads: 16,
  });
  expect([converterThreads, converterSharedMb]).toEqual([16, 12]);
});

test('memoryPlan: never gives away more than there is, whatever the number, and never less of more', () => {
  for (const usesBrowser of [true, false])
    for (const processors of [1, 2, 8, 64]) {
      let before = plan(memoryMbMin, usesBrowser, processors);
      for (let memoryMb = memoryMbMin; memoryMb < 5_000; memoryMb += 37) {
        const { bodiesBytes, waitingBytes, cacheBytes, ...now } = plan(memoryMb, usesBrowser, processors);
        const buffersMb = (bodiesBytes + waitingBytes + 3 * cacheBytes) / mib;
        const filesMb = now.converterMb + (now.converterThreads - 1) * now.converterSharedMb;
        expect(now.browserMb + now.ownMb).toBe(memoryMb);
        expect(buffersMb).toBeLessThanOrEqual(now.ownMb / 4);
        expect(filesMb).toBeLessThanOrEqual(now.ownMb * 0.8);
        expect(now.browserPages).toBeGreaterThanOrEqual(1);
        // Where the browser begins, it takes what was the process's own.
        const begins = now.browserMb > 0 && before.browserMb === 0;
        expect(now.converterThreads).toBeGreaterThanOrEqual(begins ? 1 : before.converterThreads);
        before = { bodiesBytes, waitingBytes, cacheBytes, ...now };
      }
    }
});
