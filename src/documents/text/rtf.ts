// Reads RTF (1.9.1): headings, lists, tables, links, emphasis and notes, with title and author.
import type { DocumentContent } from '../../core/document.ts';
import { decoderOf } from '../../core/bytes/decode-bytes.ts';
import { DocumentError, unreadable } from '../parts/document-error.ts';
import type { FileBytes } from '../parts/file-bytes.ts';
import { noteList, noteReference } from '../parts/text-writer.ts';
import { RtfBody } from './rtf-body.ts';
import { characters, charsets, formatAfter, type RtfFormat, skippedGroups } from './rtf-words.ts';

const depthMax = 1_000;

export function readRtf({ bytes }: FileBytes): DocumentContent {
  const source = new TextDecoder('latin1').decode(bytes);
  if (!/^\s*\{\\rtf/.test(source.slice(0, 100))) throw unreadable('The file is damaged: it is not a valid RTF.');
  const reader = new RtfReader();
  for (const token of source.matchAll(tokens)) reader.read(token);
  return reader.finish();
}

/** A brace, a control word with its number, a byte in hex, a control symbol, or text. Line ends mean nothing. */
const tokens = /([{}])|\\([a-z]{1,32})(-?\d{1,10})? ?|\\'([\da-f]{2})|\\([^a-z])|([^\\{}\r\n]+)/gis;

interface Group {
  /** Where its text goes. */
  readonly put: (text: string, format: RtfFormat) => void;
  /** Number of replacement characters that follow a Unicode character, for readers without Unicode. */
  readonly fallback: number;
  readonly format: RtfFormat;
  /** Called when the group ends. */
  readonly end?: ((format: RtfFormat) => void) | undefined;
}

const nothing = (): void => {};

class RtfReader {
  readonly #levels = new Map<number, number>();
  #body = new RtfBody(this.#levels);
  readonly #toBody: Group['put'] = (text, format) => this.#body.put(text, format);
  readonly #groups: Group[] = [];
  #group: Group = { put: this.#toBody, fallback: 1, format: {} };
  #decoder = new TextDecoder('windows-1252');
  /** Bytes of one run. They are decoded together, since a character can take two. */
  #bytes: number[] = [];
  /** Replacement characters still to skip. */
  #toSkip = 0;
  #isOptional = false;
  /** The text of the current instruction, or the name of a style. */
  #stated = '';
  readonly #notes: string[] = [];
  readonly #metadata = { title: '', author: '' };

  /** Words that end something in the text. */
  readonly #breaks = new Map<string, (format: RtfFormat) => void>([
    ...['par', 'sect', 'page', '\n', '\r'].map(
      (word) => [word, (format: RtfFormat) => this.#body.endParagraph(format)] as const,
    ),
    ['line', () => this.#body.putHtml('<br>')],
    ['cell', (format) => this.#body.endCell(format)],
    ['row', () => this.#body.endRow()],
    // A table within a cell becomes lines of the cell.
    ['nestcell', (format) => this.#body.put(' ', format)],
    ['nestrow', (format) => this.#body.endParagraph({ ...format, intbl: 1 })],
  ]);

  /** Words for the rest of their group. */
  readonly #destinations = new Map<string, () => Partial<Group>>([
    ['stylesheet', () => ({ put: this.#putStyle, format: {} })],
    ...['listtext', 'pntext'].map(
      (word) => [word, () => ({ put: (text: string) => this.#body.putMarker(text) })] as const,
    ),
    ['fldinst', () => ((this.#stated = ''), { put: (text) => void (this.#stated += text) })],
    ['fldrslt', () => (this.#body.startLink(addressIn(this.#stated)), { end: () => this.#body.endLink() })],
    ['footnote', () => ({ format: {}, end: this.#group.put === this.#toBody ? this.#startNote() : undefined })],
    // Text boxes, which `\*` marks as optional.
    ['shpinst', () => ({})],
    ['shptxt', () => ({})],
  ]);

  read([, brace, word, number, hex, symbol, text]: RegExpExecArray): void {
    if (hex !== undefined) {
      if (this.#toSkip > 0) this.#toSkip--;
      else this.#bytes.push(Number.parseInt(hex, 16));
      return;
    }
    this.#decodeBytes();
    if (brace !== undefined) this.#brace(brace);
    else if (symbol === '*') this.#isOptional = true;
    else if (text === undefined) this.#word(word ?? symbol ?? '', number === undefined ? undefined : Number(number));
    else {
      this.#put(text.slice(this.#toSkip));
      this.#toSkip = Math.max(0, this.#toSkip - text.length);
    }
  }

  finish(): DocumentContent {
    this.#decodeBytes();
    const isCut = this.#groups.length > 0;
    while (this.#groups.length > 0) this.#brace('}');
    const notes = noteList(this.#notes.map((html, at) => ({ id: `rtf-note-${at + 1}`, html })));
    const html = this.#body.finish(this.#group.format) + notes;
    if (html === '' && isCut) throw unreadable('The file is damaged: it ends before its text.');
    const { title, author } = this.#metadata;
    const metadata = { title: title.trim() || this.#body.firstHeading, author };
    return { metadata, blocks: html === '' ? [] : [{ kind: 'html', html: html.toWellFormed() }] };
  }

  #brace(brace: string): void {
    this.#toSkip = 0;
    this.#isOptional = false;
    if (brace === '}') {
      this.#group.end?.(this.#group.format);
      this.#group = this.#groups.pop() ?? this.#group;
      return;
    }
    if (this.#groups.length >= depthMax)
      throw new DocumentError('parse_budget', `The file has groups nested deeper than ${depthMax}.`);
    this.#groups.push(this.#group);
    this.#change({ end: undefined });
  }

  #word(word: string, number: number | undefined): void {
    const { put, format } = this.#group;
    const isOptional = this.#isOptional;
    this.#isOptional = false;
    const character = characters.get(word);
    const changed = formatAfter(format, word, number);
    const end = put === this.#toBody ? this.#breaks.get(word) : undefined;
    const destination = put === nothing ? undefined : this.#destinations.get(word);
    if (character !== undefined) this.#put(character);
    else if (end) end(format);
    else if (changed) this.#change({ format: changed });
    else if (word === 'title' || word === 'author')
      this.#change({ put: (text) => void (this.#metadata[word] += text) });
    else if (destination) this.#change(destination());
    // `\*` starts a group that only readers who know its name keep.
    else if (isOptional || skippedGroups.has(word)) this.#change({ put: nothing });
    else if (word === 'uc') this.#change({ fallback: Math.max(0, number ?? 1) });
    else if (word === 'ansicpg')
      this.#decoder = decoderOf(charsets[number ?? 0] ?? `windows-${number ?? 1252}`) ?? this.#decoder;
    else if (word === 'bin') this.#toSkip = number ?? 0;
    else if (word === 'u' && number !== undefined) {
      this.#put(String.fromCharCode(number));
      this.#toSkip = this.#group.fallback;
    }
  }

  #change(change: Partial<Group>): void {
    this.#group = { ...this.#group, ...change };
  }

  #put(text: string): void {
    this.#group.put(text, this.#group.format);
  }

  #decodeBytes(): void {
    if (this.#bytes.length > 0) this.#put(this.#decoder.decode(Uint8Array.from(this.#bytes)));
    if (this.#bytes.length > 0) this.#bytes = [];
  }

  /** Writes the mark of a note, and returns what ends it. Until then the body is that of the note. */
  #startNote(): (format: RtfFormat) => void {
    const outer = this.#body;
    const number = this.#notes.push('');
    outer.putHtml(noteReference(`rtf-note-${number}`, number));
    const note = new RtfBody(this.#levels);
    this.#body = note;
    return (format) => {
      this.#notes[number - 1] = note.finish(format);
      this.#body = outer;
    };
  }

  /** The name of a style ends with a semicolon. Word's names are English in every language. */
  readonly #putStyle: Group['put'] = (text, { s = 0, outlinelevel }) => {
    this.#stated += text;
    if (!this.#stated.endsWith(';')) return;
    const stated = /^(?:heading ([1-9])|(title));?$/i.exec(this.#stated.trim());
    const level = stated ? Number(stated[1] ?? 1) - 1 : outlinelevel;
    if (level !== undefined) this.#levels.set(s, level);
    this.#stated = '';
  };
}

/** Returns the address in an instruction such as `HYPERLINK "https://example.com/"`. */
function addressIn(instruction: string): string | undefined {
  const [, quoted, bare] = /^\s*HYPERLINK\s+(?:"([^"]*)"|([^\s"\\]+))/i.exec(instruction) ?? [];
  return quoted ?? bare;
}
