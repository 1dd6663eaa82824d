/** Character classes as CommonMark defines them for emphasis. */

export type CharacterClass = 'space' | 'punctuation' | 'word';

/**
 * An empty string is the edge of a line and counts as white space. Readers disagree about symbols beyond ASCII: some
 * treat them as punctuation, others as letters. `side` selects the class that does more harm there.
 */
export function classOf(character: string, side: 'inside' | 'outside'): CharacterClass {
  if (character === '') return 'space';
  const code = character.charCodeAt(0);
  if (code < 0x80) return isAsciiWord(code) ? 'word' : code <= 0x20 ? 'space' : 'punctuation';
  if (/\s/.test(character)) return 'space';
  if (code >= 0xd800 && code <= 0xdfff) return side === 'inside' ? 'punctuation' : 'word';
  if (/\p{P}/u.test(character)) return 'punctuation';
  return side === 'inside' && /\p{S}/u.test(character) ? 'punctuation' : 'word';
}

export function isAsciiWord(code: number): boolean {
  return (code >= 0x30 && code <= 0x39) || (code >= 0x41 && code <= 0x5a) || (code >= 0x61 && code <= 0x7a);
}

export function firstCharacter(text: string): string {
  const code = text.codePointAt(0);
  return code === undefined || code <= 0xffff ? text.charAt(0) : String.fromCodePoint(code);
}

export function lastCharacter(text: string): string {
  const code = text.charCodeAt(text.length - 1);
  return code >= 0xdc00 && code <= 0xdfff ? text.slice(-2) : text.charAt(text.length - 1);
}
