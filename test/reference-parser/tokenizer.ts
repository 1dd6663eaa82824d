/** Splits HTML into tags and text in one pass, as the HTML standard does (13.2.5). */
import { decodeHTML, decodeHTMLAttribute } from 'entities';
import { newAttributes, noAttributes } from '../../src/extract/html/attributes.ts';
import { hashed, NameCache } from './name-cache.ts';
import type { ElementKind } from './open-element.ts';
import type { TreeBuilder } from './tree-builder.ts';

/**
 * Feeds the tree up to the end of the page, or until the tree is full. Reads each character a bounded number of times,
 * for any page. With `isXml`, `/>` closes any element, and scripts, styles and titles have markup and CDATA sections.
 * Returns false if the tags of XML do not match: then the tree holds only the part before that.
 */
export function tokenize(html: string, tree: TreeBuilder, isXml: boolean): boolean {
  return new Tokenizer(html, tree, isXml).run();
}

class Tokenizer {
  readonly #html: string;
  readonly #tree: TreeBuilder;
  readonly #kinds: NameCache<ElementKind>;
  readonly #attributeNames = new NameCache((name) => name);
  /** Position of the first `&` at or after the last queried start. */
  #ampersand = -1;
  /** Attributes of the last start tag. */
  #attributes = noAttributes;
  /** True if the last start tag ended in `/>`. */
  #isSelfClosing = false;
  readonly #isXml: boolean;
  /** The open elements of XML. */
  readonly #open: ElementKind[] = [];
  #isBroken = false;

  constructor(html: string, tree: TreeBuilder, isXml: boolean) {
    this.#html = html;
    this.#tree = tree;
    this.#isXml = isXml;
    this.#kinds = new NameCache((name) => tree.kindOf(name));
  }

  run(): boolean {
    const html = this.#html;
    let textStart = 0;
    let searched = 0;
    while (!this.#tree.isFull && !this.#isBroken) {
      const bracket = html.charCodeAt(searched) === lessThan ? searched : html.indexOf('<', searched);
      if (bracket === -1) break;
      const end = this.#markup(bracket, textStart);
      if (end > bracket) textStart = end;
      // A bracket that starts no markup is text.
      searched = end > bracket ? end : bracket + 1;
    }
    if (this.#tree.isFull) return !this.#isBroken;
    this.#text(textStart, html.length);
    return !this.#isBroken && this.#open.length === 0;
  }

  /**
   * Handles the text before a bracket and the markup that it starts. Returns the end of the markup, or `bracket` if it
   * starts none.
   */
  #markup(bracket: number, textStart: number): number {
    const html = this.#html;
    const next = html.charCodeAt(bracket + 1);
    if (isLetter(next)) {
      this.#text(textStart, bracket);
      return this.#startTag(bracket + 1);
    }
    if (next === slash) {
      const first = html.charCodeAt(bracket + 2);
      // The page ends here.
      if (Number.isNaN(first)) return bracket;
      this.#text(textStart, bracket);
      if (isLetter(first)) return this.#endTag(bracket + 2);
      return first === greaterThan ? bracket + 3 : this.#comment(this.#after('>', bracket + 2));
    }
    if (next !== exclamationMark && next !== questionMark) return bracket;
    this.#text(textStart, bracket);
    if (html.startsWith('<!--', bracket)) return this.#comment(this.#commentEnd(bracket + 4));
    if ((this.#isXml || this.#tree.isForeign) && html.startsWith('<![CDATA[', bracket)) return this.#cdata(bracket + 9);
    return this.#comment(this.#after('>', bracket + 2));
  }

  #text(start: number, end: number): void {
    if (start < end) this.#tree.text(this.#decoded(start, end, decodeHTML));
  }

  #decoded(start: number, end: number, decode: (text: string) => string): string {
    const text = this.#html.slice(start, end);
    if (this.#ampersand < start) {
      const found = this.#html.indexOf('&', start);
      this.#ampersand = found === -1 ? this.#html.length : found;
    }
    return this.#ampersand < end ? decode(text) : text;
  }

  #comment(end: number): number {
    this.#tree.comment();
    return end;
  }

  #after(text: string, from: number): number {
    const found = this.#html.indexOf(text, from);
    return found === -1 ? this.#html.length : found + text.length;
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
    return html.length;
  }

  #cdata(start: number): number {
    const end = this.#after(']]>', start);
    const text = this.#html.slice(start, this.#html.endsWith(']]>', end) ? Math.max(start, end - 3) : end);
    if (text !== '') this.#tree.text(text);
    return end;
  }

  #endTag(start: number): number {
    const html = this.#html;
    let hash = 0;
    let index = start;
    for (let code = html.charCodeAt(index); !endsName(code) && index < html.length; code = html.charCodeAt(++index)) {
      hash = hashed(hash, code);
    }
    const end = html.charCodeAt(index) === greaterThan ? index + 1 : this.#endOfAttributes(index);
    if (end === -1) return html.length;
    const kind = this.#kinds.get(html, start, index, hash);
    if (this.#isXml) {
      this.#isBroken = this.#open.pop() !== kind;
      // It was closed by its start tag.
      if (kind.rules.isVoid) return end;
    }
    this.#tree.close(kind);
    return end;
  }

  /** Skips the attributes of an end tag, since a quoted value can contain `>`. */
  #endOfAttributes(start: number): number {
    this.#attributes = noAttributes;
    return this.#readAttributes(start);
  }

  /**
   * Reads the tag with its attributes, and its content if that is not markup. A tag cut off by the end of the page is
   * ignored.
   */
  #startTag(start: number): number {
    const html = this.#html;
    let hash = 0;
    let index = start;
    for (let code = html.charCodeAt(index); !endsName(code) && index < html.length; code = html.charCodeAt(++index)) {
      hash = hashed(hash, code);
    }
    this.#attributes = noAttributes;
    const end = this.#readAttributes(index);
    if (end === -1) {
      this.#isBroken = this.#isXml;
      return html.length;
    }
    const kind = this.#kinds.get(html, start, index, hash);
    const holdsText = html.charCodeAt(end) !== lessThan || html.charCodeAt(end + 1) === slash;
    if (this.#isXml && !this.#isSelfClosing) this.#open.push(kind);
    const isMarkup = this.#tree.open(kind, this.#attributes, this.#isSelfClosing, holdsText);
    return isMarkup || this.#isXml ? end : this.#textOf(kind, end);
  }

  /** Returns the end of the start tag; -1 if the tag has no end. */
  #readAttributes(start: number): number {
    const html = this.#html;
    const { length } = html;
    let count = 0;
    let index = start;
    while (index < length) {
      let code = html.charCodeAt(index);
      this.#isSelfClosing = false;
      while (isSpace(code) || code === slash) {
        this.#isSelfClosing = code === slash;
        code = html.charCodeAt(++index);
      }
      if (code === greaterThan) return index + 1;
      if (index >= length) break;

      const nameStart = index;
      let hash = 0;
      // The first character belongs to the name, whatever it is.
      do {
        hash = hashed(hash, code);
        code = html.charCodeAt(++index);
      } while (code !== equals && !endsName(code) && index < length);
      const name = this.#attributeNames.get(html, nameStart, index, hash);

      while (isSpace(code)) code = html.charCodeAt(++index);
      let value = '';
      if (code === equals) {
        do code = html.charCodeAt(++index);
        while (isSpace(code));
        if (code === quote || code === apostrophe) {
          const end = html.indexOf(code === quote ? '"' : "'", index + 1);
          if (end === -1) return -1;
          value = this.#decoded(index + 1, end, decodeHTMLAttribute);
          index = end + 1;
        } else {
          const valueStart = index;
          while (code !== greaterThan && !isSpace(code) && index < length) code = html.charCodeAt(++index);
          value = this.#decoded(valueStart, index, decodeHTMLAttribute);
        }
      }
      if (count++ < attributesMax) this.#addAttribute(name, value);
    }
    return -1;
  }

  /** The first of a name counts. */
  #addAttribute(name: string, value: string): void {
    if (this.#attributes === noAttributes) this.#attributes = newAttributes();
    this.#attributes[name] ??= value;
  }

  /** Reads up to the element's end tag, which is markup again. */
  #textOf({ name, rules: { content } }: ElementKind, start: number): number {
    const html = this.#html;
    const end = content === 'the rest of the page' ? html.length : this.#endTagOf(name, start);
    if (name === 'script' && html.slice(start, end).includes('<!--')) return this.#commentedScript(start);
    if (content === 'text with references') this.#text(start, end);
    else if (start < end) this.#tree.text(html.slice(start, end));
    return end;
  }

  /**
   * Within a comment of a script, `<script>` starts a script that ends at its own end tag. Old pages write
   * `<!-- document.write("<script></script>") -->`.
   */
  #commentedScript(start: number): number {
    const html = this.#html;
    let state: 'script' | 'comment' | 'script in comment' = 'script';
    let end = html.length;
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
    if (start < end) this.#tree.text(html.slice(start, end));
    return end;
  }

  #endTagOf(name: string, start: number): number {
    const html = this.#html;
    for (let found = html.indexOf('</', start); found !== -1; found = html.indexOf('</', found + 2)) {
      const end = found + 2 + name.length;
      if (endsName(html.charCodeAt(end)) && html.slice(found + 2, end).toLowerCase() === name) return found;
    }
    return html.length;
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
