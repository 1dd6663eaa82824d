import { hash } from 'node:crypto';
import { hostName } from '../../core/host-key.ts';
import { dedupeKey } from '../../url/dedupe-key.ts';

/**
 * A key for near-duplicate pages. Pages that name the same original, and that original itself, have the same key if
 * their titles are equal and their texts too, in any order of lines. Short lines do not count if they hold little of
 * the text: a time stamp, a counter and the links of a print view change between copies. Words with digits in the title
 * do not count either: the version of a documentation.
 *
 * Equality of the key makes a copy, not a measured similarity. So it does not matter which page of a site was fetched
 * first. Undefined for a page without text. docs/decisions/traps-and-copies.md has the measurements.
 */
export function copyKey(page: {
  readonly title: string;
  /** Without the title. */
  readonly plainText: string;
  readonly fetchedUrl: string;
  readonly canonical?: string;
}): string | undefined {
  const lines = [...new Set(page.plainText.split('\n').map((line) => line.trim()))].filter((line) => line !== '');
  if (lines.length === 0) return undefined;
  const long = lines.filter((line) => line.length > shortLineMax);
  const compared = lengthOf(long) >= lengthOf(lines) * longShareMin ? long : lines;
  const title = page.title.replaceAll(wordWithDigit, '#');
  const parts = [originalKey(new URL(page.fetchedUrl), page.canonical), title, ...compared.toSorted()];
  return hash('sha256', parts.join('\n'), 'base64url').slice(0, 22);
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
  const same = new URL(url);
  same.hostname = hostName(url).replace(/^www\./, '');
  if (same.port === '') same.protocol = 'https:';
  return same;
}

function lengthOf(lines: readonly string[]): number {
  return lines.reduce((sum, { length }) => sum + length, 0);
}
