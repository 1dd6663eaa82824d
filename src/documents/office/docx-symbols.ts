/** Characters of the fonts Symbol and Wingdings, which have codes of their own (`w:sym`, U+F020 to U+F0FF). */

const greek = 'ΑΒΧΔΕΦΓΗΙϑΚΛΜΝΟΠΘΡΣΤΥςΩΞΨΖ';
const smallGreek = 'αβχδεφγηιϕκλμνοπθρστυϖωξψζ';

const symbols: ReadonlyMap<number, string> = new Map([
  ...Array.from(greek, (letter, at) => [0x41 + at, letter] as const),
  ...Array.from(smallGreek, (letter, at) => [0x61 + at, letter] as const),
  ...signs('a3 ≤, a5 ∞, ac ←, ad ↑, ae →, af ↓, b0 °, b1 ±, b3 ≥, b4 ×, b6 ∂, b7 •, b8 ÷, b9 ≠'),
  ...signs('ba ≡, bb ≈, bc …, ce ∈, cf ∉, d2 ®, d3 ©, d4 ™, d5 ∏, d6 √, db ⇔, dc ⇐, de ⇒, e5 ∑, f2 ∫'),
]);

const wingdings: ReadonlyMap<number, string> = new Map(
  signs('4a ☺, 6c ●, 6e ■, 6f ☐, 71 ❑, 76 ❖, a7 ▪, a8 ☐, b7 •, d8 ➢, df ←, e0 →, fb ✗, fc ✓, fd ☒, fe ☑'),
);

/** Codes in hex, each with its sign. */
function signs(list: string): (readonly [code: number, sign: string])[] {
  return list.split(', ').map((pair) => [Number.parseInt(pair, 16), pair.slice(3)]);
}

/** Empty for a picture that Unicode does not have, or that this does not know. */
export function symbolOf(font: string, hex: string): string {
  const code = Number.parseInt(hex, 16);
  if (!(code > 0x1f && code < 0xffff)) return '';
  const own = code >= 0xf000 ? code - 0xf000 : code;
  if (/^symbol/i.test(font)) return symbols.get(own) ?? (own < 0x7f ? String.fromCharCode(own) : '');
  if (/^wingdings$/i.test(font)) return wingdings.get(own) ?? '';
  return code >= 0xd800 && code < 0xf900 ? '' : String.fromCharCode(code);
}
