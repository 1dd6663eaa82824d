/** Says what of a page was left out, and by which rule. */
import type { ChildNode, Document } from 'domhandler';
import { isTag, isText } from 'domhandler';
import type { DroppedText } from '../../core/dropped-text.ts';
import { textlessElements } from '../html/element-kinds.ts';
import { elementsAround } from '../html/nodes.ts';
import type { Box } from '../measure/measure-page.ts';
import { countWords } from '../text/count-words.ts';
import { outsideRule } from './dropped-lengths.ts';
import type { PageContent } from './page-content.ts';

/**
 * Returns the texts in the order of the page, after the buttons that were removed before. `page` is the box whose rules
 * decided; without it, selectors did. At most {@link textsMax}: the last one then has all words of the rest.
 */
export function droppedText(
  document: Document,
  content: PageContent,
  page: Box | undefined,
  removed: readonly ChildNode[],
  said: readonly ChildNode[] = [],
  outside = outsideRule,
): readonly DroppedText[] {
  const rules = new Map<ChildNode, string>(said.map((node) => [node, saidRule]));
  if (page !== undefined) noteRules(page, rules);
  const kept = new Set(content.nodes.filter((node) => !content.skipped.has(node)));
  const around = elementsAround(kept);
  const texts = removed.map((node) => addTo({ rule: 'heading-button', pieces: [] }, [node], kept));
  const walk: Walk = { content, rules, kept, around, texts, open: undefined };
  visit(document.children, false, page === undefined ? 'selectors' : outside, walk);
  close(walk);
  const dropped = texts.map(toDropped).filter(({ words }) => words > 0);
  return dropped.length <= textsMax
    ? dropped
    : [...dropped.slice(0, textsMax - 1), ofRest(dropped.slice(textsMax - 1))];
}

/** Names lines whose values are in the metadata. */
export const saidRule = 'said-in-metadata';
const textsMax = 1000;
/** Characters of a text that are shown. */
const beginningMax = 500;

interface Part {
  readonly rule: string;
  readonly pieces: string[];
}

interface Walk {
  readonly content: PageContent;
  readonly rules: ReadonlyMap<ChildNode, string>;
  readonly kept: ReadonlySet<ChildNode>;
  /** Elements that hold a kept one. */
  readonly around: ReadonlySet<ChildNode>;
  readonly texts: Part[];
  /** Text outside of the content, which can go on. */
  open: Part | undefined;
}

function visit(nodes: readonly ChildNode[], isKept: boolean, outside: string, walk: Walk): void {
  for (const node of nodes) {
    if (isText(node)) {
      if (!isKept) addTo(open(outside, walk), [node], walk.kept);
    } else if (isTag(node) && !textlessElements.has(node.name)) {
      if (walk.content.skipped.has(node)) {
        close(walk);
        walk.texts.push(addTo({ rule: walk.rules.get(node) ?? 'selectors', pieces: [] }, [node], walk.kept));
      } else if (isKept || walk.kept.has(node)) {
        close(walk);
        visit(node.children, true, outside, walk);
      } else if (walk.around.has(node)) {
        close(walk);
        visit(node.children, false, outside, walk);
        close(walk);
      } else {
        close(walk);
        walk.texts.push(addTo({ rule: walk.rules.get(node) ?? outside, pieces: [] }, [node], walk.kept));
      }
    }
  }
}

function open(rule: string, walk: Walk): Part {
  walk.open ??= { rule, pieces: [] };
  return walk.open;
}

function close(walk: Walk): void {
  if (walk.open !== undefined) walk.texts.push(walk.open);
  walk.open = undefined;
}

/** A note can be kept although the list around it is not. */
function addTo(part: Part, nodes: readonly ChildNode[], kept: Walk['kept']): Part {
  for (const node of nodes) {
    if (kept.has(node)) continue;
    if (isText(node)) part.pieces.push(node.data);
    else if (isTag(node) && !textlessElements.has(node.name)) addTo(part, node.children, kept);
  }
  return part;
}

function toDropped({ rule, pieces }: Part): DroppedText {
  const text = pieces.join(' ').replaceAll(/\s+/g, ' ').trim();
  const isCut = text.length > beginningMax;
  const beginning = text.slice(0, beginningMax).toWellFormed();
  return { rule, text: beginning, ...(isCut && { cut: true }), words: countWords(text) };
}

function ofRest(texts: readonly DroppedText[]): DroppedText {
  return { rule: 'rest', text: '', words: texts.reduce((sum, { words }) => sum + words, 0) };
}

function noteRules(box: Box, rules: Map<ChildNode, string>): void {
  if (box.isSkipped && box.element !== undefined && box.rule !== undefined) rules.set(box.element, box.rule);
  for (const inner of box.boxes) noteRules(inner, rules);
}
