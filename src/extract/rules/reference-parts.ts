/** Recognizes parts of references and manuals whose names are those of boilerplate elsewhere. */
import type { ChildNode, Element } from 'domhandler';
import { isTag, isText } from 'domhandler';
import { headingElements } from '../html/element-kinds.ts';
import { textBeginning } from '../html/node-text.ts';
import type { Box } from '../measure/measure-page.ts';
import type { Asked } from './asked.ts';

/**
 * Generators make ids of terms and of names of functions: `method-i-count_comments`,
 * `pump.Pump.get_date`, `module-Date`. Capitals count, since `post-date` is a name.
 */
export function isIdOfText(id: string, { name, children }: Element): boolean {
  if (name === 'dt') return true;
  const text = textBeginning(children, identifierWithin);
  const identifier = identifiers.exec(id)?.[0];
  return (
    (identifier !== undefined && text.includes(identifier)) ||
    (id.includes('-') && text.startsWith(id.replaceAll('-', ' ')))
  );
}

const identifiers = /[\p{L}\d]*(?:_[\p{L}\d]+)+|(?<=\.)[\p{L}\d]{3,}(?=[^.]*$)/u;
/** Characters from the beginning of the text. */
const identifierWithin = 200;

/** Returns true if the heading has a link to its section. */
export function hasPermalink({ children }: Element, id: string): boolean {
  return children.some((child) => isTag(child) && child.attribs['href'] === `#${id}`);
}

/** Returns the heading of a chapter of a manual: it has a link to its section, for readers who want to cite it. */
export function chapterHeading({ name, attribs, children }: Element): Element | undefined {
  const id = attribs['id'];
  if (id === undefined || (name !== 'section' && name !== 'div')) return undefined;
  return children.find(
    (child): child is Element => isTag(child) && headingElements.has(child.name) && hasPermalink(child, id),
  );
}

/** Footnotes, and asides between the paragraphs of a text, alone or several in a box. */
export function isNote({ box: { textLength, linkLength }, element, outer, place: { likes } }: Asked): boolean {
  const { attribs } = element;
  if (noteNames.test(attribs['class'] ?? '') || attribs['role'] === 'doc-footnote') return true;
  if (linkLength >= textLength * linkShareMax) return false;
  return isBetweenText(element) || likes.ask(outer.boxes, 'are notes', () => isBoxOfNotes(outer));
}

const noteNames = /(?:^|\s)(?:footnote|footnote-list|citation-list|topic|admonition)(?:$|\s)/;
const linkShareMax = 0.3;

function isBoxOfNotes({ element, boxes, ownLength }: Box): boolean {
  if (element === undefined || ownLength > 0 || !isBetweenText(element)) return false;
  return boxes.every((box) => box.element?.name === 'aside');
}

function isBetweenText({ prev, next }: Element): boolean {
  return isFlow(textBeside(prev, 'prev')) && isFlow(textBeside(next, 'next'));
}

/** Beside an aside can be another one. */
function textBeside(node: ChildNode | null, direction: 'prev' | 'next'): ChildNode | null {
  let at = node;
  for (let asides = 0; at !== null && asides < asidesMax; at = at[direction]) {
    if (isTag(at) && at.name === 'aside') asides++;
    else if (isTag(at) || (isText(at) && at.data.trim() !== '')) return at;
  }
  return null;
}

/** Bounds the time on a page of asides. */
const asidesMax = 20;

function isFlow(node: ChildNode | null): boolean {
  return node !== null && isTag(node) && flowElements.has(node.name);
}

/** Elements between which the text of a page flows. */
export const flowElements: ReadonlySet<string> = new Set(
  'p pre blockquote ul ol dl table figure h2 h3 h4 h5 h6'.split(' '),
);
