/** Decides about boxes whose `class` or `id` is a name of what surrounds the content. */
import type { ChildNode, Element } from 'domhandler';
import { isTag } from 'domhandler';
import { textBeginning } from '../html/node-text.ts';
import { firstGroup, groupOfNames } from '../measure/boilerplate-names.ts';
import type { NameGroup } from '../measure/boilerplate-names.ts';
import type { Box } from '../measure/measure-page.ts';
import type { PageKind } from '../measure/page-kind.ts';
import { isInSentence } from '../text/in-sentence.ts';
import { isFolded } from './hidden-elements.ts';
import { entriesMin, holdsCards, isListing, isMostlyLinks } from './menus.ts';
import { flowElements, isDescription, isIdOfText } from './reference-parts.ts';
import { isItsHeading, isProse } from './section-heads.ts';

/** What decides about a named box. */
interface NamedPlace {
  readonly kind: PageKind;
  readonly isInArticle: boolean;
  /** The heading, summary or term that the box is part of. */
  readonly heading: Box | undefined;
  readonly page: Box;
}

/** True if the name of a child of `outer` is right about it. Its text, size and place can say that it is content. */
export function isNamedSo(box: Box, element: Element, place: NamedPlace, outer: Box): boolean {
  if (box.hasH1) return false;
  const id = element.attribs['id'];
  const group = firstGroup(box.named.group, id === undefined ? undefined : groupOfNames(id));
  if (group === undefined || isInSentence(element)) return false;
  // A heading needs its text.
  if (place.heading !== undefined && place.heading.textLength === box.textLength) return false;
  if (
    id !== undefined &&
    groupOfNames(id) === group &&
    (isItsHeading(id, group, box) || place.heading !== undefined || isIdOfText(id, element))
  )
    return false;
  if (isDescription(group, element, place.kind)) return false;
  if (saysWhatIsListed(box, group, place, outer)) return false;
  const share = box.textLength / Math.max(1, place.page.textLength);
  switch (group) {
    case 'navigation':
      if (isInset(box, element) || isFolded(element, box) || isUnlinked(box, element)) return false;
      if (isMostlyLinks(box) && place.page.textLength - box.textLength >= restLengthMin)
        return !isListing(place.page) || share < cardShareMin || !holdsCards(element);
      break;
    case 'promotions':
      if (box.opensWith !== undefined && !isMostlyLinks(box)) return false;
      break;
    case 'comments':
      if (isComment(element) && !holdsPoster(element.children, { left: looksMax })) return false;
      // A single large `comment_content` is the text of a page. Comments have many.
      if (share >= commentShareMin && isProse(box) && namesContent(element)) return false;
      break;
    case 'reviews':
      // Within the text of an article are the author's own.
      if (place.isInArticle && place.kind !== 'product' && box.opensWith !== undefined) return false;
      break;
    case 'details':
      if (isFact(box, element, place)) return false;
      // The credit of a picture can name the box that holds both.
      if (box.hasImage && pictureNames.test(element.attribs['class'] ?? '')) return false;
      if (isLongDetail(box, place)) return false;
      break;
    case 'attribution':
      if (isFact(box, element, place) || isLongDetail(box, place)) return false;
      break;
    case 'posters':
    case 'surrounding':
    case 'testimonials':
  }
  const isAround = around.has(group);
  if (isAround && (box.hasMath || box.hasArticle || (isProse(box) && namesContent(element)))) return false;
  return !isAtLeast(box, place.page.textLength * namedShareMax[place.kind][group]);
}

/** Prices, dates, places and labels are what the page is about, unless it is an article or a thread, or has a byline. */
function isFact(box: Box, element: Element, { kind }: NamedPlace): boolean {
  if (kind === 'article' || kind === 'discussion' || isMostlyLinks(box)) return false;
  return box.textLength > bylineLengthMax || !isByline(element);
}

/** Names an author, or holds a date that programs can read: the metadata has both. */
function isByline(element: Element): boolean {
  return bylineNames.test(element.attribs['class'] ?? '') || holdsAuthorOrTime([element], { left: looksMax });
}

function holdsAuthorOrTime(nodes: readonly ChildNode[], budget: { left: number }): boolean {
  return nodes.some((node) => {
    if (!isTag(node) || budget.left-- <= 0) return false;
    return node.name === 'time' || node.attribs['rel'] === 'author' || holdsAuthorOrTime(node.children, budget);
  });
}

const bylineNames = /(?:^|[\s_-])by-?line(?:$|[\s_-])/i;
const bylineLengthMax = 120;

function isLongDetail({ opensWith, textLength }: Box, { heading }: NamedPlace): boolean {
  return heading !== undefined || opensWith !== undefined || textLength >= detailsLengthMax;
}

const pictureNames = /(?:^|[\s_-])(?:image|picture|photo|figure|gallery)(?:$|[\s_-])/i;
export const detailsLengthMax = 160;
const around: ReadonlySet<NameGroup> = new Set(['navigation', 'surrounding', 'promotions']);
/** Characters that must remain before navigation of any size is removed. */
const restLengthMin = 60;
/** Least share of the page for a box that is named as navigation and holds the cards of a list. */
const cardShareMin = 0.3;

/** True if the box, or all boxes of the same name together, have this length. */
function isAtLeast({ named, textLength }: Box, length: number): boolean {
  if (textLength >= length || named.textLength >= length) return true;
  return textLength >= partLengthMin && named.lengthByWord >= length;
}

/** Shorter boxes are labels and buttons, alike in the whole page. */
const partLengthMin = 150;

/** Navigation leads somewhere. `tab-nav` can be what the tabs are about. */
function isUnlinked({ textLength, linkLength }: Box, { attribs }: Element): boolean {
  return linkLength === 0 && textLength >= unlinkedLengthMin && leadingNames.test(attribs['class'] ?? '');
}

const unlinkedLengthMin = 30;
const leadingNames = /(?:^|[\s_-])(?:nav|navigation|menu)(?:$|[\s_-])/i;

/**
 * Dates, ratings and lists of labels are what a page of links says about its entries: salary and place of a job. On
 * 1,362 pages, F1 of listings is .764 without this and .769 with it. Several authors or dates are not those of the page.
 * A label that is a whole entry is the entry.
 */
function saysWhatIsListed(box: Box, group: NameGroup, { kind, page }: NamedPlace, outer: Box): boolean {
  if (kind !== 'other') return false;
  const { element, named, textLength } = box;
  const isRepeated = named.textLength >= textLength * entriesMin;
  if (group === 'attribution') return isListing(page) || isRepeated;
  if (group === 'reviews') return isRepeated && textLength <= ratingLengthMax;
  if (group !== 'details' || !isListing(page)) return false;
  const isEntry = outer.element?.name === 'li' && outer.textLength === textLength;
  return isEntry || element?.name === 'ul' || element?.name === 'li';
}

const ratingLengthMax = 40;

/**
 * In manuals and books, a `sidebar` is a box between the paragraphs of a chapter, with more text on its subject. The
 * sidebar of a site stands next to the box with all the content.
 */
function isInset({ textLength, linkLength }: Box, element: Element): boolean {
  if (!/(?:^|\s)sidebar(?:\s|$)/.test(element.attribs['class'] ?? '')) return false;
  if (textLength < insetLengthMin || linkLength >= textLength * insetLinkShareMax) return false;
  let before = element.prev;
  while (before !== null && !(isTag(before) && textBeginning([before], 1) !== '')) before = before.prev;
  if (before === null) return false;
  return flowElements.has(before.name) || flowNames.test(before.attribs['class'] ?? '');
}

const insetLengthMin = 100;
const insetLinkShareMax = 0.3;
/** DocBook can write a paragraph and a title as `<div>`. */
const flowNames =
  /^(?:para|paragraph|titlepage|sidebar|note|tip|warning|caution|important|(?:example|figure|table|itemizedlist|orderedlist|variablelist|procedure|screen)(?:-break)?)$/;

/** `content-sidebar-wrap` matches both kinds of names; its text decides. */
function namesContent({ attribs }: Element): boolean {
  return contentNames.test(attribs['class'] ?? '') || contentNames.test(attribs['id'] ?? '');
}

const contentNames = /(?:^|[\s_-])(?:contents?|body|text|entry|wrap|wrapper|panel)(?:$|[\s_-])/i;

const commentShareMin = 0.4;

/** Named as a single comment, such as that on a function: behind its name. */
function isComment({ name, attribs, parent }: Element): boolean {
  const names = `${attribs['class'] ?? ''} ${attribs['id'] ?? ''}`;
  if (name === 'li' || name === 'article' || !ofReference.test(names)) return false;
  return !severalNames.test(parent !== null && isTag(parent) ? `${names} ${parent.attribs['class'] ?? ''}` : names);
}

/** A comment has an author, a date or a link to reply to it. */
function holdsPoster(nodes: readonly ChildNode[], budget: { left: number }): boolean {
  return nodes.some((node) => {
    if (!isTag(node) || budget.left-- <= 0) return false;
    return node.name === 'time' || posterNames.test(node.attribs['class'] ?? '') || holdsPoster(node.children, budget);
  });
}

/** Elements looked at, so that nested boxes take linear time. */
const looksMax = 300;
/** Words that say of what it is a comment. */
const ofReference = /(?:^|\s)(?:[a-z]+[-_])+comment(?:[-_](?:body|text|block))?(?:\s|$)/;
const severalNames = /comments|comment-?list|comment-?(?:form|count|link|reply|respond)|commentaires|comentarios/i;
const posterNames = /author|avatar|reply|date|time|user|vcard|poster|meta/i;

/** Ignore a name if it covers at least this share of the page: `with-sidebar` surrounds the content. */
const namedShareMax: Readonly<Record<PageKind, Readonly<Record<NameGroup, number>>>> = {
  discussion: {
    navigation: 0.3,
    surrounding: 0.3,
    promotions: 0.3,
    posters: 0.3,
    comments: 0.3,
    testimonials: 0,
    reviews: 0,
    details: 0.3,
    attribution: 0,
  },
  product: {
    navigation: 0.3,
    surrounding: 0.3,
    promotions: 0.3,
    posters: 0,
    comments: 0.8,
    testimonials: 0.9,
    reviews: 0.9,
    details: 0.3,
    attribution: 0.3,
  },
  article: {
    navigation: 0.3,
    surrounding: 0.3,
    promotions: 0.3,
    posters: 0,
    comments: 0.8,
    testimonials: 0,
    reviews: 0.3,
    details: 0.3,
    attribution: 0.3,
  },
  other: {
    navigation: 0.3,
    surrounding: 0.3,
    promotions: 0.3,
    posters: 0,
    comments: 0.8,
    testimonials: 0,
    reviews: 0.3,
    details: 0.3,
    attribution: 0.3,
  },
};
