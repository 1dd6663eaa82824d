/** Finds what surrounds the content of most pages: menus, banners, forms' controls, what is hidden. */
import type { ChildNode, Element } from 'domhandler';
import { isTag, isText } from 'domhandler';
import { headingElements, textlessElements } from './element-kinds.ts';
import { groupOfNames } from './boilerplate-names.ts';
import type { NameGroup } from './boilerplate-names.ts';
import { isEndHeading } from './end-headings.ts';
import { nodeText } from './node-text.ts';
import type { PageKind } from './page-kind.ts';
import type { Holding, Survey } from './survey.ts';

/** Adds to what the client excluded already. Headings, code, tables and an article's own header always stay. */
export function findBoilerplate(
  nodes: readonly ChildNode[],
  excluded: ReadonlySet<ChildNode>,
  kind: PageKind,
  survey: Survey,
): ReadonlySet<ChildNode> {
  const found = new Set(excluded);
  const place: Place = {
    kind,
    isInArticle: false,
    isInHeading: false,
    survey,
    isEnd: remembered((heading: Element) => isEndHeading(nodeText(heading.children))),
    groupOf: remembered(groupOfNames),
  };
  visit(nodes, place, found);
  return found;
}

/** The same few names and headings are asked about again and again. */
function remembered<Key, Value>(answer: (key: Key) => Value): (key: Key) => Value {
  const answers = new Map<Key, Value>();
  return (key) => {
    const known = answers.get(key);
    if (known !== undefined || answers.has(key)) return known as Value;
    const value = answer(key);
    answers.set(key, value);
    return value;
  };
}

interface Place {
  readonly kind: PageKind;
  readonly isInArticle: boolean;
  readonly isInHeading: boolean;
  readonly survey: Survey;
  readonly isEnd: (heading: Element) => boolean;
  readonly groupOf: (names: string) => NameGroup | undefined;
}

/** How many texts stay. */
function visit(nodes: readonly ChildNode[], place: Place, found: Set<ChildNode>): number {
  let kept = 0;
  for (const node of nodes) {
    if (isText(node) && /\S/.test(node.data)) kept++;
    if (!isTag(node) || found.has(node) || textlessElements.has(node.name)) continue;
    // In code, `comment` and `label` are colours.
    if (node.name === 'pre' || node.name === 'code' || node.name === 'math') {
      kept++;
    } else if (isBoilerplate(node, place)) {
      found.add(node);
    } else {
      const inner = placeInside(node, place);
      const keptInside = visit(node.children, inner, found);
      kept += keptInside;
      // Nothing but the bullet would be left of it.
      if (node.name === 'li' && keptInside === 0 && !place.survey.of(node).hasImage) found.add(node);
    }
  }
  return kept;
}

function placeInside({ name, attribs }: Element, place: Place): Place {
  const isInArticle = place.isInArticle || name === 'article' || name === 'main' || attribs['role'] === 'main';
  const isInHeading = place.isInHeading || headingElements.has(name) || name === 'summary' || name === 'dt';
  // Most elements change nothing.
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
  'math',
]);
const tableParts: ReadonlySet<string> = new Set(['thead', 'tbody', 'tr', 'td', 'th']);
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

function isBoilerplate(element: Element, place: Place): boolean {
  const { name, attribs } = element;
  const holding = place.survey.of(element);
  const share = holding.textLength / Math.max(1, place.survey.textLength);
  const isPage = share >= hiddenShareMax && place.survey.textLength - holding.textLength < shownLengthMin;
  // Most of a page is only hidden until a script shows it.
  if (isHidden(element)) return !isFolded(element, holding) && !isPage && name !== 'math' && !holding.hasMath;
  if (keptElements.has(name) || tableParts.has(name)) return false;
  switch (name) {
    case 'nav':
    case 'dialog':
      return true;
    case 'header':
    case 'footer':
    case 'aside':
      if (!place.isInArticle) return name !== 'header' || !holding.hasH1;
      return name === 'footer' || (name === 'aside' && attribs['role'] === 'complementary');
    case 'button':
      return !place.isInHeading;
  }
  const role = attribs['role'];
  if (role !== undefined && removedRoles.has(role)) return !holding.hasH1;
  if (attribs['aria-modal'] === 'true') return true;
  if (isMenu(element, holding, place.survey)) return true;
  if (name === 'label' || (name === 'time' && place.kind !== 'discussion'))
    return !place.isInHeading && holding.textLength < detailsLengthMax;
  if (name === 'form') return share < formShareMax && !holding.hasH1 && !holding.hasArticle;
  if (holding.opensWith !== undefined && share < endShareMax && !holding.hasH1 && place.isEnd(holding.opensWith))
    return true;
  const group = place.groupOf(`${attribs['class'] ?? ''} ${attribs['id'] ?? ''}`);
  if (group === undefined || holding.hasH1 || (group === 'surrounding' && holding.hasMath)) return false;
  const alike = attribs['class'] === undefined ? 0 : place.survey.lengthOfClass(attribs['class']);
  const shareMax = namedShareMax[place.kind][group];
  if (Math.max(alike, holding.textLength) >= place.survey.textLength * shareMax) return false;
  if (group === 'details' || group === 'attribution')
    return !place.isInHeading && holding.textLength < detailsLengthMax && holding.opensWith === undefined;
  return !holding.hasArticle || group !== 'surrounding';
}

/** A box of nothing but links leads away from an article. On a page that is a list of links, it is the content. */
function isMenu({ name }: Element, { textLength, linkLength, hasH1 }: Holding, page: Survey): boolean {
  if (hasH1 || !boxes.has(name) || page.linkLength >= page.textLength * listingShareMin) return false;
  if (textLength < menuLengthMin || textLength >= page.textLength * menuShareMax) return false;
  return linkLength >= textLength * menuLinkShareMin;
}

/** Chosen on 420 pages: F1 .826 without, .828 with; boilerplate that gets through 17 % and 15 %. */
const listingShareMin = 0.3;
const menuShareMax = 0.2;
const menuLinkShareMin = 0.85;
const menuLengthMin = 30;

const boxes: ReadonlySet<string> = new Set(['ul', 'ol', 'div', 'section', 'aside']);

/** A name is not believed when it would take so much of the page: `with-sidebar` is around the content. */
const namedShareMax: Readonly<Record<PageKind, Readonly<Record<NameGroup, number>>>> = {
  discussion: { surrounding: 0.3, posters: 0.3, comments: 0.3, reviews: 0, details: 0.3, attribution: 0 },
  product: { surrounding: 0.3, posters: 0, comments: 0.8, reviews: 0.9, details: 0.3, attribution: 0.3 },
  article: { surrounding: 0.3, posters: 0, comments: 0.8, reviews: 0.3, details: 0.3, attribution: 0.3 },
  other: { surrounding: 0.3, posters: 0, comments: 0.8, reviews: 0.3, details: 0.3, attribution: 0.3 },
};
const formShareMax = 0.3;
const detailsLengthMax = 160;
const hiddenShareMax = 0.5;
const shownLengthMin = 1000;
const endShareMax = 0.4;

/** The closed part of an accordion or the tab behind: read by opening it, so that it is content as much as the rest. */
function isFolded({ attribs }: Element, { textLength, linkLength }: Holding): boolean {
  if (textLength < foldedLengthMin || linkLength > textLength * 0.5) return false;
  const role = attribs['role'];
  if (role === 'tabpanel' || role === 'region') return true;
  return foldedNames.test(`${attribs['class'] ?? ''} ${attribs['id'] ?? ''}`);
}

const foldedLengthMin = 80;
const foldedNames =
  /(?:^|[\s_-])(?:accordion|collaps(?:e|ed|ible)|tab-?panel|tab-?(?:pane|content)|faq|answer|panel)s?(?:$|[\s_-])/i;

function isHidden({ attribs }: Element): boolean {
  // React streams late parts of a page at its end, hidden until a script has moved them to their places.
  if (/^S:[\da-z]+$/.test(attribs['id'] ?? '')) return false;
  if (attribs['hidden'] !== undefined && attribs['hidden'] !== 'until-found') return true;
  const style = attribs['style'];
  return style !== undefined && /(?:^|;)\s*(?:display\s*:\s*none|visibility\s*:\s*hidden)/i.test(style);
}
