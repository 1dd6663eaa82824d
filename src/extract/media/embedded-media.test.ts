import { expect, it } from 'vitest';
import { parseHtml } from '../html/parse-html.ts';
import { toMarkdown } from '../write/markdown/to-markdown.ts';

const markdown = (address: string): string =>
  toMarkdown(
    { nodes: parseHtml(`<div><iframe src="${address}"></iframe></div>`).children, skipped: new Set() },
    (href) => href,
  );

it.each([
  'http://www.facebook.com/plugins/like.php?href=http://hay.example/a',
  'https://www.facebook.com/plugins/likebox.php?href=http://hay.example',
  'https://platform.twitter.com/widgets/tweet_button.html?url=http://hay.example/a',
])('embeddedMedia: a frame of a button to share is no content: %s', (address) => {
  expect(markdown(address)).toBe('');
});

it.each([
  'https://www.facebook.com/plugins/video.php?href=a',
  'https://www.youtube.com/embed/x',
  'https://maps.example/frame',
])('embeddedMedia: links to %s', (address) => {
  expect(markdown(address)).toContain(address);
});
