// Where a value stands on its page, as the `fields` of `extract` say it. Places that a template gives come first.
import { labelOfValue } from './labels.ts';
import { eachText, isTextless, oneLine, shownText } from './page-text.ts';

/** A place of `fields`. */
export interface Place {
  readonly css?: string;
  readonly label?: string;
}

export interface Proposal {
  readonly place: Place;
  /** The text there. */
  readonly text: string;
  /** Elements that match, on this page. */
  readonly matches: number;
}

export type Scope = Document | Element;

const proposalsMax = 6;
const ancestorsMax = 10;
const blocksMax = 3;
const namesMax = 8;
/** Matches of a selector that are looked at. */
const matchesMax = 1_000;
const effortMsMax = 150;

/** Proposes places of one value, the most lasting first. The first match of each in `scope` is this element. */
export function placesOf(element: Element, scope: Scope, url = ''): readonly Proposal[] {
  const names = new Names(element, url);
  const text = shownText(element);
  const [unique, first]: [Proposal[], Proposal[]] = [[], []];
  for (const css of selectorsOf(element, scope, names)) {
    const found = withValue(scope, css);
    if (found[0] === element)
      (found.length === 1 ? unique : first).push({ place: { css }, text, matches: found.length });
    if (unique.length >= proposalsMax) break;
  }
  const label = labelOfValue(element, scope);
  if (label)
    unique.splice(label.isSure ? 0 : unique.length, 0, { place: { label: label.label }, text: label.text, matches: 1 });
  if (!unique.some(({ place }) => place.css !== undefined)) {
    const css = positionOf(element, scope, names);
    if (withValue(scope, css)[0] === element) first.push({ place: { css }, text, matches: 1 });
  }
  return [...unique, ...first].slice(0, proposalsMax);
}

/** Proposes selectors that match this element and others like it, the closest set first. */
export function listPlacesOf(element: Element, scope: Scope, url = ''): readonly Proposal[] {
  const sets = new Map<number, Proposal>();
  for (const css of selectorsOf(element, scope, new Names(element, url))) {
    const found = withValue(scope, css);
    const { length: matches } = found;
    if (matches < 2 || sets.has(matches) || !found.includes(element)) continue;
    if (found.some(({ localName }) => localName !== element.localName)) continue;
    sets.set(matches, { place: { css }, text: found.slice(0, 3).map(shownText).join(' · '), matches });
    if (sets.size >= proposalsMax) break;
  }
  return [...sets.values()];
}

/** The names of the element, then those around it with its own. On a page of 100,000 elements, each takes up to a quarter of a second. */
function* selectorsOf(element: Element, scope: Scope, names: Names): Generator<string, void, undefined> {
  const until = performance.now() + effortMsMax;
  const own = names.of(element);
  yield* own;
  for (const around of ancestorsOf(element, scope))
    for (const outer of names.of(around).slice(0, 3))
      for (const inner of [...own.slice(0, 3), element.localName]) {
        if (performance.now() > until) return;
        yield `${outer} ${inner}`;
      }
  yield element.localName;
}

export interface Block {
  readonly css: string;
  readonly element: Element;
  readonly count: number;
}

/** The blocks around a value that the page repeats, such as the products of a list, the innermost first. */
export function blocksAround(element: Element, url = ''): readonly Block[] {
  const found: Block[] = [];
  for (const at of ancestorsOf(element)) {
    if (found.length >= blocksMax) break;
    if (/^(?:tr|thead|tbody|td|th|dd|dt)$/.test(at.localName) && !isRow(at)) continue;
    if (![...(at.parentElement?.children ?? [])].some((each) => each !== at && isAlike(each, at))) continue;
    const [list] = listPlacesOf(at, at.ownerDocument, url);
    if (list?.place.css !== undefined) found.push({ css: list.place.css, element: at, count: list.matches });
  }
  return found;
}

/** A row with several values is a record; one with a label and a value is not. */
function isRow({ localName, children }: Element): boolean {
  return localName === 'tr' && children.length > 2;
}

function isAlike(one: Element, other: Element): boolean {
  if (one.localName !== other.localName) return false;
  const [classes, others] = [stableClasses(one), stableClasses(other)];
  return classes.length === 0
    ? others.length === 0 && /^(?:li|tr|article)$/.test(one.localName)
    : classes.some((name) => others.includes(name));
}

/** The elements that match and hold something: the service takes the first of them. */
function withValue(scope: Scope, css: string): readonly Element[] {
  const found: Element[] = [];
  for (const [at, element] of scope.querySelectorAll(css).entries()) {
    if (at >= matchesMax) break;
    if (hasValue(element)) found.push(element);
  }
  return found;
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

function* ancestorsOf(element: Element, scope?: Scope): Generator<Element, void, undefined> {
  let depth = 0;
  for (
    let at = element.parentElement;
    at !== null && at !== scope && depth < ancestorsMax;
    at = at.parentElement, depth++
  )
    if (!/^(?:body|html)$/.test(at.localName)) yield at;
}

const namedAttributes = ['itemprop', 'property', 'data-testid', 'data-test', 'data-qa', 'data-field', 'name', 'rel'];
const telling = /^(?:h[1-3]|time|address|blockquote|cite|figcaption|summary|main|article)$/;
/** What an element is for the moment, or how it is laid out, and not what it means. */
const passing =
  /^(?:(?:is|has|js|css|sc|jsx|svelte|col|row|m[a-z]?|p[a-z]?|text|font|bg)-|(?:active|current|selected|open|hidden|first|last|odd|even|row|clearfix|left|right)$)/i;

/** Selectors of an element by names that a template gives it, and not a build or a record. */
class Names {
  /** Words that change with the record. */
  readonly #changing: readonly string[];

  constructor(value: Element, url: string) {
    const path = URL.canParse(url) ? new URL(url).pathname.split('/').at(-1) : undefined;
    this.#changing = [path?.replace(/\.\w+$/, ''), shownText(value)].map(slugOf).filter((slug) => slug.length >= 3);
  }

  of(element: Element): readonly string[] {
    const { localName, id } = element;
    const attributes = namedAttributes.flatMap((attribute) => {
      const value = element.getAttribute(attribute) ?? '';
      return /^[a-z][\w:.-]{0,59}$/i.test(value) && !/\d/.test(value) ? [`[${attribute}="${value}"]`] : [];
    });
    const classes = stableClasses(element).filter((name) => this.#isLasting(name));
    const [one, other] = classes;
    return [
      ...attributes,
      ...(isStable(id) && this.#isLasting(id) ? [`#${id}`] : []),
      ...classes.map((name) => `.${name}`),
      ...(one === undefined ? [] : [`${localName}.${one}`]),
      ...(other === undefined ? [] : [`.${one}.${other}`]),
      ...(telling.test(localName) ? [localName] : []),
    ];
  }

  #isLasting(name: string): boolean {
    const slug = slugOf(name);
    return !this.#changing.some((changing) => slug === changing || `-${slug}-`.includes(`-${changing}-`));
  }
}

function slugOf(text: string | undefined): string {
  return (text ?? '')
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]+/gu, '-')
    .replace(/^-|-$/g, '');
}

function stableClasses(element: Element): readonly string[] {
  return [...element.classList].filter(isStable).slice(0, namesMax);
}

function isStable(name: string): boolean {
  if (!/^[a-z_][a-z_-]{0,59}$/i.test(name) || passing.test(name)) return false;
  // A part of both cases without a word is a hash.
  return !name.split(/[-_]+/).some((part) => part.length >= 5 && /[a-z][A-Z][a-z]?[A-Z]|[A-Z]{2}[a-z][A-Z]/.test(part));
}

/** The last resort: a way of positions, from the nearest element that has a name. */
function positionOf(element: Element, scope: Scope, names: Names): string {
  let steps = stepTo(element);
  let child = ' > ';
  for (const at of ancestorsOf(element, scope)) {
    const name = names.of(at).find((css) => withValue(scope, css)[0] === at);
    if (name !== undefined) return name + child + steps;
    // The service has only the elements that the page writes.
    if (/^(?:thead|tbody|tfoot)$/.test(at.localName)) child = ' ';
    else {
      steps = stepTo(at) + child + steps;
      child = ' > ';
    }
  }
  return steps;
}

function stepTo(element: Element): string {
  const alike = [...(element.parentElement?.children ?? [])].filter(({ localName }) => localName === element.localName);
  return alike.length <= 1 ? element.localName : `${element.localName}:nth-of-type(${alike.indexOf(element) + 1})`;
}

export type FieldType = 'text' | 'markdown' | 'number' | 'integer' | 'date' | 'url' | 'price';

/** What a value is, from how it looks. */
export function typeOf(text: string, element: Element): FieldType {
  if (element.localName === 'img') return 'url';
  if (element.localName === 'time') return 'date';
  const shown = oneLine(text);
  if (shown.length > 200 && element.querySelectorAll('p, li').length > 1) return 'markdown';
  if (shown.length > 40) return 'text';
  const isMoney = /\p{Sc}|\b(?:EUR|USD|GBP|CHF|JPY|CNY|SEK|PLN)\b|\d\s?(?:kr|zł|Kč)/u.test(shown);
  if (isMoney && /\d/.test(shown)) return 'price';
  if (
    /^\d{4}-\d\d-\d\d|^\d{1,2}[./-]\d{1,2}[./-]\d{2,4}$|^\d{1,2}\.? \p{L}{3,} \d{4}$|^\p{L}{3,} \d{1,2}, \d{4}$/u.test(
      shown,
    )
  )
    return 'date';
  if (/^[+-]?\d+$/.test(shown) && shown.length < 10 && !/^0\d/.test(shown)) return 'integer';
  return /^[+-]?\d[\d.,'\u202f ]*\d?(?:\s?[\p{L}%°]{1,3})?$/u.test(shown) && !/^0\d/.test(shown) ? 'number' : 'text';
}

/** A name that the API accepts, from what the page calls the value. `taken`: names that others have. */
export function nameOf(
  element: Element,
  { place, type, taken }: { place: Place; type: FieldType; taken: readonly string[] },
): string {
  const word =
    place.label ??
    element.getAttribute('itemprop') ??
    (element.localName === 'h1' ? 'title' : undefined) ??
    wordOf(place.css) ??
    type;
  const name = word
    .toLowerCase()
    .replace(/[^\p{L}\p{M}\p{N}]+/gu, '_')
    .replace(/^[_\p{N}]+|_+$/gu, '')
    .slice(0, 40);
  const base = name === '' || /^(?:__proto__|constructor|prototype)$/.test(name) ? 'field' : name;
  if (!taken.includes(base)) return base;
  let at = 2;
  while (taken.includes(`${base}_${at}`)) at++;
  return `${base}_${at}`;
}

/** The last name of a selector. */
function wordOf(css: string | undefined): string | undefined {
  const last = css?.split(/[ >]+/).at(-1) ?? '';
  return /[.#]([\w-]+)$/.exec(last)?.[1] ?? /="([^"]+)"\]$/.exec(last)?.[1];
}
