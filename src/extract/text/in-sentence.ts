/** Checks whether an element is part of a sentence. */
import type { Element } from 'domhandler';
import { isTag, isText } from 'domhandler';
import { blockElements } from '../html/element-kinds.ts';
import { textBeginning } from '../html/node-text.ts';
import { readingLength } from './reading-length.ts';

/**
 * Returns true if the element stands in a running text and would be missed, whatever its class or place in it:
 * `<a class="tag">Space travel</a> is slow.`
 */
export function isInSentence(element: Element): boolean {
  if (blockElements.has(element.name)) return false;
  const beside = `${textBeside(element, 'prev')} ${textBeside(element, 'next')}`;
  return readingLength(beside) >= sentenceLengthMin && (twoWords.test(beside) || dense.test(beside));
}

/** The beginning of the text on one side, up to a block or a line break. Links and spans between are passed over. */
function textBeside(element: Element, side: 'prev' | 'next'): string {
  let text = '';
  let left = besideMax;
  for (let node = element[side]; node !== null && left > 0 && text.length < sentenceLengthMin; node = node[side]) {
    left--;
    if (isText(node)) text += side === 'prev' ? node.data.trim().slice(-textMax) : node.data.trim().slice(0, textMax);
    else if (isTag(node) && (blockElements.has(node.name) || node.name === 'br')) break;
    else if (isTag(node) && emphasis.has(node.name)) text += textBeginning(node.children, textMax);
  }
  return text;
}

const emphasis: ReadonlySet<string> = new Set(['b', 'em', 'i', 'strong']);
/** Nodes looked at on each side, so that a line of many elements takes linear time. */
const besideMax = 16;
const textMax = 100;
/** Characters required around the element. A separator, or "on" and "at" in a byline, is not a sentence. */
const sentenceLengthMin = 24;
const twoWords = /\p{L}.*\s.*\p{L}/su;
const dense = /[\u3040-\ud7af]/u;
