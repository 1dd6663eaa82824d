import { describe, expect, it } from 'vitest';
import { extractPage, type ExtractedPage } from './extract-page.ts';
import { decodeHtml } from './html/decode-html.ts';

const page =
  '<html><head><title>Hay</title></head><body a="1>"><!-- > --><h1>Сено 草</h1>\n<p class=\'x\'>Ein <b>Фут 乾</b> at ' +
  '<a href="/станок?q=草">rake</a>.<table><tr><td>one<td>две</table><svg><text><![CDATA[ <草> ]]></text></svg>' +
  '<pre><span class="k">if</span> x</pre><script>"<!--<script>"</script>--></script><ul><li>две<li>草</ul></body></html>';
/** In the letters of one script. */
const cyrillic = page.replaceAll(/[草乾]/g, 'ж');

function windows1251(text: string): Buffer {
  return Buffer.from(
    text.replaceAll(/[а-яА-Я]/g, (letter) => String.fromCharCode(letter.charCodeAt(0) - 0x350)),
    'latin1',
  );
}

async function read(bytes: Uint8Array, contentType: string): Promise<ExtractedPage> {
  const { utf8, encoding } = await decodeHtml(bytes, contentType);
  return extractPage(utf8, {
    url: 'https://example.com/',
    headers: { link: '', refresh: '', contentLanguage: '' },
    robotsTag: new Set(),
    outputFormat: 'text',
    content: 'full',
    excludeElements: null,
    encoding,
  });
}

/** Text without white space, and without what a cut leaves of a character or tag. */
function shown({ text }: ExtractedPage): string {
  return text
    .replaceAll(/\s/g, '')
    .replace(/\uFFFD$/, '')
    .replace(/<[/!]?$/, '');
}

describe('pages cut off', () => {
  it.each([
    ['utf-8', 1, Buffer.from(page)],
    // In the middle of a unit and between two.
    ['utf-16le', 5, Buffer.from(page, 'utf16le')],
    ['utf-16be', 7, Buffer.from(page, 'utf16le').swap16()],
    ['windows-1251', 3, windows1251(cyrillic)],
  ])(
    'extractPage: reads the beginning of the text and of the links when a page in %s ends anywhere',
    async (charset, step, bytes) => {
      const contentType = `text/html; charset=${charset}`;
      const whole = await read(bytes, contentType);
      expect(whole.links).toHaveLength(1);
      for (let length = 0; length < bytes.length; length += step) {
        const cut = await read(bytes.subarray(0, length), contentType);
        expect(shown(whole).startsWith(shown(cut)), `${length}: ${shown(cut)}`).toBe(true);
        expect(whole.links, String(length)).toEqual(expect.arrayContaining([...cut.links]));
      }
    },
  );
});
