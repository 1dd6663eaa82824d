// The written Markdown must read back as meant, in an independent GFM reader and for any HTML tree. Failures print
// their seed. For a longer run, with other cases every time:
// `FUZZ_RUNS=100000 npx vitest run src/extract/write/markdown/read-again.test.ts`.
import * as fc from 'fast-check';
import { micromark } from 'micromark';
import { gfm, gfmHtml } from 'micromark-extension-gfm';
import { expect, it } from 'vitest';
import { pages } from '../../../../test/any-html.ts';
import { nodeText } from '../../html/node-text.ts';
import { parseHtml } from '../../html/parse-html.ts';
import { toMarkdown } from './to-markdown.ts';

/** The same cases in every check; other cases in each longer run. */
const given = process.env['FUZZ_RUNS'];
const parameters = given === undefined ? { numRuns: 150, seed: 1 } : { numRuns: Number(given) };

/** References stay as they are, so that those of the first and second pass are equal. */
const write = (html: string): string =>
  toMarkdown({ nodes: parseHtml(html).children, skipped: new Set() }, (reference) => reference);

const read = (markdown: string): string =>
  micromark(markdown, { allowDangerousHtml: true, extensions: [gfm()], htmlExtensions: [gfmHtml()] });

/** White space is layout, in HTML and in Markdown. So are characters that only allow a line break. */
const visible = (html: string): string => nodeText(parseHtml(html).children).replaceAll(/[\s\u00ad\u200b]/g, '');

it('toMarkdown: writes Markdown that reads back with the same text', () => {
  fc.assert(
    fc.property(pages(true), (html) => {
      expect(visible(read(write(html)))).toBe(visible(html));
    }),
    parameters,
  );
});

it('toMarkdown: writes the same again from what was read back', () => {
  fc.assert(
    fc.property(pages(false), (html) => {
      const markdown = write(html);
      expect(write(read(markdown))).toBe(markdown);
    }),
    parameters,
  );
});
