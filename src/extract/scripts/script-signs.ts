/** Collects what a page shows without its scripts and what needs them. */
import { fold } from '../phrases/fold.ts';
import { phrases } from '../phrases/phrases.ts';
import type { ChildNode, Document, Element } from 'domhandler';
import { isTag, isText } from 'domhandler';
import { isHiddenByName } from '../rules/hidden-elements.ts';
import { noAttributes } from '../html/attributes.ts';
import { isRedirecting, isWriting, scriptCode, scriptKind } from './script-kinds.ts';
import { bindingOf, isConsent, isLoadingText, isWaiting, mountRank, nameOf } from './script-mounts.ts';

/** Names are as written in the page, at most 40 characters. */
export interface ScriptSigns {
  /** The page runs a script that could write its text. */
  readonly runsScripts: boolean;
  /** An element without text on which applications are mounted, such as `#root`. */
  readonly mount: string | undefined;
  /** Another element without text that a script could fill. */
  readonly container: string | undefined;
  /** An attribute that fills its element from data or from a further request. */
  readonly binding: string | undefined;
  /** Text with `{{ placeholders }}`. */
  readonly hasPlaceholders: boolean;
  /** Text such as "Loading...", or the element shown instead. */
  readonly waits: string | undefined;
  /** A `<noscript>` states that JavaScript is needed. */
  readonly asksForScripts: boolean;
  readonly redirects: boolean;
  readonly writes: boolean;
  readonly hasTemplates: boolean;
  /** Characters of text outside menus, footers, dialogs and similar elements, without "Loading...". */
  readonly textLength: number;
  /**
   * Fields that a visitor fills in. Like pictures, frames and links, they count only outside menus and similar
   * elements.
   */
  readonly fields: number;
  readonly pictures: number;
  /** Other documents, videos and similar content shown in the page. */
  readonly frames: number;
  readonly links: number;
}

/** Walks the page once. `hadPlaceholders`: texts of placeholders alone were there and have been removed. */
export function scriptSigns(document: Document, hadPlaceholders = false): ScriptSigns {
  const found = new Found();
  found.hasPlaceholders = hadPlaceholders;
  visit(document.children, found, 'page');
  return found;
}

/**
 * `content`: in `<main>` or `<article>`. `around`: in a menu, footer, aside, dialog or consent notice, or in the header
 * of the page.
 */
type Place = 'page' | 'content' | 'around';

class Found implements ScriptSigns {
  runsScripts = false;
  mount: string | undefined;
  container: string | undefined;
  binding: string | undefined;
  hasPlaceholders = false;
  waits: string | undefined;
  asksForScripts = false;
  redirects = false;
  writes = false;
  hasTemplates = false;
  textLength = 0;
  fields = 0;
  pictures = 0;
  frames = 0;
  links = 0;
  /** All text, including that of menus. */
  wholeLength = 0;
  /** Number of open code elements: placeholders in code are examples. */
  codes = 0;
  /** Number of open hidden elements: an empty container in them is filled when the visitor does something. */
  hidden = 0;
}

function visit(nodes: readonly ChildNode[], found: Found, place: Place): void {
  for (const node of nodes) {
    if (isText(node)) addText(node.data, found, place);
    else if (isTag(node)) addElement(node, found, place);
  }
}

function addText(text: string, found: Found, place: Place): void {
  const trimmed = text.trim();
  if (trimmed === '') return;
  if (isLoadingText(trimmed)) {
    found.waits ??= `"${trimmed.slice(0, 40)}"`;
    return;
  }
  if (found.codes === 0 && placeholder.test(trimmed)) found.hasPlaceholders = true;
  found.wholeLength += trimmed.length;
  if (place !== 'around') found.textLength += trimmed.length;
}

const placeholder = /\{\{[^{}]{1,200}\}\}|<%=?[^%]{1,200}%>/;

function addElement(element: Element, found: Found, place: Place): void {
  const { name, attribs, children } = element;
  const count = leaves[name];
  if (count !== undefined) {
    count(element, found, place);
    return;
  }
  const { wholeLength, fields, pictures, frames } = found;
  const isCode = name === 'pre' || name === 'code';
  const hidden = isHidden(element) || isHiddenByName(element) ? 1 : 0;
  if (name === 'a' && place !== 'around') found.links++;
  if (isCode) found.codes++;
  found.hidden += hidden;
  const inner = placeIn(element, place);
  visit(children, found, inner);
  if (isCode) found.codes--;
  found.hidden -= hidden;
  const isEmpty = found.wholeLength === wholeLength && found.fields === fields && found.frames === frames;
  if (attribs !== noAttributes) {
    if (inner !== 'around') found.binding ??= bindingOf(element, isEmpty);
    if (isWaiting(element)) found.waits ??= nameOf(element);
  }
  if (!isEmpty || inner === 'around' || found.pictures > pictures + splashPicturesMax) return;
  const rank = mountRank(element);
  if (rank === 'mount') found.mount ??= nameOf(element);
  else if (rank === 'container' && found.pictures === pictures && found.hidden + hidden === 0)
    found.container ??= nameOf(element);
}

function placeIn(element: Element, place: Place): Place {
  const { name, attribs } = element;
  if (place === 'around' || name === 'nav' || name === 'footer' || name === 'dialog' || name === 'aside')
    return 'around';
  if (attribs !== noAttributes) {
    const role = attribs['role'];
    if ((role !== undefined && surroundingRoles.test(role)) || isConsent(element)) return 'around';
  }
  if (name === 'main' || name === 'article') return 'content';
  return name === 'header' && place === 'page' ? 'around' : place;
}

/** A logo that is shown until the application has started. */
const splashPicturesMax = 1;

const surroundingRoles = /^(?:navigation|contentinfo|dialog|alertdialog|menu|search)$/;

type Leaf = (element: Element, found: Found, place: Place) => void;

const nothing: Leaf = () => {};
const addPicture: Leaf = (element, found, place) => {
  if (place !== 'around' && !isHidden(element)) found.pictures++;
};
const addFrame: Leaf = (element, found, place) => {
  if (place !== 'around' && !isHidden(element)) found.frames++;
};
const addField: Leaf = (element, found, place) => {
  if (place !== 'around' && !isHidden(element)) found.fields++;
};

/** Elements whose content is not text of the page. */
const leaves: Readonly<Record<string, Leaf | undefined>> = {
  __proto__: null as never,
  head: ({ children }, found, place) => {
    for (const child of children) {
      if (isTag(child) && (child.name === 'script' || child.name === 'noscript'))
        leaves[child.name]?.(child, found, place);
    }
  },
  script: addScript,
  noscript: (element, found) => {
    found.asksForScripts ||= asksForScripts(textOf(element));
  },
  template: (element, found) => {
    found.binding ??= bindingOf(element, true);
  },
  style: nothing,
  title: nothing,
  svg: nothing,
  img: addPicture,
  picture: addPicture,
  video: addFrame,
  audio: addFrame,
  object: addFrame,
  embed: addFrame,
  frameset: addFrame,
  frame: addFrame,
  iframe: (element, found, place) => {
    const source = element.attribs['src'] ?? '';
    if (source !== '' && !/^\s*(?:javascript|about|data):/i.test(source)) addFrame(element, found, place);
  },
  input: (element, found, place) => {
    const type = (element.attribs['type'] ?? '').toLowerCase();
    // A page can consist of a sign-in form, so a password field counts anywhere.
    if (type === 'password') found.fields++;
    if (type !== 'hidden') addField(element, found, place);
  },
  select: addField,
  textarea: addField,
};

function addScript(element: Element, found: Found): void {
  const kind = scriptKind(element);
  if (kind === 'template') found.hasTemplates = true;
  if (kind !== 'code') return;
  found.runsScripts = true;
  const code = scriptCode(element);
  found.writes ||= isWriting(code);
  found.redirects ||= isRedirecting(code);
}

function isHidden({ attribs }: Element): boolean {
  return (
    attribs['hidden'] !== undefined ||
    /display\s*:\s*none|visibility\s*:\s*hidden|(?:width|height)\s*:\s*[01](?:px)?\s*(?:;|$)/i.test(
      attribs['style'] ?? '',
    ) ||
    attribs['width'] === '0' ||
    attribs['height'] === '0'
  );
}

/** A page that is better with JavaScript can still have content without it. */
function asksForScripts(text: string): boolean {
  return /java\s?script|\bJS\b/i.test(text) && betterWith.lastIn(fold(text)) === -1;
}

const betterWith = phrases('betterWith');

function textOf({ children }: Element): string {
  return children
    .map((child) => (isText(child) ? child.data : isTag(child) ? textOf(child) : ''))
    .join(' ')
    .slice(0, 2_000);
}
