import { array, assert, constantFrom, integer, oneof, property, string } from 'fast-check';
import { expect, test } from 'vitest';
import { cutText, oneLine } from './cut-text.ts';

/** Lines, long words and characters of two code units. */
const anyText = array(oneof(constantFrom('\n', ' ', '🌾', 'a'.repeat(50), '\uD83C'), string({ unit: 'grapheme' })), {
  maxLength: 60,
}).map((pieces) => pieces.join(''));

test('cutText: returns parts within their limit that join to the text', () => {
  assert(
    property(anyText, integer({ min: 2, max: 80 }), (text, room) => {
      const parts: string[] = [];
      for (let offset: number | undefined = 0; offset !== undefined;) {
        const part = cutText(text, offset, room);
        expect(part.text.length).toBeLessThanOrEqual(room);
        parts.push(part.text);
        offset = part.next;
      }
      expect(parts.join('')).toBe(text);
    }),
  );
});

test.each([
  ['after a line', 'first line\nsecond line', 15, 'first line\n'],
  ['after a word when the line is long', 'x\nmany words in one line', 14, 'x\nmany words '],
  ['between characters when the word is long', `x ${'🌾'.repeat(20)}`, 11, `x ${'🌾'.repeat(4)}`],
  ['nowhere when it fits', 'all of it', 9, 'all of it'],
])('cutText: cuts a text %s', (_, text, room, part) => {
  expect(cutText(text, 0, room).text).toBe(part);
});

test('oneLine: removes control characters, and states the length of a truncated text', () => {
  expect(oneLine('a\r\n\tb\u2028c\u001B[31m', 80)).toBe('a b c [31m');
  expect(oneLine('x'.repeat(5_000), 50)).toBe(`${'x'.repeat(31)}… (5000 characters)`);
});
