/** Reads from what a page declares its article, product, questions and place in the site (schema.org). */
import { mainThings, type PageSubject, urlsOf } from '../declared/main-things.ts';
import { isRecord, type Thing, type Things } from '../scan/json-ld.ts';

/** Undefined or empty if the page does not state a value. Texts are as in the page; their users tidy them. */
export interface StructuredData {
  /** Type of the page's subject, such as `NewsArticle`. */
  readonly type: string | undefined;
  /** Headline of the article, otherwise of the product. */
  readonly headline: string | undefined;
  readonly description: string | undefined;
  readonly image: string | undefined;
  readonly authors: readonly Author[];
  readonly published: string | undefined;
  readonly modified: string | undefined;
  readonly publisher: string | undefined;
  readonly siteName: string | undefined;
  readonly keywords: readonly string[];
  readonly product: ProductData | undefined;
  readonly rating: { readonly value: string | undefined; readonly count: string | undefined };
  readonly breadcrumbs: readonly string[];
  readonly questions: readonly string[];
}

export interface Author {
  readonly name: string;
  /** True if stated to be a person. Others are organisations or have no type. */
  readonly isPerson: boolean;
}

export interface ProductData {
  readonly name: string | undefined;
  readonly brand: string | undefined;
  readonly sku: string | undefined;
  readonly price: string | undefined;
  readonly currency: string | undefined;
  readonly availability: string | undefined;
}

/** Entries read of one list. */
const listMax = 100;

/**
 * `marked`: things of microdata and RDFa. If JSON-LD has no work, they give product, rating, questions and breadcrumbs;
 * authors and dates do not come from them, since each comment has its own.
 */
export function structuredData(
  things: Things,
  subject: PageSubject,
  marked: () => readonly Thing[] = () => [],
): StructuredData {
  const { follow } = things;
  const main = (family: RegExp): Thing | undefined => ofThisPage(things.all, family, subject);
  const [article, product, faq] = [main(articles), main(products), main(faqs)];
  const page = main(pages);
  // On a page about a product, reviews are beside it, and a page can show a video without being about it.
  const work =
    article ?? product ?? main(works) ?? (page === undefined ? onPage(main(media), subject.isThisPage) : undefined);
  const values = work?.values ?? {};
  const first = (family: RegExp, all = things.all): Thing | undefined =>
    all.find(({ types }) => types.some((type) => family.test(type)));
  const others = work === undefined ? marked() : [];
  const shown = work ?? ofThisPage(others, products, subject) ?? ofThisPage(others, works, subject);
  const sold = product ?? (shown && first(products, [shown]));
  const asked = faq ?? ofThisPage(others, faqs, subject);
  const trail =
    first(/^BreadcrumbList$/) ?? thingOf(follow(page?.values['breadcrumb'])) ?? first(/^BreadcrumbList$/, others);
  return {
    type: (
      article ??
      product ??
      faq ??
      work ??
      things.all.find(({ types }) => !types.some((type) => beside.test(type))) ??
      shown
    )?.types[0],
    headline: textOf(values['headline']) ?? textOf(values['name']),
    description: textOf(values['description']) ?? textOf(page?.values['description']),
    image: urlOf(values['image'], follow) ?? urlOf(values['thumbnailUrl'], follow),
    authors: listOf(values['author'] ?? values['creator']).flatMap((author) => authorOf(author, follow)),
    published:
      textOf(article?.values['datePublished']) ??
      textOf(page?.values['datePublished']) ??
      (article === undefined ? datePublished(values) : undefined),
    modified:
      textOf(article?.values['dateModified']) ?? textOf(page?.values['dateModified']) ?? textOf(values['dateModified']),
    publisher: nameOf(listOf(article?.values['publisher'])[0], follow),
    siteName: textOf(first(/^WebSite$/)?.values['name']),
    keywords: listOf(values['keywords']).flatMap((keyword) => textOf(keyword) ?? []),
    product: sold && productOf(sold.values, follow),
    rating: ratingOf(follow(listOf(shown?.values['aggregateRating'])[0])),
    breadcrumbs: crumbsOf(trail, follow),
    questions: listOf(asked?.values['mainEntity']).flatMap((question) => nameOf(question, follow) ?? []),
  };
}

const articles = /(?:Article|BlogPosting|ForumPosting|MediaPosting)$|^Report$/;
const products =
  /^(?:Product|ProductGroup|IndividualProduct|ProductModel|SoftwareApplication|MobileApplication|WebApplication|Book|Vehicle|Car)$/;
/** Further creative works that can be what a page shows. */
const works =
  /^(?:Recipe|MedicalWebPage|(?:|Claim|Critic|Employer)Review|HowTo|(?:|Podcast|TV|Radio)Episode|Movie|TVSeries|PodcastSeries|Dataset|DataCatalog|Course|LearningResource|Quiz|MusicRecording|MusicAlbum|Photograph|Painting|VisualArtwork|Map|Thesis|Chapter|Legislation|SoftwareSourceCode|VideoGame|Game|Play|Poster|Presentation\w*|CreativeWork|DigitalDocument|DefinedTermSet)$/;
const media = /^(?:Video|Audio|Media)Object$/;
const faqs = /^(?:FAQPage|QAPage)$/;
const pages = /^(?:WebPage|ItemPage|AboutPage|ContactPage|CollectionPage|ProfilePage|CheckoutPage|SearchResultsPage)$/;
/** Things that describe the site or belong to another thing, so they are not the page's subject. */
const beside =
  /^(?:WebSite|Organization|NewsMediaOrganization|Corporation|BreadcrumbList|ImageObject|SearchAction|Person|SiteNavigationElement|WPHeader|WPFooter|Question|ListItem|ItemList|Brand)$/;

/**
 * Returns the only thing of a family. If there are several, such as the articles of a front page, returns the one that
 * refers to this page, or has its name.
 */
function ofThisPage(all: readonly Thing[], family: RegExp, subject: PageSubject): Thing | undefined {
  const found = all.filter(({ types }) => types.some((type) => family.test(type)));
  if (found.length <= 1) return found[0];
  const named = found.find((thing) => urlsOf(thing).some(subject.isThisPage)) ?? mainThings(found, subject)[0];
  const groups = found.filter(({ types }) => types.includes('ProductGroup'));
  return named ?? (groups.length === 1 ? groups[0] : undefined);
}

/** The video in one post of a thread has the address of this post. */
function onPage(thing: Thing | undefined, isThisPage: (url: string) => boolean): Thing | undefined {
  const urls = thing === undefined ? [] : urlsOf(thing);
  return urls.length === 0 || urls.some(isThisPage) ? thing : undefined;
}

/** Videos are uploaded, and episodes broadcast. */
function datePublished(values: Thing['values']): string | undefined {
  return textOf(values['datePublished']) ?? textOf(values['uploadDate']) ?? textOf(values['dateCreated']);
}

function productOf(values: Thing['values'], follow: Things['follow']): ProductData {
  const variants = listOf(values['hasVariant']).map(follow).filter(isRecord);
  const offers = [values, ...variants].flatMap((one) => listOf(one['offers']).map(follow).filter(isRecord));
  // An offer can contain offers, and a price its specification.
  const inner = offers.flatMap((offer) => listOf(offer['offers'] ?? offer['priceSpecification']).map(follow));
  const all = [...offers, ...inner.filter(isRecord)];
  const offer = all.find((one) => priceOf(one) !== undefined);
  const said = (name: string): string | undefined =>
    textOf(offer?.[name]) ?? all.map((one) => textOf(one[name])).find((text) => text !== undefined);
  return {
    name: textOf(values['name']),
    brand: nameOf(listOf(values['brand'] ?? values['manufacturer'] ?? variants[0]?.['brand'])[0], follow),
    sku: [values, ...variants].map((one) => textOf(one['sku']) ?? textOf(one['mpn'])).find((sku) => sku !== undefined),
    price: offer && priceOf(offer),
    currency: said('priceCurrency'),
    availability: said('availability')?.replace(/^https?:\/\/schema\.org\//, ''),
  };
}

function priceOf(offer: Readonly<Record<string, unknown>>): string | undefined {
  return textOf(offer['price']) ?? textOf(offer['lowPrice']);
}

function ratingOf(value: unknown): StructuredData['rating'] {
  if (!isRecord(value)) return { value: undefined, count: undefined };
  return { value: textOf(value['ratingValue']), count: textOf(value['ratingCount']) ?? textOf(value['reviewCount']) };
}

/** Returns the breadcrumbs from the top down, as a reader sees them. */
function crumbsOf(thing: Thing | undefined, follow: Things['follow']): string[] {
  const items = listOf(thing?.values['itemListElement']).filter(isRecord);
  const position = (item: Readonly<Record<string, unknown>>): number => Number(textOf(item['position']) ?? 0) || 0;
  return items
    .toSorted((one, other) => position(one) - position(other))
    .flatMap((item) => textOf(item['name']) ?? nameOf(item['item'], follow) ?? []);
}

function thingOf(value: unknown): Thing | undefined {
  return isRecord(value) ? { types: [], values: value } : undefined;
}

/** A name is a text, or the name of a thing. */
function nameOf(value: unknown, follow: Things['follow']): string | undefined {
  const thing = follow(value);
  // A reference that does not resolve, such as a person's address, is not a name.
  return isRecord(thing) ? textOf(thing['name']) : textOf(thing);
}

function authorOf(value: unknown, follow: Things['follow']): Author[] {
  const name = nameOf(value, follow);
  const thing = follow(value);
  return name === undefined ? [] : [{ name, isPerson: isRecord(thing) && textOf(thing['@type']) === 'Person' }];
}

function urlOf(value: unknown, follow: Things['follow']): string | undefined {
  const [one] = listOf(value);
  const thing = follow(one);
  return isRecord(thing) ? (textOf(thing['url']) ?? textOf(thing['contentUrl'])) : textOf(thing);
}

function listOf(value: unknown): readonly unknown[] {
  if (value === undefined || value === null) return [];
  return Array.isArray(value) ? value.slice(0, listMax) : [value];
}

/** Accepts texts, numbers, the text of `{"@value": ...}`, and the first of several. */
function textOf(value: unknown): string | undefined {
  if (Array.isArray(value)) return value.length === 0 || Array.isArray(value[0]) ? undefined : textOf(value[0]);
  if (typeof value === 'number') return String(value);
  if (typeof value === 'string') return value.trim() === '' ? undefined : value;
  return isRecord(value) && !isRecord(value['@value']) && !Array.isArray(value['@value'])
    ? textOf(value['@value'])
    : undefined;
}
