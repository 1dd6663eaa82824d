/**
 * Rewrites links and images in stored Markdown as the client requested. One pass over the text: nothing is fetched or
 * extracted again.
 */
import { editedLine, type Edit } from './edited-line.ts';
import { labelOf, linksIn, type Definitions, type InlineLink } from './inline-links.ts';
import { leavesOf, type Leaf } from './leaves.ts';

/** Collects the link definitions for the end of a text. */
class ReferenceList {
  readonly #text: string;
  readonly #labels = new Map<string, string>();
  #prefix: string | undefined;

  constructor(text: string) {
    this.#text = text;
  }

  /** Returns the same label for the same target. */
  labelFor(target: string): string {
    let label = this.#labels.get(target);
    if (label === undefined) {
      this.#prefix ??= freePrefix(this.#text);
      label = `${this.#prefix}${this.#labels.size + 1}`;
      this.#labels.set(target, label);
    }
    return label;
  }

  /** Returns '' if there are no definitions. */
  markdown(): string {
    return Array.from(this.#labels, ([target, label]) => `[${label}]: ${target}`).join('\n');
  }
}

/** Returns a prefix that the text does not use: its own `[1]`, such as a citation, must not become a link. */
function freePrefix(text: string): string {
  const used = new Set<string>();
  for (const [, prefix = ''] of text.matchAll(/\[\s*([a-z-]{0,20})\d+\s*\]/gi)) used.add(prefix.toLowerCase());
  for (const prefix of ['', 'link-', 'url-', 'ref-']) if (!used.has(prefix)) return prefix;
  let prefix = 'link-';
  while (used.has(prefix)) prefix += 'x-';
  return prefix;
}

export interface Shape {
  /** `none` keeps link texts and drops the addresses. `reference` moves the addresses to the end of the text. */
  readonly links: 'inline' | 'reference' | 'none';
  /** `described` keeps images with alternative text. */
  readonly images: 'all' | 'described' | 'none';
}

/** The shape in which content is stored. */
export const plainShape: Shape = { links: 'inline', images: 'all' };

export function isPlain({ links, images }: Shape): boolean {
  return links === plainShape.links && images === plainShape.images;
}

/** Returns the text unchanged if the shape is plain. Linear in the text, for any input. */
export function shapeMarkdown(text: string, shape: Shape): string {
  const steps = shapeInSteps(text, shape);
  let step = steps.next();
  while (step.done !== true) step = steps.next();
  return step.value;
}

/** Like {@link shapeMarkdown}, but yields regularly so that a caller can serve others in between. */
export function* shapeInSteps(text: string, shape: Shape): Generator<undefined, string> {
  if (isPlain(shape) || !/\]\(|\]:/.test(text)) return text;
  return yield* new Shaper(text, shape).shaped();
}

/** Characters between two yields, unless one block is larger. */
const stepChars = 100_000;

const mayDefine = /^[ \t>]*\[[^\]\n]+\]:/m;

class Shaper {
  readonly #text: string;
  readonly #shape: Shape;
  readonly #definitions: Definitions;
  readonly #references: ReferenceList;
  readonly #parts: string[] = [];
  /** End of the text searched for links, and where the next link can end at the earliest. */
  #looked = 0;
  #nextTarget = -1;
  /** End of the text already written. */
  #written = 0;
  /** A list item of which only the marker remains. Written only if more content follows in the item. */
  #held: { readonly item: number; readonly text: string } | undefined;

  constructor(text: string, shape: Shape) {
    this.#text = text;
    this.#shape = shape;
    this.#definitions = mayDefine.test(text) ? definitionsIn(text) : new Map();
    this.#references = new ReferenceList(text);
  }

  *shaped(): Generator<undefined, string> {
    let paused = 0;
    for (const leaf of leavesOf(this.#text)) {
      this.#leaf(leaf);
      if (leaf.end < paused + stepChars) continue;
      paused = leaf.end;
      yield;
    }
    if (this.#held === undefined) this.#parts.push(this.#text.slice(this.#written));
    const body = this.#parts.join('').trimEnd();
    const list = this.#references.markdown();
    const end = this.#text.slice(this.#text.trimEnd().length);
    return (body === '' || list === '' ? body + list : `${body}\n\n${list}`) + end;
  }

  #leaf(leaf: Leaf): void {
    if (this.#held !== undefined) {
      if (leaf.items.includes(this.#held.item)) this.#parts.push(this.#held.text);
      this.#held = undefined;
    }
    if (leaf.kind === 'definition') {
      if (this.#shape.links === 'none') this.#replace(leaf, '');
      return;
    }
    if (leaf.kind === 'code' || leaf.kind === 'html' || leaf.kind === 'rule') return;
    if (!this.#mayHaveLinks(leaf)) return;
    const edits = this.#edits(linksIn(this.#text, leaf, this.#definitions));
    if (edits.length > 0) this.#edit(leaf, edits);
  }

  #mayHaveLinks({ end }: Leaf): boolean {
    if (this.#nextTarget < this.#looked)
      this.#nextTarget = this.#text.indexOf(this.#definitions.size > 0 ? ']' : '](', this.#looked);
    if (this.#nextTarget === -1) this.#nextTarget = this.#text.length;
    this.#looked = end;
    return this.#nextTarget < end;
  }

  /** Replaces a leaf. If nothing remains of it, the blank lines after it go too. */
  #replace(leaf: Leaf, written: string): void {
    this.#parts.push(this.#text.slice(this.#written, leaf.start), written);
    this.#written = leaf.end;
    if (written !== '') return;
    this.#written = behindBlankLines(this.#text, leaf.end);
  }

  #edit(leaf: Leaf, edits: readonly Edit[]): void {
    const { lines } = leaf;
    const kept: string[] = [];
    let edit = 0;
    let isEndCut = false;
    let lineStart = leaf.start;
    for (let line = 0; line < lines.length; line += 2) {
      const [from = 0, to = 0] = [lines[line], lines[line + 1]];
      const prefix = this.#text.slice(lineStart, from);
      let last = edit;
      while (last < edits.length && (edits[last]?.from ?? 0) < to) last++;
      const here = edits.slice(edit, last);
      edit = last;
      const content = editedLine(this.#text, from, to, here, leaf.kind);
      const isGone = here.length > 0 && content.trim() === '' && leaf.kind !== 'table';
      if (!isGone) kept.push(prefix + content);
      else if (line === 0) {
        const marker = leaf.kind === 'heading' ? prefix.replace(/#{1,6}[ \t]*$/, '') : prefix;
        if (/[^\s>]/.test(marker)) kept.push(marker.trimEnd());
      }
      isEndCut = isGone && line > 0;
      lineStart = this.#text[to] === '\n' ? to + 1 : to;
    }
    const end = leaf.end > (lines.at(-1) ?? 0) ? '\n' : '';
    let written = kept.join('\n');
    // A hard break at the end of a paragraph would show as a backslash.
    if (isEndCut) written = written.replace(/\\\n?$/, '');
    const item = leaf.items.at(-1);
    if (kept.length === 1 && item !== undefined && isMarker(written)) {
      this.#parts.push(this.#text.slice(this.#written, leaf.start));
      this.#held = { item, text: written + end };
      this.#written = leaf.end;
    } else this.#replace(leaf, written === '' ? '' : written + end);
  }

  /** Sorted by position, without overlaps. */
  #edits(found: readonly InlineLink[]): readonly Edit[] {
    const edits: Edit[] = [];
    const images = found.filter(({ isImage }) => isImage);
    for (const link of found) {
      if (link.isImage) this.#editImage(link, edits);
      else this.#editLink(link, images, edits);
    }
    edits.sort((a, b) => a.from - b.from || b.to - a.to || b.insert.length - a.insert.length);
    let end = 0;
    return edits.filter(({ from, to }) => {
      if (from < end) return false;
      end = to;
      return true;
    });
  }

  #isDropped({ textStart, textEnd }: InlineLink): boolean {
    const { images } = this.#shape;
    return images === 'none' || (images === 'described' && this.#text.slice(textStart, textEnd).trim() === '');
  }

  #editImage(image: InlineLink, edits: Edit[]): void {
    const { start, textEnd, end, target, isReference } = image;
    if (this.#isDropped(image)) edits.push({ from: start, to: end, insert: '', isLink: false });
    // The definitions are dropped with the links, so write the target inline.
    else if (isReference && this.#shape.links === 'none')
      edits.push({ from: textEnd + 1, to: end, insert: `(${target})`, isLink: false });
  }

  #editLink(link: InlineLink, images: readonly InlineLink[], edits: Edit[]): void {
    const { start, textStart, textEnd, end } = link;
    const inside = imagesWithin(images, link).filter((image) => this.#isDropped(image));
    const isBlank = this.#textWithout(textStart, textEnd, inside).trim() === '';
    if (isBlank) {
      const said = inside
        .map((image) => this.#text.slice(image.textStart, image.textEnd).trim())
        .join(' ')
        .trim();
      const isLeft = said !== '' || (inside.length === 0 && this.#shape.links !== 'none');
      if (!isLeft) return void edits.push({ from: start, to: end, insert: '', isLink: true });
      // An image that is a link's only content leaves its alternative text to the link.
      if (said !== '') edits.push({ from: textStart, to: textEnd, insert: said, isLink: false });
    }
    if (this.#shape.links === 'none') {
      edits.push({ from: start, to: textStart, insert: '', isLink: true });
      edits.push({ from: textEnd, to: end, insert: '', isLink: true });
    } else if (this.#shape.links === 'reference') this.#refer(link, edits);
  }

  #refer({ textEnd, end, target, isReference }: InlineLink, edits: Edit[]): void {
    if (isReference || target === '') return;
    edits.push({ from: textEnd + 1, to: end, insert: `[${this.#references.labelFor(target)}]`, isLink: false });
  }

  #textWithout(from: number, to: number, images: readonly InlineLink[]): string {
    let rest = '';
    let at = from;
    for (const { start, end } of images) {
      rest += this.#text.slice(at, start);
      at = end;
    }
    return rest + this.#text.slice(at, to);
  }
}

/** `images` is sorted by end, which is also the order of starts for images that are not nested. */
function imagesWithin(images: readonly InlineLink[], { textStart, textEnd }: InlineLink): readonly InlineLink[] {
  let [low, high] = [0, images.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((images[middle]?.end ?? 0) <= textStart) low = middle + 1;
    else high = middle;
  }
  const within: InlineLink[] = [];
  for (let image = images[low]; image !== undefined && image.end <= textEnd; image = images[++low]) {
    const outer = within.at(-1);
    if (outer !== undefined && outer.start >= image.start) within.pop();
    within.push(image);
  }
  return within;
}

export function definitionsIn(text: string): Definitions {
  const definitions = new Map<string, string>();
  for (const { kind, lines } of leavesOf(text)) {
    if (kind !== 'definition') continue;
    const line = text.slice(lines[0], lines[1]);
    const end = line.indexOf(']:');
    const name = labelOf(line.slice(1, end));
    if (name !== '' && !definitions.has(name)) definitions.set(name, line.slice(end + 2).trim());
  }
  return definitions;
}

function isMarker(line: string): boolean {
  return /^[ \t>]*(?:(?:[-+*]|\d{1,9}[.)])[ \t]*)+$/.test(line);
}

function behindBlankLines(text: string, from: number): number {
  const blank = /[ \t>]*\n/y;
  let end = from;
  for (blank.lastIndex = end; blank.test(text); blank.lastIndex = end) end = blank.lastIndex;
  return end;
}
