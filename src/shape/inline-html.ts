/** Writes the text of one Markdown block as HTML (CommonMark, GFM). Linear in the text. */
import { addressIn, angle, BackTicks, type Definitions, escape, type InlineLink, linksIn } from './inline-links.ts';

/** HTML in the text stays, except elements that contain no text or would contain the rest of the page. */
export function inlineHtml(text: string, definitions: Definitions): string {
  return plain.test(text) ? new InlineWriter(text, definitions).written() : text;
}

/** Escapes text and quoted attribute values. */
export function escapeHtml(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;');
}

/** References in an address stay. */
function attribute(address: string): string {
  return escapeHtml(address).replaceAll(/&amp;(?=#?\w{1,32};)/g, '&');
}

/** These elements are shown as text (GFM, 6.11). */
export const filteredTag = /<(?=\/?(?:title|textarea|style|xmp|iframe|noembed|noframes|script|plaintext)[\s/>])/gi;

const plain = /[\\`*_~<>&[\]\n]|:\/\/|www\./i;
const special = /[\\`*_~<>&\n]|https?:\/\/|www\./gi;
const entity = /&(?:#\d{1,7}|#x[\da-f]{1,6}|[a-z][a-z\d]{1,31});/iy;
const tag = /^<\/?[a-z][\w-]*(?:\s+[\w:.@-]+(?:\s*=\s*(?:"[^"]*"|'[^']*'|[^\s"'=<>`]+))?)*\s*\/?>$/i;
/** Longer tags and longer runs of marks are text. */
const tagLengthMax = 2_000;
const marksMax = 100;

/** A run of marks that can begin emphasis. */
interface Opener {
  readonly order: number;
  /** Where it stands in the parts. */
  readonly part: number;
  count: number;
  tags: string;
}

class InlineWriter {
  readonly #text: string;
  /** By start. */
  readonly #links: readonly InlineLink[];
  readonly #parts: string[] = [];
  #openers = newOpeners();
  #order = 0;
  #ticks: BackTicks | undefined;

  constructor(text: string, definitions: Definitions) {
    this.#text = text;
    const lines: number[] = [];
    for (let start = 0, end = 0; end < text.length; start = end + 1) {
      const found = text.indexOf('\n', start);
      end = found === -1 ? text.length : found;
      lines.push(start, end);
    }
    this.#links = text.includes(']') ? linksIn(text, { lines }, definitions).toSorted((a, b) => a.start - b.start) : [];
  }

  written(): string {
    const text = this.#text;
    let index = 0;
    let link = 0;
    // Searched for again only once it is passed: the next one can be far away.
    let found = -1;
    let open: InlineLink | undefined;
    let outside = this.#openers;
    while (index < text.length) {
      while ((this.#links[link]?.start ?? Infinity) < index) link++;
      const next = this.#links[link];
      if (found < index) {
        special.lastIndex = index;
        found = special.exec(text)?.index ?? text.length;
      }
      const stop = Math.min(found, next?.start ?? text.length, open?.textEnd ?? text.length);
      if (stop > index) this.#parts.push(text.slice(index, stop));
      index = stop;
      if (open !== undefined && index >= open.textEnd) {
        this.#endMarks();
        this.#openers = outside;
        this.#parts.push('</a>');
        index = open.end;
        open = undefined;
      } else if (next?.start === index && (next.isImage || open === undefined)) {
        const address = attribute(addressIn(next.target).read);
        if (next.isImage) {
          const alt = text.slice(next.textStart, next.textEnd).replaceAll(escape, '$1');
          this.#parts.push(`<img src="${address}" alt="${escapeHtml(alt)}">`);
          index = next.end;
        } else {
          this.#parts.push(`<a href="${address}">`);
          outside = this.#openers;
          this.#openers = newOpeners();
          open = next;
          index = next.textStart;
        }
      } else if (index < text.length) index = this.#special(index, open !== undefined);
    }
    this.#endMarks();
    return this.#parts.join('');
  }

  /** Returns where to continue. */
  #special(index: number, isInLink: boolean): number {
    const text = this.#text;
    const character = text.charAt(index);
    switch (character) {
      case '\\': {
        const next = text.charAt(index + 1);
        if (next === '\n') this.#parts.push('<br>');
        else if (/[!-/:-@[-`{-~]/.test(next)) this.#parts.push(escapeHtml(next));
        else {
          this.#parts.push('\\');
          return index + 1;
        }
        return index + 2;
      }
      case '`':
        return this.#code(index);
      case '<':
        return this.#angle(index, isInLink);
      case '&':
        entity.lastIndex = index;
        this.#parts.push(entity.test(text) ? '&' : '&amp;');
        return index + 1;
      case '\n':
        this.#parts.push(
          text.endsWith('  ', index) || text.slice(Math.max(0, index - 2), index) === '  ' ? '<br>' : '\n',
        );
        return index + 1;
      case '*':
      case '_':
      case '~':
        return this.#marks(index, character);
      case 'h':
      case 'H':
      case 'w':
      case 'W':
        return this.#bareUrl(index, isInLink);
      default:
        this.#parts.push(escapeHtml(character));
        return index + 1;
    }
  }

  #code(index: number): number {
    const text = this.#text;
    this.#ticks ??= new BackTicks(text, index, text.length);
    const { length, closing } = this.#ticks.at(index);
    if (closing === undefined) {
      this.#parts.push(text.slice(index, index + length));
      return index + length;
    }
    const code = text.slice(index + length, closing).replaceAll('\n', ' ');
    this.#parts.push(`<code>${escapeHtml(/^ .*\S.* $/.test(code) ? code.slice(1, -1) : code)}</code>`);
    return closing + length;
  }

  #angle(index: number, isInLink: boolean): number {
    angle.lastIndex = index;
    const found = angle.exec(this.#text)?.[0];
    const inside = found?.slice(1, -1) ?? '';
    if (found === undefined) {
      this.#parts.push('&lt;');
      return index + 1;
    }
    if (!isInLink && /^[a-z][a-z\d+.-]+:/i.test(inside)) this.#parts.push(linkTo(inside, inside));
    else if (!isInLink && /^[^\s@/]+@[^\s@]+$/.test(inside)) this.#parts.push(linkTo(`mailto:${inside}`, inside));
    else if (/^[!?]/.test(inside)) return index + found.length;
    else if (found.length <= tagLengthMax && tag.test(found)) this.#parts.push(found.replace(filteredTag, '&lt;'));
    else {
      this.#parts.push('&lt;');
      return index + 1;
    }
    return index + found.length;
  }

  #bareUrl(index: number, isInLink: boolean): number {
    const text = this.#text;
    bareUrl.lastIndex = index;
    const found = isInLink || /\w/.test(text[index - 1] ?? '') ? undefined : bareUrl.exec(text)?.[0];
    const url = found === undefined ? '' : withoutTrail(found);
    if (url.length < 8) {
      this.#parts.push(text.charAt(index));
      return index + 1;
    }
    this.#parts.push(linkTo(/^w/i.test(url) ? `http://${url}` : url, url));
    return index + url.length;
  }

  #marks(index: number, mark: Mark): number {
    const text = this.#text;
    let end = index + 1;
    while (text[end] === mark) end++;
    let count = end - index;
    const before = kindOf(text[index - 1]);
    const after = kindOf(text[end]);
    const isLeft = after !== 'space' && (after !== 'sign' || before !== 'letter');
    const isRight = before !== 'space' && (before !== 'sign' || after !== 'letter');
    const isInWord = mark === '_' && isLeft && isRight;
    const isText = count > marksMax || (mark === '~' && count > 2);
    if (!isText && isRight && (!isInWord || after === 'sign')) count = this.#close(mark, count);
    if (count === 0) return end;
    if (!isText && isLeft && (!isInWord || before === 'sign')) {
      this.#openers[mark].push({ order: this.#order++, part: this.#parts.length, count, tags: '' });
      this.#parts.push('');
    } else this.#parts.push(mark.repeat(count));
    return end;
  }

  /** Ends what these marks can end. Returns how many remain. */
  #close(mark: Mark, count: number): number {
    let left = count;
    const openers = this.#openers[mark];
    for (let opener = openers.at(-1); opener !== undefined && left > 0; opener = openers.at(-1)) {
      if (mark === '~' && opener.count !== left) break;
      const used = mark === '~' ? left : Math.min(2, left, opener.count);
      const name = mark === '~' ? 'del' : used === 2 ? 'strong' : 'em';
      for (const other of marks) {
        for (let inner = this.#openers[other].at(-1); inner && inner.order > opener.order;) {
          this.#openers[other].pop();
          this.#write(other, inner);
          inner = this.#openers[other].at(-1);
        }
      }
      opener.tags = `<${name}>${opener.tags}`;
      opener.count -= used;
      left -= used;
      this.#parts.push(`</${name}>`);
      if (opener.count === 0) {
        openers.pop();
        this.#write(mark, opener);
      }
    }
    return left;
  }

  #write(mark: Mark, { part, count, tags }: Opener): void {
    this.#parts[part] = mark.repeat(count) + tags;
  }

  #endMarks(): void {
    for (const mark of marks) for (const opener of this.#openers[mark].splice(0)) this.#write(mark, opener);
  }
}

type Mark = '*' | '_' | '~';
const marks: readonly Mark[] = ['*', '_', '~'];

function newOpeners(): Readonly<Record<Mark, Opener[]>> {
  return { '*': [], _: [], '~': [] };
}

function kindOf(character = ' '): 'space' | 'sign' | 'letter' {
  if (/\s/.test(character)) return 'space';
  return /[\p{P}\p{S}]/u.test(character) ? 'sign' : 'letter';
}

const bareUrl = /(?:https?:\/\/|www\.)[^\s<`]+/iy;

/** A sentence can end after a URL, and a bracket around it. */
function withoutTrail(url: string): string {
  let unopened = 0;
  for (const character of url) unopened += character === ')' ? 1 : character === '(' ? -1 : 0;
  let end = url.length;
  for (; end > 0; end--) {
    const last = url.charAt(end - 1);
    if (last === ')' && unopened > 0) unopened--;
    else if (!`?!.,:;*_~'"]`.includes(last)) break;
  }
  return url.slice(0, end);
}

function linkTo(address: string, text: string): string {
  return `<a href="${escapeHtml(address)}">${escapeHtml(text)}</a>`;
}
