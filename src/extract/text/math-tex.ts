/**
 * Extracts formulas as TeX. A page contains each formula two or three times: for screens, screen readers and search.
 */
import type { ChildNode, Element } from 'domhandler';
import { isTag, isText } from 'domhandler';
import { nodeText } from '../html/node-text.ts';
import { attributeOf } from '../html/nodes.ts';
import { mathMlTex } from './mathml-tex.ts';

/**
 * Returns the TeX with its dollar signs, on one line; '' for an element that only draws; undefined if it is not a
 * formula.
 */
export function formulaOf(element: Element): string | undefined {
  const { name } = element;
  switch (name) {
    case 'math':
      return delimited(texOf(element), element.attribs['display'] === 'block');
    case 'script':
      return ofScript(element);
    case 'mjx-container':
      return ofContainer(element);
    case 'img': {
      const tex = texOfPicture(element);
      if (tex !== undefined) return delimited(tex, false);
    }
  }
  const classes = attributeOf(element, 'class');
  // Almost no element is a formula: searching for three strings takes half as long as the pattern.
  if (classes === undefined || !(classes.includes('ath') || classes.includes('katex') || classes.includes('MJX')))
    return undefined;
  if (!formulaClass.test(classes)) return undefined;
  if (/(?:^|\s)katex-html(?:\s|$)/.test(classes)) return '';
  if (/MathJax|MJXc/.test(classes)) return isDrawing(element) ? '' : undefined;
  // A fallback image stands next to its formula.
  if (name === 'img') return hasFormula(element) ? '' : delimited(element.attribs['alt'] ?? '', false);
  return bracketed(element.children);
}

/** Names of elements that {@link formulaOf} handles. */
export const mayBeFormula: ReadonlySet<string> = new Set(['math', 'mjx-container', 'script', 'span', 'div', 'img']);

const formulaClass =
  /(?:^|\s)(?:katex-html|MathJax(?:_\w+)?|MJXc-display|mwe-math-fallback-image-(?:inline|display)|math)(?:\s|$)/;

function delimited(tex: string, isDisplay: boolean): string {
  const line = withoutMarkup(tex.replace(/\s+/g, ' ').trim());
  const fence = isDisplay ? '$$' : '$';
  return line === '' ? '' : fence + line + fence;
}

/**
 * A reader without formulas takes them for Markdown, so a page must not write tags or links into them. The TeX means the
 * same.
 */
function withoutMarkup(tex: string): string {
  return tex.replace(/<(?=[a-z/!?])/gi, '\\lt ').replaceAll('](', '] (');
}

/** Services draw a formula from the TeX in the address of its picture. */
function texOfPicture({ attribs }: Element): string | undefined {
  const { src, alt = '' } = attribs;
  if (src === undefined || !drawing.test(src)) return undefined;
  const at = src.indexOf('?');
  const written = drawnQuery.exec(src.slice(at + 1))?.[1];
  const tex = written === undefined || at < 0 ? alt : decoded(written);
  return tex.replace(/^(?:\\(?:inline|large|small|dpi\{\d*\}|bg_\w+|fn_\w+|bg\{\w*\})\s*)+/, '').trim() || undefined;
}

const drawing = /(?:svg|png|gif)\.(?:latex|image)\?|(?:math|mime)tex\.cgi\?|latex\.php\?|[?&]cht=tx&/;
const drawnQuery = /(?:^|&)(?:(?:latex|chl)=|(?!\w+=))([^&]+)/;

function decoded(text: string): string {
  try {
    return decodeURIComponent(text.replaceAll('+', '%20'));
  } catch {
    return '';
  }
}

function ofScript({ attribs, children }: Element): string | undefined {
  const type = attribs['type'];
  if (type === undefined || !type.startsWith('math/tex')) return undefined;
  return delimited(nodeText(children), /mode\s*=\s*display/.test(type));
}

/** Reads `\(x\)` and `\[x\]`, which a script would draw. */
function bracketed(nodes: readonly ChildNode[]): string | undefined {
  const [first] = nodes;
  // Nested boxes can all have the class. Read only the one that starts with the formula.
  if (first === undefined || !isText(first) || !/^\s{0,20}\\[([]/.test(first.data)) return undefined;
  const tex = nodeText(nodes).trim();
  if (tex.startsWith('\\(') && tex.endsWith('\\)')) return delimited(tex.slice(2, -2), false);
  return tex.startsWith('\\[') && tex.endsWith('\\]') ? delimited(tex.slice(2, -2), true) : undefined;
}

/** MathJax 3 draws, and keeps MathML for screen readers. */
function ofContainer(container: Element): string {
  const math = findElement(container.children, 'math');
  return math === undefined ? '' : delimited(texOf(math), container.attribs['display'] === 'true');
}

/** MathJax 2 draws before the script with the formula. */
function isDrawing(element: Element): boolean {
  for (let next = element.next, steps = 0; next !== null && steps < siblingsMax; next = next.next, steps++) {
    if (isTag(next) && next.name === 'script') return next.attribs['type']?.startsWith('math/tex') === true;
  }
  return false;
}

const siblingsMax = 4;

function hasFormula(image: Element): boolean {
  for (
    let previous = image.prev, steps = 0;
    previous !== null && steps < siblingsMax;
    previous = previous.prev, steps++
  ) {
    if (findElement([previous], 'math') !== undefined) return true;
  }
  return false;
}

function findElement(nodes: readonly ChildNode[], name: string): Element | undefined {
  for (const node of nodes) {
    if (!isTag(node)) continue;
    if (node.name === name) return node;
    const found = findElement(node.children, name);
    if (found !== undefined) return found;
  }
  return undefined;
}

function texOf(math: Element): string {
  return findTex(math.children) ?? math.attribs['alttext'] ?? mathMlTex(math.children);
}

function findTex(nodes: readonly ChildNode[]): string | undefined {
  for (const node of nodes) {
    if (!isTag(node)) continue;
    if (node.name === 'annotation' && /tex/i.test(node.attribs['encoding'] ?? '')) return nodeText(node.children);
    const found = findTex(node.children);
    if (found !== undefined) return found;
  }
  return undefined;
}
