import { expect, test } from 'vitest';
import { freeBytes, freeIfOwned } from './free-bytes.ts';
import { allocateOwned, ownedCopy } from '../bytes/owned-bytes.ts';

test('freeBytes: frees an owned buffer, and ignores a second call', () => {
  const bytes = allocateOwned(1_000);
  freeBytes(bytes);
  freeBytes(bytes);
  expect([bytes.length, bytes.buffer.detached]).toEqual([0, true]);
});

test('freeIfOwned: frees a buffer only when the bytes fill it', () => {
  const all = new Uint8Array(1_000);
  freeIfOwned(all.subarray(0, 999));
  freeIfOwned(Buffer.from('from the pool'));
  expect(all.buffer.detached).toBe(false);
  freeIfOwned(all);
  expect(all.buffer.detached).toBe(true);
});

test('ownedCopy: copies the bytes into a buffer of their own', () => {
  const copy = ownedCopy(Buffer.from('from the pool'));
  expect([copy.byteLength, copy.buffer.byteLength]).toEqual([13, 13]);
  expect(new TextDecoder().decode(copy)).toBe('from the pool');
});
