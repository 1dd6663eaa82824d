/** Boxes whose `class` or `id` is a name of what surrounds the content. Their text, size and place can say otherwise. */
import type { ChildNode, Element } from 'domhandler';
import { isTag } from 'domhandler';
import { textBeginning } from '../html/node-text.ts';
import { groupOfNames } from '../measure/boilerplate-names.ts';
import type { NameGroup } from '../measure/boilerplate-names.ts';
import type { Box } from '../measure/measure-page.ts';
import type { PageKind } from '../measure/page-kind.ts';
import type { Asked } from './asked.ts';
import { isIdOfText } from './reference-parts.ts';
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
    name: 'named-navigation',
    group: 'navigation',
    // Of links, however large its share of the page.
    when: ({ box, isMostlyLinks, place: { page } }) =>
      !isAtLeast(box, page.textLength * 0.3) || (isMostlyLinks && page.textLength - box.textLength >= restLengthMin),
  },
  { name: 'named-surrounding', ...isNamed('surrounding', 0.3) },
  { name: 'named-promotion', ...isNamed('promotions', 0.3) },
  { name: 'named-poster', kinds: ['discussion'], ...isNamed('posters', 0.3) },
  { name: 'named-comments', kinds: ['article', 'product', 'other'], ...isNamed('comments', 0.8) },
  {
    name: 'named-reviews',
    kinds: ['article', 'product', 'other'],
    group: 'reviews',
    when: ({ box, place: { page, kind } }) => !isAtLeast(box, page.textLength * (kind === 'product' ? 0.9 : 0.3)),
  },
  { name: 'named-detail', ...isNamed('details', 0.3) },
] as const satisfies readonly Drop[];

const byName = nameDrops.map(({ name }) => name);
const around = ['named-navigation', 'named-surrounding', 'named-promotion'];

export const nameShields: readonly Shield[] = [
  { name: 'named-title', from: byName, when: ({ box }) => box.hasH1 },
  {
    name: 'plain-text',
    // A name needs a second sign: a link, a picture or a control. What is laid over the page, or is the foot of a site,
    // needs none. What readers write, and their names, is plain text everywhere.
    from: byName.filter((name) => name !== 'named-comments' && name !== 'named-poster'),
    when: ({ box, element, group, place }) =>
      (isPlain(box) || isMenuOfDishes(box, element, place.kind)) &&
      (group !== 'navigation' || place.article !== undefined || isMenuOfDishes(box, element, place.kind)) &&
      (!hasStrongName(element) || isPartOfProduct(box, place.kind)),
  },
  {
    name: 'part-of-text',
    from: byName,
    when: ({ isInSentence }) => isInSentence,
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
    name: 'offer',
    from: ['named-promotion'],
    when: ({ box, isMostlyLinks }) => box.opensWith !== undefined && !isMostlyLinks,
  },
  {
    name: 'comment-of-nobody',
    // A comment has an author, a date or a link to reply to it, in it or beside it. In comments that stay, those stay.
    from: ['named-comments'],
    when: ({ box, element, outer, place }) =>
      (place.isInComments && !box.hasControl && holdsPoster([element], { left: looksMax })) ||
      (isComment(element) && !holdsPoster(element.children, { left: looksMax })) ||
      (isPlain(box) && isOnly(box) && !holdsPoster([element, ...(outer.element?.children ?? [])], { left: looksMax })),
  },
  {
    name: 'own-review',
    from: ['named-reviews'],
    kinds: ['article', 'other'],
    // Within the text of an article are the author's own. Those of readers have several names or dates.
    when: ({ box, element, place }) =>
      (place.article !== undefined && box.opensWith !== undefined) ||
      (isOnly(box) && countPosters(element.children, { left: looksMax }) < 2),
  },
  {
    name: 'long-detail',
    // The other half of a `dd`, the term, stays.
    from: ['named-detail'],
    when: ({ box, element, isInHeading, isMostlyLinks, place }) =>
      isInHeading ||
      // The price of a product stands next to its buttons.
      (place.kind === 'product' && !isMostlyLinks) ||
      /^d[dl]$/.test(element.name) ||
      box.opensWith !== undefined ||
      box.textLength >= detailsLengthMax,
  },
  {
    name: 'content-name',
    // `content-sidebar-wrap` matches both kinds of names; its text decides.
    from: around,
    kinds: ['article', 'other', 'discussion'],
    when: (asked) => (isProse(asked.box) && asked.isNamed(contentNames)) || isInset(asked.box, asked.element),
  },
];

const linkWithin = 200;

/** The name of what a manual explains can be the link to it: `<a href="#verbose">-v, --verbose</a>`. */
function isLinkToItself({ attribs, children }: Element): boolean {
  const id = /^#(.+)$/.exec(attribs['href'] ?? '')?.[1];
  return (
    id !== undefined &&
    textBeginning(children, linkWithin)
      .replace(/^[-\s]+/, '')
      .startsWith(id)
  );
}

function isPlain({ linkLength, hasImage, hasControl }: Box): boolean {
  return linkLength === 0 && !hasImage && !hasControl;
}

/** A `menu` can be that of a restaurant. */
function isMenuOfDishes({ linkLength, textLength, hasControl }: Box, { attribs }: Element, kind: PageKind): boolean {
  if (kind !== 'other' || hasControl || linkLength >= textLength * unlinkedShareMax) return false;
  return leadingNames.test(attribs['class'] ?? '');
}

const unlinkedShareMax = 0.15;

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
const leadingNames = /(?:^|[\s_-])(?:nav|navigation|menu)(?:$|[\s_-])/i;

/** Those of readers are several of one name. */
function isOnly({ named, textLength }: Box): boolean {
  return named.textLength <= textLength * onlyShareMax;
}

const onlyShareMax = 1.2;
/** Characters that must remain before navigation of any size is removed. */
const restLengthMin = 60;
const contentNames = /(?:^|[\s_-])(?:contents?|body|text|entry|wrap|wrapper|panel)(?:$|[\s_-])/i;

export function isAuthor({ attribs }: Element): boolean {
  return attribs['rel'] === 'author' || attribs['itemprop'] === 'author' || authorNames.test(attribs['class'] ?? '');
}

const authorNames = /(?:^|[\s_-])(?:author|vcard|by-?line)(?:$|[\s_-])/i;

function holds(nodes: readonly ChildNode[], is: (element: Element) => boolean, budget: { left: number }): boolean {
  return nodes.some((node) => isTag(node) && budget.left-- > 0 && (is(node) || holds(node.children, is, budget)));
}

const detailsLengthMax = 160;

/** True if the box, or all boxes of the same name together, have this length. */
function isAtLeast({ named, textLength }: Box, length: number): boolean {
  if (textLength >= length || named.textLength >= length) return true;
  return textLength >= partLengthMin && named.lengthByWord >= length;
}

/** Shorter boxes are labels and buttons, alike in the whole page. */
const partLengthMin = 150;

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
const flowElements: ReadonlySet<string> = new Set('p pre blockquote ul ol dl table figure h2 h3 h4 h5 h6'.split(' '));
/** DocBook can write a paragraph and a title as `<div>`. */
const flowNames =
  /^(?:para|paragraph|titlepage|sidebar|note|tip|warning|caution|important|(?:example|figure|table|itemizedlist|orderedlist|variablelist|procedure|screen)(?:-break)?)$/;

/** Named as a single comment, such as that on a function: behind its name. */
function isComment({ name, attribs, parent }: Element): boolean {
  const names = `${attribs['class'] ?? ''} ${attribs['id'] ?? ''}`;
  if (name === 'li' || !ofReference.test(names)) return false;
  return !severalNames.test(parent !== null && isTag(parent) ? `${names} ${parent.attribs['class'] ?? ''}` : names);
}

/** Words that say of what it is a comment. */
const ofReference = /(?:^|\s)(?:[a-z]+[-_])+comment(?:[-_](?:body|text|block))?(?:\s|$)/;
const severalNames = /comments|comment-?list|comment-?(?:form|count|link|reply|respond)|commentaires|comentarios/i;

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
const posterNames = /author|avatar|reply|date|time|user|vcard|poster|meta/i;
