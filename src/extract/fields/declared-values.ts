/** Finds the values of a schema's fields in what a page declares, by their names. */
import { decodeHTML } from 'entities';
import type { Field, FieldType } from '../../core/extract.ts';
import { isRecord } from '../scan/json-ld.ts';
import type { Place } from './place.ts';
import { oneLine } from './shown-text.ts';

type Values = Readonly<Record<string, unknown>>;
type Follow = (value: unknown) => unknown;

const listMax = 100;

/**
 * Paths in schema.org for names that people give to fields, in letters only. A name of schema.org itself needs no entry.
 */
const paths: Readonly<Record<string, readonly string[]>> = {
  title: ['name', 'headline', 'title'],
  name: ['name', 'headline'],
  headline: ['headline', 'name'],
  productname: ['name'],
  producttitle: ['name'],
  jobtitle: ['title', 'name', 'jobTitle'],
  summary: ['description', 'abstract'],
  text: ['articleBody', 'text', 'reviewBody'],
  body: ['articleBody', 'text'],
  content: ['articleBody', 'text'],
  price: [...ofOffers('price', 'lowPrice', 'priceSpecification.price'), 'price'],
  currency: [...ofOffers('priceCurrency', 'priceSpecification.priceCurrency'), 'priceCurrency'],
  pricecurrency: ofOffers('priceCurrency', 'priceSpecification.priceCurrency'),
  availability: ofOffers('availability'),
  available: ofOffers('availability'),
  instock: ofOffers('availability'),
  isavailable: ofOffers('availability'),
  condition: ['offers.itemCondition', 'itemCondition'],
  rating: ['aggregateRating.ratingValue', 'reviewRating.ratingValue', 'starRating.ratingValue'],
  ratingvalue: ['aggregateRating.ratingValue'],
  score: ['aggregateRating.ratingValue'],
  reviews: ['aggregateRating.reviewCount', 'aggregateRating.ratingCount'],
  reviewcount: ['aggregateRating.reviewCount', 'aggregateRating.ratingCount'],
  reviewscount: ['aggregateRating.reviewCount', 'aggregateRating.ratingCount'],
  ratingcount: ['aggregateRating.ratingCount', 'aggregateRating.reviewCount'],
  author: ['author', 'creator'],
  authors: ['author', 'creator'],
  brand: ['brand', 'manufacturer'],
  manufacturer: ['manufacturer', 'brand'],
  company: ['hiringOrganization', 'publisher'],
  employer: ['hiringOrganization'],
  salary: ['baseSalary.value.value', 'baseSalary.value.minValue', 'baseSalary.value'],
  published: ['datePublished', 'uploadDate', 'dateCreated'],
  publishedat: ['datePublished', 'uploadDate', 'dateCreated'],
  publisheddate: ['datePublished', 'uploadDate'],
  publicationdate: ['datePublished'],
  publishdate: ['datePublished'],
  posted: ['datePosted', 'datePublished'],
  date: ['datePublished', 'startDate', 'datePosted', 'uploadDate'],
  updated: ['dateModified'],
  updatedat: ['dateModified'],
  modified: ['dateModified'],
  start: ['startDate'],
  end: ['endDate'],
  venue: ['location.name', 'location'],
  location: ['location', 'jobLocation', 'address'],
  city: ['address.addressLocality', 'location.address.addressLocality', 'jobLocation.address.addressLocality'],
  country: ['address.addressCountry', 'location.address.addressCountry', 'jobLocation.address.addressCountry'],
  street: ['address.streetAddress', 'location.address.streetAddress'],
  zip: ['address.postalCode', 'location.address.postalCode'],
  postalcode: ['address.postalCode', 'location.address.postalCode'],
  phone: ['telephone'],
  website: ['url'],
  link: ['url'],
  image: ['image', 'thumbnailUrl'],
  images: ['image'],
  imageurl: ['image', 'thumbnailUrl'],
  photo: ['image'],
  ingredients: ['recipeIngredient'],
  steps: ['recipeInstructions'],
  instructions: ['recipeInstructions'],
  servings: ['recipeYield'],
  yield: ['recipeYield'],
  pages: ['numberOfPages'],
  pagecount: ['numberOfPages'],
  language: ['inLanguage'],
  tags: ['keywords'],
  category: ['category', 'articleSection', 'recipeCategory', 'genre'],
  section: ['articleSection'],
};

/** Paths in the offers of a thing, of an offer of several, and of its variants. */
function ofOffers(...names: readonly string[]): readonly string[] {
  return ['offers', 'offers.offers', 'hasVariant.offers'].flatMap((path) => names.map((name) => `${path}.${name}`));
}

/** Returns what a thing says of a field; empty if it says nothing. */
export function declaredPlaces(field: Field, values: Values, follow: Follow): readonly Place[] {
  const places = declaredValues(field.name, values, follow).flatMap((value) => placeOf(value, field.type, follow));
  if (field.isList || /^(?:number|integer|price)$/.test(field.type)) return places;
  const isSeveral = field.type === 'date' && new Set(places.map(({ text }) => text?.slice(0, 10))).size > 1;
  const [first] = places;
  return first ? [{ ...first, isChoice: isSeveral }] : [];
}

/** Returns the objects that a thing has for a field with fields of its own. */
export function declaredObjects(field: Field, values: Values, follow: Follow): readonly Values[] {
  const objects = declaredValues(field.name, values, follow).map(follow).filter(isRecord);
  return field.isList ? objects : objects.slice(0, 1);
}

function declaredValues(name: string, values: Values, follow: Follow): readonly unknown[] {
  const letters = lettersOf(name);
  const own = Object.keys(values).find((key) => lettersOf(key) === letters && !key.startsWith('@'));
  for (const path of [...(paths[letters] ?? []), ...(own === undefined ? [] : [own])]) {
    const found = valuesAt(values, path.split('.'), follow);
    if (found.length > 0) return found;
  }
  return [];
}

function valuesAt(value: unknown, path: readonly string[], follow: Follow): readonly unknown[] {
  const [name, ...rest] = path;
  const things = listOf(value).map(follow);
  if (name === undefined) return things.filter((one) => one !== '' && one !== null && one !== undefined);
  return things
    .filter(isRecord)
    .flatMap((one) => (Object.hasOwn(one, name) ? valuesAt(one[name], rest, follow) : []))
    .slice(0, listMax);
}

function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value.slice(0, listMax) : [value];
}

/** Names of the members of a thing that say what it is, in this order. */
const nameKeys = ['name', 'text', '@value', 'value', 'url', 'contentUrl'] as const;
const urlKeys = ['url', 'contentUrl', '@id'] as const;

function placeOf(given: unknown, type: FieldType, follow: Follow): Place[] {
  const value = follow(given);
  if (typeof value === 'number' || typeof value === 'boolean')
    return [{ nodes: [], text: String(value), isPlain: true }];
  if (typeof value === 'string') {
    const text = textOf(value, type);
    return text === '' ? [] : [{ nodes: [], text, isPlain: true }];
  }
  if (!isRecord(value)) return [];
  for (const key of type === 'url' ? urlKeys : nameKeys) {
    const [found] = listOf(value[key]);
    if (typeof found === 'string' || typeof found === 'number') return placeOf(found, type, (same) => same);
  }
  return [];
}

/** Templates escape values for HTML, and some write markup. */
function textOf(value: string, type: FieldType): string {
  const plain = value.includes('&') ? decodeHTML(value) : value;
  const text = type === 'html' ? plain : plain.replace(/<\/?[a-z][^<>]{0,1000}>/gi, ' ');
  return oneLine(text.replace(/^https?:\/\/schema\.org\/(?=[A-Z])/, ''));
}

/** Texts of schema.org that mean true or false. */
export function declaredBoolean(text: string): boolean | undefined {
  if (/^(?:true|yes|1|InStock|InStoreOnly|OnlineOnly|LimitedAvailability)$/i.test(text)) return true;
  return /^(?:false|no|0|OutOfStock|SoldOut|Discontinued)$/i.test(text) ? false : undefined;
}

function lettersOf(name: string): string {
  return name.toLowerCase().replaceAll(/[^\p{L}\p{N}]+/gu, '');
}
