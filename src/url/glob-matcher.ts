/**
 * Matches a glob against a text in one pass, whatever the glob: a non-deterministic automaton whose states are bits
 * (Baeza-Yates and Gonnet's Shift-And). It never backtracks, so no pattern can make it slow.
 *
 * State n means "the first n atoms have matched". An atom is a character or `?`. Stars are not atoms: a star after atom
 * n keeps state n active while characters pass, `**` for all characters and `*` for all but `/`.
 */

/**
 * Compiles a pattern of `*`, `**`, `?` and literal characters. Texts are ASCII, like URLs. A match reads each character
 * of the text at most once, and per character steps through `1 + atoms / 32` words: one or two for most globs, 17 for
 * 512 characters, 145 for the longest percent-encoded form of these.
 */
export function compileMatcher(pattern: string): (text: CharacterSource) => boolean {
  const automaton = build(pattern);
  // Reused, because creating it costs as much as twenty characters. Matching is synchronous, so it is not shared.
  const states = new Uint32Array(automaton.words);
  return (text) => run(automaton, states, text);
}

/** A string, or in tests an object that counts reads. */
export type CharacterSource = Pick<string, 'length' | 'charCodeAt'>;

interface Automaton {
  readonly words: number;
  /** A row of words for each character: the states that it can enter from the previous state. */
  readonly entered: Uint32Array;
  /** States that stay active over a slash (`**`), and over any other character (`*` and `**`). */
  readonly stayOnSlash: Uint32Array;
  readonly stayOnOther: Uint32Array;
  readonly accepting: number;
}

const slash = 0x2f;
/** The row for all non-ASCII characters: only `?` matches them. */
const otherCharacter = 128;

function build(pattern: string): Automaton {
  const parts = pattern.match(/\*+|[^*]/g) ?? [];
  const accepting = parts.filter((part) => !part.startsWith('*')).length;
  const words = (accepting >>> 5) + 1;
  const entered = new Uint32Array((otherCharacter + 1) * words);
  const stayOnSlash = new Uint32Array(words);
  const stayOnOther = new Uint32Array(words);

  let state = 0;
  for (const part of parts) {
    if (part.startsWith('*')) {
      setBit(stayOnOther, 0, state);
      if (part.length > 1) setBit(stayOnSlash, 0, state);
      continue;
    }
    state += 1;
    const code = part.charCodeAt(0);
    if (part === '?') {
      for (let row = 0; row <= otherCharacter; row += 1) setBit(entered, row * words, state);
    } else if (code < otherCharacter) {
      setBit(entered, code * words, state);
    }
  }
  return { words, entered, stayOnSlash, stayOnOther, accepting };
}

function run(automaton: Automaton, states: Uint32Array, text: CharacterSource): boolean {
  const { words, entered, stayOnSlash, stayOnOther, accepting } = automaton;
  states.fill(0);
  states[0] = 1;
  for (let at = 0; at < text.length; at += 1) {
    const code = text.charCodeAt(at);
    const row = Math.min(code, otherCharacter) * words;
    const stay = code === slash ? stayOnSlash : stayOnOther;
    let carry = 0;
    let alive = 0;
    for (let word = 0; word < words; word += 1) {
      const before = wordAt(states, word);
      const after = (((before << 1) | carry) & wordAt(entered, row + word)) | (before & wordAt(stay, word));
      carry = before >>> 31;
      states[word] = after;
      alive |= after;
    }
    if (alive === 0) return false;
  }
  return (wordAt(states, accepting >>> 5) & (1 << (accepting & 31))) !== 0;
}

function setBit(words: Uint32Array, from: number, bit: number): void {
  const word = from + (bit >>> 5);
  words[word] = wordAt(words, word) | (1 << (bit & 31));
}

function wordAt(words: Uint32Array, word: number): number {
  return words[word] ?? 0;
}
