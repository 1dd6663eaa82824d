import { expect, test } from 'vitest';
import { binaryKind } from './binary-data.ts';

const text = (value: string): Uint8Array => new TextEncoder().encode(value);

test.each<[string, Uint8Array, string | undefined, string | undefined]>([
  ['HTML', text('<!doctype html><p>Text'), undefined, undefined],
  ['a PNG', Uint8Array.of(0x89, 0x50, 0x4e, 0x47, 0x0d), 'PNG', 'PNG'],
  ['a PDF', text('%PDF-1.7'), 'PDF', 'PDF'],
  ['a gzip file', Uint8Array.of(0x1f, 0x8b, 0x08, 0x00), 'gzip', 'gzip'],
  ['zeros', new Uint8Array(100), undefined, 'binary data'],
  ['a control character far behind', text(`${'a'.repeat(600)}\u0001`), undefined, undefined],
  ['UTF-16 with its mark', Uint8Array.of(0xff, 0xfe, 0x3c, 0x00), undefined, undefined],
  ['tabs, line ends and an escape', text('a\t\r\n\f\u001bb'), undefined, undefined],
  ['nothing', new Uint8Array(0), undefined, undefined],
])('%s', (_, bytes, typed, untyped) => {
  expect([binaryKind(bytes, { isTyped: true }), binaryKind(bytes, { isTyped: false })]).toEqual([typed, untyped]);
});
