/** Finds gaps between words that only the style sheet makes: `<span>Part 7 of 9</span><span>Price: 3 €</span>`. */
import type { ChildNode, Element } from 'domhandler';
import { isTag, isText } from 'domhandler';
import { isLayout, isLayoutCode } from '../html/white-space.ts';

/**
 * Returns true if two neighbours are separate words without white space between them. A word can change its style
 * inside, so a neighbour with several words must end where another starts: with a capital or a number. Links to two
 * places hardly ever share a word, nor do the labels and values that alone fill a box.
 */
export function isCssGap(before: ChildNode | undefined, node: ChildNode): boolean {
  if (before === undefined || isSpaced(before, node) || !(isPart(before) || isPart(node))) return false;
  const end = edgeOf(before, -1);
  if (end === '' || !(spacedScripts.test(end) || end === ')' || end === '%')) return false;
  const start = edgeOf(node, 0);
  if (currency.test(start)) return isTag(node) && /\p{Ll}/u.test(end) && price.test(beginningOf(node));
  if (start === '' || !spacedScripts.test(start)) return false;
  const areApart = isTag(before) && isTag(node);
  const isCapital = capital.test(start);
  if (areApart && areLabels(before, node) && (startsLabel(end, start) || (isCapital && areUnlike(before, node))))
    return true;
  if (isLink(before) && isLink(node))
    return before.attribs['href'] !== node.attribs['href'] && (isCapital || hasWords(before) || hasWords(node));
  if (!isCapital && !(areApart && digit.test(start) && !digit.test(end))) return false;
  // Between capitals, an abbreviation can continue. An element can be part of a word that continues in the text.
  const isSure = areApart && !capital.test(end);
  if (isSure) return hasWords(before) || hasWords(node);
  return (areApart || !capital.test(end)) && hasWords(before) && hasWords(node);
}

/** Of two spans or links, a capital after a small letter or a number after a letter begins a label or a value. */
function startsLabel(end: string, start: string): boolean {
  return capital.test(start) ? !capital.test(end) : digit.test(start) && !digit.test(end);
}

function areUnlike(before: Element, node: Element): boolean {
  return before.attribs['class'] !== node.attribs['class'];
}

/** Returns true if spans and links alone fill the box around both. Parts of one word stand in text. */
function areLabels(before: Element, node: Element): boolean {
  const { parent } = node;
  if (!(labels.has(before.name) && labels.has(node.name)) || parent === null || !isTag(parent)) return false;
  if (!labelBoxes.has(parent.name) || parent.children.length > labelsMax) return false;
  const isLabel = (child: ChildNode): boolean =>
    isTag(child) ? !marks.has(child.name) : isText(child) && isLayout(child.data);
  return parent.children.every(isLabel) && isWord(before) && isWord(node);
}

/** Letters that a style sheet moves one by one have an element each. A number can have one digit. */
function isWord(node: Element): boolean {
  return /\p{Nd}|\S{2}/u.test(beginningOf(node));
}

const labels: ReadonlySet<string> = new Set(['a', 'span', 's', 'del', 'time', 'label']);
const marks: ReadonlySet<string> = new Set(['b', 'em', 'i', 'strong', 'u', 'sub', 'sup']);
const labelBoxes: ReadonlySet<string> = new Set('div li td th dt dd section article header footer aside'.split(' '));
const labelsMax = 40;

/**
 * Most neighbours are a text with white space at the edge and an element. This check is cheaper than finding out what
 * they are.
 */
function isSpaced(before: ChildNode, node: ChildNode): boolean {
  return (
    (isText(before) && isLayoutCode(before.data.charCodeAt(before.data.length - 1))) ||
    (isText(node) && isLayoutCode(node.data.charCodeAt(0)))
  );
}

const parts: ReadonlySet<string> = new Set('a b em font i label small span strong time u'.split(' '));
const spacedScripts = /[\p{Script=Latin}\p{Script=Greek}\p{Script=Cyrillic}\p{Nd}]/u;
const capital = /\p{Lu}/u;
const digit = /\p{Nd}/u;
const currency = /\p{Sc}/u;
const price = /^\p{Sc}\s?\p{Nd}/u;

function isPart(node: ChildNode): node is Element {
  return isTag(node) && parts.has(node.name);
}

function isLink(node: ChildNode): node is Element {
  return isTag(node) && node.name === 'a';
}

/** The first or last character; '' if the node has no text there. */
function edgeOf(node: ChildNode, at: 0 | -1): string {
  let inner: ChildNode | undefined = node;
  while (inner !== undefined && isPart(inner)) {
    const children: readonly ChildNode[] = inner.children;
    inner = at === 0 ? children.find(isNoIcon) : children.findLast(isNoIcon);
  }
  return inner !== undefined && isText(inner) ? (inner.data.at(at) ?? '') : '';
}

/** An icon can follow the last word. */
function isNoIcon(node: ChildNode): boolean {
  return !isTag(node) || node.name !== 'svg';
}

function hasWords(node: ChildNode): boolean {
  return /\S\s+\S/.test(beginningOf(node));
}

/** Enough text to contain a second word. Without the limit, nested boxes would be read again at each level. */
function beginningOf(node: ChildNode): string {
  if (isText(node)) return node.data.slice(0, beginningLength);
  if (!isTag(node)) return '';
  let text = '';
  for (const child of node.children) {
    text += beginningOf(child);
    if (text.length >= beginningLength) break;
  }
  return text;
}

const beginningLength = 100;
