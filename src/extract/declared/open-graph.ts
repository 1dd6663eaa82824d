/** Reads Open Graph and the metas of its kinds (`product:`, `article:`) as a thing: it always is the page's own. */
import type { Element } from 'domhandler';
import type { Thing } from '../scan/json-ld.ts';

const kinds: Readonly<Record<string, string>> = {
  article: 'Article',
  product: 'Product',
  'product.item': 'Product',
  'og:product': 'Product',
  book: 'Book',
  profile: 'ProfilePage',
  'video.movie': 'Movie',
  'video.episode': 'TVEpisode',
  'video.tv_show': 'TVSeries',
  'video.other': 'VideoObject',
  'music.song': 'MusicRecording',
  'music.album': 'MusicAlbum',
};

/** Names of schema.org for those of Open Graph. */
const names: Readonly<Record<string, string>> = {
  'og:title': 'name',
  'og:description': 'description',
  'og:image': 'image',
  'og:image:url': 'image',
  'og:url': 'url',
  'og:locale': 'inLanguage',
  'article:published_time': 'datePublished',
  'article:modified_time': 'dateModified',
  'og:updated_time': 'dateModified',
  'article:author': 'author',
  'article:section': 'articleSection',
  'article:tag': 'keywords',
  'product:brand': 'brand',
  'og:brand': 'brand',
  'product:retailer_item_id': 'sku',
  'book:isbn': 'isbn',
  'book:author': 'author',
  'book:release_date': 'datePublished',
};

const offerNames: Readonly<Record<string, string>> = {
  'product:price:amount': 'price',
  'og:price:amount': 'price',
  'product:price:currency': 'priceCurrency',
  'og:price:currency': 'priceCurrency',
  'product:availability': 'availability',
  'og:availability': 'availability',
};

const valuesMax = 100;
const valueLengthMax = 10_000;

/** Undefined if the page has none. A page of the type `website` is of no kind: its types are empty. */
export function openGraphThing(metas: readonly Element[]): Thing | undefined {
  const values: Record<string, unknown> = {};
  const offer: Record<string, unknown> = {};
  let type = '';
  for (const { attribs } of metas) {
    const name = (attribs['property'] ?? attribs['name'] ?? '').trim().toLowerCase();
    const content = (attribs['content'] ?? '').slice(0, valueLengthMax).trim();
    if (content === '') continue;
    if (name === 'og:type') type ||= content.toLowerCase();
    const inOffer = offerNames[name];
    if (inOffer !== undefined) offer[inOffer] ??= content;
    const known = names[name];
    if (known !== undefined) values[known] = together(values[known], content);
  }
  if (type === '' && Object.keys(values).length === 0 && Object.keys(offer).length === 0) return undefined;
  const kind = kinds[type] ?? (Object.keys(offer).length > 0 ? 'Product' : undefined);
  return {
    types: kind === undefined ? [] : [kind],
    values: { ...values, ...(Object.keys(offer).length > 0 && { offers: { '@type': ['Offer'], ...offer } }) },
  };
}

function together(known: unknown, value: string): unknown {
  if (known === undefined) return value;
  if (!Array.isArray(known)) return [known, value];
  return known.length < valuesMax ? [...(known as unknown[]), value] : known;
}
