// The values of a page, each with the place that gives it on other pages of its template, as `fields` of `extract` say it.

type FieldType = 'text' | 'number' | 'integer' | 'date' | 'url' | 'price';

export interface Field {
  readonly css?: string;
  readonly label?: string;
  readonly list?: true;
  readonly type?: FieldType;
}

export interface FoundValue {
  /** A name that the API accepts, and that no other value has. */
  readonly name: string;
  readonly field: Field;
  /** The first texts there. */
  readonly texts: readonly string[];
  readonly matches: number;
}

/** Elements that are looked at, and values that are returned. */
const elementsMax = 20_000;
export const valuesMax = 200;
const ancestorsMax = 4;
/** Matches of a selector that are looked at. */
const matchesMax = 1_000;
const textsMax = 3;
const labelLengthMax = 60;
const effortMsMax = 1_000;

/** In document order. Elements that no template names have none. */
export function foundValues(source: Document, url: string): readonly FoundValue[] {
  const until = performance.now() + effortMsMax;
  const changing = slugOf(
    new URL(url).pathname
      .split('/')
      .at(-1)
      ?.replace(/\.\w+$/, ''),
  );
  const found = new Map<string, FoundValue>();
  const names = new Set<string>();
  for (const [at, element] of source.querySelectorAll('body *').entries()) {
    if (at >= elementsMax || found.size >= valuesMax || performance.now() > until) break;
    if (!isValue(element)) continue;
    const label = labelOf(element);
    const css = label === undefined ? selectorOf(element, changing) : undefined;
    const place = label ?? css;
    if (place === undefined || found.has(place)) continue;
    const all = css === undefined ? [element] : withValue(source, css);
    const [first] = all;
    if (first === undefined) continue;
    const type = typeOf(shownText(first), first);
    const name = nameOf(place, first, names);
    names.add(name);
    const isList = all.length > 1;
    const where = css === undefined ? { label: place } : { css };
    const field = { ...where, ...(isList && { list: true as const }), ...(type !== 'text' && { type }) };
    found.set(place, { name, field, texts: all.slice(0, textsMax).map(textOf), matches: all.length });
  }
  return [...found.values()];
}

/** It has text of its own that is no label, or is a picture. */
function isValue(element: Element): boolean {
  if (element.localName === 'img') return element.hasAttribute('src');
  if (isTextless(element) || /^(?:th|dt)$/.test(element.localName)) return false;
  return [...element.childNodes].some((node) => node.nodeType === Node.TEXT_NODE && /\S/.test(node.nodeValue ?? ''));
}

function textOf(element: Element): string {
  return element.localName === 'img' ? (element.getAttribute('src') ?? '') : shownText(element).slice(0, 200);
}

/** The label of the second of two cells, or of a description, if it is not changed by the record. */
function labelOf(element: Element): string | undefined {
  const value = element.closest('td, dd');
  const before = value?.previousElementSibling;
  if (!value || !before || !/^(?:th|td|dt)$/.test(before.localName)) return undefined;
  if (value.localName === 'td' && value.parentElement?.children.length !== 2) return undefined;
  const label = shownText(before).replace(/\s*[:：]\s*$/, '');
  return label.length <= labelLengthMax && /^[^\d]*\p{L}[^\d]*$/u.test(label) ? label : undefined;
}

/** The name of the element, otherwise the nearest name around it with the tag of the element. */
function selectorOf(element: Element, changing: string): string | undefined {
  const own = nameIn(element, changing);
  if (own !== undefined) return own;
  let at = element.parentElement;
  for (let depth = 0; at !== null && at.localName !== 'body' && depth < ancestorsMax; depth++) {
    const around = nameIn(at, changing);
    if (around !== undefined) return `${around} ${element.localName}`;
    at = at.parentElement;
  }
  return undefined;
}

const namedAttributes = ['itemprop', 'property', 'data-testid', 'data-test', 'data-qa', 'data-field', 'name', 'rel'];
const telling = /^(?:h[1-3]|time|address|blockquote|figcaption|summary|main|article)$/;
/** What an element is for the moment, or how it is laid out, and not what it means. */
const passing =
  /^(?:(?:is|has|js|css|sc|jsx|svelte|col|row|m[a-z]?|p[a-z]?|text|font|bg)-|(?:active|current|selected|open|hidden|first|last|odd|even|row|clearfix|left|right)$)/i;

/** A name that a template gives, and not a build or a record. `changing`: words of the record. */
function nameIn(element: Element, changing: string): string | undefined {
  for (const attribute of namedAttributes) {
    const value = element.getAttribute(attribute) ?? '';
    if (/^[a-z][\w:.-]{0,59}$/i.test(value) && !/\d/.test(value)) return `[${attribute}="${value}"]`;
  }
  const text = slugOf(shownText(element).slice(0, 100));
  const isLasting = (name: string): boolean =>
    isStable(name) && ![changing, text].some((words) => words.length >= 3 && slugOf(name).includes(words));
  if (isLasting(element.id)) return `#${element.id}`;
  const named = [...element.classList].find(isLasting);
  return named === undefined ? (telling.test(element.localName) ? element.localName : undefined) : `.${named}`;
}

function slugOf(text = ''): string {
  return text
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]+/gu, '-')
    .replace(/^-|-$/g, '');
}

function isStable(name: string): boolean {
  if (!/^[a-z_][a-z_-]{0,59}$/i.test(name) || passing.test(name)) return false;
  // A part of both cases without a word is a hash.
  return !name.split(/[-_]+/).some((part) => part.length >= 5 && /[a-z][A-Z][a-z]?[A-Z]|[A-Z]{2}[a-z][A-Z]/.test(part));
}

/** The elements that match and hold something: the service takes the first of them. */
function withValue(source: Document, css: string): readonly Element[] {
  const all: Element[] = [];
  for (const [at, element] of source.querySelectorAll(css).entries()) {
    if (at >= matchesMax) break;
    if (hasValue(element)) all.push(element);
  }
  return all;
}

function hasValue(element: Element): boolean {
  const address = element.localName === 'a' ? 'href' : 'src';
  if (['content', 'datetime', address].some((name) => element.hasAttribute(name))) return true;
  let hasText = false;
  if (!isTextless(element))
    eachText(element, ({ data }) => {
      hasText = /\S/.test(data);
      return !hasText;
    });
  return hasText;
}

/** What a value is, from how it looks. */
function typeOf(text: string, { localName }: Element): FieldType {
  if (localName === 'img') return 'url';
  if (localName === 'time') return 'date';
  const shown = oneLine(text);
  if (shown.length > 40) return 'text';
  const isMoney = /\p{Sc}|\b(?:EUR|USD|GBP|CHF|JPY|CNY|SEK|PLN)\b|\d\s?(?:kr|zł|Kč)/u.test(shown);
  if (isMoney && /\d/.test(shown)) return 'price';
  if (/^\d{4}-\d\d-\d\d|^\d{1,2}\.? \p{L}{3,} \d{4}$|^\p{L}{3,} \d{1,2}, \d{4}$/u.test(shown)) return 'date';
  if (/^[+-]?\d+$/.test(shown) && shown.length < 10 && !/^0\d/.test(shown)) return 'integer';
  return /^[+-]?\d[\d.,'\u202f ]*\d?(?:\s?[\p{L}%°]{1,3})?$/u.test(shown) && !/^0\d/.test(shown) ? 'number' : 'text';
}

/** From the last word of the place. */
function nameOf(place: string, { localName }: Element, taken: ReadonlySet<string>): string {
  const word = localName === 'h1' ? 'title' : (/([\p{L}_][\p{L}\p{M}\p{N}_ -]*)[^\p{L}]*$/u.exec(place)?.[1] ?? '');
  const slug = slugOf(word).replaceAll('-', '_').slice(0, 40);
  return freeName(slug === '' || /^(?:constructor|prototype)$/.test(slug) ? 'field' : slug, taken);
}

export function freeName(base: string, taken: ReadonlySet<string>): string {
  let name = base;
  for (let at = 2; taken.has(name); at++) name = `${base}_${at}`;
  return name;
}

// The text of elements as the service reads it (docs/extract.md), as far as a proposal needs it.

/** Besides those that `plain-html.ts` removes. */
const textless =
  /^(?:noscript|template|head|meta|link|svg|canvas|frame|frameset|object|embed|applet|audio|video|select|datalist|input|param|source|track|map|area)$/;
const shownLengthMax = 10_000;

function isTextless(element: Element): boolean {
  return textless.test(element.localName);
}

/** Calls `visit` for each text that shows, in document order, until it returns false. */
function eachText(root: Node, visit: (text: Text) => boolean): void {
  let node: Node | null = root.firstChild;
  while (node !== null) {
    if (node.nodeType === Node.TEXT_NODE && !visit(node as Text)) return;
    const isEntered = node.firstChild !== null && !(node instanceof Element && isTextless(node));
    node = isEntered ? node.firstChild : nodeAfter(node, root);
  }
}

/** The next node that is not inside this one. */
function nodeAfter(node: Node, root: Node): Node | null {
  for (let at: Node | null = node; at !== null && at !== root; at = at.parentNode)
    if (at.nextSibling !== null) return at.nextSibling;
  return null;
}

/** All that an element shows, on one line. */
function shownText(node: Node): string {
  if (node.nodeType === Node.TEXT_NODE) return oneLine(node.nodeValue ?? '');
  if (!(node instanceof Element) || isTextless(node)) return '';
  const parts: string[] = [];
  let length = 0;
  eachText(node, ({ data }) => {
    parts.push(data);
    length += data.length;
    return length < shownLengthMax;
  });
  return oneLine(parts.join(' '));
}

function oneLine(text: string): string {
  return text
    .replace(/[\u00ad\u200b\u200e\u200f\u2060\ufeff]/g, '')
    .replace(/\s+/g, ' ')
    .trim();
}
