import { expect, test } from 'vitest';
import { binaryKind } from './binary-data.ts';

const text = (value: string): Uint8Array => new TextEncoder().encode(value);

test.each<[string, Uint8Array, string | undefined, string | undefined]>([
  ['accepts HTML', text('<!doctype html><p>Text'), undefined, undefined],
  ['finds a PNG', Uint8Array.of(0x89, 0x50, 0x4e, 0x47, 0x0d), 'PNG', 'PNG'],
  ['finds a PDF', text('%PDF-1.7'), 'PDF', 'PDF'],
  ['finds a gzip file', Uint8Array.of(0x1f, 0x8b, 0x08, 0x00), 'gzip', 'gzip'],
  ['finds binary data in zeros only without a media type', new Uint8Array(100), undefined, 'binary data'],
  [
    'accepts text with a control character after 600 characters',
    text(`${'a'.repeat(600)}\u0001`),
    undefined,
    undefined,
  ],
  ['accepts UTF-16 with a byte order mark', Uint8Array.of(0xff, 0xfe, 0x3c, 0x00), undefined, undefined],
  ['accepts tabs, line ends and an escape character', text('a\t\r\n\f\u001bb'), undefined, undefined],
  ['accepts an empty body', new Uint8Array(0), undefined, undefined],
])('binaryKind: %s', (_, bytes, typed, untyped) => {
  expect([binaryKind(bytes, { isTyped: true }), binaryKind(bytes, { isTyped: false })]).toEqual([typed, untyped]);
});
