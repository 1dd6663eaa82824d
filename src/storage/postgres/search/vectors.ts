import { eachWord } from '../../../search/words.ts';
import type { PageText } from '../../rules/search/page-text.ts';

/** PostgreSQL's limits of a `tsvector`: its bytes, the bytes of a word, and the places that it tells apart. */
const vectorBytesMax = 1_000_000;
const wordLengthMax = 500;
const placeMax = 16_382;
const placesPerWordMax = 255;

/**
 * The words of a page as a `tsvector`, each with its places. Beyond the limits of PostgreSQL, words have no place, so that
 * phrases do not find them, and words that do not fit are left out.
 *
 * Every word begins with the job, so the lists of an index of all jobs are those of one job each.
 */
export function vectorOf(job: number, { title, text }: Pick<PageText, 'title' | 'text'>): string {
  const places = new Map<string, string[]>();
  let bytes = 0;
  let place = 0;
  const add = (given: string, weight: string): void => {
    const word = given.slice(0, wordLengthMax);
    place++;
    let own = places.get(word);
    if (!own) {
      // Its entry has 4 bytes, and up to 3 of padding. Then come two bytes for each place.
      const needed = Buffer.byteLength(word) + 24;
      if (bytes + needed > vectorBytesMax) return;
      bytes += needed;
      own = [];
      places.set(word, own);
    }
    if (place > placeMax || own.length >= placesPerWordMax || bytes + 2 > vectorBytesMax) return;
    bytes += 2;
    own.push(`${place}${weight}`);
  };
  eachWord(title, (word) => add(word, 'A'));
  // A phrase does not continue from the title into the text.
  place++;
  eachWord(text, (word) => add(word, ''));
  const mark = markOf(job);
  return [...places].map(([word, own]) => `'${mark}${word}'${own.length === 0 ? '' : `:${own.join(',')}`}`).join(' ');
}

/** What the words of a job begin with. */
export function markOf(job: number): string {
  return `${job.toString(36)}_`;
}

/** Every word as it is written in a vector. */
export function indexedWord(job: number, word: string): string {
  return `'${markOf(job)}${word.slice(0, wordLengthMax)}'`;
}
