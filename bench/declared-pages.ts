// Made-up pages that declare what they are about, each in another way, with neighbours that are not it: breadcrumbs, a gift card,
// related things, the shop. Their truth is known.
import type { Truth } from '../test/extract/record-sites.ts';

export const declaredSchema = {
  type: 'object',
  properties: {
    title: { type: 'string' },
    price: { type: 'number' },
    in_stock: { type: 'boolean' },
    brand: { type: 'string' },
    rating: { type: 'number' },
    published: { type: 'string', format: 'date' },
  },
};

export interface DeclaredPage {
  readonly url: string;
  readonly html: string;
  readonly truth: Truth;
  /** How it declares its thing. */
  readonly form: string;
}

interface Item {
  readonly title: string;
  readonly price: number | null;
  readonly in_stock: boolean | null;
  readonly brand: string | null;
  readonly rating: number | null;
  readonly published: string | null;
}

type Random = () => number;
const words = 'amber birch cedar delta ember fjord grove hazel ivory juniper kelp linden maple olive quartz'.split(' ');
const makers = ['Hay Press', 'Ridge & Sons', 'Kiln Works', 'Oak Lane', 'Tarn Books'];
const pick = <One>(all: readonly One[], random: Random): One => all[Math.floor(random() * all.length)] as One;

function itemOf(random: Random, number: number): Item {
  const some = <One>(value: One): One | null => (random() > 0.15 ? value : null);
  const price = some(Math.round(random() * 90_000 + 100) / 100);
  return {
    title: `${pick(words, random)} ${pick(words, random)} "No. ${number}" & more`,
    price,
    in_stock: price === null ? null : some(random() > 0.4),
    brand: some(pick(makers, random)),
    rating: some(Math.round(10 + random() * 40) / 10),
    published: some(
      `20${10 + Math.floor(random() * 16)}-0${1 + Math.floor(random() * 9)}-1${Math.floor(random() * 9)}`,
    ),
  };
}

const escaped = (text: string): string => text.replaceAll('&', '&amp;').replaceAll('"', '&quot;');

function thingOf({ title, price, in_stock: stock, brand, rating, published }: Item): Record<string, unknown> {
  const availability = stock === null ? {} : { availability: `https://schema.org/${stock ? 'InStock' : 'OutOfStock'}` };
  return {
    '@type': 'Product',
    name: title,
    ...(brand !== null && { brand: { '@type': 'Brand', name: brand } }),
    ...(rating !== null && {
      aggregateRating: { '@type': 'AggregateRating', ratingValue: String(rating), reviewCount: 7 },
    }),
    ...(published !== null && { datePublished: published }),
    ...(price !== null && {
      offers: { '@type': 'Offer', price: price.toFixed(2), priceCurrency: 'EUR', ...availability },
    }),
  };
}

/** Things of the page that it is not about. */
function neighbours(random: Random): readonly Record<string, unknown>[] {
  return [
    {
      '@type': 'BreadcrumbList',
      itemListElement: [{ '@type': 'ListItem', position: 1, name: 'Tools', item: '/tools' }],
    },
    { '@type': 'Organization', name: 'The Shop', url: 'https://shop.example/' },
    thingOf({ ...itemOf(random, 9_001), title: 'Gift card' }),
    thingOf(itemOf(random, 9_002)),
  ];
}

const script = (json: string): string => `<script type="application/ld+json">${json}</script>`;

type Form = (item: Item, random: Random) => string;
const withContext = (thing: object): object => ({ '@context': 'https://schema.org', ...thing });
const forms: Readonly<Record<string, Form>> = {
  'one script a thing': (item, random) =>
    [...neighbours(random), thingOf(item)].map((thing) => script(JSON.stringify(withContext(thing)))).join(''),
  graph: (item, random) => {
    const graph = [...neighbours(random), { ...thingOf(item), isRelatedTo: neighbours(random).slice(2) }];
    return script(JSON.stringify({ '@context': 'https://schema.org', '@graph': graph }));
  },
  'main entity of a page': (item) =>
    script(JSON.stringify(withContext({ '@type': 'ItemPage', name: 'Tools', mainEntity: thingOf(item) }))),
  'trailing comma': (item) => script(JSON.stringify(withContext(thingOf(item))).replace(/\}$/, ',}')),
  'two objects in one script': (item, random) =>
    script(`${JSON.stringify(neighbours(random)[0])}\n${JSON.stringify(withContext(thingOf(item)))}`),
  entities: (item) =>
    script(
      JSON.stringify(withContext(thingOf(item)))
        .replaceAll('"', '&quot;')
        .replaceAll('\\&quot;', '\\"'),
    ),
  'surplus brace': (item) => script(`${JSON.stringify(withContext(thingOf(item)))}}`),
  'list of offers': (item, random) => {
    const { offers, ...thing } = thingOf(item);
    return (
      script(JSON.stringify(withContext({ ...thing, ...(offers !== undefined && { offers: [offers] }) }))) +
      script(JSON.stringify(neighbours(random)))
    );
  },
  microdata: (item, random) => `${microdata(thingOf(itemOf(random, 9_003)))}${microdata(thingOf(item))}`,
  rdfa: (item, random) => `${rdfa(thingOf(item))}${rdfa(thingOf(itemOf(random, 9_004)))}`,
};

function marked(thing: Record<string, unknown>, scope: (type: string) => string, name: string): string {
  const values = Object.entries(thing).filter(([key]) => key !== '@type');
  const inner = values.map(([key, value]) =>
    typeof value === 'object' && value !== null
      ? marked(value as Record<string, unknown>, (type) => `${name}="${key}" ${scope(type)}`, name)
      : `<meta ${name}="${key}" content="${escaped(String(value))}">`,
  );
  return `<div ${scope(String(thing['@type']))}>${inner.join('')}</div>`;
}

const microdata = (thing: Record<string, unknown>): string =>
  marked(thing, (type) => `itemscope itemtype="https://schema.org/${type}"`, 'itemprop');
const rdfa = (thing: Record<string, unknown>): string =>
  `<div vocab="https://schema.org/">${marked(thing, (type) => `typeof="${type}"`, 'property')}</div>`;

export function declaredPages(random: Random, count: number): readonly DeclaredPage[] {
  const names = Object.keys(forms);
  return Array.from({ length: count }, (_, at): DeclaredPage => {
    const form = names[at % names.length] ?? '';
    const item = itemOf(random, at);
    const html = `<!doctype html><html lang="en"><head><title>${escaped(item.title)} | The Shop</title></head><body><h1>${escaped(item.title)}</h1><p>${'A thing with words. '.repeat(20)}</p>${forms[form]?.(item, random) ?? ''}</body></html>`;
    return { url: `https://shop.example/thing/${at}`, html, truth: { ...item }, form };
  });
}
