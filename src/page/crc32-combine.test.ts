import { crc32 } from 'node:zlib';
import * as fc from 'fast-check';
import { expect, it } from 'vitest';
import { crc32Combine } from './crc32-combine.ts';

it('crc32Combine: returns the CRC-32 of the joined bytes', () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 5_000 }), fc.uint8Array({ maxLength: 5_000 }), (first, second) => {
      expect(crc32Combine(crc32(first), crc32(second), second.length)).toBe(crc32(Buffer.concat([first, second])));
    }),
  );
});

it('crc32Combine: returns the CRC-32 of any number of parts', () => {
  fc.assert(
    fc.property(fc.array(fc.uint8Array({ maxLength: 300 }), { maxLength: 30 }), (parts) => {
      const combined = parts.reduce((crc, part) => crc32Combine(crc, crc32(part), part.length), 0);
      expect(combined).toBe(crc32(Buffer.concat(parts)));
    }),
  );
});

it.each([0, 1, 2, 65_535, 65_536, 2 ** 24 + 1])('crc32Combine: accepts a second part of %i bytes', (length) => {
  const first = Buffer.from('first');
  const second = Buffer.alloc(length, 0xa5);
  expect(crc32Combine(crc32(first), crc32(second), length)).toBe(crc32(Buffer.concat([first, second])));
});

it('crc32Combine: accepts parts longer than 4 GiB', () => {
  // Joining is associative, so a length too large to test is composed of smaller ones.
  const block = crc32(Buffer.alloc(2 ** 20));
  let long = block;
  for (let bytes = 2 ** 20; bytes < 2 ** 33; bytes *= 2) long = crc32Combine(long, long, bytes);
  let short = 0;
  for (let blocks = 0; blocks < 2 ** 13; blocks++) short = crc32Combine(short, block, 2 ** 20);
  expect(crc32Combine(crc32(Buffer.from('a')), long, 2 ** 33)).toBe(
    crc32Combine(crc32Combine(crc32(Buffer.from('a')), short, 2 ** 33), 0, 0),
  );
});
