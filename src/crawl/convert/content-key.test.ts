import { describe, expect, test } from 'vitest';
import { contentKey } from './content-key.ts';

const linked = (origin: string, path = '/x'): string =>
  `# Heading\n\nSee [this](${origin}${path}) and [that](https://other.example/y).`;

describe('pages say the same', () => {
  const key = contentKey('Title', linked('http://site.example'), 'http://site.example/a');

  test.each(['https://site.example', 'http://www.site.example', 'https://site.example.'])(
    'where only the form of the own site differs: %s',
    (origin) => {
      expect(contentKey('Title', linked(origin), `${origin}/a`)).toBe(key);
    },
  );

  test('where links to parts of the page follow its URL', () => {
    const page = (url: string): string => contentKey('Title', `[Intro](${url}#intro)`, url);
    expect(page('http://site.example/idx/index.html')).toBe(page('http://site.example/idx/?ref=menu'));
  });

  test('where each calls the other site by its name only', () => {
    const page = (url: string): string => contentKey('Title', 'All about site.example, mail@site.example.', url);
    expect(page('http://site.example/')).toBe(page('http://site.example/index.html'));
  });
});

describe('pages do not say the same', () => {
  const key = contentKey('Title', linked('http://site.example'), 'http://site.example/a');

  test.each([
    ['another title', contentKey('Other', linked('http://site.example'), 'http://site.example/a')],
    ['another link', contentKey('Title', linked('http://site.example', '/z'), 'http://site.example/a')],
    ['a link to another site', contentKey('Title', linked('http://other.example'), 'http://site.example/a')],
    ['a link to a longer name', contentKey('Title', linked('http://site.example.evil'), 'http://site.example/a')],
    ['a link to another port', contentKey('Title', linked('http://site.example:8080'), 'http://site.example/a')],
  ])('%s', (_, other) => {
    expect(other).not.toBe(key);
  });
});
