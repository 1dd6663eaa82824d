// Markdown without its links reads as before, in an independent GFM reader and for any HTML tree. For a longer run:
// `FUZZ_RUNS=100000 npx vitest run src/shape/shape-markdown.test.ts`.
import * as fc from 'fast-check';
import { micromark } from 'micromark';
import { gfm, gfmHtml } from 'micromark-extension-gfm';
import { describe, expect, it, test } from 'vitest';
import { pages } from '../../test/any-html.ts';
import { toMarkdown } from '../extract/write/markdown/to-markdown.ts';
import { parseHtml } from '../extract/html/parse-html.ts';
import { type Shape, shapeMarkdown } from './shape-markdown.ts';

const given = process.env['FUZZ_RUNS'];
const parameters = given === undefined ? { numRuns: 100, seed: 1 } : { numRuns: Number(given) };

const write = (html: string): string =>
  toMarkdown({ nodes: parseHtml(html).children, skipped: new Set() }, (reference) => reference);
const read = (markdown: string): string =>
  micromark(markdown, { allowDangerousHtml: true, extensions: [gfm()], htmlExtensions: [gfmHtml()] });
const blocks = (html: string): string =>
  // A mark next to a removed link can turn into text, or text into a mark. One random page in twenty is affected, so
  // ignore marks.
  html
    .replaceAll(/<\/?(?:a|strong|em|del|code)(?: [^>]*)?>|[\s*_~`\\]/g, '')
    // A paragraph that held only a link without text is removed.
    .replaceAll('<p></p>', '');

const links = (kind: Shape['links']): Shape => ({ links: kind, images: 'all' });

describe('shapeMarkdown with links: none', () => {
  test.each([
    ['keeps the text of a link', 'a [b](/u "t") c', 'a b c'],
    ['keeps marks in a link', '[**b** `c`](/u)', '**b** `c`'],
    ['escapes text that becomes a list', '[1. Intro](/u)', '1\\. Intro'],
    ['escapes text that becomes a heading', '[# b](/u)', '\\# b'],
    ['separates marks that join', '[**b.**](/u)c', '**b.** c'],
    ['separates code spans that join', '`b`[`c`](/u)', '`b` `c`'],
    ['escapes text that becomes another link', '[a [b]](/u)(/v)', 'a [b]\\(/v)'],
    ['separates the words of two links', '[b](/u)[c](/v)', 'b c'],
    ['joins two links in a language without spaces', '[日](/u)[本](/v)', '日本'],
    ['keeps an autolink', '<https://a.example/>', '<https://a.example/>'],
    ['removes a link without text', 'a [](/u) b', 'a b'],
    ['keeps marks within marks', '*[](/u)[**b**](/v)*', '***b***'],
    ['removes a link without text in marks', '*[](/u) [b](/v)*', '*b*'],
    ['keeps an image in a link', '[![b](/i)](/u)', '![b](/i)'],
    ['removes a link in a footnote', 'a[^1] [b](/u)\n\n[^1]: [c](/v)', 'a[^1] b\n\n[^1]: c'],
    ['removes link definitions', '[b][c], [d]\n\n[c]: /u\n[D]: /v "t"\n', 'b, d\n'],
    ['keeps code', '```\n[a](b)\n```\n\n`[a](b)`', '```\n[a](b)\n```\n\n`[a](b)`'],
    [
      'removes links in table cells',
      '| [a](/u) | b |\n| --- | --- |\n| [c](/v) | [d\\|e](/w) |',
      '| a | b |\n| --- | --- |\n| c | d\\|e |',
    ],
  ])('shapeMarkdown with links: none: %s', (_, markdown, shaped) => {
    expect(shapeMarkdown(markdown, links('none'))).toBe(shaped);
  });

  it('shapeMarkdown with links: none: keeps text and blocks of any page', () => {
    fc.assert(
      fc.property(pages(false), (html) => {
        const markdown = write(html);
        expect(blocks(read(shapeMarkdown(markdown, links('none'))))).toBe(blocks(read(markdown)));
      }),
      parameters,
    );
  });
});

describe('shapeMarkdown with links: reference', () => {
  test.each([
    ['lists each address once', '[a](/u) [b](/u) [c](</v w> "t")', '[a][1] [b][1] [c][2]\n\n[1]: /u\n[2]: </v w> "t"'],
    ['avoids labels that the text contains', 'a [1], [b](/u)', 'a [1], [b][link-1]\n\n[link-1]: /u'],
    ['keeps images', '[![a](/i)](/u)', '[![a](/i)][1]\n\n[1]: /u'],
  ])('shapeMarkdown with links: reference: %s', (_, markdown, shaped) => {
    expect(shapeMarkdown(markdown, links('reference'))).toBe(shaped);
  });

  it('shapeMarkdown with links: reference: renders any page as before', () => {
    fc.assert(
      fc.property(pages(false), (html) => {
        const markdown = write(html);
        expect(read(shapeMarkdown(markdown, links('reference'))).trim()).toBe(read(markdown).trim());
      }),
      parameters,
    );
  });
});

describe('shapeMarkdown with images', () => {
  test.each([
    ['described', 'a ![](/i) b ![c](/j)', 'a b ![c](/j)'],
    ['none', 'a ![](/i) b ![c](/j)', 'a b'],
    ['none', '![a](/i)\n\nb\n', 'b\n'],
    ['none', '- ![a](/i)\n- b', '- b'],
    ['none', '- ![a](/i)\n\n  b', '-\n\n  b'],
    ['none', '[![a](/i)](/u) [![](/i)](/u) b', '[a](/u) b'],
    ['none', 'a\\\n![b](/i)', 'a'],
    ['none', '## ![a](/i)\n\nb', 'b'],
  ] as const)('shapeMarkdown with images: %s: shapes %j', (images, markdown, shaped) => {
    expect(shapeMarkdown(markdown, { links: 'inline', images })).toBe(shaped);
  });

  it('shapeMarkdown with images: none: leaves no image on any page', () => {
    fc.assert(
      fc.property(pages(false), (html) => {
        expect(read(shapeMarkdown(write(html), { links: 'none', images: 'none' }))).not.toContain('<img');
      }),
      parameters,
    );
  });
});

describe('shapeMarkdown: hostile Markdown', () => {
  const timeOf = (part: string, size: number): number => {
    const text = part.repeat(Math.ceil(size / part.length));
    const startedAt = process.cpuUsage().user;
    // Brackets can be paired with a definition, too.
    for (const markdown of [text, `[a]: /u\n\n${text}`, `${text}](x) [a](b)`, `${'- '.repeat(60)}x\n${text}`]) {
      shapeMarkdown(markdown, { links: 'none', images: 'none' });
      shapeMarkdown(markdown, { links: 'reference', images: 'described' });
    }
    return (process.cpuUsage().user - startedAt) / 1_000;
  };
  test.each([
    '[',
    ']',
    '![',
    '[a](',
    '](',
    '[a](b',
    '[a](<b',
    '[a](b "',
    '[[](',
    '`',
    '`a``',
    '<',
    '<a',
    '> ',
    '- ',
    '* a\n',
    '1. ',
    '\\',
    '*',
    '_a',
    '[a]: b\n',
    '[^1]: ',
    '|',
    '|a|\n|-|\n',
    '![](a) ',
    '[![](a)](b)',
    '[a](b)',
    '&',
    '<a:',
    '- - ',
    '\n',
    '    ',
    '<!--',
    '# ',
    '[a][',
    '(',
    '[a](((((((((',
  ])('shapeMarkdown: takes linear time for repeated %j', (part) => {
    const short = timeOf(part, 30_000);
    expect(timeOf(part, 240_000)).toBeLessThan(Math.max(24 * short, 2_000));
  });
});
