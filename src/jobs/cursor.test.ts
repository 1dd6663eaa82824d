import { describe, expect, test } from 'vitest';
import { type CursorList, Cursors } from './cursor.ts';

const cursors = new Cursors(new Uint8Array(32).fill(1));

const lists: readonly CursorList[] = [
  { kind: 'pages', jobId: 'a' },
  { kind: 'pages', jobId: 'b' },
  { kind: 'urls', jobId: 'a', filter: '' },
  { kind: 'urls', jobId: 'a', filter: 'failed' },
  { kind: 'urls', jobId: 'b', filter: '' },
  { kind: 'deliveries', jobId: 'a', filter: '' },
  { kind: 'deliveries', jobId: 'a', filter: 'failed' },
  { kind: 'jobs', org: 'a', filter: '' },
  { kind: 'jobs', org: 'a', filter: 'running' },
  { kind: 'jobs', org: 'b', filter: '' },
];

const pages: CursorList = { kind: 'pages', jobId: 'a' };
const invalid = expect.objectContaining({ code: 'invalid_cursor' }) as Error;

describe('Cursors', () => {
  test.each([0, 1, 9_999_999, '01HZX'])('Cursors: reads back the position %s', (position) => {
    expect(cursors.read(pages, cursors.write(pages, position))).toBe(String(position));
  });

  test.each(lists)('Cursors: accepts a cursor in its own list only: %j', (list) => {
    const cursor = cursors.write(list, 7);
    const readAs = (other: CursorList): unknown => {
      try {
        return cursors.read(other, cursor);
      } catch (error) {
        return error;
      }
    };
    expect(lists.map(readAs)).toEqual(lists.map((other) => (other === list ? '7' : invalid)));
  });

  test('Cursors: rejects a cursor of another database', () => {
    const others = new Cursors(new Uint8Array(32).fill(2));
    expect(() => cursors.read(pages, others.write(pages, 7))).toThrow(invalid);
  });

  test('Cursors: rejects a cursor that was altered anywhere', () => {
    const bytes = Buffer.from(cursors.write(pages, 7), 'base64url');
    for (let bit = 0; bit < bytes.length * 8; bit++) {
      const altered = Buffer.from(bytes);
      altered[bit >> 3]! ^= 1 << (bit & 7);
      expect(() => cursors.read(pages, altered.toString('base64url'))).toThrow(invalid);
    }
    expect(() => cursors.read(pages, Buffer.concat([bytes, Buffer.from('0')]).toString('base64url'))).toThrow(invalid);
  });

  test.each(['', '7', 'x'.repeat(24), 'x'.repeat(128), 'x'.repeat(1_000_000), '\0'.repeat(24), '🌾'.repeat(24)])(
    'Cursors: rejects text that it did not issue',
    (text) => {
      expect(() => cursors.read(pages, text)).toThrow(invalid);
    },
  );
});
