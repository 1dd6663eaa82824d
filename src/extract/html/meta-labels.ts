/** Reads the encodings that a page declares in `<meta>`. */
import { asLatin1, readableLabel } from '../../core/bytes/decode-bytes.ts';

/**
 * Yields the labels of `<meta charset>` and `<meta http-equiv=content-type>` in the first 1,024 bytes, and after them
 * up to `</head>` within 64 KiB. Ignores comments, scripts, styles and titles. Reads `<noscript>`, since no script
 * runs.
 */
export function* metaLabels(bytes: Uint8Array): Generator<string> {
  const start = asLatin1(bytes.subarray(0, searchBytesMax));
  const openings = /<(?:(!--)|(script|style|title|textarea)(?=[\s/>])|(meta)(?=[\s/])|\/head(?=[\s/>]))/gi;
  let hasHeadEnded = false;
  for (let found = openings.exec(start); found; found = openings.exec(start)) {
    if (hasHeadEnded && found.index >= prescanBytes) return;
    const [, comment, rawText, meta] = found;
    let end: number | undefined = openings.lastIndex;
    if (comment !== undefined) end = after(start, /-->/g, found.index + 2);
    else if (rawText !== undefined) end = after(start, new RegExp(`</${rawText}(?=[\\s/>])`, 'gi'), end);
    else if (meta !== undefined) {
      const tag = tagAt(start, end);
      const label = tag && labelOf(tag.attributes);
      if (label !== undefined) yield label;
      end = tag?.end;
    } else hasHeadEnded = true;
    // An unclosed element extends to the end of the page.
    if (end === undefined) return;
    openings.lastIndex = end;
  }
}

/** Browsers search these bytes for declarations, inside and outside `<head>`. */
const prescanBytes = 1024;
const searchBytesMax = 64 * 2 ** 10;

function labelOf(attributes: ReadonlyMap<string, string>): string | undefined {
  const isContentType = attributes.get('http-equiv')?.trim().toLowerCase() === 'content-type';
  const label =
    attributes.get('charset') ??
    (isContentType ? /charset\s*=\s*["']?\s*([^"'\s;]+)/i.exec(attributes.get('content') ?? '')?.[1] : undefined);
  return label === undefined ? undefined : readableLabel(label.trim());
}

interface Tag {
  /** Keyed by lower-case name. The first of a name counts. */
  readonly attributes: ReadonlyMap<string, string>;
  readonly end: number;
}

/** Returns undefined if the tag does not end. */
function tagAt(html: string, start: number): Tag | undefined {
  const attributes = new Map<string, string>();
  const part = /[\s/]*(?:(>)|([^\s/>][^\s/>=]*)\s*(=\s*)?)/y;
  const unquoted = /[^\s>]*/y;
  for (let at = start; ;) {
    part.lastIndex = at;
    const found = part.exec(html);
    if (!found) return undefined;
    at = part.lastIndex;
    const [, tagEnd, name = '', equals] = found;
    if (tagEnd !== undefined) return { attributes, end: at };
    let value = '';
    const quote = html[at];
    if (equals !== undefined && (quote === '"' || quote === "'")) {
      const end = html.indexOf(quote, at + 1);
      if (end === -1) return undefined;
      value = html.slice(at + 1, end);
      at = end + 1;
    } else if (equals !== undefined) {
      unquoted.lastIndex = at;
      value = unquoted.exec(html)?.[0] ?? '';
      at += value.length;
    }
    if (!attributes.has(name.toLowerCase())) attributes.set(name.toLowerCase(), value);
  }
}

function after(text: string, closing: RegExp, from: number): number | undefined {
  closing.lastIndex = from;
  return closing.test(text) ? closing.lastIndex : undefined;
}
