/** Measures each element of a page in one walk. All later steps use the result, so no text is read twice. */
import type { ChildNode, Element, Text } from 'domhandler';
import { isTag, isText } from 'domhandler';
import { groupOfNames } from './boilerplate-names.ts';
import type { NameGroup } from './boilerplate-names.ts';
import { headingElements, textlessElements } from '../html/element-kinds.ts';
import { mediaElements } from '../media/embedded-media.ts';
import { addTextTo, attributeBits, attributeOf, knownAttributes } from '../html/nodes.ts';
import { TextSum } from '../text/text-sum.ts';

export interface MeasuredPage {
  readonly nodes: readonly ChildNode[];
  readonly root: Box;
  /** Length of all shown text, including what {@link Box.textLength} leaves out. */
  readonly wholeLength: number;
  /** Number of code elements; one within another does not count. */
  readonly codeCount: number;
  /** The `class` of every element with text or images, each once. */
  readonly classes: Iterable<string>;
  /** Content for readers without scripts; not part of the boxes. */
  readonly noscripts: readonly Element[];
}

/**
 * An element with text or images. Lengths are in visible characters. Elements that colour or link parts of code are not
 * boxes, and their text counts for the box around them: a page of source code has a hundred thousand.
 */
export interface Box {
  /** Undefined for the page as a whole. */
  readonly element: Element | undefined;
  boxes: readonly Box[];
  /** Length of the text nodes directly in it. */
  ownLength: number;
  /** Characters of {@link ownLength} inside links. */
  ownLinkLength: number;
  /** Characters of {@link ownLength} in text nodes as long as a line of prose. */
  ownLineLength: number;
  /** {@link ownLineLength} of this box and of all boxes that {@link textLength} counts. */
  lineLength: number;
  /** Length of all text in it, except that of menus and footers inside. Menus and footers count their own text. */
  textLength: number;
  /** Characters of {@link textLength} inside links. */
  linkLength: number;
  hasH1: boolean;
  hasArticle: boolean;
  hasMath: boolean;
  hasImage: boolean;
  /** It holds a form or a control of one, such as a button. */
  hasControl: boolean;
  /** Hash of the text: two elements with equal hash and length have the same text. */
  textHash: number;
  /** The heading with which its text starts. */
  opensWith: Element | undefined;
  readonly named: Named;
  /** True if left out of the content. */
  isSkipped: boolean;
  /** The name of the rule that left it out. */
  rule: string | undefined;
}

/** Elements with the same `class`. Cards of a list are alike, and only together they are the page. */
class Named {
  textLength = 0;
  readonly #names: string;
  #group: NameGroup | undefined | 'unread' = 'unread';
  #isArticleBody: boolean | undefined;

  readonly #page: Names;
  #lengthByWord: number | undefined;

  constructor(names: string, page: Names) {
    this.#names = names;
    this.#page = page;
  }

  /** Computed on first use: elements within menus never need it. */
  get group(): NameGroup | undefined {
    if (this.#group === 'unread') this.#group = groupOfNames(this.#names);
    return this.#group;
  }

  /**
   * Length of all boxes with the name that decides about the group, whatever other names they have: `promo wide` and
   * `promo narrow` are parts of one list. 0 for what is laid over a page: there are many cookies to explain.
   */
  get lengthByWord(): number {
    this.#lengthByWord ??= this.#page.lengthOf(this.#decidingName());
    return this.#lengthByWord;
  }

  #decidingName(): string {
    const name = namesIn(this.#names).find((one) => groupOfNames(one) === this.group) ?? '';
    return overlayNames.test(name) ? '' : name;
  }

  /** True if the names are those of an article's text. */
  get isArticleBody(): boolean {
    this.#isArticleBody ??= articleBodyNames.test(this.#names);
    return this.#isArticleBody;
  }
}

/** The classes of one page. */
class Names {
  readonly known = new Map<string, Named>();
  #lengths: Map<string, number> | undefined;

  /** Length of all boxes with this name among others. */
  lengthOf(name: string): number {
    this.#lengths ??= this.#sum();
    return this.#lengths.get(name) ?? 0;
  }

  #sum(): Map<string, number> {
    const lengths = new Map<string, number>();
    for (const [names, { textLength }] of this.known) {
      if (textLength < summedLengthMin) continue;
      for (const name of new Set(namesIn(names))) lengths.set(name, (lengths.get(name) ?? 0) + textLength);
    }
    return lengths;
  }
}

/** Most classes are those of single words, and a list consists of larger boxes. */
const summedLengthMin = 80;

function namesIn(names: string): string[] {
  return names.split(/\s+/).filter((name) => name !== '');
}

const overlayNames = /cookie|consent|gdpr|modal|popup|lightbox/i;
const articleBodyNames =
  /(?:^|[\s_-])(?:article|entry|post|story|news|blog)[\s_-]*(?:article|post)?[_-]*(?:body|content|text)(?:$|[\s_])/i;

/** Elements in `excluded` do not count. */
export function measurePage(nodes: readonly ChildNode[], excluded: ReadonlySet<ChildNode>): MeasuredPage {
  const root = emptyBox(undefined, unnamed);
  const walk = newWalk(excluded);
  measureNodes(nodes, root, walk);
  root.boxes = walk.boxes;
  const { wholeLength, codeCount, noscripts } = walk;
  return { nodes, root, wholeLength, codeCount, classes: walk.names.known.keys(), noscripts };
}

interface Walk {
  readonly excluded: ReadonlySet<ChildNode>;
  readonly names: Names;
  readonly noscripts: Element[];
  wholeLength: number;
  codeCount: number;
  /** Boxes of the element being walked. A separate array per element would be mostly unused capacity. */
  readonly boxes: Box[];
  readonly text: TextSum;
  /** Number of open links and code elements. */
  links: number;
  codes: number;
}

function newWalk(excluded: ReadonlySet<ChildNode>): Walk {
  const counts = { wholeLength: 0, codeCount: 0, links: 0, codes: 0 };
  return { excluded, names: new Names(), noscripts: [], boxes: [], text: new TextSum(), ...counts };
}

const unnamed = new Named('', new Names());
const noBoxes: readonly Box[] = [];

function emptyBox(element: Element | undefined, named: Named): Box {
  return {
    element,
    boxes: noBoxes,
    ownLength: 0,
    ownLinkLength: 0,
    ownLineLength: 0,
    lineLength: 0,
    textLength: 0,
    linkLength: 0,
    hasH1: false,
    hasArticle: false,
    hasMath: false,
    hasImage: false,
    hasControl: false,
    textHash: 0,
    opensWith: undefined,
    named,
    isSkipped: false,
    rule: undefined,
  };
}

/** Returns the characters in it that stay. */
export function keptLength({ isSkipped, ownLength, boxes }: Box): number {
  if (isSkipped) return 0;
  let length = ownLength;
  for (const box of boxes) length += keptLength(box);
  return length;
}

/** Returns a box for an image alone. */
export function imageBox(image: Element): Box {
  return { ...emptyBox(image, unnamed), hasImage: true };
}

function measureNodes(nodes: readonly ChildNode[], sum: Box, walk: Walk): void {
  for (const node of nodes) {
    if (isText(node)) addText(node, sum, walk);
    else if (isTag(node)) addElement(node, sum, walk);
  }
}

function addElement(element: Element, sum: Box, walk: Walk): void {
  const { name } = element;
  if (walk.excluded.size > 0 && walk.excluded.has(element)) return;
  if (controls.has(name)) sum.hasControl = true;
  if (textlessElements.has(name)) {
    if (name === 'noscript') walk.noscripts.push(element);
    else if (mediaElements.has(name)) sum.hasImage = true;
    return;
  }
  if (name === 'img') sum.hasImage = true;
  // Skip line breaks and icons. An empty item is still written with its bullet.
  if (element.children.length === 0 && name !== 'li') return;
  const isLink = name === 'a' && !leadsNowhere(element);
  const isCode = name === 'code' || name === 'pre';
  if (isLink) walk.links++;
  if (isCode && walk.codes++ === 0) walk.codeCount++;
  if (walk.codes > 0 && highlightElements.has(name)) measureNodes(element.children, sum, walk);
  else addBox(element, sum, walk);
  if (isLink) walk.links--;
  if (isCode) walk.codes--;
}

/** Opens a part of the page, or is a name to jump to. Reads first what needs no object of all attributes. */
function leadsNowhere(link: Element): boolean {
  if (attributeOf(link, 'role') === 'button') return link.attribs['aria-expanded'] !== undefined;
  return (knownAttributes(link) & leading) === 0 && (link.attribs['id'] ?? link.attribs['name']) !== undefined;
}

const leading = attributeBits('href');

function addBox(element: Element, sum: Box, walk: Walk): void {
  const { name } = element;
  const names = attributeOf(element, 'class');
  const named = names === undefined ? unnamed : namedOf(names, walk.names);
  const box = emptyBox(element, named);
  const { boxes } = walk;
  const first = boxes.length;
  measureNodes(element.children, box, walk);
  if (boxes.length > first) box.boxes = boxes.splice(first);
  sum.hasImage ||= box.hasImage;
  sum.hasControl ||= box.hasControl;
  if (box.textLength === 0 && box.boxes.length === 0 && !box.hasImage && name !== 'li') return;
  boxes.push(box);
  if (box.textLength === 0) return;
  if (named !== unnamed) named.textLength += box.textLength;
  const role = attributeOf(element, 'role');
  if (surrounding.has(name) || (role !== undefined && surroundingRoles.has(role))) return;
  if (sum.textLength === 0) sum.opensWith = headingElements.has(name) || name === 'summary' ? element : box.opensWith;
  sum.textLength += box.textLength;
  // An only child has the hash of its parent.
  sum.textHash = sum.textHash === 0 ? box.textHash : (Math.imul(sum.textHash, 31) + box.textHash) | 0;
  sum.linkLength += box.linkLength;
  sum.lineLength += box.lineLength;
  sum.hasH1 ||= box.hasH1 || name === 'h1';
  sum.hasArticle ||= box.hasArticle || name === 'article';
  sum.hasMath ||= box.hasMath || name === 'math';
}

function addText(text: Text, sum: Box, walk: Walk): void {
  walk.text.hash = sum.textHash;
  addTextTo(walk.text, text);
  const { length, hash } = walk.text;
  if (length === 0) return;
  walk.wholeLength += length;
  sum.ownLength += length;
  if (length >= proseLineMin) {
    sum.ownLineLength += length;
    sum.lineLength += length;
  }
  sum.textLength += length;
  sum.textHash = hash;
  if (walk.links === 0) return;
  sum.ownLinkLength += length;
  sum.linkLength += length;
}

const proseLineMin = 80;

function namedOf(names: string, page: Names): Named {
  let named = page.known.get(names);
  if (named === undefined) {
    named = new Named(names, page);
    page.known.set(names, named);
  }
  return named;
}

const controls: ReadonlySet<string> = new Set(['form', 'button', 'input', 'select', 'textarea']);

/** Elements within a line of code. */
const highlightElements: ReadonlySet<string> = new Set(
  'a b code em font i kbd mark s samp small span strong sub sup tt u var'.split(' '),
);

/** Next to a large menu, the content would be a small share of its page. */
const surrounding: ReadonlySet<string> = new Set(['nav', 'footer', 'dialog']);
const surroundingRoles: ReadonlySet<string> = new Set(['navigation', 'contentinfo', 'dialog', 'menu', 'search']);
