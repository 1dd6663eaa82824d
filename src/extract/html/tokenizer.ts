/** Splits HTML into tags and text in one pass, as the HTML standard does (13.2.5). */
import { hashed } from './name-table.ts';
import type { ElementKind } from './open-element.ts';
import { beyondAscii, hasReferences, type PageBytes, rangeStart } from './page-bytes.ts';
import type { TreeBuilder } from './tree-builder.ts';

/**
 * Feeds the tree up to the end of the page, or until the tree is full. Reads each byte a bounded number of times, for
 * any page. With `isXml`, `/>` closes any element, and scripts, styles and titles have markup and CDATA sections.
 * Returns false if the tags of XML do not match: then the tree holds only the part before that.
 */
export function tokenize(page: PageBytes, tree: TreeBuilder, isXml: boolean): boolean {
  return new Tokenizer(page, tree, isXml).run();
}

class Tokenizer {
  readonly #page: PageBytes;
  /** The page, and after it a `<`. */
  readonly #bytes: Buffer;
  /** The same as characters, for searches. */
  readonly #html: string;
  readonly #length: number;
  readonly #tree: TreeBuilder;
  /** True if the last start tag ended in `/>`. */
  #isSelfClosing = false;
  readonly #isXml: boolean;
  /** The open elements of XML. */
  readonly #open: ElementKind[] = [];
  #isBroken = false;

  constructor(page: PageBytes, tree: TreeBuilder, isXml: boolean) {
    this.#page = page;
    this.#bytes = page.bytes;
    this.#html = page.ascii;
    this.#length = page.length;
    this.#tree = tree;
    this.#isXml = isXml;
  }

  run(): boolean {
    const bytes = this.#bytes;
    const length = this.#length;
    const tree = this.#tree;
    let textStart = 0;
    let bits = 0;
    let at = 0;
    while (!tree.isFull && !this.#isBroken) {
      let seen = 0;
      for (let byte = bytes[at] ?? 0; byte !== lessThan; byte = bytes[++at] ?? 0) {
        seen |= byte;
        if (byte === ampersand) bits |= hasReferences;
      }
      if (seen > 0x7f) bits |= beyondAscii;
      if (at >= length) break;
      const end = this.#markup(at, textStart, bits);
      if (end > at) {
        textStart = at = end;
        bits = 0;
      } else {
        // A bracket that starts no markup is text.
        at++;
      }
    }
    if (tree.isFull) return !this.#isBroken;
    this.#text(textStart, length, bits);
    return !this.#isBroken && this.#open.length === 0;
  }

  /**
   * Handles the text before a bracket and the markup that it starts. Returns the end of the markup, or `bracket` if it
   * starts none.
   */
  #markup(bracket: number, textStart: number, bits: number): number {
    const bytes = this.#bytes;
    const next = bytes[bracket + 1] ?? 0;
    if (isLetter(next)) {
      this.#text(textStart, bracket, bits);
      return this.#startTag(bracket + 1);
    }
    if (next === slash) {
      // The page ends here.
      if (bracket + 2 >= this.#length) return bracket;
      const first = bytes[bracket + 2] ?? 0;
      this.#text(textStart, bracket, bits);
      if (isLetter(first)) return this.#endTag(bracket + 2);
      return first === greaterThan ? bracket + 3 : this.#comment(this.#after('>', bracket + 2));
    }
    if (next !== exclamationMark && next !== questionMark) return bracket;
    const html = this.#html;
    this.#text(textStart, bracket, bits);
    if (html.startsWith('<!--', bracket)) return this.#comment(this.#commentEnd(bracket + 4));
    if ((this.#isXml || this.#tree.isForeign) && html.startsWith('<![CDATA[', bracket)) return this.#cdata(bracket + 9);
    return this.#comment(this.#after('>', bracket + 2));
  }

  #text(start: number, end: number, bits: number): void {
    if (start < end) this.#tree.text(rangeStart(start, bits), end);
  }

  #comment(end: number): number {
    this.#tree.comment();
    return end;
  }

  #after(text: string, from: number): number {
    const found = this.#html.indexOf(text, from);
    return found === -1 ? this.#length : found + text.length;
  }

  /** A comment ends at `-->` or `--!>`, and at its very start also at `>` or `->`. */
  #commentEnd(start: number): number {
    const html = this.#html;
    if (html.startsWith('>', start)) return start + 1;
    if (html.startsWith('->', start)) return start + 2;
    for (let dashes = html.indexOf('--', start); dashes !== -1; dashes = html.indexOf('--', dashes + 1)) {
      const next = html.charCodeAt(dashes + 2);
      if (next === greaterThan) return dashes + 3;
      if (next === exclamationMark && html.charCodeAt(dashes + 3) === greaterThan) return dashes + 4;
    }
    return this.#length;
  }

  #cdata(start: number): number {
    const end = this.#after(']]>', start);
    const textEnd = this.#html.endsWith(']]>', end) ? Math.max(start, end - 3) : end;
    this.#text(start, textEnd, this.#page.unknownBits);
    return end;
  }

  #endTag(start: number): number {
    const bytes = this.#bytes;
    const index = this.#nameEnd(start);
    let end = index + 1;
    if (bytes[index] !== greaterThan) {
      // A quoted value can contain `>`.
      const count = this.#page.attributeCount;
      end = this.#readAttributes(index);
      this.#page.dropAttributes(count);
      if (end === -1) return this.#length;
    }
    const { current } = this.#tree;
    const kind = this.#page.names.isAt(current.nameId, bytes, start, index) ? current : this.#kindAt(start, index);
    if (this.#isXml) {
      this.#isBroken = this.#open.pop() !== kind;
      // It was closed by its start tag.
      if (kind.rules.isVoid) return end;
    }
    this.#tree.close(kind);
    return end;
  }

  #nameEnd(start: number): number {
    const bytes = this.#bytes;
    let index = start;
    while (!endsName(bytes[index] ?? 0) && index < this.#length) index++;
    return index;
  }

  #kindAt(start: number, end: number): ElementKind {
    const bytes = this.#bytes;
    let hash = 0;
    for (let index = start; index < end; index++) hash = hashed(hash, bytes[index] ?? 0);
    return this.#tree.kindOf(this.#page.names.find(bytes, start, end, hash));
  }

  /**
   * Reads the tag with its attributes, and its content if that is not markup. A tag cut off by the end of the page is
   * ignored.
   */
  #startTag(start: number): number {
    const bytes = this.#bytes;
    const index = this.#nameEnd(start);
    const first = this.#page.attributeCount;
    this.#isSelfClosing = false;
    const end = bytes[index] === greaterThan ? index + 1 : this.#readAttributes(index);
    if (end === -1) {
      this.#isBroken = this.#isXml;
      return this.#length;
    }
    const kind = this.#kindAt(start, index);
    const holdsText = bytes[end] !== lessThan || end >= this.#length || bytes[end + 1] === slash;
    if (this.#isXml && !this.#isSelfClosing) this.#open.push(kind);
    const isMarkup = this.#tree.open(kind, first, this.#isSelfClosing, holdsText);
    return isMarkup || this.#isXml ? end : this.#textOf(kind, end);
  }

  /** Returns the end of the start tag; -1 if the tag has no end. */
  #readAttributes(start: number): number {
    const bytes = this.#bytes;
    const length = this.#length;
    let count = 0;
    let index = start;
    while (index < length) {
      let byte = bytes[index] ?? 0;
      this.#isSelfClosing = false;
      while (isSpace(byte) || byte === slash) {
        this.#isSelfClosing = byte === slash;
        byte = bytes[++index] ?? 0;
      }
      if (byte === greaterThan && index < length) return index + 1;
      if (index >= length) break;

      const nameStart = index;
      let hash = 0;
      // The first character belongs to the name, whatever it is.
      do {
        hash = hashed(hash, byte);
        byte = bytes[++index] ?? 0;
      } while (byte !== equals && !endsName(byte) && index < length);
      const nameEnd = index;

      while (isSpace(byte)) byte = bytes[++index] ?? 0;
      let valueStart = index;
      let valueEnd = index;
      let bits = 0;
      if (byte === equals) {
        do byte = bytes[++index] ?? 0;
        while (isSpace(byte));
        const quoteMark = byte === quote || byte === apostrophe ? byte : 0;
        let seen = 0;
        if (quoteMark === 0) {
          valueStart = index;
          while (byte !== greaterThan && !isSpace(byte) && index < length) {
            seen |= byte;
            if (byte === ampersand) bits = hasReferences;
            byte = bytes[++index] ?? 0;
          }
          valueEnd = index;
        } else {
          valueStart = index + 1;
          byte = bytes[++index] ?? 0;
          while (byte !== quoteMark && index < length) {
            seen |= byte;
            if (byte === ampersand) bits = hasReferences;
            byte = bytes[++index] ?? 0;
          }
          if (index >= length) return -1;
          valueEnd = index++;
        }
        if (seen > 0x7f) bits |= beyondAscii;
      }
      if (count++ >= attributesMax) continue;
      const name = this.#page.names.find(bytes, nameStart, nameEnd, hash);
      this.#page.addAttribute(name, valueStart, valueEnd, bits);
    }
    return -1;
  }

  /** Reads up to the element's end tag, which is markup again. */
  #textOf({ name, rules: { content } }: ElementKind, start: number): number {
    const html = this.#html;
    const end = content === 'the rest of the page' ? this.#length : this.#endTagOf(name, start);
    if (name === 'script' && html.slice(start, end).includes('<!--')) return this.#commentedScript(start);
    const isDecoded = content === 'text with references' && html.slice(start, end).includes('&');
    this.#text(start, end, this.#page.unknownBits | (isDecoded ? hasReferences : 0));
    return end;
  }

  /**
   * Within a comment of a script, `<script>` starts a script that ends at its own end tag. Old pages write
   * `<!-- document.write("<script></script>") -->`.
   */
  #commentedScript(start: number): number {
    const html = this.#html;
    let state: 'script' | 'comment' | 'script in comment' = 'script';
    let end = this.#length;
    scriptMark.lastIndex = start;
    for (let mark = scriptMark.exec(html); mark !== null; mark = scriptMark.exec(html)) {
      const [text] = mark;
      if (text === '-->') state = 'script';
      else if (text === '<!--') {
        if (state === 'script') state = 'comment';
        // The dashes can also end the comment: `<!-->`.
        scriptMark.lastIndex -= 2;
      } else if (text.charCodeAt(1) !== slash) {
        if (state === 'comment') state = 'script in comment';
      } else if (state === 'script in comment') state = 'comment';
      else {
        end = mark.index;
        break;
      }
    }
    this.#text(start, end, this.#page.unknownBits);
    return end;
  }

  #endTagOf(name: string, start: number): number {
    const html = this.#html;
    for (let found = html.indexOf('</', start); found !== -1; found = html.indexOf('</', found + 2)) {
      const end = found + 2 + name.length;
      if (endsName(html.charCodeAt(end)) && html.slice(found + 2, end).toLowerCase() === name) return found;
    }
    return this.#length;
  }
}

/** Limit for one element; the rest is ignored. Storing a million would take seconds. */
const attributesMax = 1_000;

const scriptMark = /<!--|-->|<\/?script(?=[\t\n\f\r />])/gi;

const lessThan = 0x3c;
const greaterThan = 0x3e;
const slash = 0x2f;
const equals = 0x3d;
const quote = 0x22;
const apostrophe = 0x27;
const exclamationMark = 0x21;
const questionMark = 0x3f;
const ampersand = 0x26;

function isLetter(code: number): boolean {
  const lower = code | 0x20;
  return lower >= 0x61 && lower <= 0x7a;
}

function isSpace(code: number): boolean {
  return code <= 0x20 && (code === 0x20 || code === 0x0a || code === 0x09 || code === 0x0d || code === 0x0c);
}

function endsName(code: number): boolean {
  return code <= greaterThan && (code === greaterThan || code === slash || isSpace(code));
}
