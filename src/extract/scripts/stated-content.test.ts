import { describe, expect, it } from 'vitest';
import { extractPage, type ExtractOptions } from '../extract-page.ts';

const prose = 'A kettle that boils a litre of water in two minutes, and keeps it hot for an hour. '.repeat(2).trim();

function extracted(html: string, options: Partial<ExtractOptions> = {}) {
  const { text, metadata } = extractPage(html, {
    url: 'https://shop.example/kettle',
    headers: { link: '', refresh: '', contentLanguage: '' },
    robotsTag: new Set(),
    outputFormat: 'markdown',
    content: 'auto',
    excludeElements: null,
    ...options,
  });
  return [metadata['extractionMethod'], text];
}

const stating = (thing: unknown): string => `<script type="application/ld+json">${JSON.stringify(thing)}</script>`;
const shown = '<h1>Kettle</h1><p>In stock</p>';

describe('pages that show little', () => {
  it.each<[what: string, thing: unknown, text: string]>([
    ['a product', { '@type': 'Product', description: prose }, prose],
    ['an article', { '@type': ['NewsArticle'], articleBody: `${prose}\r\n\r\n${prose}` }, `${prose}\n\n${prose}`],
    [
      'a post',
      { '@graph': [{ '@type': 'DiscussionForumPosting', text: `<p>${prose}</p><ul><li>Hot</ul>` }] },
      `${prose}\n\n- Hot`,
    ],
    ['a text with signs', { '@type': 'Product', description: `1 < 2. ${prose}` }, `1 < 2. ${prose}`],
  ])('extractPage: adds the text that JSON-LD states when the page shows little: %s', (_, thing, text) => {
    expect(extracted(shown + stating(thing))).toEqual(['json_ld', `# Kettle\n\nIn stock\n\n${text}`]);
  });

  it('extractPage: adds the stated text of a product when the page shows many labels', () => {
    const labels = '<p>One of the sizes: 1 litre</p>'.repeat(8);
    expect(extracted(shown + labels + stating({ '@type': 'Product', description: prose }))[1]).toContain(prose);
  });

  it.each<[what: string, html: string]>([
    ['most of it is shown', `<p>${prose.slice(0, 100)}</p>${stating({ '@type': 'Product', description: prose })}`],
    [
      'more text is shown',
      `<p>${'Another text of ours. '.repeat(20)}</p>${stating({ '@type': 'Product', description: prose })}`,
    ],
    ['it is short', shown + stating({ '@type': 'Product', description: 'Boils water.' })],
    ['it is no text', shown + stating({ '@type': 'Product', description: { text: prose } })],
    ['it is about an organization', shown + stating({ '@type': 'Organization', description: prose })],
    ['there are several', shown + stating([1, 2].map((n) => ({ '@type': 'Product', description: `${n} ${prose}` })))],
  ])('extractPage: adds no stated text when %s', (_, html) => {
    const [method, text] = extracted(html);
    expect(method).toBe('body');
    expect(text).toBe(extracted(html.replace(/<script.*/, ''))[1]);
  });

  it('extractPage: adds no stated text when the client chooses the content', () => {
    const html = shown + stating({ '@type': 'Product', description: prose });
    expect(extracted(html, { content: 'full' })[0]).toBe('whole');
    expect(extracted(html, { excludeElements: '.x' })[0]).toBe('body');
    expect(extracted(html, { includeElements: 'h1' })).toEqual(['include_elements', '# Kettle']);
  });

  it('extractPage: cuts a stated text of 50,000 lines', () => {
    const html = shown + stating({ '@type': 'Article', articleBody: 'word\n'.repeat(50_000) });
    const [method, text = ''] = extracted(html);
    expect(method).toBe('json_ld');
    expect(typeof text === 'string' && text.length < 150_000).toBe(true);
  });
});
