// A shop whose filters can be combined in any order, so that its few lists have thousands of URLs.
import { anchor, page } from './html.ts';
import { type Site, type SiteModule, type Size } from './site.ts';
import { SitePlan } from './site-plan.ts';
import { marker, pick, prose, range, title } from './words.ts';

export const facetShop: SiteModule = {
  name: 'facet-shop',
  resembles:
    'A shop: filters in every combination and order, variants with a canonical link, sold-out products with 410.',
  build,
};

const facets: Readonly<Record<string, readonly string[]>> = {
  color: ['red', 'green', 'blue', 'black'],
  size: ['s', 'm', 'l'],
  sort: ['price', 'name', 'newest'],
};
const variants = ['red', 'green', 'blue'];
const perPage = 12;

interface Product {
  readonly path: string;
  readonly name: string;
  readonly price: string;
  readonly color: string;
  readonly size: string;
  readonly isGone: boolean;
}

function build(size: Size): Site {
  const plan = new SitePlan();
  const products = range(size === 'small' ? 45 : 400).map((index): Product => {
    const name = `${title(`product ${index}`)} ${marker(`product ${index}`).slice(1, 6)}`;
    return {
      path: `/products/${name.toLowerCase().replaceAll(' ', '-')}`,
      name,
      price: `${5 + pick(`price ${index}`, 95)}.50`,
      color: facets['color']![index % 4]!,
      size: facets['size']![index % 3]!,
      isGone: index % 9 === 8,
    };
  });
  plan.robots(['User-agent: *', 'Disallow: /cart', 'Disallow: /checkout', 'Disallow: /*/reviews?']);
  plan.control('/sitemap.xml', { status: 404 });
  const startMark = marker('shop');
  plan.page(
    '/',
    page({
      title: 'Shop',
      main: `<h1>Shop</h1><p>${prose('shop', 4)} ${startMark}.</p>${anchor('/collections/all', 'All products')}`,
      menu: [['/cart', 'Cart']],
    }),
    startMark,
  );
  plan.page(
    '/collections/all',
    collection(products, new URLSearchParams(), marker('collection')),
    marker('collection'),
  );
  plan.refused('/cart', 'robots_disallowed');
  for (const product of products) addProduct(plan, product);
  const isList = (path: string): boolean => path.startsWith('/collections/all?');
  return plan.site({
    latencyMs: [5, 15],
    answer: ({ path }) =>
      isList(path)
        ? { body: collection(products, new URL(path, 'http://site.example').searchParams, '') }
        : plan.answer(path),
    patterns: [
      {
        matches: isList,
        ends: ['scraped', 'duplicate_of', 'trap'],
        // 300 pages in a row without a new line end all combinations; 100 end those of one set of names.
        requestsMax: size === 'small' ? 480 : 1_200,
      },
    ],
    notices: ['trap'],
  });
}

function addProduct(plan: SitePlan, { path, name, price, isGone }: Product): void {
  if (isGone) {
    plan.ends(path, 'http_410', {
      status: 410,
      body: page({ title: 'Sold out', main: `<h1>Sold out</h1><p>${name} is not sold any more.</p>` }),
    });
    return;
  }
  const has = marker(path);
  const show = (variant: string): string => {
    const links = variants.map((each) => anchor(`${path}?variant=${each}`, each, 'class="swatch"'));
    return page({
      title: `${name} | Shop`,
      head: `<link rel="canonical" href="{{origin}}${path}">`,
      main: `<article class="product"><h1>${name}</h1><p class="price">${price} EUR</p><p>${prose(path, 7)} ${has}.</p><p>${prose(`${path} care`, 7)}</p>
        <p>Selected: ${variant}</p></article><div class="swatches">${links.join(' ')}</div>${anchor(`/cart/add?id=${has}&return_to=${path}`, 'Add to cart')}`,
      menu: [['/cart', 'Cart']],
    });
  };
  plan.copies(path, [path], show('none'), has);
  for (const variant of variants) plan.copies(path, [`${path}?variant=${variant}`], show(variant), has);
  plan.expect(`/cart/add?id=${has}&return_to=${path}`, { kind: 'refused', reason: 'robots_disallowed' }, 0);
}

/** A page of the list, with a link for each choice that can be added or changed. */
function collection(products: readonly Product[], chosen: URLSearchParams, has: string): string {
  const [color, size, sort] = [chosen.get('color'), chosen.get('size'), chosen.get('sort')];
  const number = Number(chosen.get('page') ?? '1');
  const found = products.filter(
    (product) => (color === null || product.color === color) && (size === null || product.size === size),
  );
  if (sort === 'price') found.sort((a, b) => Number(a.price) - Number(b.price));
  if (sort === 'name') found.sort((a, b) => (a.name < b.name ? -1 : 1));
  if (sort === 'newest') found.reverse();
  const shown = found.slice((number - 1) * perPage, number * perPage);
  const choose = (name: string, value: string): string => {
    const next = new URLSearchParams(chosen);
    // The latest choice stands last, so the same choices have many URLs.
    next.delete(name);
    if (name !== 'page') next.delete('page');
    next.set(name, value);
    return `/collections/all?${next.toString()}`;
  };
  const choices = Object.entries(facets).map(
    ([name, values]) =>
      `<fieldset class="facet"><legend>${name}</legend>${values.map((value) => anchor(choose(name, value), value)).join(' ')}</fieldset>`,
  );
  const numbers = range(Math.ceil(found.length / perPage)).map((index) =>
    anchor(choose('page', String(index + 1)), String(index + 1)),
  );
  const items = shown.map(
    ({ path, name, price }) => `<li><h3>${anchor(path, name)}</h3><span class="price">${price} EUR</span></li>`,
  );
  return page({
    title: 'All products | Shop',
    main: `<h1>All products</h1>${has === '' ? '' : `<p>${prose('collection', 2)} ${has}.</p>`}<aside class="filters">${choices.join('')}</aside>
      <ul class="grid">${items.join('') || '<li>No products match.</li>'}</ul><div class="pagination">${numbers.join(' ')}</div>`,
    menu: [['/cart', 'Cart']],
  });
}
