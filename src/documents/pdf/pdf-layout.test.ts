import * as fc from 'fast-check';
import { micromark } from 'micromark';
import { gfm, gfmHtml } from 'micromark-extension-gfm';
import { expect, test } from 'vitest';
import { drawnPdf, type DrawnText, type PdfFont } from '../../../test/files/make-pdf.ts';
import { convertDocument } from '../../extract/convert-document.ts';
import { nodeText } from '../../extract/html/node-text.ts';
import { parseHtml } from '../../extract/html/parse-html.ts';
import { readPdf } from './pdf.ts';

const fonts: readonly PdfFont[] = ['regular', 'bold', 'code', 'narrow', 'wide'];
const words = fc.oneof(
  fc.stringMatching(/^[a-z0-9]{1,8}(?: [a-z0-9.,-]{1,5}){0,2}$/),
  fc.constantFrom(
    '1.',
    '2.',
    '(',
    '*',
    '- one',
    '. . . . . . 7',
    '# x',
    '| a |',
    '```',
    '[a](b)',
    '12',
    'iv',
    'a-',
    '<b>',
    '&amp;',
    'שלום',
    '第一',
    'ﬁ',
  ),
);
/** What is drawn beyond the edges of a page is not read. */
const place = { x: fc.integer({ min: 0, max: 330 }), y: fc.integer({ min: 5, max: 770 }) };
const aligned = { x: fc.constantFrom(72, 90, 200, 330), y: fc.integer({ min: 3, max: 60 }).map((line) => line * 12) };
const drawn = (at: typeof place): fc.Arbitrary<DrawnText> =>
  fc.record({
    ...at,
    text: words,
    size: fc.constantFrom(6, 9, 10, 10, 10, 14),
    font: fc.constantFrom(...fonts),
  });
const page = fc.record({
  texts: fc.oneof(fc.array(drawn(place), { maxLength: 40 }), fc.array(drawn(aligned), { maxLength: 60 })),
  links: fc.array(
    fc.record({ box: fc.tuple(place.x, place.y, place.x, place.y), url: fc.constant('https://a.example/') }),
    { maxLength: 4 },
  ),
});

const isAscii = (text: unknown): boolean => Array.from(String(text)).every((character) => character < '\u0080');

const lettersOf = (text: string): string =>
  Array.from(text.normalize('NFKC').replaceAll(/[^\p{L}\p{N}]/gu, ''))
    .toSorted()
    .join('');

/** `FUZZ_RUNS=10000 npx vitest run src/documents/pdf/pdf-layout.test.ts` tries other pages, and more of them. */
const given = process.env['FUZZ_RUNS'];
const parameters = given === undefined ? { numRuns: 30, seed: 1 } : { numRuns: Number(given) };

test('readPdf: reads all letters and digits of any page', { timeout: 120_000 }, async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(page, { minLength: 1, maxLength: 2 }), async (pages) => {
      // One-byte fonts have ASCII letters only.
      const shown = pages.map(({ texts, links }) => ({
        links,
        texts: texts.map((part): DrawnText => (isAscii(part.text) ? part : { ...part, font: 'wide' })),
      }));
      const document = await readPdf({ bytes: drawnPdf(shown), contentType: '' });
      const { plainText, text } = convertDocument(document, { url: 'http://site.example/', outputFormat: 'markdown' });
      const expected = lettersOf(shown.flatMap(({ texts }) => texts.map(({ text }) => String(text))).join(''));
      expect(lettersOf(plainText)).toBe(expected);
      // Text must not become Markdown syntax. List numbers are not text in HTML.
      const html = micromark(text, { extensions: [gfm()], htmlExtensions: [gfmHtml()], allowDangerousHtml: true });
      const hasNumbers = html.includes('<ol');
      expect(hasNumbers ? expected : lettersOf(nodeText(parseHtml(html).children))).toBe(expected);
    }),
    parameters,
  );
});
