// Writes formulas of Office files (OMML: ECMA-376, part 1, 22.1) as TeX.
import { escapeAttribute } from 'entities';
import {
  isTexFunction,
  texAccent,
  texBase,
  texFence,
  texFraction,
  texFunction,
  texLimited,
  texRows,
  texSymbols,
  texText,
} from '../../core/tex.ts';
import type { XmlAttributes, XmlElement, XmlHandler } from '../parts/read-xml.ts';

interface Node {
  readonly name: string;
  /** TeX of the children that hold content, in order. */
  readonly children: { readonly name: string; readonly tex: string }[];
  /** Values of the properties: `chr`, `begChr`, `pos`. */
  readonly properties: Map<string, string>;
}

/** Handles `elements`, but hands those of formulas to a reader of their own. `write` gets the HTML of each. */
export function withFormulas(
  elements: Readonly<Record<string, XmlElement>>,
  write: (html: string) => unknown,
): XmlHandler {
  const formula = new FormulaReader();
  return {
    open(name, attributes) {
      if (formula.isReading || name === 'oMath' || name === 'oMathPara') formula.open(name, attributes);
      else elements[name]?.open?.(attributes);
    },
    close(name, text) {
      if (formula.isReading) {
        const html = formula.close(text);
        if (html !== '') write(html);
      } else elements[name]?.close?.(text);
    },
  };
}

/**
 * Reads one formula from the events of its XML. An element is written when it ends, so nothing recurses; `readXml`
 * limits the depth.
 */
class FormulaReader {
  readonly #open: Node[] = [];

  /** True from the start of a formula to its end. */
  get isReading(): boolean {
    return this.#open.length > 0;
  }

  open(name: string, attributes: XmlAttributes): void {
    const value = attributes['m:val'];
    const parent = this.#open.at(-1);
    // `naryPr` and the like: their values belong to the element around them.
    if (parent && isProperty(name)) for (const owner of this.#open.slice(-2)) owner.properties.set(name, value ?? '');
    this.#open.push({ name, children: [], properties: new Map() });
  }

  /** Returns the HTML when the formula ends, empty before: the converter reads TeX from it, as from formulas of web pages. */
  close(text: string): string {
    const node = this.#open.pop();
    if (!node) return '';
    const tex = node.name === 't' ? text : texOf(node);
    const parent = this.#open.at(-1);
    if (parent) {
      if (tex !== '' || contentNames.has(node.name)) parent.children.push({ name: node.name, tex });
      return '';
    }
    if (tex.trim() === '') return '';
    return `<math${node.name === 'oMathPara' ? ' display="block"' : ''} alttext="${escapeAttribute(tex.trim())}"></math>`;
  }
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
        ? texText(all.join(''))
        : stated.get('sty') === 'p' && isTexFunction(all.join(''))
          ? `\\${all.join('').trim()} `
          : texSymbols(all.join(''));
    case 'f':
      return stated.get('type') === 'lin'
        ? `${part('num')}/${part('den')}`
        : stated.get('type') === 'noBar'
          ? texFraction(part('num'), part('den'), false)
          : texFraction(part('num'), part('den'), true);
    case 'sSup':
      return `${texBase(part('e'))}${raised(part('sup'))}`;
    case 'sSub':
      return `${texBase(part('e'))}${lowered(part('sub'))}`;
    case 'sSubSup':
      return `${texBase(part('e'))}${lowered(part('sub'))}${raised(part('sup'))}`;
    case 'sPre':
      return `{}${lowered(part('sub'))}${raised(part('sup'))}${part('e')}`;
    case 'rad':
      return part('deg') === '' || (stated.has('degHide') && !isShown('degHide'))
        ? `\\sqrt{${part('e')}}`
        : `\\sqrt[${part('deg')}]{${part('e')}}`;
    case 'nary': {
      const sign = texSymbols(stated.get('chr') ?? '∫').trim();
      const from = isShown('subHide') ? lowered(part('sub')) : '';
      return `${sign}${from}${isShown('supHide') ? raised(part('sup')) : ''}{${part('e')}}`;
    }
    case 'd': {
      const [open, close] = [texFence(stated.get('begChr'), '('), texFence(stated.get('endChr'), ')')];
      const between = texSymbols(stated.get('sepChr') ?? '|').trim();
      const inside = children.filter((child) => child.name === 'e').map(({ tex }) => tex);
      return `\\left${open}${inside.join(` ${between} `)}\\right${close}`;
    }
    case 'func':
      return `${texFunction(part('fName'))}{${part('e')}}`;
    case 'limLow':
      return `${texLimited(part('e'))}_{${part('lim')}}`;
    case 'limUpp':
      return `${texLimited(part('e'))}^{${part('lim')}}`;
    case 'acc':
      return `${texAccent(stated.get('chr') ?? '\u0302') ?? '\\hat'}{${part('e')}}`;
    case 'bar':
      return `\\${stated.get('pos') === 'top' ? 'overline' : 'underline'}{${part('e')}}`;
    case 'groupChr':
      return `\\${stated.get('chr') === '⏞' || stated.get('pos') === 'top' ? 'overbrace' : 'underbrace'}{${part('e')}}`;
    case 'borderBox':
      return `\\boxed{${part('e')}}`;
    case 'mr':
      return all.join(' & ');
    case 'm':
      return texRows('matrix', all);
    case 'eqArr':
      return texRows('aligned', all);
    case 'oMathPara':
      return all.join(' \\\\ ');
    default:
      return all.join('');
  }
}
