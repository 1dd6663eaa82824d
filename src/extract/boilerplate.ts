/** Finds what surrounds the content of most pages: menus, banners, forms' controls, what is hidden. */
import type { ChildNode, Element } from 'domhandler';
import { isTag } from 'domhandler';
import { headingElements, textlessElements } from './element-kinds.ts';
import type { Holding, Survey } from './survey.ts';
import { surveyPage } from './survey.ts';

/** Adds to what the client excluded already. Headings, code, tables and an article's own header always stay. */
export function findBoilerplate(nodes: readonly ChildNode[], excluded: ReadonlySet<ChildNode>): ReadonlySet<ChildNode> {
  const found = new Set(excluded);
  visit(nodes, { isInArticle: false, isInHeading: false, survey: surveyPage(nodes) }, found);
  return found;
}

interface Place {
  readonly isInArticle: boolean;
  readonly isInHeading: boolean;
  readonly survey: Survey;
}

function visit(nodes: readonly ChildNode[], place: Place, found: Set<ChildNode>): void {
  for (const node of nodes) {
    if (!isTag(node) || found.has(node) || textlessElements.has(node.name)) continue;
    if (isBoilerplate(node, place)) {
      found.add(node);
    } else {
      const inner: Place = {
        ...place,
        isInArticle:
          place.isInArticle || node.name === 'article' || node.name === 'main' || node.attribs['role'] === 'main',
        isInHeading:
          place.isInHeading || headingElements.has(node.name) || node.name === 'summary' || node.name === 'dt',
      };
      visit(node.children, inner, found);
    }
  }
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
  // Most of a page is only hidden until a script shows it.
  if (isHidden(element)) return name !== 'math' && !holding.hasMath && share < hiddenShareMax;
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
  const names = `${attribs['class'] ?? ''} ${attribs['id'] ?? ''}`;
  return (
    names.length > 1 &&
    share < namedShareMax &&
    names.length < namesLengthMax &&
    boilerplateNames.test(names) &&
    !holding.hasH1 &&
    !holding.hasArticle
  );
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
const namedShareMax = 0.3;
const hiddenShareMax = 0.5;
const namesLengthMax = 500;
const boilerplateNames =
  /(?:^|[\s_-])(?:cookies?-?(?:banner|bar|consent|notice)?|consent|gdpr|breadcrumbs?|sidebar|side-bar|navbar|nav-?header|nav-?footer|site-nav|site-footer|site-header|footer|menu|skip-(?:link|to-content|nav)|share|sharing|social|related(?:-posts|-articles)?|newsletter|subscribe|pagination|pager|advert(?:isement)?|ads?|popup|modal|sr-only|visually-hidden|screen-reader-text|printfooter|mw-editsection|headerlink)(?:$|[\s_-])/i;

function isHidden({ attribs }: Element): boolean {
  if (attribs['hidden'] !== undefined && attribs['hidden'] !== 'until-found') return true;
  const style = attribs['style'];
  return style !== undefined && /(?:^|;)\s*(?:display\s*:\s*none|visibility\s*:\s*hidden)/i.test(style);
}
