/**
 * Collects the tokens of paragraphs while the tree is walked.
 *
 * White space and opening marks stay pending until content follows. White space therefore falls outside marks, marks
 * without content leave no trace, and white space at the edges of a paragraph disappears.
 */
import type { Text } from 'domhandler';
import type { PlainText } from '../../plain-text.ts';
import type { InlinePlace } from './write-inline.ts';
import { collapsedText } from '../../../html/nodes.ts';
import { collapsed, withoutInvisible } from '../../../html/white-space.ts';
import { lastCharacter } from './characters.ts';
import type { Mark, MarkKind, Span, Token } from './tokens.ts';

export class InlineBuilder {
  #tokens: Token[] = [];
  /** Open marks, outermost first. The first {@link #spans}.length of them have an opening token. */
  readonly #marks: Mark[] = [];
  #spans: (Span | undefined)[] = [];
  #hasSpace = false;
  #breaks = 0;
  #codeDepth = 0;
  readonly #place: InlinePlace;
  readonly #plain: PlainText;

  constructor(place: InlinePlace, plain: PlainText, inherited: readonly Mark[] = []) {
    this.#place = place;
    this.#plain = plain;
    this.#marks.push(...inherited);
  }

  get marks(): readonly Mark[] {
    return this.#marks;
  }

  get isEmpty(): boolean {
    return this.#tokens.length === 0;
  }

  get isCode(): boolean {
    return this.#codeDepth > 0;
  }

  /** The character before the next text; '' at the edge of a line and after white space. */
  get before(): string {
    if (this.#hasSpace || this.#breaks > 0) return '';
    return lastCharacter(this.#tokens.findLast(({ text }) => text !== '')?.text ?? '');
  }

  /** Consecutive breaks since the last content. */
  get breaks(): number {
    return this.#breaks;
  }

  /** `element` is the element's name: `<b>` in `<strong>` adds nothing, but `<em>` in `<em>` can. */
  open(kind: 'strong' | 'em' | 'del', element: string): void {
    const isSilent = this.#codeDepth > 0 || this.#marks.length >= marksMax;
    // No lookup for marks that are not written: up to five hundred can be open around each of a million.
    const around = isSilent ? undefined : this.#marks.findLast((mark) => mark.kind === kind && !mark.redundant);
    const redundant = isSilent || (around !== undefined && (around.element !== element || kind === 'del'));
    const level = around === undefined ? 0 : around.level + 1;
    this.#marks.push({ kind, element, level, href: '', title: '', redundant, onlyHeading: false, spent: false });
  }

  openLink(href: string, title: string, onlyHeading: boolean): void {
    const redundant = this.#marks.some(({ kind }) => kind === 'link');
    this.#marks.push({ kind: 'link', element: 'a', level: 0, href, title, redundant, onlyHeading, spent: false });
  }

  close(): void {
    if (this.#spans.length === this.#marks.length) this.#closeSpan(this.#spans.pop());
    this.#marks.pop();
  }

  openCode(): void {
    this.#codeDepth++;
  }

  closeCode(): void {
    this.#codeDepth--;
  }

  node(text: Text): void {
    if (this.#codeDepth > 0) this.code(text.data);
    else this.#collapsed(collapsedText(text));
  }

  text(data: string): void {
    if (this.#codeDepth > 0) this.code(data);
    else this.#collapsed(collapsed(data));
  }

  #collapsed(text: string): void {
    if (text === ' ') this.#hasSpace = true;
    if (text === ' ' || text === '') return;
    const from = text.startsWith(' ') ? 1 : 0;
    const endsWithSpace = text.endsWith(' ');
    if (from === 1) this.#hasSpace = true;
    this.#beforeContent();
    this.#addText(from === 0 && !endsWithSpace ? text : text.slice(from, endsWithSpace ? -1 : undefined));
    if (endsWithSpace) this.#hasSpace = true;
  }

  /** Keeps white space. Line ends are source layout and are removed when the code is written. */
  code(data: string): void {
    const text = withoutInvisible(data);
    if (text.includes('\n') && text.trim() === '') this.#hasSpace = true;
    else if (text !== '') this.#addCode(text);
  }

  /** `text`: what the Markdown says in plain text. */
  raw(markdown: string, text = ''): void {
    this.#beforeContent();
    this.#plain.put(text);
    this.#tokens.push({ kind: 'raw', text: markdown, span: undefined });
  }

  space(): void {
    this.#hasSpace = true;
  }

  break(): void {
    if (this.#tokens.length > 0) this.#breaks++;
  }

  /** Returns the tokens of the finished paragraph. Open marks continue in the next one. */
  take(): readonly Token[] {
    while (this.#spans.length > 0) this.#closeSpan(this.#spans.pop());
    const tokens = this.#tokens;
    this.#tokens = [];
    this.#hasSpace = false;
    this.#breaks = 0;
    return tokens;
  }

  #beforeContent(): void {
    const isGlued = this.#breaks === 0 && !this.#hasSpace;
    if (this.#tokens.length > 0) {
      if (this.#breaks > 0) this.#addBreak();
      else if (this.#hasSpace) this.#addSpace();
    }
    this.#breaks = 0;
    this.#hasSpace = false;
    while (this.#spans.length < this.#marks.length) this.#openSpan(isGlued);
  }

  #openSpan(isGlued: boolean): void {
    const mark = this.#marks[this.#spans.length];
    if (mark === undefined || mark.redundant || mark.spent || (mark.onlyHeading && this.#place !== 'heading')) {
      this.#spans.push(undefined);
      return;
    }
    // `<b>a</b><b>b</b>` looks like one mark, and two adjacent markers would read as something else.
    const last = this.#tokens.at(-1);
    if (isGlued && mark.kind !== 'link' && last?.kind === 'close' && last.span?.mark.kind === mark.kind) {
      this.#tokens.pop();
      this.#spans.push(last.span);
      return;
    }
    const span: Span = { mark, isDropped: false, delimiter: delimiters[mark.kind][mark.level % 2] ?? '' };
    this.#tokens.push({ kind: 'open', text: '', span });
    this.#spans.push(span);
  }

  #closeSpan(span: Span | undefined): void {
    if (span === undefined) return;
    this.#tokens.push({ kind: 'close', text: '', span });
    if (span.mark.kind === 'link') span.mark.spent = true;
  }

  #addBreak(): void {
    this.#tokens.push({ kind: 'break', text: '', span: undefined });
    if (this.#place === 'heading' || this.#place === 'cell') this.#plain.space();
    else this.#plain.end(this.#breaks > 1 ? 2 : 1);
  }

  #addSpace(): void {
    this.#plain.space();
    const last = this.#tokens.at(-1);
    if (last?.kind === 'text') last.text += ' ';
    else this.#tokens.push({ kind: 'text', text: ' ', span: undefined });
  }

  #addCode(text: string): void {
    this.#beforeContent();
    this.#plain.add(collapsed(text));
    const last = this.#tokens.at(-1);
    if (last?.kind === 'code') last.text += text;
    else this.#tokens.push({ kind: 'code', text, span: undefined });
  }

  #addText(text: string): void {
    this.#plain.add(text);
    const last = this.#tokens.at(-1);
    if (last?.kind === 'text') last.text += text;
    else this.#tokens.push({ kind: 'text', text, span: undefined });
  }
}

/** Nesting depth of marks. Nobody writes more, and each must be distinguished from all adjacent ones. */
const marksMax = 8;

/** For even and odd nesting levels. */
const delimiters: Readonly<Record<MarkKind, readonly [string, string]>> = {
  strong: ['**', '__'],
  em: ['*', '_'],
  del: ['~~', '~~'],
  link: ['', ''],
};
