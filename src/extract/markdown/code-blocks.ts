/** `<pre>` to a fenced block. */
import type { Element } from 'domhandler';
import { isTag } from 'domhandler';
import { preformattedText } from '../preformatted-text.ts';
import type { Flow } from './flow.ts';

export function writePre(pre: Element, flow: Flow): void {
  const code = preformattedText(pre, flow.page.skipped);
  if (flow.isLine) {
    for (const line of code.split('\n')) {
      flow.inline.break();
      flow.inline.code(line.trim());
    }
    return flow.inline.break();
  }
  if (code.trim() === '') return flow.endParagraph(false);
  const longest = (code.match(/`{3,}/g) ?? []).reduce((length, run) => Math.max(length, run.length), 2);
  const fence = '`'.repeat(longest + 1);
  flow.add({ kind: 'code', text: `${fence}${codeLanguage(pre)}\n${code}\n${fence}` });
}

/** Highlighters put the language on the code, on the block, or on a wrapper around it, each in its own way. */
function codeLanguage(pre: Element): string {
  const child = pre.children.find((node) => isTag(node));
  const inner = child !== undefined && isTag(child) ? languageOf(child) : '';
  if (inner !== '') return inner;
  let element: Element | null = pre;
  for (let levels = 0; levels <= wrapperLevelsMax && element !== null; levels++) {
    const language = languageOf(element);
    if (language !== '') return language;
    const { parent }: Element = element;
    // A wrapper holds the block and little else; a whole page is none.
    element = parent !== null && isTag(parent) && wrappers.has(parent.name) ? parent : null;
  }
  return '';
}

const wrapperLevelsMax = 3;
const wrappers: ReadonlySet<string> = new Set([
  'div',
  'figure',
  'span',
  'td',
  'tr',
  'tbody',
  'table',
  'code-block',
  'pre',
]);
const classPattern =
  /(?:^|\s)(?:language|lang|highlight-source|highlight|brush:|sourceCode|source)[-\s]?([^\s"'`{}<>;]+)/;
const notLanguages: ReadonlySet<string> = new Set([
  'none',
  'default',
  'notranslate',
  'source',
  'code',
  'block',
  'wrapper',
  'text-html',
]);

function languageOf({ attribs }: Element): string {
  const stated = attribs['data-lang'] ?? attribs['data-language'] ?? attribs['lang-code'];
  if (stated !== undefined && /^[\w+#.-]{1,30}$/.test(stated)) return stated;
  const found = classPattern.exec(attribs['class'] ?? '')?.[1];
  if (found === undefined || found.length > 30 || notLanguages.has(found)) return '';
  return found.replace(/-notranslate$/, '');
}
