import { oneLine } from './cut-text.ts';
import { Marker, markerChars } from './untrusted.ts';

export interface ListResponse {
  /** What the list is, in our own words. */
  readonly head: string;
  /** One entry each, with text from the web. */
  readonly lines: readonly string[];
  /** What follows the list, in our own words, when it shows this many lines. */
  readonly tail: (shown: number) => string | Promise<string>;
  /** Characters that `tail` has at most. */
  readonly tailChars: number;
  /** Characters of the response at most. */
  readonly maxChars: number;
}

/** Returns as many lines as the budget allows, never fewer than one: that is shortened if need be. */
export async function listResponse({ head, lines, tail, tailChars, maxChars }: ListResponse): Promise<string> {
  if (lines.length === 0) return `${head}\n${await tail(0)}`.trimEnd();
  const room = maxChars - head.length - markerChars - tailChars - 1;
  const shown: string[] = [];
  let used = 0;
  for (const line of lines) {
    if (used + line.length > room) break;
    shown.push(line);
    used += line.length + 1;
  }
  const [first = ''] = lines;
  if (shown.length === 0)
    shown.push(
      first
        .split('\n')
        .map((part) => oneLine(part, Math.floor(room / 4)))
        .join('\n'),
    );
  return `${head}\n${new Marker().enclose(shown.join('\n'))}${await tail(shown.length)}`.trimEnd();
}
