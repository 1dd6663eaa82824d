import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { ExtractOptions } from './extract-page.ts';
import { extractPage } from './extract-page.ts';

const options: ExtractOptions = {
  url: 'https://example.com/guide/',
  headers: { link: '', refresh: '', contentLanguage: '' },
  robotsTag: new Set(),
  outputFormat: 'markdown',
  content: 'auto',
  excludeElements: null,
};

describe('any page', () => {
  const element = fc.constantFrom(
    ...'a b i em strong del code p div span h1 h2 ul ol li table tr td th pre blockquote br hr img dl dt dd main article nav'.split(
      ' ',
    ),
    ...'header footer script style svg math template select option input details summary figure iframe sup ruby rt base meta'.split(
      ' ',
    ),
  );
  const attribute = fc.constantFrom(
    '',
    ' href="/x"',
    ' class="language-js menu"',
    ' colspan=3',
    ' rowspan=9',
    ' hidden',
    ' src=i',
    ' start=-1',
    ' type=checkbox',
    ' role=main',
  );
  const text = fc.oneof(
    fc.constantFrom('*', '_', '`', '|', '# x', '1. ', '\n', ' ', '&lt;', '&#0;', '\ud800', '<!--', ']('),
    fc.string({ unit: 'binary', maxLength: 6 }),
  );
  const piece = fc.oneof(
    text,
    fc.tuple(element, attribute).map(([name, attributes]) => `<${name}${attributes}>`),
    element.map((name) => `</${name}>`),
  );
  const html = fc.array(piece, { maxLength: 60 }).map((pieces) => pieces.join(''));
  const headerText = fc.string({ unit: fc.integer({ min: 0x20, max: 0xff }).map((code) => String.fromCharCode(code)) });
  const anyOptions = fc.record({
    url: fc.constant(options.url),
    headers: fc.record({
      link: fc.oneof(
        headerText,
        fc.array(headerText, { maxLength: 3 }).map((links) => links.join('>; rel=next, <')),
      ),
      refresh: headerText,
      contentLanguage: headerText,
    }),
    robotsTag: fc.uniqueArray(headerText).map((directives) => new Set(directives)),
    outputFormat: fc.constantFrom('markdown', 'text', 'html'),
    content: fc.constantFrom('auto', 'full'),
    excludeElements: fc.constantFrom(null, '', 'p, .menu', '[[['),
  });

  it('extractPage: returns well-formed text without control characters for any page', () => {
    fc.assert(
      fc.property(html, anyOptions, (input, any) => {
        const extracted = extractPage(input, any);
        expect(extracted.text.isWellFormed()).toBe(true);
        expect(extracted.text).not.toMatch(/[^\P{Cc}\t\n\u0080-\u009f]/u);
        expect(JSON.stringify(extracted.metadata).isWellFormed()).toBe(true);
        for (const { url } of extracted.links) expect(url).toMatch(/^https?:/);
      }),
      { numRuns: 1_000 },
    );
  });

  it('extractPage: writes HTML without scripts, styles and frames for any page', () => {
    fc.assert(
      fc.property(html, (input) => {
        const written = extractPage(input, {
          ...options,
          outputFormat: 'html',
          content: 'full',
          excludeElements: '',
        }).text;
        expect(written).not.toMatch(/<(?:script|style|iframe|object|svg|template|base|meta)\b/i);
      }),
    );
  });
});
