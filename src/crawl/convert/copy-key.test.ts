import { describe, expect, it, test } from 'vitest';
import { copyKey } from './copy-key.ts';

interface Given {
  readonly url?: string;
  readonly canonical?: string;
  readonly title?: string;
  readonly text?: string;
}

const paragraphs = Array.from({ length: 8 }, (_, index) => `Paragraph ${index} says something that no other one says.`);
const article = ['Heading', ...paragraphs].join('\n');

function keyOf({ url = '/a', canonical, title = 'Title 1.0', text = article }: Given = {}): string | undefined {
  const fetchedUrl = new URL(url, 'http://site.example/').href;
  return copyKey({
    title,
    plainText: text,
    fetchedUrl,
    ...(canonical !== undefined && { canonical: new URL(canonical, fetchedUrl).href }),
  });
}

describe('a copy of /a', () => {
  test.each<[why: string, copy: Given]>([
    ['the page itself', { canonical: '/a' }],
    ['one that names it', { url: '/a?print=1', canonical: '/a' }],
    ['one that names it with parameters of a campaign', { url: '/b', canonical: '/a?utm_source=x#part' }],
    ['over https', { url: 'https://site.example/a' }],
    ['with www', { url: 'http://www.site.example/a' }],
    ['one that names the form with https and www', { url: '/b', canonical: 'https://www.site.example/a' }],
    ['one that names something that is no URL of its site', { canonical: 'https://other.example/a' }],
    ['with another time stamp', { text: `${article}\nMon, 3 March 2026, 12:03` }],
    ['with another counter', { text: `1,234 views\n${article}` }],
    ['without the links to share', { text: article.replace('Heading\n', 'Heading\n\n') }],
    ['of another version, in the title', { canonical: '/a', title: 'Title 2.1.dev0' }],
    ['with its lines in another order', { text: ['Heading', ...paragraphs.toReversed()].join('\n') }],
  ])('%s', (_, copy) => {
    expect(keyOf({ url: '/a', ...copy })).toBe(keyOf());
  });
});

describe('no copy of /a', () => {
  test.each<[why: string, page: Given]>([
    ['another page with the same text', { url: '/b' }],
    ['one that names another original', { canonical: '/b' }],
    ['the same path on another port', { url: 'http://site.example:8080/a' }],
    ['another title', { canonical: '/a', title: 'Page 2' }],
    ['a paragraph more', { canonical: '/a', text: `${article}\nOne more paragraph, which is only here.` }],
    ['a paragraph less', { canonical: '/a', text: paragraphs.slice(1).join('\n') }],
    ['another number in a paragraph', { canonical: '/a', text: article.replace('Paragraph 3', 'Paragraph 33') }],
    [
      'short lines that hold more than a tenth',
      {
        canonical: '/a',
        text: `${article}\n${'Red\nBlue, if you like\n'.repeat(1)}Size 42, or 43\nPrice 12.99\nBlack\nWith pockets`,
      },
    ],
  ])('%s', (_, page) => {
    expect(keyOf(page)).not.toBe(keyOf());
  });

  it('differs in one item of a list of short ones', () => {
    const list = (from: number): string => Array.from({ length: 10 }, (_, index) => `Item ${from + index}`).join('\n');
    expect(keyOf({ url: '/a?page=2', canonical: '/a', text: list(2) })).not.toBe(keyOf({ text: list(1) }));
  });

  it('is none without text', () => {
    expect(keyOf({ text: ' \n' })).toBeUndefined();
  });
});
