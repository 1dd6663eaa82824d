/** Finds the thing that a page is about among all that it declares, never a neighbour such as a related product. */
import { decodeHTML } from 'entities';
import { isRecord, type Thing } from '../scan/json-ld.ts';

/** What the page says of its subject besides what it declares. */
export interface PageSubject {
  /** Texts of every `<h1>`. */
  readonly headings: readonly string[];
  readonly title: string;
  /** Whether a reference leads to this page or to its canonical URL. */
  readonly isThisPage: (url: string) => boolean;
}

/** Things that describe the site, a part of the page, or a part of another thing. */
const parts =
  /^(?:\w*Page|WebSite|WebPageElement|WP\w+|SiteNavigationElement|BreadcrumbList|ItemList|ListItem|OfferCatalog|SearchAction|\w+Action|ImageObject|Answer|Comment|Brand|Offer|AggregateOffer|AggregateRating|Rating|PostalAddress|ContactPoint|PropertyValue|\w*Specification|Quotation|Country|Thing)$/;
/** Things that also publish, sell or write: only their name in the heading makes one the subject. */
const actors = /^(?:Person|Brand|\w*Organization|Corporation|NewsMediaOrganization)$/;

/** Things that stand on pages about other things. */
const besides = /^(?:\w*(?:Business|Store)|(?:Video|Audio|Media)Object|Review)$/;

/**
 * Returns the things that are the page's subject, the surest first; several if a page declares its subject in several
 * ways, such as an article and its recipe. Names, addresses and statements count together. Things of one type with other
 * names never come together: if two fit equally well, neither does.
 */
export function mainThings<Kind extends Thing>(things: readonly Kind[], page: PageSubject): readonly Kind[] {
  const headings = page.headings.map(lettersOf).filter((letters) => letters !== '');
  const texts = [lettersOf(page.title), ...headings];
  const entities = things.flatMap(({ values }) => values['mainEntity']);
  const weighed = things
    .filter(({ types }) => types.length > 0 && !types.some((type) => parts.test(type)))
    .map((thing) => {
      const names = namesOf(thing);
      const isNamed = names.some((name) => headings.includes(name));
      if (isActor(thing)) return { thing, weight: isNamed ? 8 : 0 };
      const isStated =
        statedUrlsOf(thing).some(page.isThisPage) || entities.some((entity) => isReferenceTo(entity, thing));
      const weight =
        (isNamed ? 8 : 0) +
        (names.includes(texts[0] ?? '') ? 4 : 0) +
        (isStated ? 2 : urlsOf(thing).some(page.isThisPage) ? 1 : 0) +
        (names.some((name) => isPartOf(name, texts)) ? 1 : 0);
      return { thing, weight };
    })
    .filter(({ weight }) => weight > 0)
    .toSorted((one, other) => other.weight - one.weight);
  const best = weighed[0]?.weight ?? 0;
  return weighed
    .filter(({ thing, weight }) => {
      if (weight < Math.min(best, sureWeight)) return false;
      const rivals = weighed.filter(
        (other) => other.weight >= weight && isRival(other.thing, thing, best < sureWeight),
      );
      return rivals.length === 0 || weight >= 8;
    })
    .map(({ thing }) => thing);
}

/** The name and the address, or a statement: enough beside a thing that fits better. */
const sureWeight = 2;

/** Things of other names, of one type or if none is sure. */
function isRival(other: Thing, thing: Thing, isAny: boolean): boolean {
  if ((namesOf(other)[0] ?? '') === (namesOf(thing)[0] ?? '')) return false;
  return isAny || other.types.some((type) => thing.types.includes(type));
}

/** The only thing of a page, however it is named, if a page can be about it. */
export function onlyThing<Kind extends Thing>(things: readonly Kind[]): Kind | undefined {
  const [only, ...others] = things.filter(
    (thing) =>
      thing.types.length > 0 && !isActor(thing) && !thing.types.some((type) => parts.test(type) || besides.test(type)),
  );
  return others.length === 0 ? only : undefined;
}

function isReferenceTo(value: unknown, { values }: Thing): boolean {
  return value === values || (isRecord(value) && value['@id'] !== undefined && value['@id'] === values['@id']);
}

function isActor({ types }: Thing): boolean {
  return types.some((type) => actors.test(type));
}

/** A longer name of the same thing: "Rake 3000 | Tools" of "Rake 3000". */
function isPartOf(name: string, whole: readonly string[]): boolean {
  return (
    name.length >= partLengthMin &&
    whole.some((text) => text.includes(name) || (text.length >= partLengthMin && name.includes(text)))
  );
}

const partLengthMin = 6;
const nameLengthMax = 500;

function namesOf({ values }: Thing): readonly string[] {
  return [values['name'], values['headline'], values['title']]
    .flatMap((value) => (Array.isArray(value) ? (value as unknown[]) : [value]))
    .map((value) => (isRecord(value) ? value['@value'] : value))
    .flatMap((value) => (typeof value === 'string' ? lettersOf(value) : []))
    .filter((letters) => letters !== '');
}

/** Addresses by which a thing says that it is a page. */
export function urlsOf({ values }: Thing): readonly string[] {
  return addressesIn([values['url'], values['@id'], values['mainEntityOfPage']]);
}

/** Addresses of the page of which a thing says that it is the main one, or a part. */
function statedUrlsOf({ values }: Thing): readonly string[] {
  return addressesIn([values['mainEntityOfPage'], values['isPartOf']]);
}

function addressesIn(values: readonly unknown[]): readonly string[] {
  return values.flatMap((value) => (isRecord(value) ? value['@id'] : value)).filter((url) => typeof url === 'string');
}

function lettersOf(text: string): string {
  const plain = text.slice(0, nameLengthMax);
  return (plain.includes('&') ? decodeHTML(plain) : plain)
    .replace(/<\/?[a-z][^<>]*>/gi, '')
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}]+/gu, '');
}
