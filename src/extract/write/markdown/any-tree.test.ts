import * as fc from 'fast-check';
import { expect, it } from 'vitest';
import { pageUrls } from '../../scan/page-urls.ts';
import { parseHtml } from '../../html/parse-html.ts';
import { toMarkdown } from './to-markdown.ts';

const text = fc
  .array(
    fc.constantFrom(
      ...'a bc 中文 * _ ** ` [x] (y) 1. - # | ~ &lt; &amp; 😀 ! : 「 … $ \\ x*y snake_case'.split(' '),
      ' ',
      '\n',
    ),
    { maxLength: 5 },
  )
  .map((words) => words.join(''));
const attributes = fc.constantFrom(
  '',
  '',
  '',
  ' id=n',
  ' class="math footnote highlight"',
  ' role=none',
  ' colspan=2 rowspan=3',
);
const containers =
  'p h2 ul ol li blockquote pre table tr td th dl dt dd div figure aside b i em strong del code sup span details summary ruby rt math msup'.split(
    ' ',
  );
const { tree } = fc.letrec<{ tree: string }>((tie) => ({
  tree: fc.oneof(
    { maxDepth: 6, depthSize: 'medium' },
    text,
    fc
      .tuple(fc.constantFrom(...containers), attributes, fc.array(tie('tree'), { maxLength: 4 }))
      .map(([name, given, inner]) => `<${name}${given}>${inner.join('')}</${name}>`),
    fc
      .tuple(fc.constantFrom('/u', '#n', 'javascript:x()'), fc.array(tie('tree'), { maxLength: 3 }))
      .map(([href, inner]) => `<a href="${href}">${inner.join('')}</a>`),
    fc.constantFrom(
      '<br>',
      '<hr>',
      '<img src=i alt="x_y*">',
      '<input type=checkbox>',
      '<script type="math/tex">x_1</script>',
    ),
  ),
}));

it('toMarkdown: writes any tree in little processor time, without javascript: addresses', () => {
  fc.assert(
    fc.property(fc.array(tree, { maxLength: 5 }), (trees) => {
      const document = parseHtml(trees.join(''));
      const start = process.cpuUsage();
      const markdown = toMarkdown(
        { nodes: document.children, skipped: new Set() },
        pageUrls('https://e.com/d/', undefined).readable,
      );
      // A millisecond of processor time is typical.
      expect(process.cpuUsage(start).user).toBeLessThan(2_000_000);
      expect(markdown).not.toContain('javascript:');
      expect(markdown).toBe(markdown.trim());
    }),
    { numRuns: 1_000 },
  );
});
