import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { boundDecoding } from './bound-pdfjs.ts';

const source = readFileSync(fileURLToPath(import.meta.resolve('unpdf/pdfjs')), 'utf8');

test('pdf.js as it is installed can be bounded', () => {
  expect(boundDecoding(source)).toContain('countDecoded(n-t.byteLength)');
});

test.each([
  ['changed', source.replace('for(;n<e;)n*=2', 'for(;n<e;)n<<=1')],
  ['doubled', source + source],
  ['bounded already', boundDecoding(source)],
])('one that is %s ends the build', (_, other) => {
  expect(() => boundDecoding(other)).toThrow(/pdf\.js has changed where the buffer of any stream grows/);
});
