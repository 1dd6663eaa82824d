import { expect, it } from 'vitest';
import { chooseContent } from '../content/main-content.ts';
import { parseHtml } from '../html/parse-html.ts';
import { toText } from '../write/markdown/to-markdown.ts';

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

it('chooseContent: keeps the measures of a product in a box that a shop lays over the page', () => {
  const page = (inner: string, url: string): string =>
    textOf(`<h1>Rake</h1><p>${prose.repeat(9)}</p><div class="a-measures-modal">${inner}</div>`, url);
  const measures = '<h2>Measures</h2><ul><li><span>Width: </span>30 in</li><li><span>Weight: </span>2 lb</li></ul>';
  expect(page(measures, 'https://a.example/products/rake')).toContain('Measures - Width: 30 in - Weight: 2 lb');
  expect(page(measures, 'https://a.example/rake')).not.toContain('Width');
  expect(page(`${measures}<button>Close</button>`, 'https://a.example/products/rake')).not.toContain('Width');
});
