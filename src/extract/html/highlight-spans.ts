/** Elements in code that exist for the style sheet only: `<span class="keyword">`. */
import { firstIds } from './name-table.ts';
import type { PageBytes } from './page-bytes.ts';

/** Returns true if a `<span>` in code with the attributes from `first` on can be reduced to its text without loss. */
export function isHighlightSpan(page: PageBytes, first: number): boolean {
  const stop = page.attributeCount;
  for (let at = first; at < stop; at++) {
    const name = page.attributeName(at);
    if (name !== firstIds.class && name !== firstIds.id) return false;
  }
  const names = page.attribute(first, stop, 'class');
  return names === undefined || !telling.test(names);
}

/** Names of lines, line numbers and formulas. */
const telling = /line|gutter|\bgl\b|blob-num|crayon-nums|math|katex|MJX/i;
