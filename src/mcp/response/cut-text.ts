/** A part of a text. */
export interface TextPart {
  readonly text: string;
  /** Where the next part begins; undefined if this one is the last. */
  readonly next: number | undefined;
}

/**
 * Returns the part of a text from `offset` that has at most `room` characters (UTF-16 code units, at least 2). It ends
 * after a line. If that line is longer than half the room, it ends after a word, or else between two characters. The
 * parts of a text, joined, are the text.
 */
export function cutText(text: string, offset: number, room: number): TextPart {
  const start = isInsidePair(text, offset) ? offset - 1 : offset;
  if (text.length - start <= room) return { text: text.slice(start), next: undefined };
  const least = start + room / 2;
  const afterLine = text.lastIndexOf('\n', start + room - 1) + 1;
  if (afterLine > least) return { text: text.slice(start, afterLine), next: afterLine };
  const afterWord = text.lastIndexOf(' ', start + room - 1) + 1;
  if (afterWord > least) return { text: text.slice(start, afterWord), next: afterWord };
  const end = isInsidePair(text, start + room) ? start + room - 1 : start + room;
  return { text: text.slice(start, end), next: end };
}

/** Returns true if the offset splits a character that takes two code units. */
function isInsidePair(text: string, offset: number): boolean {
  return /^[\uD800-\uDBFF][\uDC00-\uDFFF]$/.test(text.slice(Math.max(0, offset - 1), offset + 1));
}

/** Everything that could end the line, or move the cursor of a terminal. */
const controls = /[\p{Cc}\u2028\u2029]+/gu;

/** Returns text as one line of at most `max` characters. A shortened one ends with its full length. */
export function oneLine(text: string, max: number): string {
  const line = text.replaceAll(controls, ' ').trim();
  if (line.length <= max) return line;
  const note = `… (${line.length} characters)`;
  const end = Math.max(0, max - note.length);
  return line.slice(0, isInsidePair(line, end) ? end - 1 : end) + note;
}
