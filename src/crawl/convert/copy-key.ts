import { hash } from 'node:crypto';
import { hostName } from '../../core/host-key.ts';
import { dedupeKey } from '../../url/dedupe-key.ts';

export interface CopyKeys {
  readonly copyKey: string;
  /** The same for any URL: see `PageTraits.text`. */
  readonly textKey: string;
}

/**
 * A key for near-duplicate pages. Pages that name the same original, and that original itself, have the same key if
 * their titles are equal and their texts too, in any order of lines. Short lines do not count if they hold little of
 * the text: a time stamp, a counter and the links of a print view change between copies. Words with digits in the title
 * do not count either: the version of a documentation.
 *
 * Equality of the key makes a copy, not a measured similarity. So it does not matter which page of a site was fetched
 * first. Undefined for a page without text. docs/decisions/whole-jobs.md has the measurements.
 */
export function copyKeys(page: {
  readonly title: string;
  /** Without the title. */
  readonly plainText: string;
  readonly fetched: URL;
  readonly canonical?: string;
}): CopyKeys | undefined {
  const lines = sumOfLines(page.plainText);
  if (lines === undefined) return undefined;
  const title = page.title.replaceAll(wordWithDigit, '#');
  const textKey = hash('sha256', `${title}\n${lines}`, 'base64url');
  const copyKey = hash('sha256', `${originalKey(page.fetched, page.canonical)}\n${textKey}`, 'base64url');
  return { copyKey: copyKey.slice(0, 22), textKey };
}

const wordWithDigit = /\S*\d\S*/g;
/** In characters. */
const shortLineMax = 48;
const longShareMin = 0.9;

/**
 * The key of the URL that a page names as its original, or of its own URL. A page can name only a page of its own site.
 */
function originalKey(fetched: URL, canonical: string | undefined): string {
  const named = canonical !== undefined && URL.canParse(canonical) ? withoutForm(new URL(canonical)) : undefined;
  const own = withoutForm(fetched);
  return dedupeKey(named?.host === own.host ? named : own);
}

/** One URL for `http` and `https` on their default ports, with and without `www.`. */
function withoutForm(url: URL): URL {
  const name = hostName(url).replace(/^www\./, '');
  const isHttps = url.protocol === 'https:' || url.port !== '';
  if (isHttps && name === url.hostname) return url;
  const same = new URL(url);
  same.hostname = name;
  if (same.port === '') same.protocol = 'https:';
  return same;
}

interface Lines {
  length: number;
  /** Sums of two hashes of each line: the same for any order. */
  first: number;
  second: number;
}

/** Of the distinct lines that are compared. Undefined if there is none. */
function sumOfLines(text: string): string | undefined {
  const long: Lines = { length: 0, first: 0, second: 0 };
  const short: Lines = { length: 0, first: 0, second: 0 };
  const seen = new Set<number>();
  for (let start = 0, end = 0; start < text.length; start = end + 1) {
    const newline = text.indexOf('\n', start);
    end = newline === -1 ? text.length : newline;
    let [from, to] = [start, end];
    while (from < to && isSpace(text.charCodeAt(from))) from++;
    while (from < to && isSpace(text.charCodeAt(to - 1))) to--;
    if (from < to) addLine(text, from, to, seen, to - from > shortLineMax ? long : short);
  }
  const all = long.length + short.length;
  if (all === 0) return undefined;
  if (long.length >= all * longShareMin) return `${long.first} ${long.second}`;
  return `${(long.first + short.first) | 0} ${(long.second + short.second) | 0}`;
}

function isSpace(code: number): boolean {
  return code <= 0x20 || code === 0xa0;
}

/** Mixed before they are added: otherwise lines that exchange their last letters have the same sum. */
function addLine(text: string, from: number, to: number, seen: Set<number>, sum: Lines): void {
  // FNV-1a, and a polynomial.
  let first = 0x811c9dc5 | 0;
  let second = 0;
  for (let at = from; at < to; at++) {
    const code = text.charCodeAt(at);
    first = Math.imul(first ^ code, 0x01000193);
    second = (Math.imul(second, 0x5bd1e995) + code) | 0;
  }
  first = mixed(first);
  if (seen.has(first)) return;
  seen.add(first);
  sum.length += to - from;
  sum.first = (sum.first + first) | 0;
  sum.second = (sum.second + mixed(second)) | 0;
}

function mixed(hash: number): number {
  const once = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b);
  return once ^ (once >>> 13);
}
