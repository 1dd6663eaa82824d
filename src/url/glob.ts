/** The globs of a job: which URLs to leave out, and which alone to take. */

import { compileMatcher } from './glob-matcher.ts';

export const globLengthMax = 512;

/**
 * Compiles a glob. It matches the whole URL, or path and query when it begins with `/`; never the fragment.
 *
 * `*` is any run of characters but `/`, `**` any run, `?` exactly one character, whichever. Everything else means itself,
 * braces and brackets too. There is no escape: to match a literal question mark write `?`, which matches it as well.
 * Upper and lower case differ, except in the scheme and host of a glob with `://`. Letters outside ASCII are compared as
 * URLs have them: percent-encoded in the path, as Punycode in the host.
 *
 * Time is linear in the URL, whatever the glob: see {@link compileMatcher}. Compiles what {@link globProblem} refuses,
 * too, only without promises about what that matches.
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

/** Undefined when the glob may be used; else a sentence that says what is wrong and what to write instead. */
export function globProblem(pattern: string): string | undefined {
  if (pattern === '') return 'The glob is empty. Write ** to match every URL, or leave it out.';
  if (pattern.length > globLengthMax) return 'The glob is longer than 512 characters. Write ** for a part of it.';
  if (!pattern.isWellFormed())
    return 'The glob has half a character (a lone surrogate) in it. Write it as valid Unicode.';
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
 * Characters that URLs encode in the path, in the query, or in both. A glob that has one, such as a brace, cannot tell in
 * which part it will be met, so it is compared with both sides decoded as far as these go.
 */
const sometimesEncoded = /[ "'<>^`{}]/;

function decodeSome(text: string): string {
  return text.replace(/%(?:2[027]|3[CE]|5E|60|7[BD])/gi, decodeURIComponent);
}

/** Scheme and host of a URL are always lower case and ASCII: what stands for them in a pattern is made so, too. */
function normaliseWholeUrlPattern(pattern: string): string {
  // Only up to a `**`, since what follows that may be in the path.
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
