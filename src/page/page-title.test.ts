import { expect, test } from 'vitest';
import { withTitle } from './page-title.ts';

const page = (title: string, headings?: readonly string[]) => ({
  title,
  description: '',
  ...(headings !== undefined && { headings }),
});

test('the title comes first where no heading of the first level is', () => {
  expect(withTitle('Text.', page('Rakes\n of ash', ['## Sizes']), 'markdown')).toBe('# Rakes of ash\n\nText.');
  expect(withTitle('Text.', page('Rakes'), 'text')).toBe('Rakes\n\nText.');
  expect(withTitle('', page('Rakes'), 'markdown')).toBe('# Rakes');
});

test('the headline is preferred: it lacks the name of the site', () => {
  const metadata = { ...page('Rakes of ash | The Hay Times'), headline: 'Rakes of ash' };
  expect(withTitle('Text.', metadata, 'markdown')).toBe('# Rakes of ash\n\nText.');
  expect(withTitle('Text.', { ...metadata, headline: ' ' }, 'text')).toBe('Rakes of ash | The Hay Times\n\nText.');
});

test('what Markdown would read in it is escaped', () => {
  expect(withTitle('x', page('*a* [b](c) <d> `e` &copy; #'), 'markdown')).toBe(
    `${String.raw`# \*a\* \[b\](c) \<d\> \`e\` \&copy; \#`}\n\nx`,
  );
});

test.each<[why: string, text: string, headings: readonly string[] | undefined, format: 'markdown' | 'text' | 'html']>([
  ['a heading of the first level', 'Lead.\n\n# Rakes', ['# Rakes'], 'markdown'],
  ['one in a file, whose headings are not listed', '# Rakes', undefined, 'markdown'],
  ['HTML', '<p>x</p>', [], 'html'],
  ['a text that begins with it', '# T\n\nx', [], 'markdown'],
])('unchanged: %s', (_, text, headings, format) => {
  expect(withTitle(text, page('T', headings), format)).toBe(text);
});
