import { expect, test } from 'vitest';
import { BufferPool } from './buffer-pool.ts';

test('BufferPool: reuses a buffer that was given back', () => {
  const pool = new BufferPool();
  const first = pool.take(1_000_000);
  const second = pool.take(1_000_000);
  expect(second.buffer).not.toBe(first.buffer);
  pool.giveBack(first.buffer);
  const third = pool.take(500);
  expect(third.buffer).toBe(first.buffer);
  expect(third).toHaveLength(500);
});

test('BufferPool: allocates a separate buffer for a large or small size, and frees it when it is given back', () => {
  const pool = new BufferPool({ smallBytesMax: 1_000 });
  for (const bytes of [1_000, 3 * 2 ** 20]) {
    const { buffer } = pool.take(bytes);
    expect(buffer.byteLength).toBe(bytes);
    pool.giveBack(buffer);
    expect(buffer.detached).toBe(true);
    expect(pool.take(1_001).buffer.byteLength).toBeGreaterThan(1_001);
  }
});

test('BufferPool: keeps at most eight buffers, and takeAll moves all of them to another pool', () => {
  const [pool, other] = [new BufferPool(), new BufferPool()];
  const taken = Array.from({ length: 10 }, () => pool.take(1).buffer);
  for (const buffer of taken) pool.giveBack(buffer);
  expect(taken.filter(({ detached }) => detached)).toHaveLength(2);
  const passed = pool.takeAll();
  expect(passed).toHaveLength(8);
  expect(pool.takeAll()).toEqual([]);
  for (const buffer of passed) other.giveBack(buffer);
  expect(passed).toContain(other.take(1).buffer);
});
