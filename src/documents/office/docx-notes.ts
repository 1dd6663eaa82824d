/** A footnote or endnote of a Word file. */
import type { XmlAttributes } from '../parts/read-xml.ts';

export interface Note {
  /** The id that references use. */
  readonly id: string;
  readonly html: string;
}

/** Id of a note, from the note itself or from a reference to it. */
export function noteId(name: string, attributes: XmlAttributes): string {
  return `${name.startsWith('foot') ? 'footnote' : 'endnote'}-${attributes['w:id'] ?? ''}`;
}
