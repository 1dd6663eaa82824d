import type { SearchPhrase } from '../core/ports/search.ts';
import { phraseOf } from './words.ts';

/** A shorter last word would match most words of a page, and take a hundred times as long. */
const prefixLengthMin = 2;

/**
 * Reads the text of a query: words, and phrases in double quotes. Nothing else has a meaning, so no text is an error. A
 * page must have all of them. Parts of a word, as in `hash_map`, count as a phrase. The last word is a prefix unless it
 * is quoted. A quote that is not closed ends with the text. Empty if there is no letter or digit.
 */
export function parseQuery(text: string): readonly SearchPhrase[] {
  const phrases = new Map<string, SearchPhrase>();
  const parts = text.split('"');
  for (const [index, part] of parts.entries()) {
    const isQuoted = index % 2 === 1;
    const isLastPart = index === parts.length - 1;
    const chunks = isQuoted ? [part] : part.split(/\s+/).filter((chunk) => chunk !== '');
    for (const [at, chunk] of chunks.entries()) {
      const { words, endsUnspaced } = phraseOf(chunk);
      const last = words.at(-1);
      if (last === undefined) continue;
      const isLast = !isQuoted && isLastPart && at === chunks.length - 1;
      const isPrefix = endsUnspaced ? Array.from(last).length === 1 : isLast && last.length >= prefixLengthMin;
      phrases.set(JSON.stringify([words, isPrefix]), { words, isPrefix });
    }
  }
  return [...phrases.values()];
}
