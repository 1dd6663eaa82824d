import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { compileMatcher, type CharacterSource } from './glob-matcher.ts';

/** Defines the meaning of a glob in the simplest way: exponential, so for short texts only. */
function matchesNaively(pattern: string, text: string): boolean {
  if (pattern === '') return text === '';
  if (pattern.startsWith('**')) {
    const rest = pattern.replace(/^\*+/, '');
    return matchesNaively(rest, text) || (text !== '' && matchesNaively(pattern, text.slice(1)));
  }
  if (pattern.startsWith('*')) {
    return matchesNaively(pattern.slice(1), text) || (/^[^/]/.test(text) && matchesNaively(pattern, text.slice(1)));
  }
  return (
    text !== '' && (pattern[0] === '?' || pattern[0] === text[0]) && matchesNaively(pattern.slice(1), text.slice(1))
  );
}

describe('compileMatcher', () => {
  it('compileMatcher: matches like a naive matcher', () => {
    const patterns = fc.string({ unit: fc.constantFrom('a', 'b', '/', '?', '*', '**'), maxLength: 8 });
    const texts = fc.string({ unit: fc.constantFrom('a', 'b', '/'), maxLength: 9 });
    fc.assert(
      fc.property(patterns, texts, (pattern, text) => {
        expect(compileMatcher(pattern)(text)).toBe(matchesNaively(pattern, text));
      }),
      { numRuns: 20_000 },
    );
  });

  it('compileMatcher: matches like a naive matcher across words of 32 states', () => {
    const patterns = fc.array(fc.constantFrom('a'.repeat(15), '*', 'b', '/', '?', '**'), { maxLength: 7 });
    const texts = fc.array(fc.constantFrom('a'.repeat(15), 'a', 'b', '/'), { maxLength: 7 });
    fc.assert(
      fc.property(patterns, texts, (pattern, text) => {
        expect(compileMatcher(pattern.join(''))(text.join(''))).toBe(matchesNaively(pattern.join(''), text.join('')));
      }),
      { numRuns: 5000 },
    );
  });

  it.each([31, 32, 33, 63, 64, 65, 511])(
    'compileMatcher: matches a pattern of %i characters with exactly that text',
    (length) => {
      const matches = compileMatcher('a'.repeat(length));
      expect(matches('a'.repeat(length))).toBe(true);
      expect(matches('a'.repeat(length - 1))).toBe(false);
      expect(matches('a'.repeat(length + 1))).toBe(false);
    },
  );

  it('compileMatcher: keeps no state between texts', () => {
    const matches = compileMatcher('a*b');
    expect([matches('aab'), matches('aa'), matches('b'), matches(''), matches('ab')]).toEqual([
      true,
      false,
      false,
      false,
      true,
    ]);
  });
});

describe('compileMatcher: hostile globs', () => {
  class CountedText implements CharacterSource {
    readonly length: number;
    reads = 0;
    readonly #text: string;

    constructor(text: string) {
      this.#text = text;
      this.length = text.length;
    }

    charCodeAt(at: number): number {
      this.reads += 1;
      return this.#text.charCodeAt(at);
    }
  }

  it.each([
    '*a*a*a*a*a*a*b',
    '**a**a**a**a**a**a**b',
    '*?*?*?*?*?*?b',
    `${'*a'.repeat(255)}b`,
    `${'**/'.repeat(100)}b`,
    `${'?'.repeat(511)}b`,
    '*'.repeat(512),
  ])('compileMatcher: reads each character at most once for $0', (pattern) => {
    for (const text of ['a'.repeat(8192), 'a/'.repeat(4096), `${'a'.repeat(8191)}b`]) {
      const counted = new CountedText(text);
      compileMatcher(pattern)(counted);
      // With at most 17 words per character, this bounds all the work.
      expect(counted.reads).toBeLessThanOrEqual(text.length);
    }
  });
});
