/** Tracks quotes, list items and footnotes around the lines of Markdown. */

interface Container {
  /** Columns of indentation of an item's content; 0 for a quote. */
  readonly indent: number;
  /** Number of the item; 0 for a quote. */
  readonly item: number;
}

/** A line and where its content starts. */
export interface Place {
  content: number;
  readonly end: number;
  /** Spaces before the content. */
  indent: number;
  /** True if the line stands in all containers of the line before. */
  readonly isInside: boolean;
  /** True if the line starts a quote, an item or a footnote. */
  readonly hasMarker: boolean;
}

/** Containers nested deeper are treated as text: the cost of each line, even a blank one, grows with its containers. */
const depthMax = 64;
const bullet = /[-+*](?=[ \t]|$)/my;
const number = /\d{1,9}[.)](?=[ \t]|$)/my;
const footnote = /\[\^[^\s[\]]{1,200}\]:/y;
const rule = /(?:\*[ \t]*){3,}$|(?:-[ \t]*){3,}$/my;

export class Containers {
  readonly #text: string;
  #open: Container[] = [];
  #matched = 0;
  #count = 0;
  #items: readonly number[] = [];

  constructor(text: string) {
    this.#text = text;
  }

  /** Numbers of the open items. */
  get items(): readonly number[] {
    return this.#items;
  }

  /** Inspects a line. The open containers change only in {@link begin}. */
  enter(start: number, end: number, isInParagraph: boolean): Place {
    let content = start;
    let matched = 0;
    for (const { indent } of this.#open) {
      const { spaces, isBlank } = this.#spaces(content, end);
      if (indent > 0) {
        if (!isBlank && spaces < indent) break;
        content += Math.min(spaces, indent);
      } else {
        if (spaces > 3 || this.#text[content + spaces] !== '>') break;
        content += spaces + 1;
        if (isSpace(this.#text[content])) content++;
      }
      matched++;
    }
    this.#matched = matched;
    const isInside = matched === this.#open.length;
    const { spaces, isBlank } = this.#spaces(content, end);
    const marker = isBlank || spaces > 3 ? 0 : this.#marker(content + spaces, end, isInside && isInParagraph);
    return { content: isBlank ? end : content + spaces, end, indent: spaces, isInside, hasMarker: marker > 0 };
  }

  /** Closes the containers that the line left, and opens those that it has markers for. */
  begin(place: Place): void {
    const isBlank = place.content >= place.end;
    // Blank lines close a quote but not an item.
    let isChanged = this.#matched < this.#open.length;
    if (isChanged) this.#open.length = this.#matched;
    if (!isBlank) isChanged = this.#beginMarked(place) || isChanged;
    if (isChanged) this.#items = this.#open.filter(({ item }) => item > 0).map(({ item }) => item);
  }

  /** Returns true if the line opened a container. */
  #beginMarked(place: Place): boolean {
    let isChanged = false;
    while (place.indent < 4 && this.#open.length < depthMax) {
      const width = this.#marker(place.content, place.end, false);
      if (width === 0) break;
      const isQuote = this.#text[place.content] === '>';
      const isNote = this.#text[place.content] === '[';
      const from = place.content;
      place.content += width;
      const { spaces, isBlank: isEmpty } = this.#spaces(place.content, place.end);
      if (isQuote) {
        if (isSpace(this.#text[place.content])) place.content++;
        this.#open.push({ indent: 0, item: 0 });
      } else {
        const gap = isEmpty || spaces > 4 ? 1 : spaces;
        const indent = isNote ? 4 : place.indent + width + gap;
        place.content = Math.min(place.content + (isNote ? spaces : gap), place.end);
        this.#count++;
        this.#open.push({ indent, item: this.#count });
      }
      isChanged = true;
      if (from === place.content) break;
      const rest = this.#spaces(place.content, place.end);
      place.indent = rest.spaces;
      place.content = rest.isBlank ? place.end : place.content + rest.spaces;
      if (rest.isBlank) break;
    }
    return isChanged;
  }

  /** Length of the marker here; 0 if there is none. */
  #marker(from: number, end: number, isInParagraph: boolean): number {
    const text = this.#text;
    const first = text.charAt(from);
    if (first === '>') return 1;
    if (first === '[') return matchAt(footnote, text, from);
    if (first === '-' || first === '+' || first === '*') {
      if (matchAt(rule, text, from) > 0) return 0;
      const width = matchAt(bullet, text, from);
      return isInParagraph && this.#spaces(from + width, end).isBlank ? 0 : width;
    }
    if (first < '0' || first > '9') return 0;
    const width = matchAt(number, text, from);
    if (!isInParagraph) return width;
    return width === 2 && first === '1' && !this.#spaces(from + width, end).isBlank ? width : 0;
  }

  #spaces(from: number, end: number): { readonly spaces: number; readonly isBlank: boolean } {
    let index = from;
    while (index < end && isSpace(this.#text[index])) index++;
    return { spaces: index - from, isBlank: index >= end };
  }
}

function isSpace(character: string | undefined): boolean {
  return character === ' ' || character === '\t' || character === '\r';
}

function matchAt(pattern: RegExp, text: string, index: number): number {
  pattern.lastIndex = index;
  return pattern.exec(text)?.[0].length ?? 0;
}
