import { expect, it } from 'vitest';
import { extractPage } from '../extract-page.ts';

const prose = 'The river rose in the night and cut off two villages, which are reached by boat since then. ';

const read = (body: string, url = 'https://news.example/high-water'): ReturnType<typeof extractPage> =>
  extractPage(`<title>High water</title><body>${body}</body>`, {
    url,
    headers: { link: '', refresh: '', contentLanguage: '' },
    robotsTag: new Set(),
    outputFormat: 'text',
    content: 'auto',
    excludeElements: null,
    listsDropped: true,
  });

const quality = (body: string, url?: string): number => Number(read(body, url).metadata['extractionQuality']);

const paragraph = (at: number): string => `<p>${prose.repeat(2)}${at}</p>`;
const banner = (times: number): string =>
  `<div class="cookie-banner">We use cookies on this site, and so do others.</div>`.repeat(times);

it('contentQuality: falls with what rules leave out in the middle of the text, not with what stands after it', () => {
  const page = (middle: string, after: string): string =>
    `<main><h1>High water</h1>${paragraph(1)}${paragraph(2)}${middle}${paragraph(3)}${paragraph(4)}</main>${after}`;
  const whole = quality(page('', ''));
  const losses = [5, 6].map((times) => quality(page(banner(times), '')) / quality(page('', banner(times))));
  expect(losses[0]).toBeLessThan(0.8);
  expect(losses.toSorted((one, other) => other - one)).toEqual(losses);
  expect(whole).toBeGreaterThan(0.8);
  expect(quality(page(banner(1), ''))).toBeGreaterThan(0.8);
});

it('contentQuality: is low for a thread without any author, and what was left out names the posts', () => {
  const post = (name: string) => (at: number) =>
    `<table id=post${at}><tr><td class=thead>2nd May 2024, 16:26</td></tr><tr><td>${name}<div>Posts: ${at}</div></td><td id=td_post_${at}><div id=post_message_${at}>${prose}${at}</div></td></tr></table>`;
  const thread = (name: string): string =>
    `<h1>High water</h1><div id=posts>${[1, 2, 3].map(post(name)).join('')}</div>`;
  const url = 'https://forum.example/threads/water.7/';
  const signed = thread('<a class=username>Ann</a>');
  expect([quality(thread('<i>Ann</i>'), url) <= 0.4, quality(signed, url) > 0.7]).toEqual([true, true]);
  expect(new Set(read(signed, url).dropped.map(({ rule }) => rule))).toEqual(new Set(['outside-posts']));
});
