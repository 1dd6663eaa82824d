import { describe, expect, it } from 'vitest';
import { parseHtml } from '../html/parse-html.ts';
import { toText } from '../write/markdown/to-markdown.ts';
import { withThreadTitle } from './thread-title.ts';

const read = (html: string, headline: string): string =>
  toText({ nodes: withThreadTitle(parseHtml(html).children, headline), skipped: new Set() })
    .replace(/\s+/g, ' ')
    .trim();

describe('withThreadTitle', () => {
  it.each([
    ['it begins with a post', '<p>Ann: Which one?</p>', 'Rakes of ash Ann: Which one?'],
    ['it begins with the name of the forum', '<h1>Tools</h1><p>Which one?</p>', 'Rakes of ash Which one?'],
    ['it begins with that title', '<h2>Rakes of ash</h2><p>Which one?</p>', 'Rakes of ash Which one?'],
    ['it begins with a longer title', '<h1>Rakes of ash and oak</h1><p>Which?</p>', 'Rakes of ash and oak Which?'],
  ])('withThreadTitle: begins a thread with its title when %s', (_, html, expected) => {
    expect(read(html, 'Rakes of ash')).toBe(expected);
  });

  it('withThreadTitle: leaves a thread as it is when the page has no title', () => {
    expect(read('<h1>Tools</h1><p>Which one?</p>', '')).toBe('Tools Which one?');
  });

  it('withThreadTitle: writes marks of HTML in a title as text', () => {
    expect(read('<p>Which one?</p>', 'A <b> & c')).toBe('A <b> & c Which one?');
  });
});
