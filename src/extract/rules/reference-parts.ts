/** Recognizes parts of references and manuals whose names are those of boilerplate elsewhere. */
import type { Element } from 'domhandler';
import { isTag } from 'domhandler';
import { headingElements } from '../html/element-kinds.ts';
import { textBeginning } from '../html/node-text.ts';

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
