import { styleText } from 'node:util';

/** Capabilities of a stream. */
export interface Terminal {
  readonly stream: NodeJS.WriteStream;
  /** Lines can be redrawn. */
  readonly isLive: boolean;
  readonly columns: number;
  dim(text: string): string;
  green(text: string): string;
  yellow(text: string): string;
  red(text: string): string;
  inverse(text: string): string;
}

/** Respects `NO_COLOR`, `CI` and `TERM=dumb`: all three disable colour, and the last two also disable redrawing. */
export function terminalOf(
  stream: NodeJS.WriteStream,
  env: Readonly<Record<string, string | undefined>> = process.env,
): Terminal {
  const isLive = stream.isTTY === true && env['TERM'] !== 'dumb' && (env['CI'] ?? '') === '';
  const hasColour = isLive && (env['NO_COLOR'] ?? '') === '';
  const styled = (style: Parameters<typeof styleText>[0]) => (text: string) =>
    hasColour ? styleText(style, text, { validateStream: false }) : text;
  return {
    stream,
    isLive,
    get columns() {
      // A terminal of unknown width reports 0.
      return stream.columns || 80;
    },
    dim: styled('dim'),
    green: styled('green'),
    yellow: styled('yellow'),
    red: styled('red'),
    inverse: styled('inverse'),
  };
}

/** The program of the desktop that opens a link; undefined if there is no desktop. */
export function desktopOpener(
  env: Readonly<Record<string, string | undefined>> = process.env,
  platform = process.platform,
): string | undefined {
  if (platform === 'darwin') return 'open';
  return (env['DISPLAY'] ?? '') === '' && (env['WAYLAND_DISPLAY'] ?? '') === '' ? undefined : 'xdg-open';
}

/** Makes one line of text from the web safe to print: no control characters, no bidirectional overrides. */
export function printable(text: string): string {
  return text.replaceAll(/[\p{Cc}\u200e\u200f\u2028-\u202e\u2066-\u2069]+/gu, ' ');
}

/** The same for multi-line text. */
export function printableLines(text: string): string {
  return text.replaceAll(/(?![\n\t])[\p{Cc}\u200e\u200f\u202a-\u202e\u2066-\u2069]/gu, '');
}

/** Cuts text to this many columns, with an ellipsis. */
export function fitted(text: string, columns: number): string {
  if (columnsOf(text) <= columns) return text;
  let [cut, used] = ['', 0];
  for (const character of text) {
    used += columnsOf(character);
    if (used > columns - 1) break;
    cut += character;
  }
  return `${cut}…`;
}

/** Approximate: what most terminals draw two columns wide, or on top of the previous character. */
export function columnsOf(text: string): number {
  let columns = 0;
  for (const character of text) columns += isWide.test(character) ? 2 : isMark.test(character) ? 0 : 1;
  return columns;
}

const isWide =
  /[\u1100-\u115f\u2e80-\ua4cf\ua960-\ua97f\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60\uffe0-\uffe6]|\p{Emoji_Presentation}|[\u{20000}-\u{3fffd}]/u;
const isMark = /\p{M}|\p{Cf}/u;
