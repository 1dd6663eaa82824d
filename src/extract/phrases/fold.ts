/** Makes texts comparable: without case, accents, vowel points, full-width forms and runs of white space. */

/** A text in which phrases are searched. */
export type Folded = string & { readonly folded: true };

export function fold(text: string): Folded {
  let folded = text.toLowerCase();
  if (isFolded.test(folded)) return folded as Folded;
  if (special.test(folded)) {
    if (accented.test(folded))
      folded = folded.normalize('NFD').replace(marks, '').normalize('NFC').replaceAll('ı', 'i');
    folded = folded
      .replace(fullWidth, (sign) => String.fromCharCode(sign.charCodeAt(0) - fullWidthOffset))
      .replace(apostrophes, "'");
  }
  return (layout.test(folded) ? folded.replace(layoutRuns, ' ') : folded).trim() as Folded;
}

/** Most texts are plain. */
const isFolded = /^(?! )(?:[!-_a-~]| (?! |$))*$/;
const special = /[^\0-\x7f]/;
/** From Latin to Arabic, and Greek and Vietnamese beyond. Other scripts have no marks of these kinds. */
const accented = /[\u00c0-\u06ff\u1e00-\u1fff]/;
/** Accents, and the points of Hebrew and Arabic. The marks of Japanese and Indic scripts make other letters. */
const marks = /[\u0300-\u036f\u0591-\u05c7\u0640\u064b-\u0655\u0670]/g;
const fullWidth = /[\uff01-\uff5e]/g;
const fullWidthOffset = 0xfee0;
const apostrophes = /[‘’ʼ`]/g;
const layout = /[^\S ]| {2}/;
const layoutRuns = /\s+/g;

/** Returns what follows a part of this length of the folded text. */
export function unfoldedAfter(text: string, length: number): string {
  if (length <= 0) return text;
  let end = 0;
  // Folding seldom changes the length, so most texts are folded once.
  for (const character of text) {
    end += character.length;
    if (end >= length && fold(text.slice(0, end)).length >= length) break;
  }
  return text.slice(end);
}

/** Returns where the words of a text begin: at its first letter or ©, after a few signs at most; -1 if not there. */
export function startOfWords(text: string): number {
  for (let at = 0; at <= signsMax && at < text.length; at++) {
    const code = text.charCodeAt(at);
    const small = code | 0x20;
    if (code < 0x80 ? small >= 0x61 && small <= 0x7a : code === copyright || /\p{L}/u.test(text.charAt(at))) return at;
  }
  return -1;
}

const signsMax = 5;
const copyright = 0xa9;
