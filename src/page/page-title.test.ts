import { expect, test } from 'vitest';
import { withTitle } from './page-title.ts';

const page = (title: string, headings?: readonly string[]) => ({
  title,
  description: '',
  ...(headings !== undefined && { headings }),
});

test('withTitle: adds the title when the text has no heading of the first level', () => {
  expect(withTitle('Text.', page('Rakes\n of ash', ['## Sizes']), 'markdown')).toBe('# Rakes of ash\n\nText.');
  expect(withTitle('Text.', page('Rakes'), 'text')).toBe('Rakes\n\nText.');
  expect(withTitle('', page('Rakes'), 'markdown')).toBe('# Rakes');
});

test('withTitle: prefers the headline, which has no site name', () => {
  const metadata = { ...page('Rakes of ash | The Hay Times'), headline: 'Rakes of ash' };
  expect(withTitle('Text.', metadata, 'markdown')).toBe('# Rakes of ash\n\nText.');
  expect(withTitle('Text.', { ...metadata, headline: ' ' }, 'text')).toBe('Rakes of ash | The Hay Times\n\nText.');
});

test('withTitle: escapes Markdown in the title', () => {
  expect(withTitle('x', page('*a* [b](c) <d> `e` &copy; #'), 'markdown')).toBe(
    `${String.raw`# \*a\* \[b\](c) \<d\> \`e\` \&copy; \#`}\n\nx`,
  );
});

test.each<[why: string, text: string, headings: readonly string[] | undefined, format: 'markdown' | 'text' | 'html']>([
  ['a text with a heading of the first level', 'Lead.\n\n# Rakes', ['# Rakes'], 'markdown'],
  ['a file that begins with a heading', '# Rakes', undefined, 'markdown'],
  ['HTML', '<p>x</p>', [], 'html'],
  ['a text that begins with the title', '# T\n\nx', [], 'markdown'],
])('withTitle: does not change %s', (_, text, headings, format) => {
  expect(withTitle(text, page('T', headings), format)).toBe(text);
});
