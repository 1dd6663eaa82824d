import { describe, expect, it, test } from 'vitest';
import { timeGrowth } from '../../test/time-growth.ts';
import { encodeQuery } from './encode-query.ts';

/** Names of the Encoding Standard. `x-user-defined` and `replacement` are never the encoding of a page. */
const singleByte = [
  'ibm866',
  'koi8-r',
  'koi8-u',
  'macintosh',
  'windows-874',
  'x-mac-cyrillic',
  'iso-8859-8-i',
  ...[2, 3, 4, 5, 6, 7, 8, 10, 13, 14, 15, 16].map((part) => `iso-8859-${part}`),
  ...Array.from({ length: 9 }, (_, index) => `windows-${1250 + index}`),
];
const doubleByte = ['gbk', 'gb18030', 'big5', 'euc-jp', 'euc-kr', 'shift_jis', 'iso-2022-jp'];

const bytesOf = (query: string): Uint8Array => {
  const bytes: number[] = [];
  for (const [part] of query.matchAll(/%[\dA-F]{2}|[^]/g)) {
    bytes.push(part.length === 3 ? Number.parseInt(part.slice(1), 16) : part.charCodeAt(0));
  }
  return Uint8Array.from(bytes);
};

const isKnown = (encoding: string): boolean => {
  try {
    return new TextDecoder(encoding).encoding === encoding;
  } catch {
    // Node 22 has no iso-8859-16.
    return false;
  }
};

const upTo = (last: number): string[] =>
  Array.from({ length: last - 0x7f }, (_, index) => String.fromCharCode(0x80 + index)).filter((one) =>
    one.isWellFormed(),
  );
/** What an encoding can have, and characters that it cannot. */
const charactersFor = (encoding: string): readonly string[] => [
  ...upTo(doubleByte.includes(encoding) ? 0xffff : 0x2fff),
  '\uf8ff',
  'ﬁ',
  'ﬂ',
  '中',
  '𠮷',
  '😀',
  '\u{10ffff}',
];

describe('encodeQuery', () => {
  test.each([
    ['gbk', '?n=洪', '?n=%BA%E9'],
    ['gbk', '/洪?n=洪&m=a#洪', '/洪?n=%BA%E9&m=a#洪'],
    ['windows-1252', '?q=café', '?q=caf%E9'],
    ['windows-1252', '?q=洪ä😀', '?q=%26%2327946%3B%E4%26%23128512%3B'],
    ['windows-1252', '?q=caf%C3%A9&b=%E9&c=<é', '?q=caf%C3%A9&b=%E9&c=<%E9'],
    ['windows-1251', '?q=да', '?q=%E4%E0'],
    ['shift_jis', '?q=表ｶ~¥', '?q=%95\\%B6~\\'],
    ['euc-jp', '?q=日本', '?q=%C6%FC%CB%DC'],
    ['euc-kr', '?q=한국', '?q=%C7%D1%B1%B9'],
    ['big5', '?q=十═中', '?q=%A4Q%F9%F9%A4%A4'],
    ['gbk', '?q=€', '?q=%80'],
    ['gb18030', '?q=€😀\u0080', '?q=%A2%E3%949%FC6%810%810'],
    ['iso-2022-jp', '?q=日本a語', '?q=%1B$BF|K\\%1B(Ba%1B$B8l%1B(B'],
    ['iso-2022-jp', '?q=日é本', '?q=%1B$BF|%1B(B%26%23233%3B%1B$BK\\%1B(B'],
  ])('encodeQuery: encodes for %s: %s', (encoding, reference, expected) => {
    expect(encodeQuery(reference, encoding)).toBe(expected);
  });

  test.each(['utf-8', 'utf-16le', 'utf-16be', 'replacement'])(
    'encodeQuery: leaves the query to UTF-8 when the page is %s',
    (encoding) => {
      expect(encodeQuery('?n=洪', encoding)).toBe('?n=洪');
    },
  );

  test.each([...singleByte, ...doubleByte].filter(isKnown))(
    'encodeQuery: writes what the decoder reads, or a reference, for every character when the page is %s',
    (encoding) => {
      const characters = charactersFor(encoding);
      const query = encodeQuery(`?${characters.join('\n')}`, encoding).slice(1);
      const read = new TextDecoder(encoding).decode(bytesOf(query)).split('\n');
      const wrong = characters.filter((character, index) => {
        const text = read[index] ?? '';
        return text !== character && text !== `&#${character.codePointAt(0)};` && !isWrittenAsAnother(character, text);
      });
      expect(wrong).toEqual([]);
      const encoded = read.filter((text, index) => text === characters[index]).length;
      expect(encoded).toBeGreaterThanOrEqual(singleByte.includes(encoding) ? 80 : 6_000);
    },
  );

  it('encodeQuery: takes processor time in proportion to the page when it has many queries', () => {
    const run = (links: number): void => {
      for (let n = 0; n < links; n++) encodeQuery(`/?n=洪${n}é☃`, 'gbk');
      encodeQuery(`?${'洪é'.repeat(links * 10)}`, 'gbk');
      encodeQuery('?'.repeat(links * 10), 'gbk');
    };
    expect(timeGrowth(run, 2_500)).toBeLessThan(3);
  });
});

/** The standard writes these in Japanese pages as the character that looks the same. */
function isWrittenAsAnother(character: string, text: string): boolean {
  return ['¥\\', '‾~', '−－'].includes(character + text);
}
