import { expect, it } from 'vitest';
import { extractPage } from '../extract-page.ts';

const prose = 'Words of the article itself, enough of them that nobody takes it for a caption or a menu. ';

const wanted = {
  url: 'https://hay.example/rakes',
  headers: { link: '', refresh: '', contentLanguage: '' },
  robotsTag: new Set<string>(),
  outputFormat: 'markdown',
  content: 'auto',
  excludeElements: null,
  listsDropped: true,
} as const;

const droppedOf = (
  body: string,
  excludeElements: string | null = null,
): readonly (readonly [string, string, number])[] =>
  extractPage(`<title>Rakes</title><body>${body}</body>`, { ...wanted, excludeElements }).dropped.map(
    ({ rule, text, words }) => [rule, text, words] as const,
  );

const main = `<main><h1>Rakes</h1><p>${prose.repeat(6)}</p></main>`;

it('droppedText: names the rule, the first words and the number of words of each box, in the order of the page', () => {
  const body = `<nav><a href=/>Home</a> <a href=/hay>Hay</a></nav>${main}<div>Our address: 4 Mill Lane</div><footer>Made of ash</footer>`;
  expect(droppedOf(body)).toEqual([
    ['landmark', 'Home Hay', 2],
    ['outside-content', 'Our address: 4 Mill Lane', 5],
    ['landmark', 'Made of ash', 3],
  ]);
});

it('droppedText: is empty when the whole page is its content', () => {
  expect(droppedOf(`<h1>Rakes</h1><p>${prose}</p>`)).toEqual([]);
});

it('droppedText: has no text of scripts, and none that is written', () => {
  const [dropped, ...others] = droppedOf(`<nav>Home<script>let a = 1</script></nav>${main}`);
  expect([dropped, others]).toEqual([['landmark', 'Home', 1], []]);
});

it('droppedText: has the button that was removed from a heading', () => {
  expect(droppedOf(`<h1>Rakes <button>Copy link</button></h1><p>${prose}</p>`)).toEqual([
    ['heading-button', 'Copy link', 2],
  ]);
});

it('droppedText: says that selectors of the client left something out', () => {
  expect(droppedOf(`<h1>Rakes</h1><p class=secret>Of no interest</p><p>${prose}</p>`, '.secret')).toEqual([
    ['selectors', 'Of no interest', 3],
  ]);
});

it('droppedText: counts all words of a text of which it shows the beginning', () => {
  const [[, text, words] = ['', '', 0]] = droppedOf(`<nav>${'menu '.repeat(900)}</nav>${main}`);
  expect([text.length, words]).toEqual([500, 900]);
});

it('droppedText: gives at most 1,000 texts, the last with the words of the rest', () => {
  const dropped = droppedOf(`${'<nav>Home</nav>'.repeat(2500)}${main}`);
  expect([dropped.length, dropped.at(-1)]).toEqual([1000, ['rest', '', 1501]]);
});

it('droppedText: names the rules of a page whose text is completed from JSON-LD', () => {
  const text = 'Grass is cut in June, dried for three days in the sun, and turned twice before it goes to the barn. ';
  const article = JSON.stringify({ '@context': 'https://schema.org', '@type': 'Article', articleBody: text.repeat(3) });
  const body = `<script type="application/ld+json">${article}</script><nav><a href=/>Home</a></nav><h1>Hay</h1><p>Sign in to read</p>`;
  expect(droppedOf(body)).toEqual([['landmark', 'Home', 1]]);
});

it('droppedText: names the rules of a page on which no element is as the client wants it', () => {
  const options = { ...wanted, includeElements: '.none' };
  const { dropped } = extractPage(`<body><nav><a href=/>Home</a></nav>${main}</body>`, options);
  expect(dropped.map(({ rule }) => rule)).toEqual(['landmark']);
});
