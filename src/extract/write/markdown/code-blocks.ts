/** Writes `<pre>` as a fenced block. */
import type { Element } from 'domhandler';
import { preformattedText } from '../../text/preformatted-text.ts';
import { codeLanguage } from './code-language.ts';
import { isLeftEmpty } from './empty-elements.ts';
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
  if (code.trim() === '' && !isLeftEmpty(pre)) return flow.endParagraph(false);
  const longest = (code.match(/`{3,}/g) ?? []).reduce((length, run) => Math.max(length, run.length), 2);
  const fence = '`'.repeat(longest + 1);
  const language = codeLanguage(pre);
  flow.endParagraph(false);
  // Many pages write the language above the code.
  if (language !== '' && flow.blocks.at(-1)?.text.toLowerCase() === language.toLowerCase()) flow.blocks.pop();
  flow.add({ kind: 'code', text: `${fence}${language}\n${code === '' ? '' : `${code}\n`}${fence}` });
}
