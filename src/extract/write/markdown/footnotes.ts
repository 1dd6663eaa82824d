/**
 * Writes footnotes and references to them as GFM footnotes. HTML has no element for either, so both ends must match: a
 * link that is raised or has a footnote's name, and an element further down that can be a note.
 */
import type { ChildNode, Element } from 'domhandler';
import { isTag, isText } from 'domhandler';
import { nodeText } from '../../html/node-text.ts';
import { firstAnchor, fragmentOf, idsOf, isMark, mayReferToNote, noteIdOf } from '../../text/note-links.ts';

export interface Footnotes {
  /** Labels by the element that is a note or refers to one. */
  readonly labels: ReadonlyMap<Element, string>;
  /** Links back to the text, and numbers that the label repeats. */
  readonly surplus: readonly Element[];
}

const backLink =
  /(?:^|\s)(?:footnote-?back\w*|footnote-backref|reversefootnote|doc-backlink|mw-cite-backlink|fn-backref|data-footnote-backref)(?:\s|$)/;

export function findFootnotes(nodes: readonly ChildNode[], skipped: ReadonlySet<ChildNode>): Footnotes {
  const search = new Search(skipped);
  search.visit(nodes, undefined);
  return search.finish();
}

interface Reference {
  readonly link: Element;
  readonly id: string;
}

class Search {
  readonly #skipped: ReadonlySet<ChildNode>;
  readonly #references = new Map<string, Reference[]>();
  readonly #referenceIds = new Set<string>();
  readonly #notes = new Map<string, Element>();
  readonly #inNotes: { readonly element: Element; readonly note: Element }[] = [];
  /** Ids of notes that are not found yet. */
  readonly #wanted = { has: (id: string): boolean => this.#references.has(id) && !this.#notes.has(id) };

  constructor(skipped: ReadonlySet<ChildNode>) {
    this.#skipped = skipped;
  }

  visit(nodes: readonly ChildNode[], around: Element | undefined): void {
    for (const node of nodes) {
      if (!isTag(node) || this.#skipped.has(node)) continue;
      // Only an element after its reference can be a note. Tables inside a note are not searched.
      const id = this.#references.size > 0 ? noteIdOf(node, this.#wanted) : undefined;
      if (id !== undefined) this.#notes.set(id, node);
      const note = id === undefined ? around : node;
      if (note === undefined) this.#addReference(node);
      else if (note !== node && (isSurplus(node) || isOwnMark(node, note))) this.#inNotes.push({ element: node, note });
      // Notes of older docutils: the term has the id, and its definition or the next cell has the text.
      const inTerm = node.name === 'dd' && around === undefined ? this.#noteOfTerm(node) : undefined;
      if (node.name !== 'table' || note === undefined || node === note) this.visit(node.children, note ?? inTerm);
    }
  }

  finish(): Footnotes {
    const labels = new Map<Element, string>();
    const taken = new Set<string>();
    for (const [id, references] of this.#references) {
      const note = this.#notes.get(id);
      if (note === undefined) continue;
      const label = labelOf(references, id, taken);
      // Readers ignore the case of labels.
      taken.add(label.toLowerCase());
      labels.set(note, label);
      for (const { link } of references) labels.set(link, label);
    }
    const surplus = this.#inNotes
      .filter(({ element, note }) => this.#isBack(element) || isOwnMark(element, note))
      .map(({ element }) => element);
    return { labels, surplus };
  }

  #addReference(link: Element): void {
    if (link.name !== 'a' || !mayReferToNote(link)) return;
    const id = fragmentOf(link);
    const known = this.#references.get(id);
    if (known === undefined) this.#references.set(id, [{ link, id }]);
    else known.push({ link, id });
    for (const element of [link, link.parent]) {
      if (element !== null && isTag(element)) for (const id of idsOf(element)) this.#referenceIds.add(id);
    }
  }

  #noteOfTerm(definition: Element): Element | undefined {
    const term = definition.prev !== null && isText(definition.prev) ? definition.prev.prev : definition.prev;
    if (term === null || !isTag(term)) return undefined;
    return this.#notes.get(term.attribs['id'] ?? '') === term ? term : undefined;
  }

  #isBack(element: Element): boolean {
    if (element.name !== 'a') return true;
    return this.#referenceIds.has(fragmentOf(element)) || isArrow(element);
  }
}

function isSurplus({ name, attribs }: Element): boolean {
  const classes = `${attribs['class'] ?? ''} ${attribs['role'] ?? ''}`;
  if (name === 'a') return attribs['href']?.startsWith('#') === true;
  if (name === 'td') return /(?:^|\s)label(?:\s|$)/.test(classes);
  return name === 'span' && (backLink.test(classes) || /(?:^|\s)(?:label|fn-bracket)(?:\s|$)/.test(classes));
}

/** The label of the note repeats its number. */
function isOwnMark(element: Element, note: Element): boolean {
  return (element.name === 'a' || element.name === 'sup') && isMark(element) && firstAnchor(note) === element;
}

function isArrow({ attribs, children }: Element): boolean {
  return (
    backLink.test(`${attribs['class'] ?? ''} ${attribs['role'] ?? ''}`) ||
    /^(?:[\s^]|\u21a9|\u2191|\u2934|\ufe0e)*$/u.test(nodeText(children).slice(0, 10))
  );
}

/** Returns the visible reference, if it is a word that no other note uses. */
function labelOf([first]: readonly Reference[], id: string, taken: ReadonlySet<string>): string {
  const shown = nodeText(first?.link.children ?? []).replace(/[\s[\]().^]/g, '');
  if (/^[\w-]{1,20}$/.test(shown) && !taken.has(shown.toLowerCase())) return shown;
  const label = id.replace(/[^\w-]+/g, '-').slice(0, 60) || 'note';
  return taken.has(label.toLowerCase()) ? `${label}-${taken.size}` : label;
}
