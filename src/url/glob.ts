/** The globs of a job: URLs to exclude, and the only ones to include. */

import { compileMatcher } from './glob-matcher.ts';

export const globLengthMax = 512;

/**
 * Compiles a glob. It matches the whole URL, or path and query if it begins with `/`; never the fragment.
 *
 * `*` matches any run of characters except `/`, `**` any run, `?` exactly one character. Everything else is literal,
 * braces and brackets too. There is no escape: `?` also matches a literal question mark. Matching is case-sensitive,
 * except in the scheme and host of a glob with `://`. Letters outside ASCII are compared as URLs encode them:
 * percent-encoded in the path, as Punycode in the host.
 *
 * Time is linear in the URL, whatever the glob: see {@link compileMatcher}. Also compiles globs that
 * {@link globProblem} refuses, without promises about what they match.
 */
export function compileGlob(pattern: string): (url: URL) => boolean {
  const isPath = pattern.startsWith('/');
  const normalised = isPath ? percentEncode(pattern) : normaliseWholeUrlPattern(pattern);
  const textOf = isPath ? pathAndQuery : withoutFragment;
  if (!sometimesEncoded.test(normalised)) {
    const matches = compileMatcher(normalised);
    return (url) => matches(textOf(url));
  }
  const matches = compileMatcher(decodeSome(normalised));
  return (url) => matches(decodeSome(textOf(url)));
}

/** Returns undefined if the glob is valid; else a sentence that says what is wrong and what to write instead. */
export function globProblem(pattern: string): string | undefined {
  if (pattern === '') return 'The glob is empty. Write ** to match every URL, or leave it out.';
  if (pattern.length > globLengthMax) return 'The glob is longer than 512 characters. Write ** for a part of it.';
  if (!pattern.isWellFormed())
    return 'The glob contains half a character (a lone surrogate). Write it as valid Unicode.';
  return undefined;
}

function pathAndQuery(url: URL): string {
  return url.pathname + url.search;
}

function withoutFragment(url: URL): string {
  const href = url.href;
  const fragmentAt = href.indexOf('#');
  return fragmentAt === -1 ? href : href.slice(0, fragmentAt);
}

/**
 * Characters that URLs encode in the path, in the query, or in both. A glob with one, such as a brace, can match in
 * either part, so these characters are decoded on both sides before comparing.
 */
const sometimesEncoded = /[ "'<>^`{}]/;

function decodeSome(text: string): string {
  return text.replace(/%(?:2[027]|3[CE]|5E|60|7[BD])/gi, decodeURIComponent);
}

/** Normalises scheme and host of a pattern: in URLs they are always lower case and ASCII. */
function normaliseWholeUrlPattern(pattern: string): string {
  // Only up to a `**`: the rest can be in the path.
  const origin = /^[^/]*:\/\/(?:(?!\*\*)[^/])*/.exec(pattern)?.[0] ?? '';
  const labels = origin.toLowerCase().replace(/[^.:/*?]*[^\p{ASCII}.:/*?][^.:/*?]*/gu, punycode);
  return labels + percentEncode(pattern.slice(origin.length));
}

function punycode(label: string): string {
  return URL.parse(`http://${label}/`)?.hostname ?? label;
}

function percentEncode(pattern: string): string {
  return pattern.toWellFormed().replace(/\P{ASCII}+/gu, encodeURIComponent);
}
