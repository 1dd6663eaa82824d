/** Finds where on a page the values of fields stand. */
import { type Document, type Element, isTag } from 'domhandler';
import { findAll } from 'domutils';
import type { Field, Locator } from '../../core/extract.ts';
import { compiledSelector, type Selector, step } from '../html/select-elements.ts';
import { labelIndex, type LabelIndex, labelOf } from './labels.ts';
import type { Place } from './place.ts';
import { shownText } from './shown-text.ts';

export type Root = Document | Element;

/** Objects or values of one list. */
export const listMax = 1_000;
/** Empty elements before the first with a value. */
const emptyMax = 20;

interface CompiledLocator {
  readonly matches: Selector | undefined;
  readonly isCandidate: (element: Element) => boolean;
}

/** Finds the places of all fields of one job, on one page after the other. */
export class Locators {
  readonly #compiled = new Map<string, CompiledLocator>();
  readonly #labels: ReadonlySet<string>;
  #elements = new Map<Root, readonly Element[]>();
  #indexes = new Map<Root, LabelIndex>();

  constructor(fields: readonly Field[]) {
    this.#labels = new Set(labelsIn(fields));
  }

  /** Forgets the page before. */
  begin(): void {
    this.#elements = new Map();
    this.#indexes = new Map();
  }

  /** Returns the elements that match, in document order; the root itself without a selector. */
  elements(css: string | undefined, root: Root, max: number): readonly Element[] {
    if (css === undefined) return [root, ...root.children].filter(isTag).slice(0, 1);
    const { matches, isCandidate } = this.#selector(css);
    if (!matches) return [];
    const found: Element[] = [];
    for (const element of this.#all(root)) {
      if (!isCandidate(element) || !matches(element)) continue;
      found.push(element);
      if (found.length >= max) break;
    }
    return found;
  }

  /** Returns the places that a locator finds and that hold something, at most `max`. */
  places(locator: Locator, root: Root, max: number): readonly Place[] {
    const { css, label, attribute, between } = locator;
    let places: readonly Place[];
    if (label !== undefined) {
      const inside = css === undefined ? [root] : this.elements(css, root, listMax + 1);
      places = inside.flatMap((each) => this.#index(each).get(labelOf(label)) ?? []);
      // A later label belongs to another record.
      if (locator.list !== true && places[0]?.nodes.length === 0) return [];
    } else if (css === undefined && attribute === undefined) places = [{ nodes: root.children }];
    else places = this.elements(css, root, max + emptyMax).map((element) => ({ nodes: [element] }));
    if (attribute !== undefined) places = places.flatMap((place) => attributeIn(place, attribute));
    if (between !== undefined) places = places.flatMap((place) => partsOf(place, between, max));
    const kept: Place[] = [];
    for (const place of places) {
      if (kept.length >= max) break;
      if (!isBlank(place)) kept.push(place);
    }
    return kept;
  }

  #selector(css: string): CompiledLocator {
    let known = this.#compiled.get(css);
    if (!known) {
      known = { matches: compiledSelector(css), isCandidate: candidatesOf(css) };
      this.#compiled.set(css, known);
    }
    return known;
  }

  #all(root: Root): readonly Element[] {
    let all = this.#elements.get(root);
    if (!all) {
      all = findAll(() => true, root.children);
      step(all.length);
      this.#elements.set(root, all);
    }
    return all;
  }

  #index(root: Root): LabelIndex {
    let index = this.#indexes.get(root);
    if (!index) {
      index = labelIndex(root.children, this.#labels);
      this.#indexes.set(root, index);
    }
    return index;
  }
}

function labelsIn(fields: readonly Field[]): string[] {
  return fields.flatMap(({ alternatives, fields: inner }) => [
    ...alternatives.flatMap(({ label }) => (label === undefined ? [] : labelOf(label))),
    ...labelsIn(inner ?? []),
  ]);
}

/**
 * A test that costs less than the selector: the name, class or id of what it selects. On a page of 87 KB, ten selectors
 * take a third of the time with it.
 */
function candidatesOf(css: string): (element: Element) => boolean {
  const [, name, mark, word = ''] = /(?:^|[\s>+~])(?:([a-z][a-z\d]*)|([.#])([\w-]+))$/i.exec(css.trim()) ?? [];
  if (css.includes(',') || (name === undefined && mark === undefined)) return () => true;
  if (name !== undefined) return (element) => element.name === name.toLowerCase();
  const attribute = mark === '.' ? 'class' : 'id';
  return ({ attribs }) => attribs[attribute]?.includes(word) === true;
}

function isBlank({ nodes, text }: Place): boolean {
  if (text !== undefined) return text.trim() === '';
  return shownText(nodes) === '' && !nodes.some((node) => isTag(node) && hasAddress(node));
}

/** Pictures and links have a value without text. */
function hasAddress({ name, attribs }: Element): boolean {
  return (
    attribs['content'] !== undefined ||
    attribs['datetime'] !== undefined ||
    (name === 'a' ? attribs['href'] : attribs['src']) !== undefined
  );
}

function attributeIn({ nodes }: Place, attribute: string): Place[] {
  const holder = nodes.find((node) => isTag(node) && node.attribs[attribute] !== undefined);
  const isPlain = !/^(?:title|alt|label|placeholder|aria-label)$/.test(attribute);
  return holder && isTag(holder) ? [{ nodes, text: holder.attribs[attribute] ?? '', isPlain }] : [];
}

function partsOf(place: Place, [before, after]: readonly [string, string], max: number): Place[] {
  const text = place.text ?? shownText(place.nodes);
  const parts: Place[] = [];
  for (let at = 0; parts.length < max;) {
    const start = before === '' ? at : text.indexOf(before, at);
    if (start === -1) break;
    const from = before === '' ? start : start + before.length;
    const end = after === '' ? text.length : text.indexOf(after, from);
    if (end === -1) break;
    parts.push({ nodes: place.nodes, text: text.slice(from, end).trim() });
    if (before === '' || after === '') break;
    at = end;
  }
  return parts;
}
