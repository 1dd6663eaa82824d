/** Measures texts by what they say: a Chinese, Japanese or Korean character says as much as three letters. */

export function readingLength(text: string): number {
  let length = 0;
  for (let at = 0; at < text.length; at++) length += lengthOfCode(text.charCodeAt(at));
  return length;
}

/** For a code unit of UTF-16. */
export function lengthOfCode(code: number): 1 | 3 {
  return code >= 0x3040 && (code <= 0xd7af || (code >= 0xff01 && code <= 0xff60)) ? 3 : 1;
}
