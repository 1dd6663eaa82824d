/** Writes the tokens of one paragraph as Markdown. */
import { firstCharacter, lastCharacter } from './characters.ts';
import { dropMisread } from './delimiters.ts';
import { escapeHeadingEnd, escapeLineStart, escapeText, mayNeedEscape, mayStartLine } from './escape-text.ts';
import { settleMarks } from './flanking.ts';
import { raiseOrphans, trimmed, withoutBlankLinks, withoutDropped } from './written-tokens.ts';
import { Pairs } from './pairs.ts';
import { cellLinkTarget, codeSpan, escapedPipe, linkTarget } from './spans.ts';
import type { Span, Token } from './tokens.ts';

/** `item` is the first paragraph of a list item, where `[ ]` would be a check box. */
export type InlinePlace = 'paragraph' | 'item' | 'heading' | 'cell';

export function writeInline(paragraph: readonly Token[], place: InlinePlace): string {
  const tokens = paragraph.some(hasSpan) ? withSettledMarks(paragraph, place) : paragraph;
  return new InlineWriter(trimmed(withoutDropped(tokens, place === 'heading')), place).write();
}

function hasSpan({ span }: Token): boolean {
  return span !== undefined;
}

function withSettledMarks(paragraph: readonly Token[], place: InlinePlace): readonly Token[] {
  const tokens = withoutBlankLinks(paragraph);
  settleMarks(tokens);
  dropMisread(tokens, breaks[place]);
  if (raiseOrphans(tokens)) dropMisread(tokens, breaks[place]);
  return tokens;
}

const breaks: Readonly<Record<InlinePlace, string>> = { paragraph: '\\\n', item: '\\\n', heading: ' ', cell: '<br>' };

class InlineWriter {
  readonly #tokens: readonly Token[];
  readonly #place: InlinePlace;
  #markdown = '';
  readonly #pairs: Pairs;
  #before = '';
  #isLineStart: boolean;
  #linksOpen = 0;

  constructor(tokens: readonly Token[], place: InlinePlace) {
    this.#tokens = tokens;
    this.#place = place;
    this.#pairs = new Pairs(tokens);
    this.#isLineStart = place === 'paragraph' || place === 'item';
  }

  write(): string {
    for (let index = 0; index < this.#tokens.length; index++) {
      const token = this.#tokens[index];
      if (token !== undefined) this.#token(token, index);
    }
    return this.#place === 'heading' ? escapeHeadingEnd(this.#markdown.trimEnd()) : this.#markdown;
  }

  #token(token: Token, index: number): void {
    switch (token.kind) {
      case 'text':
        return this.#text(token.text, index);
      case 'code':
        return this.#put(codeSpan(token.text, this.#place === 'cell'));
      case 'raw':
        return this.#put(this.#place === 'cell' ? token.text.replaceAll('|', escapedPipe) : token.text);
      case 'break':
        this.#markdown += breaks[this.#place];
        this.#before = lastCharacter(breaks[this.#place]).trim();
        this.#isLineStart = this.#place === 'paragraph' || this.#place === 'item';
        return;
      case 'open':
        return this.#open(token.span, index);
      case 'close':
        return this.#close(token.span);
    }
  }

  #open(span: Span | undefined, index: number): void {
    if (span === undefined) return;
    if (span.mark.kind !== 'link') return this.#put(span.delimiter);
    this.#linksOpen++;
    if (isAutolink(this.#tokens, index, span) && !(this.#place === 'cell' && span.mark.href.includes('|')))
      span.isDropped = true;
    else this.#put('[');
  }

  #close(span: Span | undefined): void {
    if (span === undefined) return;
    const { mark } = span;
    if (mark.kind === 'link') this.#linksOpen--;
    if (span.isDropped) return;
    if (mark.kind !== 'link') return this.#put(span.delimiter);
    const target = this.#place === 'cell' ? cellLinkTarget : linkTarget;
    this.#put(`](${target(mark.href, mark.title)})`);
  }

  #text(text: string, index: number): void {
    if (text === '') return;
    const after = this.#after(index);
    const autolink = this.#linksOpen > 0 ? autolinkAround(this.#tokens, index) : undefined;
    if (autolink !== undefined) return this.#put(`<${text}>`);
    let escaped = text;
    if (mayNeedEscape(text, this.#before))
      escaped = escapeText(text, {
        before: this.#before,
        after,
        isInLink: this.#linksOpen > 0,
        isInCell: this.#place === 'cell',
        pairs: this.#pairs,
        tokenIndex: index,
      });
    if (after === '[' && escaped.endsWith('!')) escaped = `${escaped.slice(0, -1)}\\!`;
    if (this.#isLineStart && mayStartLine.test(escaped))
      escaped = escapeLineStart(escaped, {
        isWholeLine: after === '' || this.#tokens[index + 1]?.kind === 'break',
        isItemStart: this.#place === 'item' && this.#markdown === '',
        mayDefine: this.#markdown === '' && this.#tokens.some((token) => token.text.includes(']:')),
      });
    this.#put(escaped);
  }

  #put(markdown: string): void {
    this.#markdown += markdown;
    this.#before = lastCharacter(markdown);
    this.#isLineStart = false;
  }

  /** Returns the next character to be written; '' at the end. */
  #after(index: number): string {
    const token = this.#tokens[index + 1];
    switch (token?.kind) {
      case undefined:
        return '';
      case 'break':
        return firstCharacter(breaks[this.#place]);
      case 'code':
        return '`';
      case 'open':
      case 'close':
        if (token.span?.mark.kind !== 'link') return '*';
        return token.kind === 'open' ? '[' : ']';
      case 'text':
      case 'raw':
        return firstCharacter(token.text);
    }
  }
}

/** Returns true for a link whose text is its address, written as `<https://...>`. */
function isAutolink(tokens: readonly Token[], index: number, { mark }: Span): boolean {
  const text = tokens[index + 1];
  if (text?.kind !== 'text' || tokens[index + 2]?.span?.mark !== mark || mark.title !== '') return false;
  return (
    (text.text === mark.href && /^https?:/.test(mark.href) && !/[\s<>]/.test(mark.href)) ||
    mark.href === `mailto:${text.text}`
  );
}

function autolinkAround(tokens: readonly Token[], index: number): Span | undefined {
  const span = tokens[index - 1]?.span;
  return span?.mark.kind === 'link' && span.isDropped && tokens[index]?.kind === 'text' ? span : undefined;
}
