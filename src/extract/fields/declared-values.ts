/** Finds the values of a schema's fields in what a page declares, by their names. */
import { decodeHTML } from 'entities';
import type { Field, FieldType } from '../../core/extract.ts';
import { isRecord } from '../scan/json-ld.ts';
import type { Place } from './place.ts';
import { oneLine } from './shown-text.ts';

type Values = Readonly<Record<string, unknown>>;
type Follow = (value: unknown) => unknown;

const listMax = 100;

/** Names that people give to fields, in letters only, and their paths in schema.org. A name of schema.org itself needs none. */
const groups: readonly (readonly [names: string, paths: readonly string[]])[] = [
  ['title', ['name', 'headline', 'title']],
  ['name productname producttitle', ['name', 'headline']],
  ['headline', ['headline', 'name']],
  ['jobtitle', ['title', 'name', 'jobTitle']],
  ['summary', ['description', 'abstract']],
  ['text', ['articleBody', 'text', 'reviewBody']],
  ['body content', ['articleBody', 'text']],
  ['price', [...ofOffers('price', 'lowPrice', 'priceSpecification.price'), 'price']],
  ['currency pricecurrency', [...ofOffers('priceCurrency', 'priceSpecification.priceCurrency'), 'priceCurrency']],
  ['availability available instock isavailable', ofOffers('availability')],
  ['condition', ['offers.itemCondition', 'itemCondition']],
  ['rating ratingvalue score', ['aggregateRating.ratingValue', 'reviewRating.ratingValue', 'starRating.ratingValue']],
  ['reviews reviewcount reviewscount', ['aggregateRating.reviewCount', 'aggregateRating.ratingCount']],
  ['ratingcount', ['aggregateRating.ratingCount', 'aggregateRating.reviewCount']],
  ['author authors', ['author', 'creator']],
  ['brand', ['brand', 'manufacturer']],
  ['manufacturer', ['manufacturer', 'brand']],
  ['company', ['hiringOrganization', 'publisher']],
  ['employer', ['hiringOrganization']],
  ['salary', ['baseSalary.value.value', 'baseSalary.value.minValue', 'baseSalary.value']],
  ['published publishedat publisheddate publicationdate publishdate', ['datePublished', 'uploadDate', 'dateCreated']],
  ['posted', ['datePosted', 'datePublished']],
  ['date', ['datePublished', 'startDate', 'datePosted', 'uploadDate']],
  ['updated updatedat modified', ['dateModified']],
  ['start', ['startDate']],
  ['end', ['endDate']],
  ['venue', ['location.name', 'location']],
  ['location', ['location', 'jobLocation', 'address']],
  ['city', ofAddress('addressLocality')],
  ['country', ofAddress('addressCountry')],
  ['street', ofAddress('streetAddress')],
  ['zip postalcode', ofAddress('postalCode')],
  ['phone', ['telephone']],
  ['website link', ['url']],
  ['image images imageurl photo', ['image', 'thumbnailUrl']],
  ['ingredients', ['recipeIngredient']],
  ['steps instructions', ['recipeInstructions']],
  ['servings yield', ['recipeYield']],
  ['pages pagecount', ['numberOfPages']],
  ['language', ['inLanguage']],
  ['tags', ['keywords']],
  ['category', ['category', 'articleSection', 'recipeCategory', 'genre']],
  ['section', ['articleSection']],
];
const pathsOf = new Map(groups.flatMap(([names, paths]) => names.split(' ').map((name) => [name, paths] as const)));

/** Paths in the offers of a thing, of an offer of several, and of its variants. */
function ofOffers(...names: readonly string[]): readonly string[] {
  return ['offers', 'offers.offers', 'hasVariant.offers'].flatMap((path) => names.map((name) => `${path}.${name}`));
}

function ofAddress(name: string): readonly string[] {
  return ['address', 'location.address', 'jobLocation.address'].map((path) => `${path}.${name}`);
}

/** Returns what a thing says of a field; empty if it says nothing. */
export function declaredPlaces(
  field: Pick<Field, 'name' | 'type' | 'isList'>,
  values: Values,
  follow: Follow,
): readonly Place[] {
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
  for (const path of [...(pathsOf.get(letters) ?? []), ...(own === undefined ? [] : [own])]) {
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
