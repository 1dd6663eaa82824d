import { expect, test } from 'vitest';
import { freeBytes, freeIfOwned } from './free-bytes.ts';
import { allocateOwned, ownedCopy } from '../bytes/owned-bytes.ts';

test('frees the memory of bytes that have it for themselves, once', () => {
  const bytes = allocateOwned(1_000);
  freeBytes(bytes);
  freeBytes(bytes);
  expect([bytes.length, bytes.buffer.detached]).toEqual([0, true]);
});

test('leaves memory alone that others use as well', () => {
  const all = new Uint8Array(1_000);
  freeIfOwned(all.subarray(0, 999));
  freeIfOwned(Buffer.from('from the pool'));
  expect(all.buffer.detached).toBe(false);
  freeIfOwned(all);
  expect(all.buffer.detached).toBe(true);
});

test('a copy has memory of its own, whatever it was copied from', () => {
  const copy = ownedCopy(Buffer.from('from the pool'));
  expect([copy.byteLength, copy.buffer.byteLength]).toEqual([13, 13]);
  expect(new TextDecoder().decode(copy)).toBe('from the pool');
});
