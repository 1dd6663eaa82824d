/** Finds who answers, where and when: on a page that is no article, this can stand beside the content. */
import type { Element } from 'domhandler';
import { existsOne } from 'domutils';
import type { Box } from '../measure/measure-page.ts';
import type { PageKind } from '../measure/page-kind.ts';

/** Returns the boxes outside of the chosen ones that hold a contact and little else, in the order of the page. */
export function contactBoxes(page: Box, chosen: readonly Box[], kind: PageKind): readonly Box[] {
  if (kind !== 'other') return [];
  const search: Search = { chosen: new Set(chosen), contacts: new Map(), around: new Set() };
  mark(page, search);
  const found: Box[] = [];
  if (search.contacts.size > 0) collect(page, search, found);
  return found;
}

interface Search {
  readonly chosen: ReadonlySet<Box>;
  /** Boxes outside of the chosen ones that hold a contact, with the characters of its links. */
  readonly contacts: Map<Box, number>;
  /** Boxes that hold a chosen one. */
  readonly around: Set<Box>;
}

function mark(box: Box, search: Search): void {
  if (box.isSkipped || search.chosen.has(box)) {
    if (search.chosen.has(box)) search.around.add(box);
    return;
  }
  const { element, linkLength } = box;
  let holds = element !== undefined && isContact(element);
  let length = holds && element?.name === 'a' ? linkLength : 0;
  for (const inner of box.boxes) {
    mark(inner, search);
    const its = search.contacts.get(inner);
    if (its !== undefined) {
      holds = true;
      length += its;
    }
    if (search.around.has(inner)) search.around.add(box);
  }
  if (holds) search.contacts.set(box, length);
}

function collect(box: Box, search: Search, found: Box[]): void {
  for (const inner of box.boxes) {
    const links = search.contacts.get(inner);
    if (links === undefined) continue;
    if (!search.around.has(inner) && isCard(inner, links)) found.push(inner);
    else collect(inner, search, found);
  }
}

/** A box with a contact and little else. */
export function isContactCard(box: Box, element: Element): boolean {
  return isCard(box, 0) && existsOne(isContact, element.children);
}

function isCard({ textLength, linkLength }: Box, contactLinks: number): boolean {
  return textLength >= lengthMin && textLength <= lengthMax && linkLength - contactLinks < textLength * linkShareMax;
}

const lengthMin = 30;
const lengthMax = 800;
const linkShareMax = 0.3;

/** A number, an address or a card of a person. */
export function isContact({ name, attribs }: Element): boolean {
  if (name === 'address') return true;
  const link = attribs['href'];
  if (link !== undefined && /^(?:tel|mailto):./i.test(link)) return true;
  const names = attribs['class'];
  return names !== undefined && contactNames.test(names);
}

const contactNames = /(?:^|\s)(?:h-card|vcard|h-adr|adr)(?:\s|$)/;
