import { expect, it } from 'vitest';
import { extractPage } from '../extract-page.ts';

const one = 'Which rake is best for a lawn that has much moss in it, and why? I have one with tines of wood.';
const two = 'One with tines of spring steel; the moss comes out with little force, see above.';
const picture = '<img src="/moss.jpg" alt="">';

const read = (posts: string, head = ''): ReturnType<typeof extractPage> =>
  extractPage(`<title>Rakes</title>${head}<h1>Rakes</h1><div id=posts>${posts}</div>`, {
    url: 'https://forum.example/threads/rakes.7/',
    headers: { link: '', refresh: '', contentLanguage: '' },
    robotsTag: new Set(),
    outputFormat: 'markdown',
    content: 'auto',
    excludeElements: null,
  });

const engines: readonly (readonly [string, (author: string, text: string, at: number) => string])[] = [
  ...['', 'itemprop=contributor', 'itemprop=creator'].map(
    (itemprop) =>
      [
        `vBulletin ${itemprop}`,
        (author: string, text: string, at: number) =>
          `<table id=post${at}><tr><td><div id=postmenu_${at} ${itemprop}><a class=bigusername href="/foren/${author}-17">${author}</a></div><div>Posts: 1</div></td><td id=td_post_${at}><div id=post_message_${at}>${text}</div></td></tr></table>`,
      ] as const,
  ),
  [
    'XenForo',
    (author, text, at) =>
      `<article class=message id=post-${at} data-author=${author}><div class=message-body><div class=bbWrapper>${text}</div></div></article>`,
  ],
];

it.each(engines)('threadContent: %s has each author, in the text and in the metadata', (_, post) => {
  for (const texts of [
    [one, two, picture, two],
    [one, picture, two],
    [picture, one, two, two],
  ]) {
    const names = ['Ann', 'Ben', 'Cem', 'Dan'].slice(0, texts.length);
    const { text, metadata } = read(
      texts.map((words, at) => post(names[at] ?? '', `${words}${'!'.repeat(at)}`, at + 1)).join(''),
    );
    expect(metadata['author']).toBe(names.join(', '));
    for (const name of names) expect(text).toContain(`**${name}**`);
  }
});

it.each(engines)('threadContent: %s keeps a post that is only a picture, with its author', (_, post) => {
  const { text } = read(post('Ann', one, 1) + post('Ben', picture, 2) + post('Cem', two, 3));
  expect(text).toMatch(/\*\*Ben\*\*\n\n!\[\]\(https:\/\/forum\.example\/moss\.jpg\)\n\n\*\*Cem\*\*/);
});

it('threadContent: leaves the author that the page states', () => {
  const [, post] = engines[0] ?? [];
  const posts = `${post?.('Ann', one, 1)}${post?.('Ben', two, 2)}`;
  expect(read(posts, '<meta name=author content="Eve Moss">').metadata['author']).toBe('Eve Moss');
});
