import { describe, expect, it } from 'vitest';
import { type ExtractOptions, extractPage } from '../extract-page.ts';

const html = `<title>T</title><body><header>Site <p class=lead>Top lead.</p></header><main><h1>Title</h1>
  <p class=lead>First <b class=lead>lead</b>.</p><div class=ad>Buy <p class=lead>this</p></div><nav>On this page</nav><p>Body text.</p></main>`;

const extracted = (includeElements: string | null, options: Partial<ExtractOptions> = {}) =>
  extractPage(html, {
    url: 'https://example.com/',
    headers: { link: '', refresh: '', contentLanguage: '' },
    robotsTag: new Set(),
    outputFormat: 'text',
    content: 'auto',
    excludeElements: null,
    includeElements,
    ...options,
  });

describe('include_elements', () => {
  it.each<[selectors: string, options: Partial<ExtractOptions>, text: string]>([
    // The outermost elements, in document order.
    ['.lead', {}, 'Top lead.\n\nFirst lead.\n\nthis'],
    ['h1, .lead', { excludeElements: '.ad, header' }, 'Title\n\nFirst lead.'],
    ['main', { content: 'full' }, 'Title\n\nFirst lead.\n\nBuy\n\nthis\n\nBody text.'],
    ['main, nav', { content: 'full' }, 'Title\n\nFirst lead.\n\nBuy\n\nthis\n\nOn this page\n\nBody text.'],
    ['nav', {}, 'On this page'],
    ['nav', { content: 'full' }, 'On this page'],
    ['header', { excludeElements: '.lead' }, 'Site'],
  ])('include_elements: selects the text of %j with %j', (selectors, options, text) => {
    const page = extracted(selectors, options);
    expect(page.text.replaceAll(/\n+/g, '\n')).toBe(text.replaceAll(/\n+/g, '\n'));
    expect(page.metadata['extractionMethod']).toBe('include_elements');
    expect(page.metadata).not.toHaveProperty('extractionQuality');
  });

  it.each(['.none', '[[[', 'nav.ad'])(
    'include_elements: changes nothing and reports it when %j matches nothing',
    (selectors) => {
      const page = extracted(selectors);
      expect(page.text).toBe(extracted(null).text);
      expect(page.metadata).toMatchObject({
        extractionMethod: 'include_elements_unmatched',
        extractionQuality: expect.any(Number),
      });
    },
  );

  it('include_elements: counts as unmatched when all matches are excluded', () => {
    expect(extracted('.lead', { excludeElements: '.lead' }).metadata['extractionMethod']).toBe(
      'include_elements_unmatched',
    );
  });

  it('include_elements: determines the word count, the headings and the hash', () => {
    expect(extracted('h1').metadata).toMatchObject({ wordCount: 1, headings: ['# Title'] });
    expect(extracted('h1').metadata['contentHash']).not.toBe(extracted('.lead').metadata['contentHash']);
    expect(extracted('h1').metadata['contentHash']).toBe(
      extracted('h1', { outputFormat: 'markdown' }).metadata['contentHash'],
    );
  });
});
