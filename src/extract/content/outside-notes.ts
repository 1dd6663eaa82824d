/** Adds the notes to which the content refers and that stand outside of it, or in a part that was left out. */
import type { ChildNode, Document, Element } from 'domhandler';
import { isTag } from 'domhandler';
import { attributeOf, elementsAround } from '../html/nodes.ts';
import { fragmentOf, idsOf, isMark, mayReferToNote, noteIdOf } from '../text/note-links.ts';
import type { PageContent } from './page-content.ts';

/** `links` are those of the page. */
export function withOutsideNotes<Content extends PageContent>(
  content: Content,
  document: Document,
  links: readonly Element[],
): Content {
  const marks = links.filter((link) => attributeOf(link, 'href')?.startsWith('#') === true && isMark(link));
  const place = new Places(content);
  const wanted = new Set<string>();
  for (const mark of marks) if (mayReferToNote(mark) && place.isKept(mark)) wanted.add(fragmentOf(mark));
  if (wanted.size === 0) return content;
  const found: Element[] = [];
  collect(document.children, { wanted, place, found });
  if (found.length === 0) return content;
  const notes = asLists(found);
  const skipped = new Set(content.skipped);
  for (const note of notes) skipped.delete(note);
  return { ...content, nodes: [...content.nodes, ...notes], skipped };
}

/** Which elements of the page are kept, each looked at once. */
class Places {
  readonly #content: PageContent;
  readonly #known = new Map<ChildNode, boolean>();
  readonly #around: ReadonlySet<ChildNode>;

  constructor(content: PageContent) {
    this.#content = content;
    this.#around = elementsAround(content.nodes);
    for (const node of content.nodes) this.#known.set(node, !content.skipped.has(node));
  }

  isKept(element: Element): boolean {
    const known = this.#known.get(element);
    if (known !== undefined) return known;
    const { parent } = element;
    const isKept = !this.#content.skipped.has(element) && parent !== null && isTag(parent) && this.isKept(parent);
    this.#known.set(element, isKept);
    return isKept;
  }

  holdsKept(element: Element): boolean {
    return this.#around.has(element);
  }
}

interface Search {
  /** Ids of notes that are not found yet. */
  readonly wanted: Set<string>;
  readonly place: Places;
  readonly found: Element[];
}

function collect(nodes: readonly ChildNode[], search: Search): void {
  for (const node of nodes) {
    if (!isTag(node) || search.wanted.size === 0) continue;
    const id = noteIdOf(node, search.wanted);
    if (id !== undefined && !search.place.holdsKept(node)) {
      search.wanted.delete(id);
      if (!search.place.isKept(node)) search.found.push(node);
    } else {
      if (node.name === 'a' || attributeOf(node, 'id') !== undefined)
        for (const other of idsOf(node)) search.wanted.delete(other);
      collect(node.children, search);
    }
  }
}

/** Replaces items by their list, if all of its items are notes. */
function asLists(notes: readonly Element[]): readonly Element[] {
  return [...Map.groupBy(notes, listOf)].flatMap(([list, items]) =>
    list !== undefined && list.children.filter((node) => isTag(node)).length === items.length ? [list] : items,
  );
}

function listOf({ name, parent }: Element): Element | undefined {
  return name === 'li' && parent !== null && isTag(parent) ? parent : undefined;
}
