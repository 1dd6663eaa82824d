// SIGKILL at each place between two steps, three times: nothing lost, nothing repeated. `npm run prove` does the same.
import { describe, expect, test } from 'vitest';
import { dieAt } from '../../prove/life.ts';
import { type FailPoint, failPoints } from '../../src/core/process/fail-point.ts';

const deaths = 3;

describe.concurrent('dying three times when', () => {
  test.each(Object.entries(failPoints) as [FailPoint, string][])(
    '%s: %s',
    async (point) => {
      await expect(dieAt(point, deaths)).resolves.toBeGreaterThanOrEqual(deaths);
    },
    180_000,
  );
});
