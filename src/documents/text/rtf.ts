// Reads RTF (1.9.1): its text in paragraphs, with title and author. Pictures, fonts and styles are skipped.
import type { DocumentContent, DocumentMetadata } from '../../core/document.ts';
import { decoderOf } from '../../core/bytes/decode-bytes.ts';
import { DocumentError, unreadable } from '../parts/document-error.ts';
import { element, htmlText } from '../parts/html-text.ts';
import type { FileBytes } from '../parts/file-bytes.ts';

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
  /** Where the text of the group goes. */
  readonly to: 'text' | 'title' | 'author' | 'nothing';
  /** Number of replacement characters that follow a Unicode character, for readers without Unicode. */
  readonly fallback: number;
}

class RtfReader {
  #groups: Group[] = [];
  #group: Group = { to: 'text', fallback: 1 };
  #decoder = new TextDecoder('windows-1252');
  /** Bytes of one run. They are decoded together, since a character can take two. */
  #bytes: number[] = [];
  /** Replacement characters still to skip. */
  #toSkip = 0;
  #isOptional = false;
  #text = '';
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
    const html = this.#text
      .split('\n')
      .map((line) => line.trim())
      .filter((line) => line !== '')
      .map((line) => element('p', htmlText(line).replaceAll('\v', '<br>')))
      .join('');
    const metadata: DocumentMetadata = { title: this.#metadata.title, author: this.#metadata.author };
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
    } else this.#group = this.#groups.pop() ?? this.#group;
  }

  #word(word: string, number: number | undefined): void {
    const isOptional = this.#isOptional;
    this.#isOptional = false;
    const character = characters[word];
    if (character !== undefined) return this.#put(character);
    if (word === 'title' || word === 'author') this.#group = { ...this.#group, to: word };
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

  #symbol(symbol: string): void {
    if (symbol === '*') this.#isOptional = true;
    else if (symbol === '~') this.#put('\u00a0');
    else if (symbol === '_') this.#put('-');
    else if (symbol === '\n' || symbol === '\r') this.#put('\n');
    else if (symbol === '\\' || symbol === '{' || symbol === '}') this.#put(symbol);
  }

  #decodeBytes(): void {
    if (this.#bytes.length === 0) return;
    this.#put(this.#decoder.decode(Uint8Array.from(this.#bytes)));
    this.#bytes = [];
  }

  #put(text: string): void {
    const { to } = this.#group;
    if (to === 'text') this.#text += text;
    else if (to !== 'nothing') this.#metadata[to] += text;
  }
}

const skippedGroups: ReadonlySet<string> = new Set(
  (
    'fonttbl colortbl stylesheet info pict object header headerl headerr headerf footer footerl footerr footerf ' +
    'listtable listoverridetable generator themedata xmlnstbl fldinst nonshppict datafield'
  ).split(' '),
);

const characters: Readonly<Record<string, string>> = {
  par: '\n',
  sect: '\n',
  page: '\n',
  row: '\n',
  cell: '\t',
  line: '\v',
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
