/** Finds gaps between words that only the style sheet makes: `<span>Part 7 of 9</span><span>Price: 3 €</span>`. */
import type { ChildNode, Element } from 'domhandler';
import { isTag, isText } from 'domhandler';
import { isLayoutCode } from './white-space.ts';

/**
 * Returns true if two neighbours are separate words without white space between them. A word can change its style
 * inside, so a neighbour with several words must end where another starts: with a capital or a number. Links to two
 * places hardly ever share a word.
 */
export function isCssGap(before: ChildNode | undefined, node: ChildNode): boolean {
  if (before === undefined || isSpaced(before, node) || !(isPart(before) || isPart(node))) return false;
  const end = edgeOf(before, -1);
  if (end === '' || !spacedScripts.test(end)) return false;
  const start = edgeOf(node, 0);
  if (start === '' || !spacedScripts.test(start)) return false;
  const areApart = isTag(before) && isTag(node);
  const isCapital = capital.test(start);
  if (isLink(before) && isLink(node))
    return before.attribs['href'] !== node.attribs['href'] && (isCapital || hasWords(before) || hasWords(node));
  if (!isCapital && !(areApart && digit.test(start) && !digit.test(end))) return false;
  // Between capitals, an abbreviation can continue. An element can be part of a word that continues in the text.
  const isSure = areApart && !capital.test(end);
  if (isSure) return hasWords(before) || hasWords(node);
  return (areApart || !capital.test(end)) && hasWords(before) && hasWords(node);
}

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

function isPart(node: ChildNode): node is Element {
  return isTag(node) && parts.has(node.name);
}

function isLink(node: ChildNode): node is Element {
  return isTag(node) && node.name === 'a';
}

/** The first or last character; '' if the node has no text there. */
function edgeOf(node: ChildNode, at: 0 | -1): string {
  let inner: ChildNode | undefined = node;
  while (inner !== undefined && isPart(inner)) inner = inner.children.at(at);
  return inner !== undefined && isText(inner) ? (inner.data.at(at) ?? '') : '';
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
