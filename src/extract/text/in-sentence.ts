/** Checks whether an element is part of a sentence. */
import type { Element } from 'domhandler';
import { isText } from 'domhandler';
import { blockElements } from '../html/element-kinds.ts';

/**
 * Returns true if the element stands between words of a text and would be missed, whatever its class:
 * `deep <a class="textTag">space travel</a>, but`.
 */
export function isInSentence({ name, prev, next }: Element): boolean {
  if (blockElements.has(name) || prev === null || next === null || !isText(prev) || !isText(next)) return false;
  const [before, after] = [prev.data.slice(-sentenceLengthMin), next.data.slice(0, sentenceLengthMin)];
  return before.length + after.length >= sentenceLengthMin && wordBefore.test(before) && wordAfter.test(after);
}

/** Characters required around the element. A separator, or "on" and "at" in a byline, is not a sentence. */
const sentenceLengthMin = 20;
const wordBefore = /[\p{L}\p{N}][,;:]?["'“„«(]?\s*$/u;
const wordAfter = /^["'”“»)]?\s*[\p{L}\p{N},.;:!?]/u;
