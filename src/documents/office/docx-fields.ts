/** Fields of Word (ECMA-376, part 1, 17.16): an instruction, then its result between marks. Only links are read. */
import { linkStart } from '../parts/html-text.ts';

interface Field {
  instruction: string;
  /** The result follows. */
  isSeparated: boolean;
  /** Ends the link that is open; empty if there is none. */
  linkEnd: string;
}

export class FieldReader {
  readonly #open: Field[] = [];

  /** The text belongs to an instruction, not to the document. */
  get isInInstruction(): boolean {
    return this.#open.some(({ isSeparated }) => !isSeparated);
  }

  instruct(text: string): void {
    const field = this.#open.findLast(({ isSeparated }) => !isSeparated);
    if (field && field.instruction.length < instructionMax) field.instruction += text;
  }

  /** Returns the HTML that a mark of a field adds. */
  mark(type: string | undefined): string {
    const field = this.#open.at(-1);
    if (type === 'begin') {
      this.#open.push({ instruction: '', isSeparated: false, linkEnd: '' });
      if (this.#open.length > depthMax) this.#open.shift();
    } else if (type === 'separate' && field) {
      field.isSeparated = true;
      const start = this.#open.some(({ linkEnd }) => linkEnd !== '') ? undefined : linkOf(field.instruction);
      if (start === undefined) return '';
      field.linkEnd = '</a>';
      return start;
    } else if (type === 'end' && field) {
      this.#open.pop();
      return field.linkEnd;
    }
    return '';
  }

  /** A link does not cross paragraphs, and an instruction without its end loses no text of the next one. */
  endParagraph(): string {
    const end = this.#open.map(({ linkEnd }) => linkEnd).join('');
    for (const field of this.#open) {
      field.linkEnd = '';
      field.isSeparated = true;
    }
    return end;
  }
}

const instructionMax = 5_000;
const depthMax = 100;

/** The start tag of the link of a field; undefined for other fields, and for links within the file. */
export function linkOf(instruction: string): string | undefined {
  const address = /^\s*HYPERLINK\s+"([^"]{1,2083})"/i.exec(instruction)?.[1];
  const place = /\s\\l\s+"([^"]{1,2083})"/.exec(instruction)?.[1];
  return address === undefined ? undefined : linkStart(place === undefined ? address : `${address}#${place}`);
}
