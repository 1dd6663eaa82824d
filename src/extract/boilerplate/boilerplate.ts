/** Removes what surrounds the content of most pages: menus, banners, form controls and hidden elements. */
import type { Element, Text } from 'domhandler';
import { isTag, isText } from 'domhandler';
import { boxesAfterEnd } from './after-end.ts';
import { firstGroup, groupOfNames } from '../measure/boilerplate-names.ts';
import type { NameGroup } from '../measure/boilerplate-names.ts';
import { headingElements } from '../html/element-kinds.ts';
import { EndHeadings, isEndHeading } from './end-headings.ts';
import { isInSentence } from '../text/in-sentence.ts';
import { noAttributes } from '../html/attributes.ts';
import { nodeText, textBeginning } from '../html/node-text.ts';
import type { PageKind } from '../measure/page-kind.ts';
import type { Box } from '../measure/measure-page.ts';
import { isInterfaceLabel } from './interface-labels.ts';
import { isCredit } from './picture-credits.ts';
import {
  chapterHeading,
  flowElements,
  hasPermalink,
  isDescription,
  isIdOfText,
  isNote,
  isSectionHeader,
} from './reference-parts.ts';
import { isSiteLine } from './site-lines.ts';
import { isLineGutter } from './line-gutter.ts';
import { isTeaserLine } from './teaser-line.ts';

/** Headings, code, tables and the header of an article always stay; with `showsHidden`, hidden elements too. */
export function skipBoilerplate(page: Box, kind: PageKind, skip: (box: Box) => void, showsHidden = false): void {
  visit(page, { kind, isInArticle: false, isInHeading: false, page, skip, ends: new EndHeadings(kind), showsHidden });
}

interface Place {
  readonly kind: PageKind;
  readonly isInArticle: boolean;
  readonly isInHeading: boolean;
  readonly page: Box;
  readonly skip: (box: Box) => void;
  readonly ends: EndHeadings;
  readonly showsHidden: boolean;
}

/** Returns true if any text stays. */
function visit(outer: Box, place: Place): boolean {
  let hasText = outer.ownLength > 0;
  const end = boxesAfterEnd(outer.boxes, place.page.textLength * endShareMax, place.ends);
  let at = -1;
  let isTeasers = false;
  for (const box of outer.boxes) {
    const { element } = box;
    at++;
    if (element === undefined) continue;
    if (end !== undefined && at >= end.start && at < end.end) {
      place.skip(box);
      continue;
    }
    if (isLabelOfTeasers(box, outer.boxes[at + 1], place)) {
      place.skip(box);
      isTeasers = true;
      continue;
    }
    if (isTeasers) {
      isTeasers = false;
      place.skip(box);
      continue;
    }
    // In code, `comment` and `label` are syntax colours.
    if (element.name === 'pre' && isLineGutter(element)) {
      place.skip(box);
    } else if (element.name === 'pre' || element.name === 'code' || element.name === 'math') {
      hasText = true;
    } else if (isBoilerplate(box, element, place)) {
      place.skip(box);
    } else {
      const hasTextInside = visit(box, placeInside(element, place));
      hasText ||= hasTextInside;
      // Only its bullet would be left.
      if (element.name === 'li' && !hasTextInside && !box.hasImage) place.skip(box);
    }
  }
  return hasText;
}

/** Returns true for a line that is no heading element but says the same, such as "Read also:", above a box of links. */
function isLabelOfTeasers(line: Box, next: Box | undefined, { kind, ends, page }: Place): boolean {
  if (
    kind !== 'article' ||
    isListing(page) ||
    next === undefined ||
    line.textLength > labelLengthMax ||
    line.linkLength > 0
  )
    return false;
  if (next.textLength === 0 || next.linkLength < next.textLength * 0.5 || next.hasH1) return false;
  if (next.textLength >= page.textLength * endShareMax || line.element === undefined) return false;
  return line.ownLength > 0 && teaserLabels.has(line.element.name) && ends.has(line.element);
}

const labelLengthMax = 60;
const teaserLabels: ReadonlySet<string> = new Set(['p', 'div', 'span', 'strong', 'b']);

function placeInside({ name, attribs }: Element, place: Place): Place {
  const isInArticle = place.isInArticle || name === 'article' || name === 'main' || attribs['role'] === 'main';
  const isInHeading = place.isInHeading || headingElements.has(name) || name === 'summary' || name === 'dt';
  // Most elements change nothing, so reuse the object.
  return isInArticle === place.isInArticle && isInHeading === place.isInHeading
    ? place
    : { ...place, isInArticle, isInHeading };
}

const keptElements: ReadonlySet<string> = new Set([
  ...headingElements,
  'html',
  'body',
  'main',
  'article',
  'pre',
  'code',
  'table',
  'thead',
  'tbody',
  'tr',
  'td',
  'th',
  'math',
]);
const removedRoles: ReadonlySet<string> = new Set([
  'navigation',
  'banner',
  'contentinfo',
  'search',
  'dialog',
  'alertdialog',
  'alert',
  'menu',
  'menubar',
  'toolbar',
  'tablist',
  'status',
  'complementary',
]);

/** With prose inside, these roles contain what they control: tabs with their panels, a list with its menus. */
const holdingRoles: ReadonlySet<string> = new Set([
  'tablist',
  'menu',
  'menubar',
  'toolbar',
  'status',
  'alert',
  'search',
]);

function isBoilerplate(box: Box, element: Element, place: Place): boolean {
  const { name, attribs } = element;
  const { page } = place;
  const share = box.textLength / Math.max(1, page.textLength);
  // If most of the page is hidden, a script shows it later.
  if (!place.showsHidden && isHidden(element)) {
    const isPage = share >= hiddenShareMax && page.textLength - box.textLength < shownLengthMin;
    return !isFolded(element, box) && !isPage && name !== 'math' && !box.hasMath;
  }
  if (keptElements.has(name)) return false;
  // Longer elements are often tabs or answers that a script opens.
  if (box.textLength < foldedLengthMin && isHiddenByName(element)) return !isFolded(element, box);
  if (!place.isInHeading && isInterfaceLabel(box, element)) return true;
  switch (name) {
    case 'nav':
    case 'dialog':
      return true;
    case 'header':
      if (place.isInArticle) return false;
      if (place.kind === 'other' && !isMostlyLinks(box) && isSectionHeader(box, element)) return false;
      return !box.hasH1;
    case 'footer':
      return true;
    case 'aside':
      if (isNote(box, element)) break;
      if (!place.isInArticle || attribs['role'] === 'complementary') return true;
      break;
    case 'button':
      return !place.isInHeading || box.textLength === 0;
  }
  const role = attribs['role'];
  // As with `header`, a banner within the content is no banner of the site.
  if (role === 'banner' && place.isInArticle) return false;
  if (role !== undefined && removedRoles.has(role)) return !box.hasH1 && !(holdingRoles.has(role) && isProse(box));
  if (attribs['aria-modal'] === 'true') return true;
  if (
    !(place.kind === 'article' ? isMostlyLinks(page) : isListing(page)) &&
    teaserLines.has(name) &&
    isTeaserLine(element, box.textLength, box.linkLength)
  )
    return true;
  if (isMenu(box, name, place) && !isSection(element, place)) return true;
  if (name === 'label' || (name === 'time' && place.kind !== 'discussion'))
    return !place.isInHeading && !isInSentence(element) && box.textLength < detailsLengthMax;
  if (name === 'form') return share < formShareMax && !box.hasH1 && !box.hasArticle;
  if (share < endShareMax && isEnd(box, element, place)) return true;
  if ((place.kind === 'article' || place.kind === 'other') && isSiteLine(box, element)) return true;
  if (isTeaser(box, place) || (!place.isInHeading && isCredit(box, element))) return true;
  return isNamedSo(box, element, place);
}

/** A box named as a teaser, with links. The lead of a German article has that name too, and no links. */
function isTeaser({ textLength, linkLength, hasH1, named }: Box, { kind, page }: Place): boolean {
  if (linkLength < textLength * teaserLinkShareMin || hasH1 || !named.isTeaser) return false;
  if (kind !== 'article' && (kind !== 'other' || isListing(page))) return false;
  return Math.max(named.textLength, textLength) < page.textLength * teaserShareMax;
}

const teaserLinkShareMin = 0.2;
const teaserShareMax = 0.3;

function isNamedSo(box: Box, element: Element, place: Place): boolean {
  if (box.hasH1) return false;
  const id = element.attribs['id'];
  const group = firstGroup(box.named.group, id === undefined ? undefined : groupOfNames(id));
  if (group === undefined || isInSentence(element)) return false;
  if (
    id !== undefined &&
    groupOfNames(id) === group &&
    (isItsHeading(id, group, box) || place.isInHeading || isIdOfText(id, element))
  )
    return false;
  if (isDescription(group, element, place.kind)) return false;
  const isAround = group === 'surrounding' || group === 'navigation';
  const share = box.textLength / Math.max(1, place.page.textLength);
  if (group === 'navigation' && isInset(box, element)) return false;
  if (isAround && (box.hasMath || (isProse(box) && namesContent(element)))) return false;
  if (group === 'navigation' && isMostlyLinks(box) && place.page.textLength - box.textLength >= restLengthMin)
    return true;
  // A single large `comment_content` is the text of a page. Comments have many.
  if (group === 'comments' && share >= commentShareMin && isProse(box) && namesContent(element)) return false;
  if (saysWhatIsListed(group, element, place)) return false;
  const shareMax = namedShareMax[place.kind][group];
  if (Math.max(box.named.textLength, box.textLength) >= place.page.textLength * shareMax) return false;
  if (group === 'details' || group === 'attribution')
    return !place.isInHeading && box.textLength < detailsLengthMax && box.opensWith === undefined;
  return !box.hasArticle || !isAround;
}

/**
 * Dates and lists of labels are what a page of links says about its entries: salary and place of a job. On 1,362 pages,
 * F1 of listings is .764 without this and .769 with it.
 */
function saysWhatIsListed(group: NameGroup, { name }: Element, { kind, page }: Place): boolean {
  const isSaying = group === 'attribution' || (group === 'details' && (name === 'ul' || name === 'li'));
  return isSaying && kind === 'other' && isListing(page);
}

/** A box that begins with the heading of what follows the content, unless it is a chapter of a manual. */
function isEnd(box: Box, element: Element, { ends }: Place): boolean {
  const { opensWith, hasH1 } = box;
  if (opensWith === undefined || hasH1 || !ends.has(opensWith)) return false;
  return !isProse(box) || !isLinkedTo(opensWith, element);
}

/** Manuals offer links to their chapters: the id of the section, or a link in the heading, repeats the heading. */
function isLinkedTo(heading: Element, section: Element): boolean {
  const links = heading.children.map((child) => (isTag(child) ? child.attribs['href'] : undefined));
  const ids = [section.attribs['id'], heading.attribs['id'], ...links.map((link) => link?.match(/^#(.+)$/)?.[1])];
  return ids.some((id) => id !== undefined && !invitations.test(id) && isMadeOf(id, heading));
}

function isMadeOf(id: string, heading: Element): boolean {
  const words = wordsOf(id);
  return words !== '' && wordsOf(nodeText([heading])).includes(words);
}

/**
 * The id of a section is often made of its heading: `copyright-considerations` says what the section is about. Ids of
 * one or two words are names of boxes too, so prose decides.
 */
function isItsHeading(id: string, group: NameGroup, box: Box): boolean {
  if (box.opensWith === undefined) return false;
  if (invitations.test(id) && !(isProse(box) && hasPermalink(box.opensWith, id))) return false;
  const isName = wordsOf(id).split(' ').length < sentenceWordsMin;
  return isMadeOf(id, box.opensWith) && (!isName || (isProse(box) && group !== 'comments'));
}

const sentenceWordsMin = 3;
/** As headings, too, these announce what is not the page's subject. */
const invitations =
  /^(?:[^-_]+[-_]){0,2}(?:related|recommended|trending|popular|latest|also|newsletter|subscribe|sign|register)(?:[-_][^-_]+){0,2}$/i;

function wordsOf(text: string): string {
  return (
    text
      .toLowerCase()
      .match(/\p{L}+/gu)
      ?.join(' ') ?? ''
  );
}

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

function isProse({ textLength, linkLength }: Box): boolean {
  return textLength - linkLength >= namedProseMin && linkLength < textLength * 0.3;
}

const namedProseMin = 300;

function isMostlyLinks({ textLength, linkLength }: Box): boolean {
  return linkLength >= textLength * 0.5;
}

/**
 * A box of links leads away from an article. On a page that is a list of links, it is the content. So are cards with
 * paragraphs on a page that is no article: on 1,362 pages, F1 of service pages is .846 without them and .848 with them.
 */
function isMenu({ textLength, linkLength, lineLength, hasH1, named }: Box, name: string, place: Place): boolean {
  const { page, kind } = place;
  if (hasH1 || !boxes.has(name)) return false;
  if (kind !== 'product' && isListing(page)) return false;
  // Card titles are short and alike; only together they form the list.
  if (textLength < menuLengthMin) return false;
  if (Math.max(named.textLength, textLength) >= page.textLength * menuShareMax[kind]) return false;
  if (kind === 'other' && lineLength >= textLength * cardLineShareMin) return false;
  return linkLength >= textLength * menuLinkShareMin;
}

function isListing({ textLength, linkLength }: Box): boolean {
  return linkLength >= textLength * listingShareMin;
}

/** Keeps a list that a heading of the text or a sentence introduces, such as "References". */
function isSection(list: Element, place: Place): boolean {
  if (list.name !== 'ul' && list.name !== 'ol' && !holdsOnlyList(list)) return false;
  for (let outer = list; ; outer = outer.parent) {
    const before = textBefore(outer);
    if (before !== undefined && isTag(before) && headingElements.has(before.name)) return !place.ends.has(before);
    if (before !== undefined && (isText(before) || before.name === 'p')) {
      const text = nodeText([before]).trim();
      if (text.endsWith(':')) return !isEndHeading(text, place.kind);
    }
    if (outer.parent === null || !isTag(outer.parent)) return false;
    const heading = chapterHeading(outer.parent);
    if (heading !== undefined) return !place.ends.has(heading);
    if (!listElements.has(outer.parent.name) && !holdsOnlyList(outer.parent)) return false;
  }
}

/** DocBook wraps each list: `<div class="itemizedlist"><ul>`. */
function holdsOnlyList({ name, children }: Element): boolean {
  if (name !== 'div') return false;
  const [list, other] = children.filter((child) => isTag(child) || (isText(child) && child.data.trim() !== ''));
  return other === undefined && list !== undefined && isTag(list) && (list.name === 'ul' || list.name === 'ol');
}

function textBefore({ prev }: Element): Element | Text | undefined {
  let before = prev;
  while (before !== null && textBeginning([before], 1).trim() === '') before = before.prev;
  return before !== null && (isTag(before) || isText(before)) ? before : undefined;
}

const teaserLines: ReadonlySet<string> = new Set(['p', 'div', 'li', 'blockquote', 'aside']);
const listElements: ReadonlySet<string> = new Set(['ul', 'ol', 'li']);

/** On 420 pages, F1 is .885 without this and .887 with it; remaining boilerplate is 6.4 % and 5.7 %. */
const listingShareMin = 0.3;
/** A product page can have more text about other products than about its own. */
const menuShareMax: Readonly<Record<PageKind, number>> = { discussion: 0.2, product: 0.5, article: 0.2, other: 0.2 };
const menuLinkShareMin = 0.85;
const menuLengthMin = 30;
const cardLineShareMin = 0.5;

const boxes: ReadonlySet<string> = new Set(['ul', 'ol', 'div', 'section', 'aside']);

/** Ignore a name if it covers at least this share of the page: `with-sidebar` surrounds the content. */
const namedShareMax: Readonly<Record<PageKind, Readonly<Record<NameGroup, number>>>> = {
  discussion: {
    navigation: 0.3,
    surrounding: 0.3,
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
    posters: 0,
    comments: 0.8,
    testimonials: 0,
    reviews: 0.3,
    details: 0.3,
    attribution: 0.3,
  },
};
/** Characters that must remain before navigation of any size is removed. */
const restLengthMin = 60;
const formShareMax = 0.4;
const detailsLengthMax = 160;
const hiddenShareMax = 0.5;
const shownLengthMin = 1000;
const endShareMax = 0.4;

/** Keeps closed accordion sections and inactive tabs: readers open them, so they are content. */
function isFolded({ attribs }: Element, { textLength, linkLength, named }: Box): boolean {
  // In a group of answers, a single one can be short.
  if (Math.max(named.textLength, textLength) < foldedLengthMin || linkLength > textLength * 0.5) return false;
  const role = attribs['role'];
  if (role === 'tabpanel' || role === 'region') return true;
  return foldedNames.test(`${attribs['class'] ?? ''} ${attribs['id'] ?? ''}`);
}

const foldedLengthMin = 80;
const foldedNames =
  /(?:^|[\s_-])(?:accordion|collaps(?:e|ed|ible)|disclosure|expander|toggle|tab-?panel|tab-?(?:pane|content)|faq|answer|panel)s?(?:$|[\s_-])/i;

/** Checks the element's own attributes, not style sheets. */
export function isHidden({ attribs }: Element): boolean {
  if (attribs === noAttributes) return false;
  const id = attribs['id'];
  // React streams late parts of a page to its end, hidden until a script moves them into place.
  if (id !== undefined && /^S:[\da-z]+$/.test(id)) return false;
  if (attribs['hidden'] !== undefined && attribs['hidden'] !== 'until-found') return true;
  const style = attribs['style'];
  return style !== undefined && /(?:^|;)\s*(?:display\s*:\s*none|visibility\s*:\s*hidden)/i.test(style);
}

/**
 * Hidden by class names of common style sheets. `d-none d-md-block` and `hidden md:block` are shown on wide screens.
 */
export function isHiddenByName({ attribs }: Element): boolean {
  const names = attribs['class'];
  return names !== undefined && hidingName.test(names) && !showingName.test(names);
}

const hidingName = /(?:^|\s)(?:d-none|hidden|hide|is-hidden)(?:$|\s)/;
const showingName = /(?:^|\s)(?:d-[a-z]{2,3}-(?!none)|[a-z\d]{2,3}:(?!hidden))/;
