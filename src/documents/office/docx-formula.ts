// Writes formulas of Office files (OMML: ECMA-376, part 1, 22.1) as TeX.
import { escapeAttribute } from 'entities';
import type { XmlAttributes } from '../parts/read-xml.ts';

interface Node {
  readonly name: string;
  /** TeX of the children that hold content, in order. */
  readonly children: { readonly name: string; readonly tex: string }[];
  /** Values of the properties: `chr`, `begChr`, `pos`. */
  readonly properties: Map<string, string>;
  text: string;
}

/**
 * Reads one formula from the events of its XML. An element is written when it ends, so nothing recurses; `readXml`
 * limits the depth.
 */
export class FormulaReader {
  readonly #open: Node[] = [];
  #isInText = false;

  /** True from the start of a formula to its end. */
  get isReading(): boolean {
    return this.#open.length > 0;
  }

  open(name: string, attributes: XmlAttributes): void {
    const value = attributes['m:val'];
    const parent = this.#open.at(-1);
    // `naryPr` and the like: their values belong to the element around them.
    if (parent && isProperty(name)) for (const owner of this.#open.slice(-2)) owner.properties.set(name, value ?? '');
    this.#isInText = name === 't' || name === 'delText';
    this.#open.push({ name, children: [], properties: new Map(), text: '' });
  }

  text(text: string): void {
    const node = this.#open.at(-1);
    if (node && this.#isInText) node.text += text;
  }

  /** Returns the TeX when the formula ends. */
  close(): Formula | undefined {
    this.#isInText = false;
    const node = this.#open.pop();
    if (!node) return undefined;
    const tex = node.name === 't' ? node.text : texOf(node);
    const parent = this.#open.at(-1);
    if (!parent) return { tex, isDisplay: node.name === 'oMathPara' };
    if (tex !== '' || contentNames.has(node.name)) parent.children.push({ name: node.name, tex });
    return undefined;
  }
}

export interface Formula {
  readonly tex: string;
  /** On a line of its own. */
  readonly isDisplay: boolean;
}

/** The converter reads TeX from this attribute, as from formulas of web pages. */
export function formulaHtml({ tex, isDisplay }: Formula): string {
  if (tex.trim() === '') return '';
  return `<math${isDisplay ? ' display="block"' : ''} alttext="${escapeAttribute(tex.trim())}"></math>`;
}

const properties = /^(?:chr|begChr|endChr|sepChr|pos|type|degHide|subHide|supHide|nor|sty)$/;
const isProperty = (name: string): boolean => properties.test(name);

/** Arguments count even if they are empty. */
const contentNames: ReadonlySet<string> = new Set(['e', 'num', 'den', 'sub', 'sup', 'deg', 'lim', 'fName']);

function texOf(node: Node): string {
  const { name, children, properties: stated } = node;
  const part = (wanted: string): string => children.find((child) => child.name === wanted)?.tex ?? '';
  const all = children.map(({ tex }) => tex);
  const isShown = (hide: string): boolean =>
    !stated.has(hide) || ['0', 'false', 'off'].includes(stated.get(hide) ?? '');
  const lowered = (tex: string): string => (tex === '' ? '' : `_{${tex}}`);
  const raised = (tex: string): string => (tex === '' ? '' : `^{${tex}}`);
  switch (name) {
    case 'r':
      // An upright name is a function where Word has no function element around it.
      return stated.has('nor')
        ? textIn(all.join(''))
        : stated.get('sty') === 'p' && functions.test(all.join(''))
          ? `\\${all.join('').trim()} `
          : symbols(all.join(''));
    case 'f':
      return stated.get('type') === 'lin'
        ? `${part('num')}/${part('den')}`
        : stated.get('type') === 'noBar'
          ? `\\genfrac{}{}{0pt}{}{${part('num')}}{${part('den')}}`
          : `\\frac{${part('num')}}{${part('den')}}`;
    case 'sSup':
      return `${base(part('e'))}${raised(part('sup'))}`;
    case 'sSub':
      return `${base(part('e'))}${lowered(part('sub'))}`;
    case 'sSubSup':
      return `${base(part('e'))}${lowered(part('sub'))}${raised(part('sup'))}`;
    case 'sPre':
      return `{}${lowered(part('sub'))}${raised(part('sup'))}${part('e')}`;
    case 'rad':
      return part('deg') === '' || (stated.has('degHide') && !isShown('degHide'))
        ? `\\sqrt{${part('e')}}`
        : `\\sqrt[${part('deg')}]{${part('e')}}`;
    case 'nary': {
      const sign = symbols(stated.get('chr') ?? '∫').trim();
      const from = isShown('subHide') ? lowered(part('sub')) : '';
      return `${sign}${from}${isShown('supHide') ? raised(part('sup')) : ''}{${part('e')}}`;
    }
    case 'd': {
      const [open, close] = [fence(stated.get('begChr'), '('), fence(stated.get('endChr'), ')')];
      const between = symbols(stated.get('sepChr') ?? '|').trim();
      const inside = children.filter((child) => child.name === 'e').map(({ tex }) => tex);
      return `\\left${open}${inside.join(` ${between} `)}\\right${close}`;
    }
    case 'func':
      return `${functionName(part('fName'))}{${part('e')}}`;
    case 'limLow':
      return `${limited(part('e'))}_{${part('lim')}}`;
    case 'limUpp':
      return `${limited(part('e'))}^{${part('lim')}}`;
    case 'acc':
      return `\\${accents.get(stated.get('chr') ?? '\u0302') ?? 'hat'}{${part('e')}}`;
    case 'bar':
      return `\\${stated.get('pos') === 'top' ? 'overline' : 'underline'}{${part('e')}}`;
    case 'groupChr':
      return `\\${stated.get('chr') === '⏞' || stated.get('pos') === 'top' ? 'overbrace' : 'underbrace'}{${part('e')}}`;
    case 'borderBox':
      return `\\boxed{${part('e')}}`;
    case 'mr':
      return all.join(' & ');
    case 'm':
      return `\\begin{matrix}${all.join(' \\\\ ')}\\end{matrix}`;
    case 'eqArr':
      return `\\begin{aligned}${all.join(' \\\\ ')}\\end{aligned}`;
    case 'oMathPara':
      return all.join(' \\\\ ');
    default:
      return all.join('');
  }
}

/** A base of several characters needs braces: `{ab}^{2}`. */
function base(tex: string): string {
  return /^(?:.?|\\[A-Za-z]+ ?)$/su.test(tex) ? tex.trimEnd() : `{${tex}}`;
}

function fence(stated: string | undefined, usual: string): string {
  if (stated === undefined) return usual;
  if (stated === '') return '.';
  return fences.get(stated) ?? symbols(stated).trim();
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
function functionName(tex: string): string {
  const name = tex
    .trim()
    .replace(/^\\text\{(\w+)\}/, '$1')
    .replace(/^\\(?=[a-z]{2,7}(?![A-Za-z]))/, '');
  if (functions.test(name)) return `\\${name}`;
  return /^[A-Za-z]{2,}$/.test(name) ? `\\operatorname{${name}}` : tex;
}

function limited(tex: string): string {
  const name = functionName(tex);
  return name.startsWith('\\') ? name : base(tex);
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
  ['~', 'tilde'],
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
function symbols(text: string): string {
  return text
    .replaceAll(/[^\w\s()[\]=+\-*/.,;:!?<>|'"]/gu, (character) => {
      const sign = signs[character];
      if (sign !== undefined) return sign.endsWith('}') ? `\\${sign}` : `\\${sign} `;
      if (/[{}$%&#_]/.test(character)) return `\\${character}`;
      if (character === '^') return '\\hat{}';
      if (character === '~') return '\\sim ';
      if (character === '−') return '-';
      const plain = /[\u{1d400}-\u{1d7ff}]/u.test(character) ? character.normalize('NFKC') : character;
      return plain === character ? character : symbols(plain);
    })
    .replaceAll('_', '\\_')
    .replaceAll('\\\\_', '\\_');
}

function textIn(text: string): string {
  if (text.trim() === '') return text === '' ? '' : '\\ ';
  return `\\text{${text.replaceAll(/[\\{}$%&#_^~]/g, (character) => (/[\\^~]/.test(character) ? ' ' : `\\${character}`))}}`;
}
