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
  /^(?:\w*Page|WebSite|WebPageElement|WP\w+|SiteNavigationElement|BreadcrumbList|ItemList|ListItem|OfferCatalog|SearchAction|\w+Action|ImageObject|Question|Answer|Comment|Brand|Offer|AggregateOffer|AggregateRating|Rating|Review|PostalAddress|ContactPoint|PropertyValue|\w*Specification|Quotation|Country|Thing)$/;
/** Things that also publish, sell or write: only their name in the heading makes one the subject. */
const actors = /^(?:Person|Brand|\w*Organization|Corporation|NewsMediaOrganization)$/;

/**
 * Returns the things that are the page's subject, the surest first; several if a page declares its subject in several
 * ways. Things of other names never come together: if two fit equally well, the page has no subject.
 */
export function mainThings<Kind extends Thing>(things: readonly Kind[], page: PageSubject): readonly Kind[] {
  const subjects = things.filter(({ types }) => types.length > 0 && !types.some((type) => parts.test(type)));
  const headings = page.headings.map(lettersOf).filter((letters) => letters !== '');
  const title = lettersOf(page.title);
  const isHeading = (thing: Kind): boolean => namesOf(thing).some((name) => headings.includes(name));
  const isHere = (thing: Kind): boolean => !isActor(thing) && urlsOf(thing).some(page.isThisPage);
  const isTitle = (thing: Kind): boolean => !isActor(thing) && namesOf(thing).includes(title);
  const begins = (thing: Kind): boolean =>
    !isActor(thing) && namesOf(thing).some((name) => isPartOf(name, [title, ...headings]));
  for (const fits of [isHeading, isTitle, isHere, begins]) {
    const found = subjects.filter(fits);
    if (found.length === 0) continue;
    const names = new Set(found.map((thing) => namesOf(thing)[0] ?? ''));
    if (names.size <= 1 || fits === isHeading) return found;
    // Themes give related things the address of the page.
    const surer = found.filter((thing) => isHere(thing) && begins(thing));
    return new Set(surer.map((thing) => namesOf(thing)[0] ?? '')).size === 1 ? surer : [];
  }
  return [];
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
  return [values['url'], values['mainEntityOfPage'], values['@id']]
    .map((value) => (isRecord(value) ? value['@id'] : value))
    .filter((url) => typeof url === 'string');
}

function lettersOf(text: string): string {
  const plain = text.slice(0, nameLengthMax);
  return (plain.includes('&') ? decodeHTML(plain) : plain).toLowerCase().replaceAll(/[^\p{L}\p{N}]+/gu, '');
}
