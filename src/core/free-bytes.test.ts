import { expect, test } from 'vitest';
import { freeBytes } from './free-bytes.ts';

test('frees the memory of bytes that have it for themselves, once', () => {
  const bytes = new Uint8Array(1_000);
  freeBytes(bytes);
  freeBytes(bytes);
  expect([bytes.length, bytes.buffer.detached]).toEqual([0, true]);
});

test('leaves memory alone that others use as well', () => {
  const all = new Uint8Array(1_000);
  freeBytes(all.subarray(0, 999));
  freeBytes(Buffer.from('from the pool'));
  expect(all.buffer.detached).toBe(false);
});
