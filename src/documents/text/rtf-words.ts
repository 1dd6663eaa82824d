/** Control words of RTF (1.9.1) as data. Pictures, fonts and heads are skipped. */

/** Bold, italic, struck out, raised, lowered, hidden, deleted. */
const textWords = ['b', 'i', 'strike', 'super', 'sub', 'v', 'deleted'] as const;
/** Style, level of outline (from 0; 9 is body text), in a table, list, level in it, indents of paragraph and first line. */
const paragraphWords = ['s', 'outlinelevel', 'intbl', 'ls', 'ilvl', 'li', 'fi'] as const;
type FormatWord = (typeof textWords | typeof paragraphWords)[number];

/** The number of each word that counts, which a group inherits. 0 is off; without a number, a word is 1. */
export type RtfFormat = Readonly<Partial<Record<FormatWord, number | undefined>>>;

const changes = new Map<string, (number: number) => RtfFormat>([
  ...[...textWords, ...paragraphWords].map((word) => [word, (number: number) => ({ [word]: number })] as const),
  ['plain', () => Object.fromEntries(textWords.map((word) => [word, undefined]))],
  ['pard', () => Object.fromEntries(paragraphWords.map((word) => [word, undefined]))],
  ['nosupersub', () => ({ super: 0, sub: 0 })],
]);

/** Returns undefined for a word that is none of formatting. */
export function formatAfter(format: RtfFormat, word: string, number = 1): RtfFormat | undefined {
  const change = changes.get(word);
  return change && { ...format, ...change(number) };
}

/** Words and symbols that are a character. */
export const characters: ReadonlyMap<string, string> = new Map(
  'tab \t|emdash —|endash –|lquote ‘|rquote ’|ldblquote “|rdblquote ”|bullet •|~ \u00a0|_ -|\\ \\|{ {|} }'
    .split('|')
    .map((pair) => [pair.slice(0, pair.indexOf(' ')), pair.slice(pair.indexOf(' ') + 1)]),
);

export const skippedGroups: ReadonlySet<string> = new Set(
  (
    'fonttbl colortbl pict object header headerl headerr headerf footer footerl footerr footerf info ' +
    'listtable listoverridetable generator themedata xmlnstbl nonshppict datafield sp shprslt xe tc nonesttables'
  ).split(' '),
);

/** Code pages with other names on the web. */
export const charsets: Readonly<Record<number, string>> = {
  932: 'shift_jis',
  936: 'gbk',
  950: 'big5',
  10_000: 'macintosh',
};
