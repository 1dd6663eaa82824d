/** Elements in code that are there for the style sheet only: `<span class="keyword">`. */
import { type Attributes, noAttributes } from './html/attributes.ts';

/** Whether nothing is lost when such an element, which stands in code, is but the text that it holds. */
export function isColour(name: string, attributes: Attributes): boolean {
  if (name !== 'span') return false;
  if (attributes === noAttributes) return true;
  for (const attribute in attributes) {
    if (attribute !== 'class' && attribute !== 'id') return false;
  }
  const names = attributes['class'];
  return names === undefined || !telling.test(names);
}

/** May say that it is a line, the number of one, or a formula. */
const telling = /line|gutter|\bgl\b|blob-num|crayon-nums|math|katex|MJX/i;
