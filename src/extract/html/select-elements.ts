/** Finds the elements that a list of CSS selectors matches. */
import { compile, type Options, selectAll } from 'css-select';
import { type ChildNode, type Document, type Element, isTag } from 'domhandler';
import * as domutils from 'domutils';
import { defaultExcludeElements } from '../../core/exclude-elements.ts';

/** The selectors exceed their time limit. */
export class ParseBudgetError extends Error {
  override readonly name = 'ParseBudgetError';
}

/**
 * Processor time for one page and one list of selectors. A selector of a few characters can take any time: `:has`, `~`,
 * `:nth-last-child` and descendant chains visit nodes again for each element. 40 selectors on a page of 42,000 elements
 * take 0.3 s.
 */
const selectMsMax = 1_000;
/** Steps between two reads of the clock. */
const stepsPerLook = 16_384;

type Node = ChildNode | Document;
type Adapter = NonNullable<Options<Node, Element>['adapter']>;

/**
 * The selectors were validated when the job was created; one that still fails to parse matches nothing. Throws a {@link
 * ParseBudgetError} if matching takes too long.
 */
export function selectElements(document: Document, selectors: string): ReadonlySet<ChildNode> {
  if (selectors.trim() === '') return new Set();
  startSelecting();
  // The default list is known to be fast, and applies to nearly every page.
  const options = selectors === defaultExcludeElements ? undefined : { adapter: counting };
  try {
    return new Set(selectAll<Node, Element>(selectors, document, options));
  } catch (error) {
    if (error instanceof ParseBudgetError) throw error;
    return new Set();
  }
}

/** Begins the time limit anew: for one page and all selectors that follow. */
export function startSelecting(): void {
  steps = 0;
  endsAt = usedMs() + selectMsMax;
}

export type Selector = (element: Element) => boolean;

/** A selector for many pages. One that fails to parse matches nothing. */
export function compiledSelector(selectors: string): Selector {
  try {
    return compile<Node, Element>(selectors, { adapter: counting });
  } catch {
    return () => false;
  }
}

let steps = 0;
let endsAt = 0;

/** Counts work against the time limit. */
export function step(count = 1): void {
  steps += count;
  if (steps < stepsPerLook) return;
  steps = 0;
  if (usedMs() > endsAt) {
    throw new ParseBudgetError(
      `The selectors of include_elements, exclude_elements or extract take longer than ${selectMsMax / 1000} s on this page.`,
    );
  }
}

/** Processor time of this thread, so that a busy machine loses no page. Elapsed time before Node 23.9. */
function usedMs(): number {
  const { threadCpuUsage } = process as Partial<Pick<typeof process, 'threadCpuUsage'>>;
  if (!threadCpuUsage) return performance.now();
  const { user, system } = threadCpuUsage();
  return (user + system) / 1000;
}

const counting: Adapter = {
  removeSubsets: (nodes) => domutils.removeSubsets(nodes),
  isTag(node): node is Element {
    step();
    return isTag(node);
  },
  getAttributeValue(element, name) {
    step();
    return domutils.getAttributeValue(element, name);
  },
  hasAttrib(element, name) {
    step();
    return domutils.hasAttrib(element, name);
  },
  getName(element) {
    step();
    return domutils.getName(element);
  },
  getChildren(node) {
    step();
    return domutils.getChildren(node);
  },
  getParent(element) {
    step();
    return domutils.getParent(element);
  },
  getSiblings(node) {
    step();
    return domutils.getSiblings(node);
  },
  prevElementSibling(node) {
    step();
    return domutils.prevElementSibling(node);
  },
  getText(node) {
    const text = domutils.getText(node);
    step(text.length);
    return text;
  },
};
