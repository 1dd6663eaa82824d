// Reads RTF (1.9.1): headings, lists, tables, links, emphasis and notes, with title and author. Pictures and fonts are
// skipped.
import type { DocumentContent, DocumentMetadata } from '../../core/document.ts';
import { decoderOf } from '../../core/bytes/decode-bytes.ts';
import { DocumentError, unreadable } from '../parts/document-error.ts';
import type { FileBytes } from '../parts/file-bytes.ts';
import { RtfBody } from './rtf-body.ts';
import { formatChange, plainFormat, type RtfFormat, RtfStyles } from './rtf-styles.ts';

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

/** Where the text of a group goes. `marker` is the number or bullet of a list item, `field` an instruction. */
type Target = 'text' | 'title' | 'author' | 'marker' | 'field' | 'style' | 'nothing';

interface Group {
  readonly to: Target;
  /** Number of replacement characters that follow a Unicode character, for readers without Unicode. */
  readonly fallback: number;
  readonly format: RtfFormat;
  /** Called when the group ends, with its format. */
  readonly end?: ((format: RtfFormat) => void) | undefined;
}

class RtfReader {
  #groups: Group[] = [];
  #group: Group = { to: 'text', fallback: 1, format: plainFormat };
  #decoder = new TextDecoder('windows-1252');
  /** Bytes of one run. They are decoded together, since a character can take two. */
  #bytes: number[] = [];
  /** Replacement characters still to skip. */
  #toSkip = 0;
  #isOptional = false;
  /** The text of the current group, if it is an instruction or the name of a style. */
  #stated = '';
  readonly #styles = new RtfStyles();
  readonly #body = new RtfBody(this.#styles);
  readonly #metadata: Record<'title' | 'author', string> = { title: '', author: '' };

  read([, brace, word, number, hex, symbol, text]: RegExpExecArray): void {
    if (hex !== undefined) {
      if (this.#toSkip > 0) this.#toSkip--;
      else this.#bytes.push(Number.parseInt(hex, 16));
      return;
    }
    this.#decodeBytes();
    if (brace !== undefined) this.#brace(brace);
    else if (word !== undefined) this.#word(word, number === undefined ? undefined : Number(number));
    else if (symbol !== undefined) this.#symbol(symbol);
    else if (text !== undefined) {
      this.#put(text.slice(this.#toSkip));
      this.#toSkip = Math.max(0, this.#toSkip - text.length);
    }
  }

  finish(): DocumentContent {
    this.#decodeBytes();
    const html = this.#body.finish(this.#group.format);
    if (html === '' && this.#groups.length > 0) throw unreadable('The file is damaged: it ends before its text.');
    const { title, author } = this.#metadata;
    const metadata: DocumentMetadata = { title: title.trim() || this.#body.firstHeading, author };
    return { metadata, blocks: html === '' ? [] : [{ kind: 'html', html: html.toWellFormed() }] };
  }

  #brace(brace: string): void {
    this.#toSkip = 0;
    this.#isOptional = false;
    if (brace === '{') {
      if (this.#groups.length >= depthMax) {
        throw new DocumentError('parse_budget', `The file has groups nested deeper than ${depthMax}.`);
      }
      this.#groups.push(this.#group);
      this.#group = { ...this.#group, end: undefined };
    } else {
      this.#group.end?.(this.#group.format);
      this.#group = this.#groups.pop() ?? this.#group;
    }
  }

  #word(word: string, number: number | undefined): void {
    const isOptional = this.#isOptional;
    this.#isOptional = false;
    const character = characters[word];
    if (character !== undefined) return this.#put(character);
    if (this.#group.to === 'text' && this.#structure(word)) return;
    if (word === 'title' || word === 'author') {
      this.#group = { ...this.#group, to: word };
      return;
    }
    const change = formatChange(word, number);
    if (change !== undefined) this.#group = { ...this.#group, format: { ...this.#group.format, ...change } };
    else if (this.#destination(word)) return;
    // `\*` starts a group that only readers who know its name keep.
    else if (isOptional || skippedGroups.has(word)) this.#group = { ...this.#group, to: 'nothing' };
    else if (word === 'uc') this.#group = { ...this.#group, fallback: Math.max(0, number ?? 1) };
    else if (word === 'ansicpg')
      this.#decoder = decoderOf(`windows-${number ?? 1252}`) ?? decoderOf(charsets[number ?? 0] ?? '') ?? this.#decoder;
    else if (word === 'u' && number !== undefined) {
      this.#put(String.fromCharCode(number < 0 ? number + 0x1_0000 : number));
      this.#toSkip = this.#group.fallback;
    } else if (word === 'bin') this.#toSkip = number ?? 0;
  }

  /** Ends of paragraphs, lines, cells and rows. Returns false for any other word. */
  #structure(word: string): boolean {
    const { format } = this.#group;
    switch (word) {
      case 'par':
      case 'sect':
      case 'page':
        this.#body.endParagraph(format);
        return true;
      case 'line':
        this.#body.lineBreak();
        return true;
      case 'trowd':
        this.#body.startRow();
        return true;
      case 'trhdr':
        this.#body.headerRow();
        return true;
      case 'cell':
        this.#body.endCell(format);
        return true;
      // A table within a cell becomes lines of the cell.
      case 'nestcell':
        this.#put(' ');
        return true;
      case 'nestrow':
        this.#body.endParagraph({ ...format, inTable: true });
        return true;
      case 'row':
        this.#body.endRow();
        return true;
      default:
        return false;
    }
  }

  /** Groups whose text has a place of its own. Returns false for any other word. */
  #destination(word: string): boolean {
    const { to } = this.#group;
    if (to === 'nothing') return false;
    switch (word) {
      case 'info':
        this.#group = { ...this.#group, to: 'nothing' };
        return true;
      case 'stylesheet':
        this.#group = { ...this.#group, to: 'style', format: plainFormat, end: undefined };
        return true;
      case 'listtext':
      case 'pntext':
        this.#group = { ...this.#group, to: 'marker' };
        return true;
      case 'fldinst':
        this.#stated = '';
        this.#group = { ...this.#group, to: 'field' };
        return true;
      case 'fldrslt':
        this.#body.startLink(addressIn(this.#stated));
        this.#group = { ...this.#group, end: () => this.#body.endLink() };
        return true;
      case 'footnote':
        this.#group = {
          ...this.#group,
          format: { ...plainFormat },
          end: to === 'text' ? this.#body.startNote() : undefined,
        };
        return true;
      default:
        return keptGroups.has(word);
    }
  }

  #symbol(symbol: string): void {
    if (symbol === '*') this.#isOptional = true;
    else if (symbol === '~') this.#put('\u00a0');
    else if (symbol === '_') this.#put('-');
    else if (symbol === '\n' || symbol === '\r') this.#structure('par');
    else if (symbol === '\\' || symbol === '{' || symbol === '}') this.#put(symbol);
  }

  #decodeBytes(): void {
    if (this.#bytes.length === 0) return;
    this.#put(this.#decoder.decode(Uint8Array.from(this.#bytes)));
    this.#bytes = [];
  }

  #put(text: string): void {
    const { to, format } = this.#group;
    if (to === 'text') this.#body.put(text, format);
    else if (to === 'marker') this.#body.putMarker(text);
    else if (to === 'field') this.#stated += text;
    else if (to === 'style') this.#putStyle(text, format);
    else if (to !== 'nothing') this.#metadata[to] += text;
  }

  /** The name of a style ends with a semicolon. */
  #putStyle(text: string, { style, outlineLevel }: RtfFormat): void {
    this.#stated += text;
    if (!this.#stated.endsWith(';')) return;
    this.#styles.add(style ?? 0, this.#stated, outlineLevel);
    this.#stated = '';
  }
}

/** Returns the address in an instruction such as `HYPERLINK "https://example.com/"`. */
function addressIn(instruction: string): string | undefined {
  return /^\s*HYPERLINK\s+(?:"([^"]*)"|([^\s"\\]+))/i
    .exec(instruction)
    ?.slice(1)
    .find((href) => href !== undefined);
}

/** Text boxes, which `\*` marks as optional. */
const keptGroups: ReadonlySet<string> = new Set(['shpinst', 'shptxt']);
const skippedGroups: ReadonlySet<string> = new Set(
  (
    'fonttbl colortbl pict object header headerl headerr headerf footer footerl footerr footerf ' +
    'listtable listoverridetable generator themedata xmlnstbl nonshppict datafield sp shprslt xe tc nonesttables'
  ).split(' '),
);

const characters: Readonly<Record<string, string>> = {
  tab: '\t',
  emdash: '—',
  endash: '–',
  lquote: '‘',
  rquote: '’',
  ldblquote: '“',
  rdblquote: '”',
  bullet: '•',
};

/** Code pages with other names on the web. */
const charsets: Readonly<Record<number, string>> = {
  932: 'shift_jis',
  936: 'gbk',
  949: 'euc-kr',
  950: 'big5',
  10_000: 'macintosh',
};
