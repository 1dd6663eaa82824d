import { describe, expect, it } from 'vitest';
import { encodeText } from '../../../test/encode-text.ts';
import { decodeHtml } from './decode-html.ts';

const bytes = (...parts: readonly (string | readonly number[])[]): Uint8Array =>
  new Uint8Array(
    parts.flatMap((part) => (typeof part === 'string' ? Array.from(new TextEncoder().encode(part)) : part)),
  );

const textOf = async (input: Uint8Array, contentType: string): Promise<string> =>
  Buffer.from((await decodeHtml(input, contentType)).utf8).toString();

describe('decodeHtml', () => {
  it.each<[why: string, input: Uint8Array, contentType: string, text: string]>([
    ['prefers a byte order mark to the header', bytes([0xef, 0xbb, 0xbf], 'é'), 'text/html; charset=latin1', 'é'],
    ['reads UTF-16 with a little-endian byte order mark', bytes([0xff, 0xfe, 0x41, 0, 0xe9, 0]), 'text/html', 'Aé'],
    ['reads UTF-16 with a big-endian byte order mark', bytes([0xfe, 0xff, 0, 0x41]), 'text/html', 'A'],
    [
      'prefers the header to the meta',
      bytes('<meta charset=utf-8>', [0xe9]),
      'text/html; charset="ISO-8859-1"',
      '<meta charset=utf-8>é',
    ],
    ['reads latin1 as windows-1252', bytes([0x80, 0x93, 0x99]), 'text/html; charset=iso-8859-1', '€“™'],
    ['ignores an unknown label', bytes('é'), 'text/html; charset=klingon', 'é'],
    ['ignores a label without its closing quote', bytes('é'), 'text/html; charset="', 'é'],
    [
      'takes the meta when the label of the header is unknown',
      bytes('<meta charset=koi8-r>', [0xc1]),
      'text/html; charset=x',
      '<meta charset=koi8-r>а',
    ],
    [
      'does not read UTF-7, which hides tags',
      bytes('+ADw-script+AD4-'),
      'text/html; charset=utf-7',
      '+ADw-script+AD4-',
    ],
    ['believes a wrong label', bytes('é'), 'text/html; charset=iso-8859-1', 'Ã©'],
    [
      'writes replacement characters for bytes that do not fit the label',
      bytes('caf', [0xe9]),
      'text/html; charset=utf-8',
      'caf\ufffd',
    ],
    [
      'reads little-endian UTF-16 without a byte order mark',
      bytes([0x41, 0, 0xe9, 0]),
      'text/html; charset=utf-16',
      'Aé',
    ],
    [
      'reads big-endian UTF-16 without a byte order mark',
      bytes([0, 0x41, 0, 0xe9]),
      'text/html; charset=UTF-16BE',
      'Aé',
    ],
    [
      'prefers a byte order mark to the byte order of the label',
      bytes([0xfe, 0xff, 0, 0x41]),
      'text/html; charset=utf-16le',
      'A',
    ],
    ['does not guess undeclared UTF-16', bytes([0x41, 0, 0x42, 0]), 'text/html', 'A\0B\0'],
    ['reads Shift_JIS', bytes([0x93, 0xfa, 0x96, 0x7b, 0xb6]), 'text/html; charset=Shift_JIS', '日本ｶ'],
    [
      'writes a replacement character for half a character at the end',
      bytes([0x93, 0xfa, 0x96]),
      'text/html; charset=shift_jis',
      '日\ufffd',
    ],
    ['does not decode an overlong < in UTF-8', bytes([0xc0, 0xbc], 'b>'), 'text/html; charset=utf-8', '\ufffd\ufffdb>'],
    ['does not decode an undeclared overlong <', bytes([0xc0, 0xbc], 'b>'), 'text/html', 'À¼b>'],
    [
      'replaces half a surrogate pair in UTF-8',
      bytes([0xed, 0xa0, 0xbd], 'x'),
      'text/html; charset=utf-8',
      '\ufffd\ufffd\ufffdx',
    ],
    [
      'replaces half a surrogate pair in UTF-16',
      bytes([0x3d, 0xd8, 0x41, 0]),
      'text/html; charset=utf-16le',
      '\ufffdA',
    ],
    ['reads meta charset', bytes('<meta charset="windows-1251">', [0xcf]), '', '<meta charset="windows-1251">П'],
    [
      'reads meta http-equiv',
      bytes("<META content='text/html; charset=shift_jis' http-equiv=content-type>", [0x82, 0xa0]),
      '',
      "<META content='text/html; charset=shift_jis' http-equiv=content-type>あ",
    ],
    ['ignores a meta that says UTF-16', bytes('<meta charset=utf-16>é'), '', '<meta charset=utf-16>é'],
    ['ignores a meta in a comment', bytes('<!--<meta charset=koi8-r>-->é'), '', '<!--<meta charset=koi8-r>-->é'],
    ['detects undeclared UTF-8', bytes('naïve 漢'), 'text/html', 'naïve 漢'],
    ['reads bytes that are not UTF-8 as windows-1252', bytes('caf', [0xe9]), 'text/html', 'café'],
    ['returns an empty text for no bytes', bytes(), '', ''],
  ])('decodeHtml: %s', async (_, input, contentType, text) => {
    expect(await textOf(input, contentType)).toBe(text);
  });

  const padding = `<title>${'x'.repeat(2_000)}</title>`;
  it.each<[why: string, html: string, label: string, contentType?: string]>([
    ['of GBK at byte 2,000', `<head>${padding}<meta charset=gbk>`, 'gbk'],
    [
      'of Shift_JIS at byte 2,000',
      `<head>${padding}<META HTTP-EQUIV="Content-Type" CONTENT="text/html; charset=Shift_JIS">`,
      'shift_jis',
    ],
    [
      'whose content comes before its http-equiv',
      `${padding}<meta content="text/html;charset='euc-jp'" http-equiv='Content-Type'/>`,
      'euc-jp',
    ],
    ['below 64 KiB', `<head><style>${'x'.repeat(63_000)}</style><meta charset=gbk>`, 'gbk'],
    ['after the head, in the first 1,024 bytes', '<head></head><body><meta charset=gbk>', 'gbk'],
    [
      'after comments and scripts',
      `<!-- </head> <meta charset=big5> --><script>"</head><meta charset=big5>"</script><meta charset=gbk>`,
      'gbk',
    ],
    ['after an empty comment', '<!--><meta charset=gbk>-->', 'gbk'],
    ['in a noscript', '<noscript><meta charset=gbk></noscript>', 'gbk'],
    ['in capitals and quotes', '<META CHARSET = " GBK " >', 'gbk'],
    ['between other attributes', '<meta data-x="a > b" id=\'"\' charset=gbk name=x>', 'gbk'],
    ['after one with an unknown label', '<meta charset=klingon><meta charset=""><meta charset=gbk>', 'gbk'],
    ['when the label of the header is unknown', '<meta charset=gbk>', 'gbk', 'text/html; charset=none'],
    ['before a second one', '<meta charset=gbk><meta charset=shift_jis>', 'gbk'],
    ['in an XML declaration', '<?xml version="1.0" encoding="gbk"?><html>', 'gbk'],
    ['of x-user-defined, which is windows-1252', '<meta charset=x-user-defined>', 'windows-1252'],
    ['of x-user-defined in the header', '<meta charset=gbk>', 'windows-1252', 'text/html; charset=X-User-Defined'],
  ])('decodeHtml: finds a declaration %s', async (_, html, label, contentType = '') => {
    // Too short for detection.
    const text = label === 'windows-1252' ? 'é' : '中';
    expect(await textOf(encodeText(label, html + text), contentType)).toBe(html + text);
  });

  it.each([
    ['in a comment', '<!--<meta charset=koi8-r>-->'],
    ['in an unclosed comment', '<!--<meta charset=koi8-r>'],
    ['in a script', '<script>"<meta charset=koi8-r>"</script>'],
    ['in a title', '<title><meta charset=koi8-r></title>'],
    ['in another attribute', '<meta name=description content="charset=koi8-r"><meta name="x charset=koi8-r">'],
    ['in an unclosed tag', '<meta name="x><meta charset=koi8-r>'],
    ['in the body, beyond 1,024 bytes', `<head></head>${padding}<meta charset=koi8-r>`],
    ['beyond 64 KiB', `<head><style>${'x'.repeat(66_000)}</style><meta charset=koi8-r>`],
    ['of another element', '<metadata charset=koi8-r><a charset=koi8-r>'],
  ])('decodeHtml: ignores a declaration %s', async (_, html) => {
    const bytes = encodeText('windows-1252', `${html}é`);
    expect(await textOf(bytes, '')).toBe(`${html}é`);
  });

  it.each<[why: string, label: string, contentType: string, html: string, text: string]>([
    [
      'UTF-8 when the meta is right',
      'windows-1251',
      'text/html; charset=utf-8',
      '<meta charset=windows-1251>Я',
      '<meta charset=windows-1251>\ufffd',
    ],
    [
      'ISO-8859-1 when the meta is right',
      'windows-1251',
      'text/html; charset=ISO-8859-1',
      '<meta charset=windows-1251>Я',
      '<meta charset=windows-1251>ß',
    ],
  ])('decodeHtml: believes a wrong header, as browsers do: %s', async (_, label, contentType, html, text) => {
    expect(await textOf(encodeText(label, html), contentType)).toBe(text);
  });

  it.each(['<meta charset="', '<meta a', '<!--', '<title></titl', '<meta ====', '<script', '<meta charset=x>'])(
    'decodeHtml: takes little processor time for many %j',
    async (part) => {
      const bytes = Buffer.concat([Buffer.from(part.repeat(2 ** 17)), Buffer.of(0xe9)]);
      const { user: before } = process.cpuUsage();
      await decodeHtml(bytes, '');
      expect(process.cpuUsage().user - before).toBeLessThan(1_000_000);
    },
  );

  it('decodeHtml: returns well-formed text for broken bytes', async () => {
    const text = await textOf(new Uint8Array([0x3d, 0xd8, 0x41, 0x00]), 'text/html; charset=utf-16le');
    expect(text.isWellFormed()).toBe(true);
  });
});
