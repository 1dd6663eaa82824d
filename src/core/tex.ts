/** Writes parts of formulas as TeX: signs, names, accents, fences. Readers of MathML and of Office files share it. */

/** A base of several characters needs braces: `{ab}^{2}`. */
export function texBase(tex: string): string {
  return /^(?:.?|\\[A-Za-z]+ ?)$/su.test(tex) ? tex.trimEnd() : `{${tex}}`;
}

export function texFence(stated: string | undefined, usual: string): string {
  if (stated === undefined) return usual;
  if (stated === '') return '.';
  return fences.get(stated) ?? texSymbols(stated).trim();
}

const fences: ReadonlyMap<string, string> = new Map([
  ['{', '\\{'],
  ['}', '\\}'],
  ['⟨', '\\langle '],
  ['⟩', '\\rangle '],
  ['〈', '\\langle '],
  ['〉', '\\rangle '],
  ['‖', '\\|'],
  ['⌈', '\\lceil '],
  ['⌉', '\\rceil '],
  ['⌊', '\\lfloor '],
  ['⌋', '\\rfloor '],
]);

const functions =
  /^(?:arc(?:cos|sin|tan)|cosh?|coth?|csc|deg|det|dim|exp|gcd|hom|inf|ker|lg|lim|liminf|limsup|ln|log|max|min|Pr|sec|sinh?|sup|tanh?)(?![A-Za-z])/;

/** `log_{2}` keeps its index. */
export function texFunction(tex: string): string {
  const name = tex
    .trim()
    .replace(/^\\text\{(\w+)\}/, '$1')
    .replace(/^\\(?=[a-z]{2,7}(?![A-Za-z]))/, '');
  if (functions.test(name)) return `\\${name}`;
  // `\sum` is written already.
  const isCommand = /^\s*\\(?!text\{)/.test(tex);
  return !isCommand && /^[A-Za-z]{2,}$/.test(name) ? `\\operatorname{${name}}` : tex;
}

export function texLimited(tex: string): string {
  const name = texFunction(tex);
  return name.startsWith('\\') ? name : texBase(tex);
}

export function isTexFunction(text: string): boolean {
  return functions.test(text);
}

/** A binomial has no bar. */
export function texFraction(over: string, under: string, hasBar: boolean): string {
  return hasBar ? `\\frac{${over}}{${under}}` : `\\genfrac{}{}{0pt}{}{${over}}{${under}}`;
}

export function texRows(environment: 'matrix' | 'aligned', rows: readonly string[]): string {
  return `\\begin{${environment}}${rows.join(' \\\\ ')}\\end{${environment}}`;
}

/** Returns the command for an accent, as a combining character or alone. */
export function texAccent(sign: string): string | undefined {
  const name = accents.get(sign);
  return name === undefined ? undefined : `\\${name}`;
}

const accents: ReadonlyMap<string, string> = new Map([
  ['\u0300', 'grave'],
  ['\u0301', 'acute'],
  ['\u0302', 'hat'],
  ['\u0303', 'tilde'],
  ['\u0304', 'bar'],
  ['\u0305', 'overline'],
  ['¯', 'bar'],
  ['\u0306', 'breve'],
  ['\u0307', 'dot'],
  ['\u0308', 'ddot'],
  ['\u030c', 'check'],
  ['\u20d7', 'vec'],
  ['^', 'hat'],
  ['ˆ', 'hat'],
  ['~', 'tilde'],
  ['˜', 'tilde'],
  ['‾', 'overline'],
  ['˙', 'dot'],
  ['¨', 'ddot'],
  ['ˇ', 'check'],
  ['˘', 'breve'],
  ['´', 'acute'],
  ['`', 'grave'],
  ['→', 'vec'],
  ['⏞', 'overbrace'],
]);

const greek = [
  'alpha beta gamma delta varepsilon zeta eta theta iota kappa lambda mu nu xi o pi rho varsigma sigma tau upsilon varphi',
  'chi psi omega',
]
  .join(' ')
  .split(' ');
const greekCapitals: Readonly<Record<string, string>> = {
  Γ: 'Gamma',
  Δ: 'Delta',
  Θ: 'Theta',
  Λ: 'Lambda',
  Ξ: 'Xi',
  Π: 'Pi',
  Σ: 'Sigma',
  Φ: 'Phi',
  Ψ: 'Psi',
  Ω: 'Omega',
};
const signs: Readonly<Record<string, string>> = {
  ...greekCapitals,
  ...Object.fromEntries(greek.map((name, index) => [String.fromCodePoint(0x3b1 + index), name])),
  ϵ: 'epsilon',
  ϑ: 'vartheta',
  ϕ: 'phi',
  '∑': 'sum',
  '∏': 'prod',
  '∫': 'int',
  '∬': 'iint',
  '∭': 'iiint',
  '∮': 'oint',
  '⋃': 'bigcup',
  '⋂': 'bigcap',
  '×': 'times',
  '÷': 'div',
  '·': 'cdot',
  '⋅': 'cdot',
  '±': 'pm',
  '∓': 'mp',
  '≤': 'leq',
  '≥': 'geq',
  '≠': 'neq',
  '≈': 'approx',
  '≡': 'equiv',
  '∼': 'sim',
  '∝': 'propto',
  '∞': 'infty',
  '∂': 'partial',
  '∇': 'nabla',
  '→': 'to',
  '←': 'leftarrow',
  '⇒': 'Rightarrow',
  '⇔': 'Leftrightarrow',
  '↦': 'mapsto',
  '∈': 'in',
  '∉': 'notin',
  '⊂': 'subset',
  '⊆': 'subseteq',
  '∪': 'cup',
  '∩': 'cap',
  '∅': 'emptyset',
  '∀': 'forall',
  '∃': 'exists',
  '¬': 'neg',
  '∧': 'land',
  '∨': 'lor',
  '…': 'ldots',
  '⋯': 'cdots',
  '∘': 'circ',
  '⊗': 'otimes',
  '⊕': 'oplus',
  ℝ: 'mathbb{R}',
  ℕ: 'mathbb{N}',
  ℤ: 'mathbb{Z}',
  ℚ: 'mathbb{Q}',
  ℂ: 'mathbb{C}',
  '\\': 'backslash',
};

/** Text of a formula. Word writes variables as letters of mathematical alphabets, which TeX draws by itself. */
export function texSymbols(text: string): string {
  return text
    .replaceAll(/[^\w\s()[\]=+\-*/.,;:!?<>|'"]/gu, (character) => {
      const sign = signs[character];
      if (sign !== undefined) return sign.endsWith('}') ? `\\${sign}` : `\\${sign} `;
      if (/[{}$%&#_]/.test(character)) return `\\${character}`;
      if (character === '^') return '\\hat{}';
      if (character === '~') return '\\sim ';
      if (character === '−') return '-';
      const plain = /[\u{1d400}-\u{1d7ff}]/u.test(character) ? character.normalize('NFKC') : character;
      return plain === character ? character : texSymbols(plain);
    })
    .replaceAll('_', '\\_')
    .replaceAll('\\\\_', '\\_');
}

export function texText(text: string): string {
  if (text.trim() === '') return text === '' ? '' : '\\ ';
  return `\\text{${text.replaceAll(/[\\{}$%&#_^~]/g, (character) => (/[\\^~]/.test(character) ? ' ' : `\\${character}`))}}`;
}
