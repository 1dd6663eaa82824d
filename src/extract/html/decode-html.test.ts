import { describe, expect, it } from 'vitest';
import { encodeText } from '../../../test/encode-text.ts';
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
    ['a label that lacks its end is not given', bytes('é'), 'text/html; charset="', 'é'],
    [
      'an unknown label leaves room for the meta',
      bytes('<meta charset=koi8-r>', [0xc1]),
      'text/html; charset=x',
      '<meta charset=koi8-r>а',
    ],
    ['UTF-7 is not read: it hides tags', bytes('+ADw-script+AD4-'), 'text/html; charset=utf-7', '+ADw-script+AD4-'],
    ['a wrong label is believed', bytes('é'), 'text/html; charset=iso-8859-1', 'Ã©'],
    [
      'a wrong label makes marks of what it does not know',
      bytes('caf', [0xe9]),
      'text/html; charset=utf-8',
      'caf\ufffd',
    ],
    ['UTF-16 without a mark, little end first', bytes([0x41, 0, 0xe9, 0]), 'text/html; charset=utf-16', 'Aé'],
    ['UTF-16 without a mark, big end first', bytes([0, 0x41, 0, 0xe9]), 'text/html; charset=UTF-16BE', 'Aé'],
    ['a byte order mark beats the wrong end', bytes([0xfe, 0xff, 0, 0x41]), 'text/html; charset=utf-16le', 'A'],
    ['UTF-16 that nobody declared is not guessed', bytes([0x41, 0, 0x42, 0]), 'text/html', 'A\0B\0'],
    ['Shift_JIS', bytes([0x93, 0xfa, 0x96, 0x7b, 0xb6]), 'text/html; charset=Shift_JIS', '日本ｶ'],
    ['half a character at the end', bytes([0x93, 0xfa, 0x96]), 'text/html; charset=shift_jis', '日\ufffd'],
    ['an overlong < is no <', bytes([0xc0, 0xbc], 'b>'), 'text/html; charset=utf-8', '\ufffd\ufffdb>'],
    ['an overlong < that nobody declared is none either', bytes([0xc0, 0xbc], 'b>'), 'text/html', 'À¼b>'],
    ['half a pair in UTF-8', bytes([0xed, 0xa0, 0xbd], 'x'), 'text/html; charset=utf-8', '\ufffd\ufffd\ufffdx'],
    ['half a pair in UTF-16', bytes([0x3d, 0xd8, 0x41, 0]), 'text/html; charset=utf-16le', '\ufffdA'],
    ['meta charset', bytes('<meta charset="windows-1251">', [0xcf]), '', '<meta charset="windows-1251">П'],
    [
      'meta http-equiv',
      bytes("<META content='text/html; charset=shift_jis' http-equiv=content-type>", [0x82, 0xa0]),
      '',
      "<META content='text/html; charset=shift_jis' http-equiv=content-type>あ",
    ],
    ['a meta that says UTF-16 is mistaken', bytes('<meta charset=utf-16>é'), '', '<meta charset=utf-16>é'],
    ['a meta in a comment is none', bytes('<!--<meta charset=koi8-r>-->é'), '', '<!--<meta charset=koi8-r>-->é'],
    ['UTF-8 that nobody declared', bytes('naïve 漢'), 'text/html', 'naïve 漢'],
    ['what is not UTF-8 is windows-1252', bytes('caf', [0xe9]), 'text/html', 'café'],
    ['nothing', bytes(), '', ''],
  ])('%s', async (_, input, contentType, text) => {
    expect(await decodeHtml(input, contentType)).toBe(text);
  });

  const padding = `<title>${'x'.repeat(2_000)}</title>`;
  it.each<[why: string, html: string, label: string, contentType?: string]>([
    ['at byte 2,000, GBK', `<head>${padding}<meta charset=gbk>`, 'gbk'],
    [
      'at byte 2,000, Shift_JIS',
      `<head>${padding}<META HTTP-EQUIV="Content-Type" CONTENT="text/html; charset=Shift_JIS">`,
      'shift_jis',
    ],
    [
      'without http-equiv before it',
      `${padding}<meta content="text/html;charset='euc-jp'" http-equiv='Content-Type'/>`,
      'euc-jp',
    ],
    ['up to 64 KiB', `<head><style>${'x'.repeat(63_000)}</style><meta charset=gbk>`, 'gbk'],
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
    ['behind one that is unknown', '<meta charset=klingon><meta charset=""><meta charset=gbk>', 'gbk'],
    ['behind a header that is unknown', '<meta charset=gbk>', 'gbk', 'text/html; charset=none'],
    ['the first of two', '<meta charset=gbk><meta charset=shift_jis>', 'gbk'],
    ['in an XML declaration', '<?xml version="1.0" encoding="gbk"?><html>', 'gbk'],
    ['x-user-defined, which is windows-1252', '<meta charset=x-user-defined>', 'windows-1252'],
    ['x-user-defined in the header', '<meta charset=gbk>', 'windows-1252', 'text/html; charset=X-User-Defined'],
  ])('finds a declaration %s', async (_, html, label, contentType = '') => {
    // Too short for detection.
    const text = label === 'windows-1252' ? 'é' : '中';
    expect(await decodeHtml(encodeText(label, html + text), contentType)).toBe(html + text);
  });

  it.each([
    ['in a comment', '<!--<meta charset=koi8-r>-->'],
    ['in a comment that does not end', '<!--<meta charset=koi8-r>'],
    ['in a script', '<script>"<meta charset=koi8-r>"</script>'],
    ['in a title', '<title><meta charset=koi8-r></title>'],
    ['in another attribute', '<meta name=description content="charset=koi8-r"><meta name="x charset=koi8-r">'],
    ['in a tag that does not end', '<meta name="x><meta charset=koi8-r>'],
    ['in the body, beyond 1,024 bytes', `<head></head>${padding}<meta charset=koi8-r>`],
    ['beyond 64 KiB', `<head><style>${'x'.repeat(66_000)}</style><meta charset=koi8-r>`],
    ['of another element', '<metadata charset=koi8-r><a charset=koi8-r>'],
  ])('takes nothing for a declaration %s', async (_, html) => {
    const bytes = encodeText('windows-1252', `${html}é`);
    expect(await decodeHtml(bytes, '')).toBe(`${html}é`);
  });

  it.each<[why: string, label: string, contentType: string, html: string, text: string]>([
    [
      'UTF-8, and the meta is right',
      'windows-1251',
      'text/html; charset=utf-8',
      '<meta charset=windows-1251>Я',
      '<meta charset=windows-1251>\ufffd',
    ],
    [
      'ISO-8859-1, and the meta is right',
      'windows-1251',
      'text/html; charset=ISO-8859-1',
      '<meta charset=windows-1251>Я',
      '<meta charset=windows-1251>ß',
    ],
  ])('believes a header that lies, as browsers do: %s', async (_, label, contentType, html, text) => {
    expect(await decodeHtml(encodeText(label, html), contentType)).toBe(text);
  });

  it.each(['<meta charset="', '<meta a', '<!--', '<title></titl', '<meta ====', '<script', '<meta charset=x>'])(
    'reads no page for long, however broken: %s',
    async (part) => {
      const bytes = Buffer.concat([Buffer.from(part.repeat(2 ** 17)), Buffer.of(0xe9)]);
      const { user: before } = process.cpuUsage();
      await decodeHtml(bytes, '');
      expect(process.cpuUsage().user - before).toBeLessThan(1_000_000);
    },
  );

  it('gives well-formed text for broken bytes', async () => {
    const text = await decodeHtml(new Uint8Array([0x3d, 0xd8, 0x41, 0x00]), 'text/html; charset=utf-16le');
    expect(text.isWellFormed()).toBe(true);
  });
});
