import { expect, it } from 'vitest';
import { chooseContent } from '../content/main-content.ts';
import { parseHtml } from '../html/parse-html.ts';
import { toText } from '../write/to-text.ts';

const prose = 'Words of the page itself, enough of them that nobody takes it for a caption or a menu. ';

function textOf(html: string, url?: string): string {
  return toText(chooseContent(parseHtml(html), 'auto', null, url)).replace(/\s+/g, ' ');
}

it('chooseContent: keeps a menu of dishes whose parts lead nowhere', () => {
  const dishes = ['Rye soup with beetroot', 'Plum pie', 'Tea'].map(
    (dish, at) =>
      `<div class=menu-item><div class=menu-item-title>${dish}</div><div class=menu-item-price>${at + 3}.50</div></div>`,
  );
  const menu = `<div class="menus menu-style-classic"><div class=menu-tabs><a href=#m0>All</a></div><div class=menu>${dishes.join('')}</div></div>`;
  const text = textOf(`<h1>The mill</h1><p>${prose.repeat(6)}</p>${menu}`);
  for (const line of ['Rye soup with beetroot 3.50', 'Plum pie 4.50', 'Tea 5.50']) expect(text).toContain(line);
});

it('chooseContent: drops a rating that is a form, and keeps one that is a fact', () => {
  const page = (rating: string): string =>
    `<main><h1>Rakes</h1><p>${prose.repeat(6)}</p><div class=rating>${rating}</div></main>`;
  expect(textOf(page('Clear rating <button>1</button> of 5 stars'))).not.toContain('Clear rating');
  expect(textOf(page('4 of 5 stars'))).toContain('4 of 5 stars');
});

it('chooseContent: drops products beside a product in a box that is named as navigation and as content', () => {
  const others = `<div class="products-nav-content">${['Rake', 'Fork', 'Hoe'].map((one) => `<p>${one} of ash: ${prose.repeat(2)}</p>`).join('')}<a href=/x>More</a></div>`;
  const html = `<h1>Spade</h1><p>${prose.repeat(30)}</p>${others}`;
  expect(textOf(html, 'https://a.example/products/spade')).not.toContain('Fork of ash');
  expect(textOf(html, 'https://a.example/spade')).toContain('Fork of ash');
});

it('chooseContent: keeps the works of a person in a box named related, and drops what others wrote', () => {
  const entry = (title: string): string =>
    `<li><h3><a href=/${title}>${title}</a></h3>In: The journal of rakes, 41, p. 118</li>`;
  const page = (heading: string): string =>
    `<main><h1>Ada Rake</h1><p>${prose.repeat(9)}</p><section class=list-related><h2>${heading}</h2><ul>${['Ash', 'Elm'].map(entry).join('')}</ul></section></main>`;
  expect(textOf(page('Works'))).toContain('Elm In: The journal of rakes');
  expect(textOf(page('Related articles'))).not.toContain('Elm');
});

it('chooseContent: keeps what a shop says of delivery as a text that a reader opens', () => {
  const html = `<h1>Spade</h1><p>${prose.repeat(6)}</p><div><details><summary><h2>Shipping &amp; returns</h2></summary><p>Orders leave the same day. A parcel takes two working days within the country.</p></details></div>`;
  expect(textOf(html, 'https://a.example/products/spade')).toContain('Orders leave the same day.');
});
