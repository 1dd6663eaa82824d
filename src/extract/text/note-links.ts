/** Recognizes links that refer to notes, and the elements that hold these notes. */
import type { ChildNode, Element } from 'domhandler';
import { isTag, isText } from 'domhandler';
import { headingElements } from '../html/element-kinds.ts';
import { nodeText, textBeginning } from '../html/node-text.ts';
import { attributeOf } from '../html/nodes.ts';

/** Returns true if a search for notes is worthwhile. The search walks the page. */
export function mayReferToNote(link: Element): boolean {
  const { parent, children } = link;
  const href = attributeOf(link, 'href');
  if (href?.startsWith('#') !== true) return false;
  for (const name of namingAttributes) {
    const value = attributeOf(link, name);
    if (value !== undefined && mayName.test(value) && noteReference.test(value)) return true;
  }
  // Sphinx citations are internal references like any other, except for their visible brackets.
  if (attributeOf(link, 'class')?.startsWith('reference') === true && /^\[[^[\]]{1,60}\]$/.test(nodeText(children)))
    return true;
  if (parent !== null && isTag(parent) && parent.name === 'sup') return true;
  if (children.length === 1 && children[0] !== undefined && isTag(children[0]) && children[0].name === 'sup')
    return true;
  return noteFragment.test(href) && isMark(link);
}

const namingAttributes = ['class', 'role', 'rel'] as const;
const mayName = /note|citation/;
const noteReference = /(?:^|[\s-])(?:footnote(?:-ref(?:erence)?)?|citation-reference|noteref|biblioref)(?:\s|$)/;
/** Of a note, not of the place that refers to it. */
const noteFragment = /^#(?:user-content-)?_?(?:s?dfoot|ftn|edn|fn|foot|endn|note|nota|sdend)(?!\w*(?:ref|anc|back))/i;

/** True for a number, a letter or a sign, as notes are counted, alone or in brackets. */
export function isMark({ children }: Element): boolean {
  return /^\s*[[(]?(?:\d{1,6}|[a-z]|[ivxl]{1,6}|[*†‡§¶]{1,4})[\])]?\s*$/i.test(textBeginning(children, markLengthMax));
}

const markLengthMax = 12;

/** Returns the `id` that a link to a part of its page names, or ''. */
export function fragmentOf({ attribs }: Element): string {
  const fragment = attribs['href']?.slice(1) ?? '';
  try {
    return decodeURIComponent(fragment);
  } catch {
    return fragment;
  }
}

/** Returns the `id`s of an element: links can also name an `<a name>`. */
export function idsOf({ name, attribs }: Element): readonly string[] {
  const own = attribs['id'];
  const named = name === 'a' ? attribs['name'] : undefined;
  return [own, named].filter((id) => id !== undefined);
}

/**
 * Returns the id among `known` of which the element is the note: its own, or that of an anchor with which its text
 * begins.
 */
export function noteIdOf(element: Element, known: { readonly has: (id: string) => boolean }): string | undefined {
  const own = attributeOf(element, 'id');
  if (own !== undefined && known.has(own) && isNoteElement(element, own)) return own;
  if (!noteBlocks.has(element.name)) return undefined;
  return insideFirst(element, (inner) => idsOf(inner).find((id) => known.has(id)));
}

/** Returns the link or raised text with which a note begins. */
export function firstAnchor(note: Element): Element | undefined {
  return insideFirst(note, (inner) => (inner.name === 'a' || inner.name === 'sup' ? inner : undefined));
}

/** Asks about the elements with which the text of an element begins, outer ones first. */
function insideFirst<Found>(element: Element, ask: (inner: Element) => Found | undefined): Found | undefined {
  let inner = firstInside(element);
  for (let depth = 0; inner !== undefined && depth < depthMax; depth++, inner = firstInside(inner)) {
    if (inner.name === 'p' ? !isOneNote(element) : !anchors.has(inner.name)) return undefined;
    const found = ask(inner);
    if (found !== undefined) return found;
  }
  return undefined;
}

const depthMax = 5;
const noteBlocks: ReadonlySet<string> = new Set(['p', 'li', 'div']);
const anchors: ReadonlySet<string> = new Set(['a', 'sup', 'span', 'b', 'strong', 'i', 'em', 'small']);

/** A box around all notes begins with the first of them. */
function isOneNote({ name, attribs }: Element): boolean {
  return name === 'li' || /\d$/.test(attribs['id'] ?? '');
}

function firstInside({ children }: Element): Element | undefined {
  const first = children.find((node) => isTag(node) || (isText(node) && node.data.trim() !== ''));
  return first !== undefined && isTag(first) ? first : undefined;
}

function isNoteElement(element: Element, id: string): boolean {
  const { name, attribs, parent } = element;
  if (name === 'li') return true;
  if (name === 'dt') return parent !== null && isTag(parent) && noteList.test(parent.attribs['class'] ?? '');
  if (name === 'table') return noteList.test(attribs['class'] ?? '');
  if (name !== 'aside' && !noteBlocks.has(name)) return false;
  if (/footnote|citation|biblioentry/.test(`${attribs['class'] ?? ''} ${attribs['role'] ?? ''}`)) return true;
  return (
    (noteFragment.test(`#${id}`) || /^\s*[[(]?(?:\d|[*†‡§])/.test(textBeginning([element], 20))) && !holdsTitle(element)
  );
}

/** Class names of docutils. */
const noteList = /(?:^|\s)(?:footnote|citation)(?:\s|$)/;

/** Looks at the first elements only: a note is short. */
function holdsTitle({ children }: Element): boolean {
  return children.slice(0, 20).some((node: ChildNode) => isTag(node) && headingElements.has(node.name));
}
