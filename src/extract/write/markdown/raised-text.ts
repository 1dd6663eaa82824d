/**
 * Writes `<sup>` and `<sub>`. Markdown has neither, and `x2` for x<sup>2</sup> or `102` for 10<sup>2</sup> has another
 * meaning.
 *
 * Numbers and charges become Unicode superscripts and subscripts: one character each, correct in source and page, and
 * folded to the plain digit by a normalising search (NFKC). Other text that changes the meaning of the word before it
 * keeps its element, as in pandoc's GFM: GitHub renders it, and models know it well. Text with the same meaning on the
 * line (1st, ®, [1]) is written on the line.
 */
import type { ChildNode, Element } from 'domhandler';
import { isTag } from 'domhandler';
import { nodeText } from '../../html/node-text.ts';
import type { Flow } from './flow.ts';

export function writeRaised(element: Element, flow: Flow): void {
  const { inline } = flow;
  const isRaised = element.name === 'sup';
  const text = nodeText(element.children).slice(0, textMax + 1);
  if (isNumber(text) && !holdsMore(element.children)) {
    const characters = isRaised ? raised : lowered;
    return inline.text(Array.from(text, (character) => characters[character] ?? character).join(''));
  }
  if (!changesMeaning(text, inline.before, isRaised) || holdsMore(element.children)) {
    return flow.page.walk(element.children, flow);
  }
  if (inline.isCode) {
    inline.text(isRaised ? '^' : '_');
    return flow.page.walk(element.children, flow);
  }
  inline.raw(`<${element.name}>`);
  flow.page.walk(element.children, flow);
  inline.raw(`</${element.name}>`);
}

const textMax = 40;

function isNumber(text: string): boolean {
  return /^(?:[+\-−]?\d{1,12}|\d{0,2}[+\-−])$/.test(text);
}

/** `before` is the character right before the text, or ''. */
function changesMeaning(text: string, before: string, isRaised: boolean): boolean {
  if (text.length > textMax || !/^[\p{L}\p{N}+\-−]/u.test(text) || !/[\p{L}\p{N})\]|}]$/u.test(before)) return false;
  if (!isRaised) return true;
  return !abbreviation.test(text) && !(/[\dIVXLC]/.test(before) && ordinal.test(text));
}

const ordinal = /^(?:st|nd|rd|th|er|ers|re|res|ère|e|es|è|ème|èmes|o|os|a|as)$/i;
const abbreviation = /^(?:tm|sm|mes?|lles?)$/i;

/** Exponents do not contain links, notes, images or blocks. */
function holdsMore(nodes: readonly ChildNode[]): boolean {
  return nodes.some((node) => isTag(node) && (!letterElements.has(node.name) || holdsMore(node.children)));
}

const letterElements: ReadonlySet<string> = new Set(['b', 'strong', 'i', 'em', 'var', 'span', 'font', 'small']);

const signs = Array.from('+-−');
const raised = mapped('⁰¹²³⁴⁵⁶⁷⁸⁹', '⁺⁻⁻');
const lowered = mapped('₀₁₂₃₄₅₆₇₈₉', '₊₋₋');

function mapped(digits: string, signsOf: string): Readonly<Record<string, string>> {
  const characters: Record<string, string> = {};
  for (const [digit, character] of Array.from(digits).entries()) characters[String(digit)] = character;
  for (const [at, character] of Array.from(signsOf).entries()) characters[signs[at] ?? ''] = character;
  return characters;
}
