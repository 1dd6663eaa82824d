import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { boundDecoding } from './bound-pdfjs.ts';

const source = readFileSync(fileURLToPath(import.meta.resolve('unpdf/pdfjs')), 'utf8');

test('boundDecoding: bounds the installed pdf.js', () => {
  expect(boundDecoding(source)).toContain('countDecoded(n-t.byteLength)');
});

test.each([
  ['changed', source.replace('for(;n<e;)n*=2', 'for(;n<e;)n<<=1')],
  ['doubled', source + source],
  ['already bounded', boundDecoding(source)],
])('boundDecoding: throws when pdf.js is %s', (_, other) => {
  expect(() => boundDecoding(other)).toThrow(/pdf\.js has changed where the buffer of any stream grows/);
});
