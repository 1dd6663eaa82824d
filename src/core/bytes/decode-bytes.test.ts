import { describe, expect, it, test } from 'vitest';
import { encodeText } from '../../../test/encode-text.ts';
import { decodeBytes, decodeXml } from './decode-bytes.ts';

/** Sentences from real pages: most sites of that time declare no encoding. */
const texts: readonly (readonly [label: string, text: string])[] = [
  ['windows-1251', 'Принимая во внимание, что признание достоинства, присущего всем членам'],
  ['koi8-r', 'Новости сегодня: расписание поездов и погода на завтра'],
  ['koi8-u', 'Новини сьогодні: розклад поїздів і погода на завтра'],
  ['ibm866', 'Новости сегодня: расписание поездов и погода на завтра'],
  ['iso-8859-5', 'Новости сегодня: расписание поездов и погода на завтра'],
  ['shift_jis', '日本語のホームページへようこそ。今日のニュースをお届けします。'],
  ['euc-jp', '日本語のホームページへようこそ。今日のニュースをお届けします。'],
  ['gbk', '欢迎访问我们的网站,今天的新闻和天气预报'],
  ['big5', '歡迎光臨我們的網站,今天的新聞和天氣預報'],
  ['euc-kr', '저희 홈페이지를 방문해 주셔서 감사합니다. 오늘의 뉴스'],
  ['windows-1253', 'Καλώς ήρθατε στην ιστοσελίδα μας, σήμερα τα νέα'],
  ['windows-1255', 'ברוכים הבאים לאתר שלנו, חדשות היום ומזג האוויר'],
  ['windows-1256', 'مرحبا بكم في موقعنا، أخبار اليوم وحالة الطقس'],
  ['windows-1254', 'Bütün insanlar hür, haysiyet ve haklar bakımından eşit doğarlar. Akıl ve vicdana sahiptirler'],
  ['windows-1250', 'Witamy na naszej stronie. Dziś będzie słonecznie, wkrótce więcej świeżych wiadomości'],
  ['iso-8859-2', 'Vítejte na našich stránkách, dnešní zprávy a předpověď počasí na zítřek'],
  ['windows-874', 'ยินดีต้อนรับสู่เว็บไซต์ของเรา ข่าววันนี้และพยากรณ์อากาศ'],
  ['windows-1257', 'Sveiki atvykę į mūsų svetainę, šiandienos žinios ir orų prognozė'],
];

const markup = `<html><head><style>body { color: red }</style><script>var translated = "${'x'.repeat(500)}";</script></head><body class="home">`;

describe('decodeBytes without a declared encoding', () => {
  test.each(texts)('decodeBytes: detects %s: %s', async (label, text) => {
    const bytes = encodeText(label, text);
    expect(await decodeBytes(bytes, { isMarkup: false })).toBe(text);
    const page = `${markup}<h1 title="An English title">${text}</h1><a href="/">Home</a>`;
    expect(await decodeBytes(encodeText(label, page), { isMarkup: true })).toBe(page);
  });

  // Names of shops, signs and quotation marks in English and in the languages of Western Europe.
  test.each([
    'Le café est une boisson très populaire en France.',
    'à propos',
    'La volontà popolare è il fondamento dell’autorità del governo',
    'ÖFFNUNGSZEITEN',
    'Müller & Söhne GmbH',
    '¿Dónde está el baño? El niño comió jalapeños.',
    'São Paulo',
    'Smørrebrød på dansk',
    'Copyright © 2004 Acme. All rights reserved.',
    'Acme® Widgets™ “the best” – only £5…',
    'Prices:\u00a0\u00a0\u00a0\u00a0\u00a0\u00a0€ 12',
    '• One • Two',
    'Ångström',
  ])('decodeBytes: detects windows-1252: %s', async (text) => {
    expect(await decodeBytes(encodeText('windows-1252', text), { isMarkup: false })).toBe(text);
    const page = `${markup}<p>${text}</p><p>News and other things to read in English on this page.</p>`;
    expect(await decodeBytes(encodeText('windows-1252', page), { isMarkup: true })).toBe(page);
  });

  it('decodeBytes: detects the encoding of text that follows a long English menu', async () => {
    const page = `<ul>${'<li>News about England and others</li>\n'.repeat(2_000)}</ul><p>Новости сегодня и расписание поездов`;
    expect(await decodeBytes(encodeText('windows-1251', page), { isMarkup: true })).toBe(page);
  });

  it('decodeBytes: detects the encoding from attributes when there is no other text', async () => {
    const page = '<img alt="Новости сегодня и расписание поездов">';
    expect(await decodeBytes(encodeText('windows-1251', page), { isMarkup: true })).toBe(page);
  });

  it('decodeBytes: detects UTF-8 when few of its characters are cut', async () => {
    const whole = Buffer.from('Новости сегодня и расписание поездов. '.repeat(3));
    const bytes = Buffer.concat([whole, whole.subarray(0, 1), Buffer.from('... '), whole]);
    expect(await decodeBytes(bytes, { isMarkup: false })).toBe(`${whole.toString()}\ufffd... ${whole.toString()}`);
  });

  it('decodeBytes: does not detect UTF-8 when only few bytes happen to be valid UTF-8', async () => {
    expect(await decodeBytes(encodeText('windows-1252', 'Ã© ist kein é, und è auch nicht'), { isMarkup: false })).toBe(
      'Ã© ist kein é, und è auch nicht',
    );
  });

  test.each(['<!--', '<script', '<style>', '<', '</', '<a b="', '<!-->', '<script></script'])(
    'decodeBytes: takes linear time for broken markup: %s',
    async (part) => {
      const bytes = Buffer.concat([Buffer.from(part.repeat(2 ** 18)), Buffer.of(0xe9)]);
      const { user: before } = process.cpuUsage();
      await decodeBytes(bytes, { isMarkup: true });
      expect(process.cpuUsage().user - before).toBeLessThan(1_000_000);
    },
  );
});

describe('decodeXml', () => {
  test.each<[why: string, xml: Uint8Array, contentType: string, text: string]>([
    [
      'uses the declared encoding',
      encodeText('windows-1251', '<?xml version="1.0" encoding="windows-1251"?>я'),
      '',
      'я',
    ],
    [
      'prefers the charset of the header',
      encodeText('koi8-r', '<?xml version="1.0" encoding="utf-8"?>я'),
      'text/xml; charset=koi8-r',
      'я',
    ],
    [
      'ignores an unknown charset of the header',
      encodeText('koi8-r', "<?xml version='1.0' encoding='KOI8-R'?>я"),
      'text/xml; charset=x',
      'я',
    ],
    [
      'ignores a declared UTF-16 when the declaration is ASCII',
      Buffer.from('<?xml version="1.0" encoding="UTF-16"?>я'),
      '',
      'я',
    ],
    ['reads UTF-8 when no encoding is declared', Buffer.from('<a>я'), '', '<a>я'],
    ['reads windows-1252 when no encoding is declared and the text is not UTF-8', Uint8Array.of(0x63, 0xe9), '', 'cé'],
  ])('decodeXml: %s', (_, xml, contentType, text) => {
    expect(decodeXml(xml, contentType).replace(/<\?.*\?>/, '')).toBe(text);
  });
});
