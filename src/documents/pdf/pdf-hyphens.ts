/**
 * Decides whether the hyphen at the end of a line belongs to the word. Lines are joined with {@link parted} in place of
 * the hyphen; when all of the text is known, its other words decide.
 */

/** A soft hyphen. Text read from a file has none: what is drawn is a hyphen. */
export const parted = '\u00ad';

/** Replaces each {@link parted} in pieces of HTML by a hyphen or nothing. */
export function withHyphens(pieces: readonly string[]): readonly string[] {
  if (!pieces.some((html) => html.includes(parted))) return pieces;
  const counts = new Map<string, number>();
  const count = (key: string): void => void counts.set(key, (counts.get(key) ?? 0) + 1);
  for (const html of pieces) {
    for (const word of html.match(words) ?? []) {
      count(word);
      const key = keyOf(word);
      if (key !== word) count(key);
    }
  }
  return pieces.map((html) => {
    const [first = '', ...rest] = html.split(parted);
    let before = first;
    let joined = first;
    for (const after of rest) {
      joined += linkOf(
        lastWord.exec(before.slice(-lengthMax))?.[0],
        firstWord.exec(after.slice(0, lengthMax))?.[1],
        counts,
        address.test(before.slice(-addressMax)),
      );
      joined += after;
      before = after;
    }
    return joined;
  });
}

/** Characters looked at on either side. Small, since the work for a hostile file grows with it. */
const lengthMax = 80;

const words = /[\p{L}\p{N}\p{M}]+(?:[-\u2010][\p{L}\p{N}\p{M}]+)*/gu;
const lastWord = /[\p{L}\p{N}\p{M}]+(?:[-\u2010][\p{L}\p{N}\p{M}]+)*(?=(?:<[^<>]*>)*$)/u;
const firstWord = /^(?:<[^<>]*>)*([\p{L}\p{N}\p{M}]+(?:[-\u2010][\p{L}\p{N}\p{M}]+)*)/u;

/** An address that has not ended: its hyphens are its own. */
const address = /(?:https?:\/\/|www\.)[^\s<>"]*$/;
const addressMax = 300;

/** Beginnings of compounds that are no syllables of other words: `low-` before `floor`, if `floor` is a word of the file. */
const beginnings = new Set(
  'all double first free full half high large long low multi non one open part post pre real second self semi short single small third three two ultra well wide'.split(
    ' ',
  ),
);

/** `pre- and post-war`. */
const conjunctions = new Set(['and', 'or', 'und', 'oder', 'bzw', 'sowie', 'et', 'ou', 'y', 'e', 'en', 'och', 'og']);

function keyOf(word: string): string {
  return (word.includes('\u2010') ? word.replaceAll('\u2010', '-') : word).toLowerCase();
}

function linkOf(
  start: string | undefined,
  end: string | undefined,
  counts: ReadonlyMap<string, number>,
  isInAddress: boolean,
): string {
  if (isInAddress) return '-';
  if (start === undefined || end === undefined) return '';
  const isCapital = /^\p{Lu}/u.test(end);
  const whole = counts.get(isCapital ? start + end : keyOf(start + end)) ?? 0;
  const compound = counts.get(keyOf(`${start}-${end}`)) ?? 0;
  if (whole + compound > 0) return compound > whole ? '-' : '';
  if (conjunctions.has(end)) return '- ';
  if (/\p{Lu}{2}$/u.test(start) && /^\p{Lu}{2}/u.test(end)) return '';
  const isCompound = /[-\u2010]/.test(start + end) || isCapital || /^\p{N}/u.test(end) || /\p{N}$/u.test(start);
  if (!isCompound && beginnings.has(keyOf(start)) && end.length > 3 && counts.has(keyOf(end))) return '-';
  return isCompound ? '-' : '';
}
