import { expect, test } from 'vitest';
import { extractPage } from '../extract-page.ts';

const prose = 'The mower cuts the grass before the sun is high, and the hay dries on the field until the evening. ';
const body = `<h1>Hay</h1>${`<p>${prose.repeat(4)}</p>`.repeat(6)}`;

/** Returns what of the lines stays in a page about something else. */
function kept(lines: string, type = 'article'): string {
  const html = `<html><head><meta property="og:type" content="${type}"></head><body><main>${body}${lines}</main></body></html>`;
  const headers = { link: '', refresh: '', contentLanguage: '' };
  const options = { headers, robotsTag: new Set<string>(), outputFormat: 'text', excludeElements: null } as const;
  const { text } = extractPage(html, { ...options, url: 'http://h.example/hay', content: 'auto' });
  return text.slice(text.lastIndexOf(prose.trim()) + prose.trim().length).trim();
}

test.each([
  'Disclosure: some links are affiliate links, and we may be paid.',
  'This post may contain affiliate links. Read our policy.',
  '*As an Amazon Associate I earn from qualifying purchases.',
  'When you buy through our links, we may earn a commission.',
  'Follow the Hay Times on Twitter and Facebook.',
  'Subscribe now to our weekly edition for the full story.',
  'If you enjoyed reading this post, tell your neighbours.',
  'From Wikipedia, the free encyclopedia',
  'Aus Wikipedia, der freien Enzyklopädie',
  '出典: フリー百科事典『ウィキペディア（Wikipedia）』',
  'Sign my guestbook!',
  'This page is best viewed with Netscape 3.0 at 800x600',
  'You are visitor number 118',
  'Did you make this recipe?',
  'Add a comment',
  'Kommentare schreiben',
  '© 2024 Hay Times. Written permission must be obtained.',
  'This article is the copyrighted property of the Hay Times.',
  'Tags: <a href="/t/hay">hay</a>, <a href="/t/mowers">mowers</a>',
])('site lines: %j is dropped', (line) => {
  expect(kept(`<p>${line}</p>`)).toBe('');
  expect(kept(`<div>${line}</div>`, 'website')).toBe('');
});

test.each([
  'Disclosure: report a fault to the maintainers first.',
  'Follow the steps in the manual.',
  'Subscribe to the channel before the first message arrives.',
  'The guestbook of the mill is in the hall.',
  'The mill is best viewed with the sun behind you.',
  'Please log in to the console and stop the engine.',
  'Add a comment to the log of the machine.',
  'Tags: a list of words, each at most ten letters long.',
  'If you buy a mower, ask for its manual.',
  'The article may not be published before the harvest.',
])('site lines: %j stays', (line) => {
  expect(kept(`<p>${line}</p>`)).toBe(line);
  expect(kept(`<ul><li>${line}</li></ul>`, 'website')).toBe(`- ${line}`);
});

test('site lines: a long paragraph, a heading and code stay', () => {
  expect(kept(`<p>© 2024 ${'is the year in which the hay was dry. '.repeat(12)}</p>`)).toContain('was dry');
  expect(kept('<h2>All rights reserved</h2><p>What this means for hay.</p>')).toContain('All rights reserved');
  expect(kept('<pre>© 2024 Hay Times</pre>')).toContain('© 2024');
});

test.each(['Like it? Share it!', 'Jetzt teilen!', '🔥 Recommended posts', 'Other posts you may enjoy'])(
  'site lines: what follows the heading %j is dropped',
  (heading) => {
    const list = '<ul><li><a href="/a">Straw</a></li><li><a href="/b">Silage</a></li></ul>';
    expect(kept(`<div><h4>${heading}</h4>${list}</div>`)).toBe('');
  },
);
