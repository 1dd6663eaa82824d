/** Hashes the lines of a page's text, without ornaments, to detect if a page says anything new. */

import { undatedNumbers, undatedText } from './undated-text.ts';

export interface LineOptions {
  /** URL of the page. Removed from the text, so that "The page /foo was not found" is one line for all URLs. */
  readonly url: string;
  /** Which numbers count: see `UrlTemplates`. Lines that differ only in other numbers are equal. */
  readonly numbers: 'none' | 'undated' | 'all';
  /** Addresses of images. Each counts as a line. @default none */
  readonly images?: readonly string[];
}

/**
 * Returns the 32-bit hashes of the distinct lines of a plain text, at most 500 from its first 65,536 characters, and of
 * the images. A line is compared by its lower-case letters and the digits that count; a line without either is ignored.
 * Characters beyond the BMP count as letters: this includes emoji, but loses no script.
 *
 * On a dated page, all numbers together form one more line: a line can show a limited number of temperatures, but there
 * is no end to the days. This does not apply if the URL has several parameters, which combine the same products in ever
 * new ways.
 *
 * A line longer than 300 characters is split, so that a page without line ends is not new as a whole because of one
 * word, such as the name of a month. It is split at tabs, after sentences, after one word in 16, and otherwise after
 * 300 letters. The word itself decides, so an inserted word moves no other cut. Digits never decide.
 */
export function lineHashes(text: string, options: LineOptions): Uint32Array {
  const isCut = text.length > charactersMax;
  const beginning = isCut ? text.slice(0, charactersMax) : text;
  const said = withoutOwnUrl(beginning.toLowerCase(), options.url);
  const isUndated = options.numbers === 'undated';
  const read = isUndated ? undatedText(said, options.url) : said;
  const least = options.numbers === 'none' ? letter : digit;
  const hashes = new Set<number>();
  for (let at = 0; at < read.length && hashes.size < linesMax;) {
    const newline = read.indexOf('\n', at);
    const lineEnd = newline === -1 ? read.length : newline;
    const isLong = lineEnd - at > longLine;
    while (at < lineEnd && hashes.size < linesMax) {
      const end = isLong ? endOfPiece(read, at, lineEnd) : lineEnd;
      // The place of the cut depends on URLs and numbers in the text, so a piece broken there would always be new.
      const hash = isCut && end === read.length ? undefined : hashOf(read, at, end, least);
      if (hash !== undefined) hashes.add(hash);
      at = end;
    }
    at = lineEnd + 1;
  }
  const numbers = isUndated && !options.url.includes('&') ? undatedNumbers(read) : '';
  for (const line of [numbers, ...(options.images ?? []).map(imageName)]) {
    const hash = hashOf(line, 0, line.length, ornament);
    if (hash !== undefined) hashes.add(hash);
  }
  return Uint32Array.from(hashes);
}

/** Removes a query after a file name, which is a version. */
function imageName(source: string): string {
  return source.replace(imageVersion, '$1');
}

const imageVersion = /(\.(?:avif|gif|jpe?g|png|svg|webp))\?.*$/i;

const charactersMax = 65_536;
const linesMax = 500;
const longLine = 300;
const pieceLettersMax = 300;
/** One word in 16 ends a piece, so pieces are about as long as a sentence. */
const cuttingWord = 0b1111;

/** Removes the page's URL, its path and query, and its path from the lower-case text, as written or percent-decoded. */
function withoutOwnUrl(text: string, url: string): string {
  let rest = text;
  for (const name of ownNames(url)) {
    if (rest.includes(name)) rest = rest.replaceAll(name, '');
  }
  return rest;
}

/** Lower case, longer names first, since they contain the shorter ones. */
function ownNames(url: string): string[] {
  const [whole = ''] = url.split('#', 1);
  const local = whole.slice(whole.indexOf('/', whole.indexOf('//') + 2));
  const [path = ''] = local.split('?', 1);
  const written = [whole, local, path.replace(/\/$/, '')];
  const names = new Set([...written, ...written.map(decoded)].map((name) => name.toLowerCase()));
  return [...names].filter((name) => name.length >= nameLengthMin).toSorted((one, other) => other.length - one.length);
}

/** A slash and two characters. Shorter names occur in any text. */
const nameLengthMin = 3;

/** Returns the name unchanged if it is not percent-encoded UTF-8. */
function decoded(name: string): string {
  if (!name.includes('%')) return name;
  try {
    return decodeURIComponent(name);
  } catch {
    return name;
  }
}

/** Returns where the first piece of a long line ends: always after `from`, so the loop terminates. */
function endOfPiece(text: string, from: number, lineEnd: number): number {
  let letters = 0;
  let word = hashStart;
  let isInWord = false;
  for (let at = from; at < lineEnd; at += 1) {
    const code = text.charCodeAt(at);
    if (kindOf(code) === letter) {
      word = hashStep(word, code);
      isInWord = true;
      letters += 1;
      if (letters >= pieceLettersMax) return at + 1;
      continue;
    }
    if (code === tab || endsSentence(text, at, code)) return at + 1;
    if (isInWord && (mixed(word) & cuttingWord) === 0) return at + 1;
    word = hashStart;
    isInWord = false;
  }
  return lineEnd;
}

const tab = 0x09;
const space = 0x20;

/** Full stops, exclamation and question marks before a space. Chinese and Japanese marks need no space. */
function endsSentence(text: string, at: number, code: number): boolean {
  if (code === 0x2e || code === 0x21 || code === 0x3f || code === 0x2026) return text.charCodeAt(at + 1) === space;
  return code === 0x3002 || code === 0xff01 || code === 0xff1f;
}

/** `least` is the lowest kind that counts. Returns undefined if no character counts. */
function hashOf(text: string, from: number, to: number, least: number): number | undefined {
  let hash = hashStart;
  let isEmpty = true;
  for (let at = from; at < to; at += 1) {
    const code = text.charCodeAt(at);
    if (kindOf(code) < least) continue;
    hash = hashStep(hash, code);
    isEmpty = false;
  }
  return isEmpty ? undefined : mixed(hash);
}

/** FNV-1a, one UTF-16 code unit at a time. */
const hashStart = 0x811c9dc5 | 0;

function hashStep(hash: number, code: number): number {
  return Math.imul(hash ^ code, 0x01000193);
}

/** The finalizer of MurmurHash3: every bit depends on every character, unlike the low bits of FNV-1a. */
function mixed(hash: number): number {
  const once = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b);
  const twice = Math.imul(once ^ (once >>> 13), 0xc2b2ae35);
  return twice ^ (twice >>> 16);
}

/** In ascending order of significance. */
const ornament = 1;
const digit = 2;
const letter = 3;

/**
 * Kind of each UTF-16 code unit seen so far, otherwise 0. A cached character takes 4 ns in all, classifying one takes
 * 20.
 */
const kinds = new Uint8Array(0x1_0000);

function kindOf(code: number): number {
  return kinds[code] || learntKind(code);
}

function learntKind(code: number): number {
  const character = String.fromCharCode(code);
  const isLetter = (code >= 0xd800 && code <= 0xdfff) || /[\p{L}\p{M}]/u.test(character);
  const kind = isLetter ? letter : /\p{N}/u.test(character) ? digit : ornament;
  kinds[code] = kind;
  return kind;
}
