/** Removes what surrounds the content of most pages: menus, banners, form controls and hidden elements. */
import type { Element } from 'domhandler';
import { boxesAfterEnd } from './after-end.ts';
import { headingElements } from '../html/element-kinds.ts';
import { EndHeadings } from './end-headings.ts';
import {
  foldedLengthMin,
  isFolded,
  isFurtherEntry,
  isHidden,
  isHiddenByName,
  isTitleOfFold,
} from './hidden-elements.ts';
import { LikeBoxes } from './like-boxes.ts';
import { isListing, isMenu, isMostlyLinks } from './menus.ts';
import { isEnd, isProse } from './section-heads.ts';
import { detailsLengthMax, isNamedSo } from './named-boxes.ts';
import { isInSentence } from '../text/in-sentence.ts';
import type { PageKind } from '../measure/page-kind.ts';
import type { Box } from '../measure/measure-page.ts';
import { isInterfaceLabel } from './interface-labels.ts';
import { isCredit } from './picture-credits.ts';
import { isNote, isSectionHeader } from './reference-parts.ts';
import { isSiteLine } from './site-lines.ts';
import { isLineGutter } from './line-gutter.ts';
import { isChoice, priceNames } from './product-choices.ts';
import { isTeaserLine } from './teaser-line.ts';

/** Headings, code, tables and the header of an article always stay; with `showsHidden`, hidden elements too. */
export function skipBoilerplate(page: Box, kind: PageKind, skip: (box: Box) => void, showsHidden = false): void {
  const likes = new LikeBoxes();
  const ends = new EndHeadings(kind);
  visit(page, { kind, isInArticle: false, heading: undefined, page, skip, ends, likes, showsHidden });
}

interface Place {
  readonly kind: PageKind;
  readonly isInArticle: boolean;
  /** The heading, summary or term that the box is part of. */
  readonly heading: Box | undefined;
  readonly page: Box;
  readonly skip: (box: Box) => void;
  readonly ends: EndHeadings;
  readonly likes: LikeBoxes;
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
    } else if (isBoilerplate(box, element, place, outer)) {
      place.skip(box);
    } else {
      const hasTextInside = visit(box, placeInside(box, element, place));
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

function placeInside(box: Box, { name, attribs }: Element, place: Place): Place {
  const isInArticle = place.isInArticle || name === 'article' || name === 'main' || attribs['role'] === 'main';
  const isHeading = headingElements.has(name) || name === 'summary' || name === 'dt';
  const heading = place.heading ?? (isHeading ? box : undefined);
  // Most elements change nothing, so reuse the object.
  return isInArticle === place.isInArticle && heading === place.heading ? place : { ...place, isInArticle, heading };
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

function isBoilerplate(box: Box, element: Element, place: Place, outer: Box): boolean {
  const { name, attribs } = element;
  const { page } = place;
  const share = box.textLength / Math.max(1, page.textLength);
  // If most of the page is hidden, a script shows it later.
  if (!place.showsHidden && isHidden(element)) {
    const isPage = share >= hiddenShareMax && page.textLength - box.textLength < shownLengthMin;
    // A region can also be a hidden banner about cookies, or a window to sign in.
    if (isFolded(element, box)) return isNamedSo(box, element, place, outer);
    if (isPage || name === 'math' || box.hasMath) return false;
    return !isFurtherEntry(box, outer, place.likes);
  }
  if (keptElements.has(name)) return false;
  // Longer elements are often tabs or answers that a script opens.
  if (box.textLength < foldedLengthMin && isHiddenByName(element)) return !isFolded(element, box);
  if (place.heading === undefined && isInterfaceLabel(box, element)) return true;
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
      return box.textLength === 0 || (place.heading === undefined && !isInSentence(element) && !isTitleOfFold(element));
  }
  const role = attribs['role'];
  // Shops announce a changed price as a status.
  if (role !== undefined && priceNames.test(`${attribs['class'] ?? ''} ${attribs['id'] ?? ''}`)) return false;
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
  if (isMenu(box, outer, place)) return true;
  if (name === 'label' || (name === 'time' && (place.kind === 'article' || place.kind === 'product')))
    return (
      place.heading === undefined &&
      !isInSentence(element) &&
      box.textLength < detailsLengthMax &&
      !(place.kind === 'product' && isChoice(element))
    );
  if (name === 'form') return share < formShareMax && !box.hasH1 && !box.hasArticle;
  if (share < endShareMax && isEnd(box, element, place.ends)) return true;
  if ((place.kind === 'article' || place.kind === 'other') && isSiteLine(box, element)) return true;
  if (isTeaser(box, place) || (place.heading === undefined && isCredit(box, element))) return true;
  return isNamedSo(box, element, place, outer);
}

/**
 * A box named as a teaser, with links. The lead of a German article has that name too, and no links; the services of a
 * company can be cards of that name.
 */
function isTeaser({ textLength, linkLength, hasH1, named }: Box, { kind, page }: Place): boolean {
  if (linkLength < textLength * teaserLinkShareMin || hasH1 || !named.isTeaser) return false;
  if (kind !== 'article') return false;
  return Math.max(named.textLength, textLength) < page.textLength * teaserShareMax;
}

const teaserLines: ReadonlySet<string> = new Set(['p', 'div', 'li', 'blockquote', 'aside']);
const teaserLinkShareMin = 0.2;
const teaserShareMax = 0.3;

const formShareMax = 0.4;
const hiddenShareMax = 0.5;
const shownLengthMin = 1000;
const endShareMax = 0.4;
