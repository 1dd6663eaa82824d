/** Characters of the fonts Symbol and Wingdings, which have codes of their own (`w:sym`, U+F020 to U+F0FF). */

const greek = 'ΑΒΧΔΕΦΓΗΙϑΚΛΜΝΟΠΘΡΣΤΥςΩΞΨΖ';
const smallGreek = 'αβχδεφγηιϕκλμνοπθρστυϖωξψζ';

const symbols: ReadonlyMap<number, string> = new Map([
  ...Array.from(greek, (letter, at) => [0x41 + at, letter] as const),
  ...Array.from(smallGreek, (letter, at) => [0x61 + at, letter] as const),
  ...Array.from(
    '≤∞±°≥×∂•÷≠≡≈…',
    (sign, at) =>
      [[0xa3, 0xa5, 0xb1, 0xb0, 0xb3, 0xb4, 0xb6, 0xb7, 0xb8, 0xb9, 0xba, 0xbb, 0xbc][at] ?? 0, sign] as const,
  ),
  ...Array.from(
    '←↑→↓∈∉∏√⇔⇐⇒∑∫®©™',
    (sign, at) =>
      [
        [0xac, 0xad, 0xae, 0xaf, 0xce, 0xcf, 0xd5, 0xd6, 0xdb, 0xdc, 0xde, 0xe5, 0xf2, 0xd2, 0xd3, 0xd4][at] ?? 0,
        sign,
      ] as const,
  ),
]);

const wingdings: ReadonlyMap<number, string> = new Map([
  [0x4a, '☺'],
  [0x6c, '●'],
  [0x6e, '■'],
  [0x6f, '☐'],
  [0x71, '❑'],
  [0x76, '❖'],
  [0xa7, '▪'],
  [0xa8, '☐'],
  [0xb7, '•'],
  [0xd8, '➢'],
  [0xdf, '←'],
  [0xe0, '→'],
  [0xfb, '✗'],
  [0xfc, '✓'],
  [0xfd, '☒'],
  [0xfe, '☑'],
]);

/** Empty for a picture that Unicode does not have, or that this does not know. */
export function symbolOf(font: string, hex: string): string {
  const code = Number.parseInt(hex, 16);
  if (!(code > 0x1f && code < 0xffff)) return '';
  const own = code >= 0xf000 ? code - 0xf000 : code;
  if (/^symbol/i.test(font)) return symbols.get(own) ?? (own < 0x7f ? String.fromCharCode(own) : '');
  if (/^wingdings$/i.test(font)) return wingdings.get(own) ?? '';
  return code >= 0xd800 && code < 0xf900 ? '' : String.fromCharCode(code);
}
