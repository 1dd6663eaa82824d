/** Foot- and endnotes of a Word file. */
import type { XmlAttributes } from './read-xml.ts';

export interface Note {
  /** As a reference to it names it. */
  readonly id: string;
  readonly html: string;
}

/** Of an element that is a note, or refers to one. */
export function noteId(name: string, attributes: XmlAttributes): string {
  return `${name.startsWith('foot') ? 'footnote' : 'endnote'}-${attributes['w:id'] ?? ''}`;
}
