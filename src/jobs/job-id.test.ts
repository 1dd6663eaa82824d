import { expect, test } from 'vitest';
import { canonicalJobId, isJobId, newJobId } from './job-id.ts';

test('newJobId: returns ids that sort newest first, also within a millisecond and after the clock was set back', () => {
  const now = Date.now();
  const ids = [now, now, now, now + 5, now - 86_400_000, now - 86_400_000, 0, now + 6].map(newJobId);
  expect(ids.toSorted()).toEqual(ids.toReversed());
  expect(ids.every(isJobId)).toBe(true);
});

test('canonicalJobId: returns an id in upper case, and other text unchanged', () => {
  const id = newJobId(Date.now());
  expect(canonicalJobId(id.toLowerCase())).toBe(id);
  expect(canonicalJobId(id)).toBe(id);
  // The last two are letters that Unicode folds to `S` and `K`.
  for (const other of ['', 'abc', `${id}a`, `${'a'.repeat(25)}u`, `${'a'.repeat(25)}ſ`, `${'a'.repeat(25)}\u212a`])
    expect(canonicalJobId(other)).toBe(other);
});
