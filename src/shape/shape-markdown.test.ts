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

describe('links: none', () => {
  test.each([
    ['a text', 'a [b](/u "t") c', 'a b c'],
    ['marks in a link', '[**b** `c`](/u)', '**b** `c`'],
    ['what would be a list', '[1. Intro](/u)', '1\\. Intro'],
    ['what would be a heading', '[# b](/u)', '\\# b'],
    ['what would be another mark', '[**b.**](/u)c', '**b.** c'],
    ['what would be one span of code', '`b`[`c`](/u)', '`b` `c`'],
    ['what would be another link', '[a [b]](/u)(/v)', 'a [b]\\(/v)'],
    ['two links, two words', '[b](/u)[c](/v)', 'b c'],
    ['one word of two links, without spaces between words', '[日](/u)[本](/v)', '日本'],
    ['its own address', '<https://a.example/>', '<https://a.example/>'],
    ['without text', 'a [](/u) b', 'a b'],
    ['marks in marks at the start', '*[](/u)[**b**](/v)*', '***b***'],
    ['without text in marks', '*[](/u) [b](/v)*', '*b*'],
    ['an image in a link', '[![b](/i)](/u)', '![b](/i)'],
    ['a footnote', 'a[^1] [b](/u)\n\n[^1]: [c](/v)', 'a[^1] b\n\n[^1]: c'],
    ['of a definition elsewhere', '[b][c], [d]\n\n[c]: /u\n[D]: /v "t"\n', 'b, d\n'],
    ['nothing in code', '```\n[a](b)\n```\n\n`[a](b)`', '```\n[a](b)\n```\n\n`[a](b)`'],
    ['a cell', '| [a](/u) | b |\n| --- | --- |\n| [c](/v) | [d\\|e](/w) |', '| a | b |\n| --- | --- |\n| c | d\\|e |'],
  ])('%s', (_, markdown, shaped) => {
    expect(shapeMarkdown(markdown, links('none'))).toBe(shaped);
  });

  it('keeps the text and the blocks of any page', () => {
    fc.assert(
      fc.property(pages(false), (html) => {
        const markdown = write(html);
        expect(blocks(read(shapeMarkdown(markdown, links('none'))))).toBe(blocks(read(markdown)));
      }),
      parameters,
    );
  });
});

describe('links: reference', () => {
  test.each([
    ['each address once', '[a](/u) [b](/u) [c](</v w> "t")', '[a][1] [b][1] [c][2]\n\n[1]: /u\n[2]: </v w> "t"'],
    ['labels that the text does not have', 'a [1], [b](/u)', 'a [1], [b][link-1]\n\n[link-1]: /u'],
    ['images stay', '[![a](/i)](/u)', '[![a](/i)][1]\n\n[1]: /u'],
  ])('%s', (_, markdown, shaped) => {
    expect(shapeMarkdown(markdown, links('reference'))).toBe(shaped);
  });

  it('reads as any page did', () => {
    fc.assert(
      fc.property(pages(false), (html) => {
        const markdown = write(html);
        expect(read(shapeMarkdown(markdown, links('reference'))).trim()).toBe(read(markdown).trim());
      }),
      parameters,
    );
  });
});

describe('images', () => {
  test.each([
    ['described', 'a ![](/i) b ![c](/j)', 'a b ![c](/j)'],
    ['none', 'a ![](/i) b ![c](/j)', 'a b'],
    ['none', '![a](/i)\n\nb\n', 'b\n'],
    ['none', '- ![a](/i)\n- b', '- b'],
    ['none', '- ![a](/i)\n\n  b', '-\n\n  b'],
    ['none', '[![a](/i)](/u) [![](/i)](/u) b', '[a](/u) b'],
    ['none', 'a\\\n![b](/i)', 'a'],
    ['none', '## ![a](/i)\n\nb', 'b'],
  ] as const)('%s: %j', (images, markdown, shaped) => {
    expect(shapeMarkdown(markdown, { links: 'inline', images })).toBe(shaped);
  });

  it('leave no trace on any page', () => {
    fc.assert(
      fc.property(pages(false), (html) => {
        expect(read(shapeMarkdown(write(html), { links: 'none', images: 'none' }))).not.toContain('<img');
      }),
      parameters,
    );
  });
});

describe('hostile Markdown', () => {
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
  ])('takes time in proportion to its length: %j again and again', (part) => {
    const short = timeOf(part, 30_000);
    expect(timeOf(part, 240_000)).toBeLessThan(Math.max(24 * short, 2_000));
  });
});
