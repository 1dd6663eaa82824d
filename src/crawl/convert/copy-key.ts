import { hash } from 'node:crypto';
import { hostName } from '../../core/host-key.ts';
import { normalisedUrl } from '../../url/dedupe-key.ts';

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
  const lines = comparedLines(page.plainText);
  if (lines === undefined) return undefined;
  const title = page.title.replaceAll(wordWithDigit, '#');
  const textKey = hash('sha256', `${title}\n${lines}`, 'base64url');
  const copyKey = hash('sha256', `${originalOf(page.fetched, page.canonical)}\n${textKey}`, 'base64url');
  return { copyKey: copyKey.slice(0, 22), textKey };
}

const wordWithDigit = /\S*\d\S*/g;
/** In characters. */
const shortLineMax = 48;
const longShareMin = 0.9;

/**
 * The URL that a page names as its original, or its own. A page can name only a page of its own site, which is one with
 * and without `www.` and `https`.
 */
function originalOf(fetched: URL, canonical: string | undefined): string {
  const named = URL.parse(canonical ?? '');
  const original = named && siteOf(named) === siteOf(fetched) ? named : fetched;
  return normalisedUrl(original).replace(/^https?:\/\/[^/]*/, siteOf(original));
}

function siteOf(url: URL): string {
  return `${hostName(url).replace(/^www\./, '')}:${url.port}`;
}

/** The distinct lines that are compared, in an order of their own. Undefined if there is none. */
function comparedLines(text: string): string | undefined {
  const lines = Array.from(new Set(text.split('\n').map((line) => line.trim()))).filter((line) => line !== '');
  const long = lines.filter(({ length }) => length > shortLineMax);
  const holdMost = lengthOf(long) >= lengthOf(lines) * longShareMin;
  return lines.length === 0 ? undefined : (holdMost ? long : lines).toSorted().join('\n');
}

function lengthOf(lines: readonly string[]): number {
  return lines.reduce((sum, { length }) => sum + length, 0);
}
