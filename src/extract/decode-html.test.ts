import { describe, expect, it } from 'vitest';
import { decodeHtml } from './decode-html.ts';

const bytes = (...parts: readonly (string | readonly number[])[]): Uint8Array =>
  new Uint8Array(
    parts.flatMap((part) => (typeof part === 'string' ? Array.from(new TextEncoder().encode(part)) : part)),
  );

describe('decodeHtml', () => {
  it.each<[why: string, input: Uint8Array, contentType: string, text: string]>([
    ['a byte order mark beats the header', bytes([0xef, 0xbb, 0xbf], 'é'), 'text/html; charset=latin1', 'é'],
    ['UTF-16, little end first', bytes([0xff, 0xfe, 0x41, 0, 0xe9, 0]), 'text/html', 'Aé'],
    ['UTF-16, big end first', bytes([0xfe, 0xff, 0, 0x41]), 'text/html', 'A'],
    [
      'the header beats the meta',
      bytes('<meta charset=utf-8>', [0xe9]),
      'text/html; charset="ISO-8859-1"',
      '<meta charset=utf-8>é',
    ],
    ['latin1 means windows-1252', bytes([0x80, 0x93, 0x99]), 'text/html; charset=iso-8859-1', '€“™'],
    ['an unknown label is not given', bytes('é'), 'text/html; charset=klingon', 'é'],
    ['meta charset', bytes('<meta charset="windows-1251">', [0xcf]), '', '<meta charset="windows-1251">П'],
    [
      'meta http-equiv',
      bytes("<META content='text/html; charset=shift_jis' http-equiv=content-type>", [0x82, 0xa0]),
      '',
      "<META content='text/html; charset=shift_jis' http-equiv=content-type>あ",
    ],
    ['a meta that says UTF-16 is mistaken', bytes('<meta charset=utf-16>é'), '', '<meta charset=utf-16>é'],
    ['a meta in a comment is none', bytes('<!--<meta charset=koi8-r>-->é'), '', '<!--<meta charset=koi8-r>-->é'],
    [
      'a meta beyond 1,024 bytes is not looked for',
      bytes(' '.repeat(1024), '<meta charset=koi8-r>é'),
      '',
      `${' '.repeat(1024)}<meta charset=koi8-r>é`,
    ],
    ['UTF-8 that nobody declared', bytes('naïve 漢'), 'text/html', 'naïve 漢'],
    ['what is not UTF-8 is windows-1252', bytes('caf', [0xe9]), 'text/html', 'café'],
    ['nothing', bytes(), '', ''],
  ])('%s', (_, input, contentType, text) => {
    expect(decodeHtml(input, contentType)).toBe(text);
  });

  it('gives well-formed text for broken bytes', () => {
    const text = decodeHtml(new Uint8Array([0x3d, 0xd8, 0x41, 0x00]), 'text/html; charset=utf-16le');
    expect(text.isWellFormed()).toBe(true);
  });
});
