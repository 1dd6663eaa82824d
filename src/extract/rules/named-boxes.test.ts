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

it('chooseContent: keeps the offers of a product, with their prices, beside their buttons', () => {
  const items = Array.from({ length: 24 }, (_, at) => `<a href=/part/${at}>A further tine of steel, number ${at}</a>`);
  const offer = (title: string, price: string, names: string): string =>
    `<div class=wrap><div class=item id="${names}"><form action=/cart><input type=hidden name=id></form><h2>${title}</h2><div>${price} <a role=button href="javascript:add()">Buy</a></div></div></div>`;
  const page = (offers: string, tail: string): string =>
    textOf(
      `<h1>Rake</h1><p>${prose.repeat(30)}</p><div id=purchase_area>${offers}${tail}</div>`,
      'https://a.example/products/rake',
    );
  const parts = `<div id=parts>${items.join('')}</div>`;
  for (const names of ['section_add_to_cart_1', 'buy-box', 'a-part'])
    for (const tail of ['', parts])
      for (const [title, price] of [
        ['Rake of ash', '59,99€'],
        ['Rechen aus Esche', '$ 1,059.00'],
        ['Грабли', '990 ₽'],
      ] as const) {
        expect(page(offer(title, price, names), tail)).toContain(`${title} ${price}`);
        const two = page(offer(title, price, names) + offer('Two of them', '£80', names), tail);
        for (const line of [`${title} ${price}`, 'Two of them £80']) expect(two).toContain(line);
      }
  expect(page(offer('Share it', 'with 2 friends', 'add-to-cart-1'), parts)).not.toContain('with 2 friends');
  expect(page('', parts)).not.toContain('A further tine');
});

it('chooseContent: keeps the measures of a product in a box that a shop lays over the page', () => {
  const page = (inner: string, url: string): string =>
    textOf(`<h1>Rake</h1><p>${prose.repeat(9)}</p><div class="a-measures-modal">${inner}</div>`, url);
  const measures = '<h2>Measures</h2><ul><li><span>Width: </span>30 in</li><li><span>Weight: </span>2 lb</li></ul>';
  expect(page(measures, 'https://a.example/products/rake')).toContain('Measures - Width: 30 in - Weight: 2 lb');
  expect(page(measures, 'https://a.example/rake')).not.toContain('Width');
  expect(page(`${measures}<button>Close</button>`, 'https://a.example/products/rake')).not.toContain('Width');
});
