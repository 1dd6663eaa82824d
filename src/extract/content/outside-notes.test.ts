import { micromark } from 'micromark';
import { gfm, gfmHtml } from 'micromark-extension-gfm';
import { describe, expect, it } from 'vitest';
import { extractPage } from '../extract-page.ts';

const prose = '<p>Hay that is stored before it is dry gets warm, and what gets warm can burn in the barn at night.</p>';
const footer = '<footer>Imprint</footer>';

function written(html: string, outputFormat: 'markdown' | 'html' | 'text' = 'markdown'): string {
  return extractPage(html, {
    url: 'https://farm.example/hay',
    headers: { link: '', refresh: '', contentLanguage: '' },
    robotsTag: new Set(),
    outputFormat,
    content: 'auto',
    excludeElements: null,
  }).text;
}

function page(marked: string, notes: string): string {
  return `<body><article><h1>Hay</h1>${prose}<p>${marked}</p>${prose}${prose}</article>${notes}${footer}`;
}

describe('withOutsideNotes', () => {
  it.each<[what: string, marked: string, notes: string, expected: readonly string[]]>([
    [
      'a list below the article',
      'Dry it<sup><a id=r1 href="#fn1">1</a></sup> and wait<sup><a href="#fn2">2</a></sup>.',
      '<section><h2>Footnotes</h2><ol><li id=fn1>In the sun. <a href="#r1">↩</a><li id=fn2>A <b>day</b>.</ol></section>',
      ['Dry it[^1] and wait[^2].', '[^1]: In the sun.\n\n[^2]: A **day**.'],
    ],
    [
      'a paragraph with a number of its own',
      'Trocknen.<a href="#note-7">[7]</a>',
      '<div class=sidebar><p id=note-7><sup>7</sup> In der Sonne.</p></div>',
      ['Trocknen.[^7]', '[^7]: In der Sonne.'],
    ],
    [
      'notes of Word',
      'Dry it.<a href="#_ftn1" name="_ftnref1"><span>[1]</span></a>',
      '<div><div id=ftn1><p><a href="#_ftnref1" name="_ftn1">[1]</a> In the sun.</p><p>Not at night.</p></div></div>',
      ['Dry it.[^1]', '[^1]: In the sun.\n\n    Not at night.'],
    ],
    [
      'a star and a letter',
      'Dry it<sup><a href="#s">*</a></sup> well<sup><a href="#b">b</a></sup>.',
      '<aside><ul><li id=s>In the sun.<li id=b>On the field.</ul></aside>',
      ['Dry it[^s] well[^b].', '[^s]: In the sun.\n\n[^b]: On the field.'],
    ],
    [
      'a note in a hidden box',
      'Dry it.<sup><a href="#n">1</a></sup>',
      '<div style="display:none"><div id=n class=footnote>In the sun.</div></div>',
      ['Dry it.[^1]', '[^1]: In the sun.'],
    ],
  ])('withOutsideNotes: keeps %s', (_, marked, notes, expected) => {
    const markdown = written(page(marked, notes));
    for (const part of expected) expect(markdown).toContain(part);
    expect(markdown).not.toMatch(/↩|Imprint/);
    // The reader of Markdown numbers the notes and adds a heading.
    const html = micromark(markdown, { extensions: [gfm()], htmlExtensions: [gfmHtml()] });
    const again = written(`<article>${html}</article>`).replace('## Footnotes\n\n', '');
    const labels = [...new Set(markdown.match(/\[\^\w+\]/g))];
    expect(again).toBe(markdown.replaceAll(/\[\^\w+\]/g, (label) => `[^${labels.indexOf(label) + 1}]`));
  });

  it('withOutsideNotes: keeps the list in HTML when all of its items are notes', () => {
    const html = page('Dry it.<sup><a href="#fn1">1</a></sup>', '<nav><ol><li id=fn1>In the sun.</ol></nav>');
    expect(written(html, 'html')).toMatch(/<ol>\s*<li>In the sun\.<\/li>\s*<\/ol>$/);
  });

  it.each([
    [
      'links to chapters',
      '<a href="#c1">1</a> <a href="#c2">2</a>',
      '<nav><div id=c1>One</div><div id=c2>Two</div></nav>',
    ],
    [
      'a box with a title',
      '<sup><a href="#n">1</a></sup>',
      '<nav><div id=n><h3>More</h3><a href=/x>Straw</a></div></nav>',
    ],
    ['the box around the article', '<sup><a href="#all">1</a></sup>', ''],
    ['a link that is left out', '', '<nav><sup><a href="#n">1</a></sup></nav><div id=n class=footnote>Menu</div>'],
  ])('withOutsideNotes: adds nothing for %s', (_, marked, notes) => {
    const html = `<div id=all class=note>${page(`Dry it. ${marked}`, notes)}`;
    expect(written(html)).not.toMatch(/One|More|Menu|Imprint|\]: /);
  });

  it('withOutsideNotes: takes linear time for 10,000 notes', () => {
    const count = 10_000;
    const marks = Array.from({ length: count }, (_, at) => `dry<sup><a href="#fn${at}" id=r${at}>${at}</a></sup>`);
    const notes = Array.from({ length: count }, (_, at) => `<li id=fn${at}>note <a href="#r${at}">↩</a></li>`);
    const start = process.cpuUsage();
    const markdown = written(page(marks.join(' '), `<nav><ol>${notes.join('')}</ol></nav>`));
    expect(process.cpuUsage(start).user).toBeLessThan(5_000_000);
    expect(markdown.endsWith('[^9999]: note')).toBe(true);
  });
});
