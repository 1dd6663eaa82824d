import { describe, expect, test } from 'vitest';
import { contentKey } from './content-key.ts';

const linked = (origin: string, path = '/x'): string =>
  `# Heading\n\nSee [this](${origin}${path}) and [that](https://other.example/y).`;

describe('contentKey of pages with the same content', () => {
  const key = contentKey('Title', linked('http://site.example'), 'http://site.example/a');

  test.each(['https://site.example', 'http://www.site.example', 'https://site.example.'])(
    'contentKey: is the same when only the origin of the own site differs: %s',
    (origin) => {
      expect(contentKey('Title', linked(origin), `${origin}/a`)).toBe(key);
    },
  );

  test('contentKey: is the same when links to parts of the page follow its URL', () => {
    const page = (url: string): string => contentKey('Title', `[Intro](${url}#intro)`, url);
    expect(page('http://site.example/idx/index.html')).toBe(page('http://site.example/idx/?ref=menu'));
  });

  test('contentKey: is the same when a link to another site ends like the URL of the page', () => {
    const text = '[a](http://site.example/a) [y](https://other.example/x/#y)';
    const page = (url: string): string => contentKey('Title', text, url);
    expect(page('http://site.example/')).toBe(page('http://site.example/index.html'));
  });

  test('contentKey: is the same when the text names the own site without a URL', () => {
    const page = (url: string): string => contentKey('Title', 'All about site.example, mail@site.example.', url);
    expect(page('http://site.example/')).toBe(page('http://site.example/index.html'));
  });
});

describe('contentKey of pages with different content', () => {
  const key = contentKey('Title', linked('http://site.example'), 'http://site.example/a');

  test.each([
    ['with another title', contentKey('Other', linked('http://site.example'), 'http://site.example/a')],
    ['with another link', contentKey('Title', linked('http://site.example', '/z'), 'http://site.example/a')],
    ['with a link to another site', contentKey('Title', linked('http://other.example'), 'http://site.example/a')],
    [
      'with a link to a longer host name',
      contentKey('Title', linked('http://site.example.evil'), 'http://site.example/a'),
    ],
    ['with a link to another port', contentKey('Title', linked('http://site.example:8080'), 'http://site.example/a')],
  ])('contentKey: differs for a page %s', (_, other) => {
    expect(other).not.toBe(key);
  });
});
