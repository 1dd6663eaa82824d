/** Boxes whose `class` or `id` is a name of what surrounds the content. Their text, size and place can say otherwise. */
import type { ChildNode, Element } from 'domhandler';
import { isTag } from 'domhandler';
import { existsOne } from 'domutils';
import { textBeginning } from '../html/node-text.ts';
import { groupOfNames } from '../measure/boilerplate-names.ts';
import type { NameGroup } from '../measure/boilerplate-names.ts';
import type { Box } from '../measure/measure-page.ts';
import type { PageKind } from '../measure/page-kind.ts';
import { isListing } from './asked.ts';
import { isContact, isContactCard } from './contacts.ts';
import type { Asked } from './asked.ts';
import { entriesMin, holdsCards } from './menu-rules.ts';
import { flowElements, isIdOfText } from './reference-parts.ts';
import type { Drop, Shield } from './rule.ts';
import { isItsHeading, isProse } from './section-heads.ts';

/** A box of the group that has less than this share of the page: `with-sidebar` surrounds the content. */
function isNamed<Group extends NameGroup>(group: Group, shareMax: number) {
  return {
    group,
    when: ({ box, place }: Asked): boolean => !isAtLeast(box, place.page.textLength * shareMax),
  };
}

export const nameDrops = [
  {
    name: 'teaser',
    // The lead of a German article has that name too, and no links; the services of a company can be cards of that name.
    kinds: ['article'],
    when: ({ box: { textLength, linkLength, named }, place }) =>
      named.isTeaser &&
      linkLength >= textLength * teaserLinkShareMin &&
      Math.max(named.textLength, textLength) < place.page.textLength * teaserShareMax,
  },
  {
    name: 'named-menu',
    // However large its share of the page.
    group: 'navigation',
    when: ({ box, isMostlyLinks, place }) => isMostlyLinks && place.page.textLength - box.textLength >= restLengthMin,
  },
  { name: 'named-navigation', ...isNamed('navigation', 0.3) },
  { name: 'named-surrounding', ...isNamed('surrounding', 0.3) },
  { name: 'named-promotion', ...isNamed('promotions', 0.3) },
  { name: 'named-poster', kinds: ['discussion'], ...isNamed('posters', 0.3) },
  { name: 'named-comments', kinds: ['article', 'product', 'other'], ...isNamed('comments', 0.8) },
  { name: 'named-reviews', kinds: ['article', 'other'], ...isNamed('reviews', 0.3) },
  { name: 'named-reviews-of-product', kinds: ['product'], ...isNamed('reviews', 0.9) },
  { name: 'named-detail', ...isNamed('details', 0.3) },
] as const satisfies readonly Drop[];

const byName = nameDrops.map(({ name }) => name).filter((name) => name !== 'teaser');
/** What readers write, and their names: plain text everywhere. */
const people: ReadonlySet<string> = new Set(['named-poster', 'named-comments', 'named-reviews-of-product']);
const around = ['named-navigation', 'named-surrounding', 'named-promotion'];

export const nameShields: readonly Shield[] = [
  { name: 'named-title', from: byName, when: ({ box }) => box.hasH1 },
  {
    name: 'plain-text',
    // A name needs a second sign: a link, a picture or a control. What is laid over the page, or is the foot of a site,
    // needs none.
    from: byName.filter((name) => !people.has(name)),
    when: ({ box, element, group, place }) =>
      isPlain(box) &&
      (group !== 'navigation' || place.article !== undefined) &&
      (!hasStrongName(element) || isPartOfProduct(box, place.kind)),
  },
  { name: 'in-sentence', from: [...byName, 'hidden-by-class'], when: ({ isInSentence }) => isInSentence },
  {
    name: 'whole-heading',
    from: byName,
    when: ({ box, place }) => place.heading !== undefined && place.heading.textLength === box.textLength,
  },
  {
    name: 'id-of-text',
    // The id is made of what the box says.
    from: byName,
    when: ({ box, element, group, isInHeading }) => {
      const id = element.attribs['id'];
      if (isLinkToItself(element)) return true;
      if (id === undefined || group === undefined || groupOfNames(id) !== group) return false;
      return isItsHeading(id, group, box) || isInHeading || isIdOfText(id, element);
    },
  },
  {
    name: 'words-of-entries',
    from: byName,
    kinds: ['other'],
    when: saysWhatIsListed,
  },
  { name: 'inset', from: ['named-menu', 'named-navigation'], when: ({ box, element }) => isInset(box, element) },
  {
    name: 'contact-in-sidebar',
    // The foot of a page says it on all pages.
    from: ['named-navigation'],
    kinds: ['other'],
    when: (asked) =>
      (isContactCard(asked.box, asked.element) || isNotice(asked.box, asked.element)) && !asked.isNamed(/foot/i),
  },
  {
    name: 'unlinked-navigation',
    // Navigation leads somewhere. A `menu` can be that of a restaurant.
    from: ['named-menu', 'named-navigation'],
    kinds: ['other'],
    when: ({ box, outer, element }) =>
      !box.hasControl &&
      leadingNames.test(element.attribs['class'] ?? '') &&
      isUnlinked(box) &&
      // A short part of a menu that stays.
      (box.textLength >= unlinkedLengthMin ||
        (isUnlinked(outer) && leadingNames.test(outer.element?.attribs['class'] ?? ''))),
  },
  {
    name: 'named-cards',
    from: ['named-menu'],
    when: ({ share, element, place }) => isListing(place.page) && share >= cardShareMin && holdsCards(element),
  },
  {
    name: 'offer',
    from: ['named-promotion'],
    // Linked titles are the entries of a list of news.
    when: ({ box, isMostlyLinks, place: { kind, page } }) =>
      box.opensWith !== undefined && (!isMostlyLinks || (kind === 'other' && isListing(page))),
  },
  {
    name: 'related-entries',
    from: ['named-surrounding'],
    kinds: ['other'],
    // The works of a person, with more than their titles.
    when: ({ box, isMostlyLinks }) =>
      !isMostlyLinks && box.linkLength > 0 && !box.hasControl && box.opensWith !== undefined && !isProse(box),
  },
  {
    name: 'comment-of-nobody',
    from: ['named-comments'],
    // What a reader wrote stands beside the name, in every comment.
    when: ({ box, element, outer }) =>
      isPlain(box) &&
      box.named.textLength <= box.textLength * onlyShareMax &&
      !holdsPoster([element, ...(outer.element?.children ?? [])], { left: looksMax }),
  },
  {
    name: 'part-of-comment',
    // The name of who wrote a comment that stays.
    from: ['named-comments'],
    when: ({ box, element, place }) =>
      place.isInComments && !box.hasControl && holdsPoster([element], { left: looksMax }),
  },
  {
    name: 'comment-in-reference',
    from: ['named-comments'],
    when: ({ element }) => isComment(element) && !holdsPoster(element.children, { left: looksMax }),
  },
  {
    name: 'own-review',
    // Within the text of an article are the author's own. Those of readers have several names or dates.
    from: ['named-reviews'],
    when: ({ box, element, place }) =>
      (place.article !== undefined && box.opensWith !== undefined) ||
      (box.named.textLength <= box.textLength * onlyShareMax && countPosters(element.children, { left: looksMax }) < 2),
  },
  {
    name: 'fact',
    // Prices, places and labels are what the page is about. Those of a product stand next to its buttons.
    from: ['named-detail'],
    kinds: ['product', 'other'],
    when: ({ box, isMostlyLinks, place }) => !isMostlyLinks && (place.kind === 'product' || !box.hasControl),
  },
  {
    name: 'half-of-pair',
    // Its other half, the term, stays.
    from: ['named-detail'],
    elements: ['dd'],
    when: () => true,
  },
  {
    name: 'contact-detail',
    from: ['named-detail'],
    // "Call us" does not say the number.
    when: ({ box, element }) =>
      !box.hasControl && existsOne(isContact, [element]) && saysContact.test(textBeginning([element], contactWithin)),
  },
  {
    name: 'author-line',
    // The names of several authors can all be links.
    from: ['menu'],
    when: ({ box, element }) =>
      box.textLength <= bylineLengthMax && !box.hasControl && holds([element], isAuthor, { left: looksMax }),
  },
  {
    name: 'picture-box',
    // The credit of a picture can name the box that holds both.
    from: ['named-detail'],
    when: ({ box, element }) => box.hasImage && pictureNames.test(element.attribs['class'] ?? ''),
  },
  {
    name: 'long-detail',
    from: ['named-detail'],
    when: ({ box, isInHeading }) => isInHeading || box.opensWith !== undefined || box.textLength >= detailsLengthMax,
  },
  {
    name: 'content-name',
    // `content-sidebar-wrap` matches both kinds of names; its text decides.
    from: around,
    kinds: ['article', 'other', 'discussion'],
    when: (asked) => isProse(asked.box) && asked.isNamed(contentNames),
  },
];

/** Opening hours, in a box of their own beside the content. */
function isNotice(box: Box, { children }: Element): boolean {
  return (
    isPlain(box) &&
    box.opensWith !== undefined &&
    box.textLength <= contactWithin &&
    /\d/.test(textBeginning(children, contactWithin))
  );
}

/** The name of what a manual explains can be the link to it: `<a href="#verbose">-v, --verbose</a>`. */
function isLinkToItself({ attribs, children }: Element): boolean {
  const id = /^#(.+)$/.exec(attribs['href'] ?? '')?.[1];
  return (
    id !== undefined &&
    textBeginning(children, contactWithin)
      .replace(/^[-\s]+/, '')
      .startsWith(id)
  );
}

/** A number of some digits, or an address. */
const saysContact = /\d(?:[^\p{L}\d]{0,3}\d){5}|\S@\S/u;
const contactWithin = 200;

function isUnlinked({ linkLength, textLength }: Box): boolean {
  return linkLength < textLength * unlinkedShareMax;
}

function isPlain({ linkLength, hasImage, hasControl }: Box): boolean {
  return linkLength === 0 && !hasImage && !hasControl;
}

/** Measures and materials, which a shop opens beside the page. What a reader must answer has a control. */
function isPartOfProduct({ opensWith }: Box, kind: PageKind): boolean {
  return kind === 'product' && opensWith !== undefined;
}

/** Laid over the page, or said to programs and paper only. */
const strongNames =
  /(?<![a-z])(?:cookies?(?:[a-z]*(?:banner|bar|consent|notice))?|consent|gdpr|modals?|popups?|lightbox|sr-only|hidden|visuallyhidden|screen-?reader|offscreen|skip(?:link|nav)?|print|newsletters?|shares?|sharing|share(?:bar|daddy)|toasts?|adverts?|advertisements?|advertising)(?![a-z])/;

/** Asks for whole words, so `blueprint` and `shareholders` are none. */
function hasStrongName({ attribs }: Element): boolean {
  return strongNames.test(
    `${attribs['class'] ?? ''} ${attribs['id'] ?? ''}`
      .replace(blockOfPart, '')
      .replace(/([a-z\d])([A-Z])/g, '$1-$2')
      .toLowerCase(),
  );
}
/** Of `size-modal__width`, a part of what stays. In `Modal_root__x1Yz`, nothing says what it is a part of. */
const blockOfPart = /(?<!\S)[^\s_]+__(?=[a-z])/g;
const onlyShareMax = 1.2;
const teaserLinkShareMin = 0.2;
const teaserShareMax = 0.3;
/** Characters that must remain before navigation of any size is removed. */
const restLengthMin = 60;
/** Least share of the page for a box that is named as navigation and holds the cards of a list. */
const cardShareMin = 0.3;
const contentNames = /(?:^|[\s_-])(?:contents?|body|text|entry|wrap|wrapper|panel)(?:$|[\s_-])/i;
const unlinkedLengthMin = 30;
const unlinkedShareMax = 0.15;
const leadingNames = /(?:^|[\s_-])(?:nav|navigation|menu)(?:$|[\s_-])/i;

export function isAuthor({ attribs }: Element): boolean {
  return attribs['rel'] === 'author' || attribs['itemprop'] === 'author' || authorNames.test(attribs['class'] ?? '');
}

const authorNames = /(?:^|[\s_-])(?:author|vcard|by-?line)(?:$|[\s_-])/i;

function holds(nodes: readonly ChildNode[], is: (element: Element) => boolean, budget: { left: number }): boolean {
  return nodes.some((node) => isTag(node) && budget.left-- > 0 && (is(node) || holds(node.children, is, budget)));
}

const bylineLengthMax = 120;

const pictureNames = /(?:^|[\s_-])(?:image|picture|photo|figure|gallery)(?:$|[\s_-])/i;
const detailsLengthMax = 160;

/** True if the box, or all boxes of the same name together, have this length. */
function isAtLeast({ named, textLength }: Box, length: number): boolean {
  if (textLength >= length || named.textLength >= length) return true;
  return textLength >= partLengthMin && named.lengthByWord >= length;
}

/** Shorter boxes are labels and buttons, alike in the whole page. */
const partLengthMin = 150;

/**
 * Ratings and lists of labels are what a page of links says about its entries: salary and place of a job. On
 * 1,362 pages, F1 of listings is .764 without this and .769 with it. Several authors or dates are not those of the page.
 * A label that is a whole entry is the entry.
 */
function saysWhatIsListed({ box, element, group, outer, place: { page } }: Asked): boolean {
  const { named, textLength } = box;
  if (group === 'reviews') return named.textLength >= textLength * entriesMin && textLength <= ratingLengthMax;
  if (group !== 'details' || !isListing(page)) return false;
  const isEntry = outer.element?.name === 'li' && outer.textLength === textLength;
  return isEntry || element.name === 'ul' || element.name === 'li';
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

/** Named as a single comment, such as that on a function: behind its name. */
function isComment({ name, attribs, parent }: Element): boolean {
  const names = `${attribs['class'] ?? ''} ${attribs['id'] ?? ''}`;
  if (name === 'li' || !ofReference.test(names)) return false;
  return !severalNames.test(parent !== null && isTag(parent) ? `${names} ${parent.attribs['class'] ?? ''}` : names);
}

/** A comment has an author, a date or a link to reply to it. */
function holdsPoster(nodes: readonly ChildNode[], budget: { left: number }): boolean {
  return holds(nodes, ({ name, attribs }) => name === 'time' || posterNames.test(attribs['class'] ?? ''), budget);
}

/** People or dates in it: of readers who write reviews. */
function countPosters(nodes: readonly ChildNode[], budget: { left: number }): number {
  let sum = 0;
  for (const node of nodes) {
    if (!isTag(node) || budget.left-- <= 0) continue;
    if (isAuthor(node) || node.name === 'time') sum++;
    else sum += countPosters(node.children, budget);
  }
  return sum;
}

/** Elements looked at, so that nested boxes take linear time. */
const looksMax = 300;
/** Words that say of what it is a comment. */
const ofReference = /(?:^|\s)(?:[a-z]+[-_])+comment(?:[-_](?:body|text|block))?(?:\s|$)/;
const severalNames = /comments|comment-?list|comment-?(?:form|count|link|reply|respond)|commentaires|comentarios/i;
const posterNames = /author|avatar|reply|date|time|user|vcard|poster|meta/i;
