// Which words a text has, however it is written: HTML or Markdown, as a bag. With these the texts of the peers are held against
// what a page says.
import { micromark } from 'micromark';
import { gfm, gfmHtml } from 'micromark-extension-gfm';
import { type DefaultTreeAdapterMap, defaultTreeAdapter, parse } from 'parse5';

type Node = DefaultTreeAdapterMap['node'];
type Element = DefaultTreeAdapterMap['element'];

/** A node to be read, or none: the end of a block. */
interface Step {
  readonly node?: Node;
}

export type Words = readonly string[];

/** Of two bags of words: the part of the answer that belongs there, the part of the reference that is there, and their mean. */
export interface Agreement {
  readonly precision: number;
  readonly recall: number;
  readonly f1: number;
}

/** Rendered first, so that targets of links and signs of Markdown are no words. */
export function textOfMarkdown(markdown: string): string {
  const html = micromark(markdown, {
    allowDangerousHtml: true,
    extensions: [gfm()],
    htmlExtensions: [gfmHtml()],
  });
  return textOfHtml(html, () => false);
}

/** What a reader of the page sees, less the elements that are `skipped`. */
export function textOfHtml(html: string, skipped: (attributes: ReadonlyMap<string, string>) => boolean): string {
  const isSkipped = ({ tagName, attrs }: Element): boolean =>
    unseen.has(tagName) || skipped(new Map(attrs.map(({ name, value }) => [name, value])));
  const texts: string[] = [];
  const waiting: Step[] = [{ node: parse(html, { scriptingEnabled: false }) }];
  for (let step = waiting.pop(); step !== undefined; step = waiting.pop()) {
    const { node } = step;
    if (node === undefined) texts.push(' ');
    else if (defaultTreeAdapter.isTextNode(node)) texts.push(node.value);
    else if ('childNodes' in node) {
      const element = defaultTreeAdapter.isElementNode(node) ? node : undefined;
      if (element !== undefined && isSkipped(element)) continue;
      // The words before and after a block are not one.
      if (element !== undefined && !inline.has(element.tagName)) {
        texts.push(' ');
        waiting.push({});
      }
      for (const child of node.childNodes.toReversed()) waiting.push({ node: child });
    }
  }
  return texts.join('');
}

export function wordsOf(text: string): Words {
  return text.toLowerCase().match(/[\p{L}\p{N}_]+/gu) ?? [];
}

/** An empty reference agrees with an empty answer only. */
export function agreementOf(answer: Words, reference: Words): Agreement {
  if (answer.length === 0 || reference.length === 0) {
    const all = answer.length === reference.length ? 1 : 0;
    return { precision: all, recall: all, f1: all };
  }
  const left = new Map<string, number>();
  for (const word of reference) left.set(word, (left.get(word) ?? 0) + 1);
  let shared = 0;
  for (const word of answer) {
    const count = left.get(word) ?? 0;
    if (count === 0) continue;
    shared++;
    left.set(word, count - 1);
  }
  const [precision, recall] = [shared / answer.length, shared / reference.length];
  return { precision, recall, f1: shared === 0 ? 0 : (2 * precision * recall) / (precision + recall) };
}

const unseen = new Set(['head', 'script', 'style', 'template', 'noscript', 'svg']);

const inline = new Set(
  'a abbr b bdi bdo big cite code data del dfn em font i ins kbd label mark q s samp small span strike strong sub sup time tt u var wbr'.split(
    ' ',
  ),
);
