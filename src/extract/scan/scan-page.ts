/** Collects in one walk everything that is read from the page before parts are removed. */
import type { ChildNode, Document, Element } from 'domhandler';
import { isTag } from 'domhandler';
import { isListing } from '../html/code-lines.ts';
import { holdsButton } from '../html/heading-buttons.ts';
import { attributeBits, attributeOf, knownAttributes } from '../html/nodes.ts';
import { isTabList } from '../html/tab-names.ts';

export interface PageElements {
  readonly html: Element | undefined;
  readonly title: Element | undefined;
  /** The first `<base>` with a `href`. */
  readonly base: Element | undefined;
  readonly metas: readonly Element[];
  /** `<meta http-equiv=refresh>`, except in `<noscript>`: there it leads to "enable JavaScript" in place of the page. */
  readonly refreshes: readonly Element[];
  /** All elements that can lead to another page, in document order: a, area, iframe, frame, link, {@link refreshes}. */
  readonly linking: readonly Element[];
  /** Scripts with JSON-LD. */
  readonly jsonLd: readonly Element[];
  /** Every `<h1>`. */
  readonly mainHeadings: readonly Element[];
  /** Headings with buttons. */
  readonly buttonHeadings: readonly Element[];
  /** Templates that browsers show as part of the element around them: declarative shadow DOM. */
  readonly shadowRoots: readonly Element[];
  /** Elements that can mark a date: `<time>`, `<abbr>`, and `<span property>`. */
  readonly dated: readonly Element[];
  /** Lists of choices in forms. */
  readonly choices: readonly Element[];
  /** True if the page has a field for a password. */
  readonly asksPassword: boolean;
  /** True if a listing with an element for each line is on the page. */
  readonly hasCodeLines: boolean;
  /** True if tabs are on the page. */
  readonly hasTabs: boolean;
  /** True if microdata or RDFa is on the page. */
  readonly hasMarkup: boolean;
  /** Every `itemtype`. */
  readonly itemTypes: readonly string[];
  /** Elements with the number of a post as id. */
  readonly posts: number;
}

export function scanPage(document: Document): PageElements {
  const found: Found = {
    html: undefined,
    title: undefined,
    base: undefined,
    metas: [],
    refreshes: [],
    linking: [],
    jsonLd: [],
    mainHeadings: [],
    buttonHeadings: [],
    shadowRoots: [],
    dated: [],
    choices: [],
    asksPassword: false,
    hasCodeLines: false,
    hasTabs: false,
    hasMarkup: false,
    itemTypes: [],
    posts: 0,
    noscripts: 0,
  };
  visit(document.children, found);
  return found;
}

type Found = {
  -readonly [Name in keyof PageElements]: PageElements[Name] extends readonly (infer One)[]
    ? One[]
    : PageElements[Name];
} & {
  /** Open `<noscript>` elements. */
  noscripts: number;
};

function visit(nodes: readonly ChildNode[], found: Found): void {
  for (const node of nodes) {
    if (!isTag(node)) continue;
    const attributes = knownAttributes(node);
    if ((attributes & marking) !== 0) readMarks(node, found);
    switch (node.name) {
      case 'html':
        found.html ??= node;
        break;
      case 'title':
        found.title ??= node;
        break;
      case 'base':
        if (found.base === undefined && node.attribs['href'] !== undefined) found.base = node;
        break;
      case 'meta':
        found.metas.push(node);
        if (found.noscripts > 0 || !isRefresh(node)) break;
        found.refreshes.push(node);
        found.linking.push(node);
        break;
      case 'noscript':
        found.noscripts++;
        visit(node.children, found);
        found.noscripts--;
        continue;
      case 'a':
      case 'area':
      case 'iframe':
      case 'frame':
      case 'link':
        found.linking.push(node);
        break;
      case 'input':
        found.asksPassword ||= node.attribs['type']?.toLowerCase() === 'password';
        break;
      case 'select':
        found.choices.push(node);
        break;
      case 'div':
      case 'table':
      case 'textarea':
        found.hasCodeLines ||= isListing(node);
        break;
      case 'time':
      case 'abbr':
        found.dated.push(node);
        break;
      case 'span':
        if ((attributes & stating) !== 0) found.dated.push(node);
        break;
      case 'h1':
        found.mainHeadings.push(node);
        if (holdsButton(node)) found.buttonHeadings.push(node);
        break;
      case 'h2':
      case 'h3':
      case 'h4':
      case 'h5':
        if (holdsButton(node)) found.buttonHeadings.push(node);
        break;
      case 'script':
        if (isJsonLd(node)) found.jsonLd.push(node);
        continue;
      case 'style':
        continue;
      case 'template':
        if (node.attribs['shadowrootmode'] === undefined) continue;
        found.shadowRoots.push(node);
        break;
      case 'svg':
        visitDrawing(node.children, found);
        continue;
    }
    if (node.children.length === 0) continue;
    if ((attributes & naming) !== 0) found.hasTabs ||= isTabList(node);
    visit(node.children, found);
  }
}

const marking = attributeBits('id', 'itemscope', 'itemtype', 'typeof');
const stating = attributeBits('property');
const naming = attributeBits('class', 'role');
const scoping = attributeBits('itemscope', 'typeof');

function readMarks(element: Element, found: Found): void {
  found.hasMarkup ||= (knownAttributes(element) & scoping) !== 0;
  const type = attributeOf(element, 'itemtype');
  if (type !== undefined) found.itemTypes.push(type);
  const id = attributeOf(element, 'id');
  if (id !== undefined && postIds.test(id) && !blogPosts.test(attributeOf(element, 'class') ?? '')) found.posts++;
}

/** `post-123`, `msg123`, `p123`: ids with which forums make posts linkable. */
const postIds = /(?:^|[-_])(?:post|msg|message|reply|answer|pid|p)[-_]?\d+$|^c_[a-z\d]{6}$/i;
/** Class names of WordPress blog posts. */
const blogPosts = /\b(?:hentry|type-)/;

/**
 * In a drawing only `<a>` counts: an icon's `<title>` is not the page's, and `<use>` and `<image>` refer to parts of
 * it.
 */
function visitDrawing(nodes: readonly ChildNode[], found: Found): void {
  for (const node of nodes) {
    if (!isTag(node)) continue;
    if (node.name === 'a') found.linking.push(node);
    visitDrawing(node.children, found);
  }
}

function isRefresh({ attribs }: Element): boolean {
  return attribs['http-equiv']?.toLowerCase() === 'refresh';
}

function isJsonLd(script: Element): boolean {
  const type = attributeOf(script, 'type');
  return type !== undefined && /^\s*application\/ld\+json\s*(?:;|$)/i.test(type);
}
