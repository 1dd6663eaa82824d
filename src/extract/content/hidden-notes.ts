/** Makes a note of hidden text that stands right after its mark: a script shows it when the reader points at the mark. */
import type { ChildNode, Document, Element } from 'domhandler';
import { isTag, isText } from 'domhandler';
import { appendChild } from 'domutils';
import { newAttributes } from '../html/attributes.ts';
import { newElement, renameElement } from '../html/nodes.ts';
import { isMark } from '../text/note-links.ts';

/** Changes the page: the mark becomes a link to the note, which moves to the end. Returns the links. */
export function linkHiddenNotes(document: Document, hidden: readonly Element[]): readonly Element[] {
  return hidden.flatMap((note, at) => {
    const mark = markBefore(note);
    if (mark === undefined) return [];
    const id = `fn-hidden-${at + 1}`;
    renameElement(note, 'div');
    note.attribs = attributesOf('id', id);
    appendChild(document, note);
    const link = newElement('a', attributesOf('href', `#${id}`));
    link.children = mark.children;
    for (const child of link.children) child.parent = link;
    renameElement(mark, 'sup');
    mark.children = [link];
    link.parent = mark;
    return [link];
  });
}

function markBefore({ prev }: Element): Element | undefined {
  let before: ChildNode | null = prev;
  while (before !== null && isText(before) && before.data.trim() === '') before = before.prev;
  if (before === null || !isTag(before) || !isMark(before)) return undefined;
  return before.name === 'sup' || (before.name === 'a' && before.attribs['href']?.startsWith('#') === true)
    ? before
    : undefined;
}

function attributesOf(name: string, value: string): Element['attribs'] {
  return Object.assign(newAttributes(), { [name]: value });
}
