import { describe, expect, it, test } from 'vitest';
import { copyKeys } from './copy-key.ts';

interface Given {
  readonly url?: string;
  readonly canonical?: string;
  readonly title?: string;
  readonly text?: string;
}

const paragraphs = Array.from({ length: 8 }, (_, index) => `Paragraph ${index} says something that no other one says.`);
const article = ['Heading', ...paragraphs].join('\n');

function keyOf({ url = '/a', canonical, title = 'Title 1.0', text = article }: Given = {}): string | undefined {
  const fetched = new URL(url, 'http://site.example/');
  return copyKeys({
    title,
    plainText: text,
    fetched,
    ...(canonical !== undefined && { canonical: new URL(canonical, fetched).href }),
  })?.copyKey;
}

describe('copyKey of copies', () => {
  test.each<[why: string, copy: Given]>([
    ['the page itself', { canonical: '/a' }],
    ['a page that names it as canonical', { url: '/a?print=1', canonical: '/a' }],
    ['a page that names it as canonical with campaign parameters', { url: '/b', canonical: '/a?utm_source=x#part' }],
    ['a page over https', { url: 'https://site.example/a' }],
    ['a page on www', { url: 'http://www.site.example/a' }],
    ['a page that names its form with https and www', { url: '/b', canonical: 'https://www.site.example/a' }],
    ['a page that names a canonical URL of another site', { canonical: 'https://other.example/a' }],
    ['a page with another time stamp', { text: `${article}\nMon, 3 March 2026, 12:03` }],
    ['a page with another counter', { text: `1,234 views\n${article}` }],
    ['a page without share links', { text: article.replace('Heading\n', 'Heading\n\n') }],
    ['a page with another version in its title', { canonical: '/a', title: 'Title 2.1.dev0' }],
    ['a page that repeats a line', { text: `${article}\n${paragraphs[3]}` }],
    ['a page with its lines in another order', { text: ['Heading', ...paragraphs.toReversed()].join('\n') }],
  ])('copyKey: equals that of /a for %s', (_, copy) => {
    expect(keyOf({ url: '/a', ...copy })).toBe(keyOf());
  });
});

describe('copyKey of other pages', () => {
  test.each<[why: string, page: Given]>([
    ['another page with the same text', { url: '/b' }],
    ['a page that names another canonical URL', { canonical: '/b' }],
    ['the same path on another port', { url: 'http://site.example:8080/a' }],
    ['a page with another title', { canonical: '/a', title: 'Page 2' }],
    [
      'a page with one paragraph more',
      { canonical: '/a', text: `${article}\nOne more paragraph, which is only here.` },
    ],
    ['a page with one paragraph less', { canonical: '/a', text: paragraphs.slice(1).join('\n') }],
    [
      'a page with another number in a paragraph',
      { canonical: '/a', text: article.replace('Paragraph 3', 'Paragraph 33') },
    ],
    [
      'a page with more than a tenth of its text in other short lines',
      {
        canonical: '/a',
        text: `${article}\n${'Red\nBlue, if you like\n'.repeat(1)}Size 42, or 43\nPrice 12.99\nBlack\nWith pockets`,
      },
    ],
  ])('copyKey: differs from that of /a for %s', (_, page) => {
    expect(keyOf(page)).not.toBe(keyOf());
  });

  it('copyKey: differs when one item of a list of short items differs', () => {
    const list = (from: number): string => Array.from({ length: 10 }, (_, index) => `Item ${from + index}`).join('\n');
    expect(keyOf({ url: '/a?page=2', canonical: '/a', text: list(2) })).not.toBe(keyOf({ text: list(1) }));
  });

  it('copyKey: differs when two lines exchange a letter', () => {
    const [one, other] = paragraphs;
    expect(keyOf({ text: `${one} x\n${other} y` })).not.toBe(keyOf({ text: `${one} y\n${other} x` }));
  });

  it('copyKey: is undefined for a page without text', () => {
    expect(keyOf({ text: ' \n' })).toBeUndefined();
  });
});
