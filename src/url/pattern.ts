/** The patterns of a job: regular expressions in the syntax of RE2, which match in linear time. */

import { RE2JS } from 're2js';

export const patternLengthMax = 512;
/** Instructions of one compiled pattern, about one for each character or class, times its repetitions. */
const patternSizeMax = 500;
/** Instructions of all patterns of a list. Bounds the time for one URL. */
export const patternsSizeMax = 2_000;
/** A longer URL matches no pattern, so that one URL takes at most about 4 million steps. */
const matchedLengthMax = 2_048;

/** The part of a URL that patterns are searched in: the URL without its fragment, or only its path. */
export const patternTargets = ['url', 'path'] as const;
export type PatternTarget = (typeof patternTargets)[number];

/**
 * Compiles a pattern that {@link patternProblem} accepts. It is searched anywhere in the text: `^` and `$` anchor it.
 * Matching is case-sensitive, unless the pattern begins with `(?i)`.
 */
export function compilePattern(pattern: string, target: PatternTarget): (url: URL) => boolean {
  const compiled = RE2JS.compile(pattern);
  return (url) => {
    const text = target === 'path' ? url.pathname : url.href.slice(0, url.href.length - url.hash.length);
    return text.length <= matchedLengthMax && compiled.matcher(text).find();
  };
}

/** Returns undefined if the pattern is valid; else a sentence that says what is wrong and what to write instead. */
export function patternProblem(pattern: string): string | undefined {
  if (pattern === '') return 'The pattern is empty. Write .* to match every URL, or leave it out.';
  if (pattern.length > patternLengthMax)
    return 'The pattern is longer than 512 characters. Split it into several patterns.';
  if (!pattern.isWellFormed())
    return 'The pattern contains half a character (a lone surrogate). Write it as valid Unicode.';
  // Before compiling, which takes seconds for patterns with many repetitions.
  if (patternSize(pattern) > patternSizeMax)
    return 'The pattern repeats too much: {n} and {n,m} count as n or m copies, at most 500 in all. Write + or *.';
  try {
    RE2JS.compile(pattern);
    return undefined;
  } catch (error) {
    const why = error instanceof Error ? error.message.replace('error parsing regexp: ', '') : String(error);
    return `RE2 cannot read this pattern: ${why}. Look-around and back-references are not available.`;
  }
}

/**
 * Estimates the instructions of a pattern without compiling it. Exact enough to bound: each atom counts one, each
 * counted repetition multiplies.
 */
export function patternSize(pattern: string): number {
  /** Sizes of the open groups; the last is the innermost. */
  const groups = [0];
  let last = 0;
  const add = (size: number): void => {
    groups[groups.length - 1] = (groups.at(-1) ?? 0) + size;
    last = size;
  };
  for (const [token] of pattern.matchAll(tokens)) {
    if (token === '(') groups.push(0);
    else if (token === ')') add((groups.length > 1 ? (groups.pop() ?? 0) : 0) + 2);
    else if (/^\{\d/.test(token)) {
      const counts = token.match(/\d+/g) ?? [];
      const copies = Math.max(...counts.map(Number), 1);
      groups[groups.length - 1] = (groups.at(-1) ?? 0) + last * (copies - 1);
      last *= copies;
    } else add(token.startsWith('\\Q') ? token.length : 1);
  }
  return groups.reduce((sum, size) => sum + size, 0);
}

/** A quoted text, an escape, a class, a counted repetition, or one character. */
const tokens = /\\Q.*?(?:\\E|$)|\\.|\[\^?\]?(?:\\.|\[:\^?\w+:\]|[^\]\\])*\]|\{\d+(?:,\d*)?\}|[^]/gsu;
