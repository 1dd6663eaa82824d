import { expect, test } from 'vitest';
import { isJobId, newJobId } from './job-id.ts';

test('ids sort newest first, in one millisecond and after the clock was set back', () => {
  const now = Date.now();
  const ids = [now, now, now, now + 5, now - 86_400_000, now - 86_400_000, 0, now + 6].map(newJobId);
  expect(ids.toSorted()).toEqual(ids.toReversed());
  expect(ids.every(isJobId)).toBe(true);
});
