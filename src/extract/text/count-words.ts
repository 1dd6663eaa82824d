/** Counts words: runs of letters, digits and underscores. Each Chinese or Japanese character counts as one word. */
export function countWords(text: string): number {
  let words = 0;
  let isInWord = false;
  for (let index = 0; index < text.length; index++) {
    const code = text.charCodeAt(index);
    if (isEastAsian(code)) {
      words++;
      isInWord = false;
    } else if (isWordCode(code)) {
      if (!isInWord) words++;
      isInWord = true;
    } else if (code !== apostrophe && code !== curlyApostrophe) {
      isInWord = false;
    }
  }
  return words;
}

const apostrophe = 0x27;
const curlyApostrophe = 0x2019;

/** Approximate outside ASCII, and 20 times as fast as a Unicode regular expression. */
function isWordCode(code: number): boolean {
  if (code < 0x80)
    return (
      (code >= 0x30 && code <= 0x39) ||
      (code >= 0x41 && code <= 0x5a) ||
      (code >= 0x61 && code <= 0x7a) ||
      code === 0x5f
    );
  return code >= 0xc0 && !(code >= 0x2000 && code <= 0x2bff) && !(code >= 0x3000 && code <= 0x303f) && code < 0xfe00;
}

function isEastAsian(code: number): boolean {
  return (code >= 0x3040 && code <= 0x30ff) || (code >= 0x3400 && code <= 0x9fff) || (code >= 0xf900 && code <= 0xfaff);
}
