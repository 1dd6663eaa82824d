/** Elements in code that exist for the style sheet only: `<span class="keyword">`. */
import { type Attributes, noAttributes } from '../../src/extract/html/attributes.ts';

/** Returns true if an element within code can be reduced to its text without loss. */
export function isHighlightSpan(name: string, attributes: Attributes): boolean {
  if (name !== 'span') return false;
  if (attributes === noAttributes) return true;
  for (const attribute in attributes) {
    if (attribute !== 'class' && attribute !== 'id') return false;
  }
  const names = attributes['class'];
  return names === undefined || !telling.test(names);
}

/** Names of lines, line numbers and formulas. */
const telling = /line|gutter|\bgl\b|blob-num|crayon-nums|math|katex|MJX/i;
