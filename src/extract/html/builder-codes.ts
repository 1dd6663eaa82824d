/** Removes what a page builder or a template left in the text: `[vc_row css="..."]`, `[/et_pb_text]`, `{{ price }}`. */
import type { ChildNode, Document } from 'domhandler';
import { isTag, isText } from 'domhandler';
import { textlessElements } from './element-kinds.ts';

/**
 * Returns false for most pages. Scripts can contain such codes too, so true only means that a search is worthwhile. The
 * pattern alone, without the search for an end code, takes 4 % of the conversion.
 */
export function mayHoldBuilderCodes(html: string): boolean {
  return html.includes('{{') || (html.includes('[/') && codeStart.test(html));
}

/**
 * Changes the texts of the page. Code keeps everything, and so does a sentence about a single code. Returns true if a
 * text of placeholders alone was removed: scripts would have filled it.
 */
export function removeBuilderCodes(document: Document): boolean {
  return visitAll(document.children);
}

function visitAll(nodes: readonly ChildNode[]): boolean {
  let hadPlaceholders = false;
  for (const node of nodes) {
    if (isText(node)) {
      const before = node.data;
      node.data = withoutBuilderCodes(before);
      hadPlaceholders ||= node.data === '' && before.includes('{{');
    } else if (isTag(node) && !textlessElements.has(node.name) && !codeElements.has(node.name))
      hadPlaceholders = visitAll(node.children) || hadPlaceholders;
  }
  return hadPlaceholders;
}

const codeElements: ReadonlySet<string> = new Set(['pre', 'code', 'samp', 'kbd', 'tt', 'var', 'math']);

/**
 * A code is removed if it has attributes, touches another code, or begins or ends the text. Placeholders are removed if
 * the text has no other words.
 */
export function withoutBuilderCodes(text: string): string {
  if (text.includes('{{') && !/[\p{L}\p{N}]/u.test(text.replaceAll(placeholders, ''))) return '';
  if (!codeStart.test(text)) return text;
  const start = text.search(/\S/);
  const end = text.trimEnd().length;
  return text.replaceAll(codes, (run: string, at: number) => {
    const isSingle = !run.slice(1).includes('[') && !run.includes('=');
    return isSingle && at > start && at + run.length < end ? run : ' ';
  });
}

/** A name or an expression, not the object literal of a script. */
const placeholders = /\{\{[^{}:;]{1,100}\}\}/g;

const builders = 'vc|et_pb|fusion|nectar|tatsu|cmsmasters|mkdf|qode|edgtf|eltdf';
const codeStart = new RegExp(String.raw`\[/?(?:${builders})_[a-z]`);
/** Each scan of attributes ends at the next bracket, so the time is linear. */
const codes = new RegExp(String.raw`(?:\[/?(?:${builders})_[a-z\d_]+(?:\s[^[\]]{0,2000})?/?\]\s*)+`, 'g');
