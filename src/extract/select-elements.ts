/** The elements that a list of CSS selectors names. */
import { type Options, selectAll } from 'css-select';
import { type ChildNode, type Document, type Element, isTag } from 'domhandler';
import * as domutils from 'domutils';
import { defaultExcludeElements } from '../core/exclude-elements.ts';

/** Telling what the selectors name takes longer than it may. */
export class ParseBudgetError extends Error {
  override readonly name = 'ParseBudgetError';
}

/**
 * Processor time for one page and one list of selectors. A selector of a few characters can take any: `:has`, `~`, `:nth-last-child` and
 * chains of descendants look at nodes again for each element. 40 selectors on a page of 42,000 elements take 0.3 s.
 */
const selectMsMax = 1_000;
/** Looks at nodes, after which the clock is read. */
const stepsPerLook = 16_384;

type Node = ChildNode | Document;
type Adapter = NonNullable<Options<Node, Element>['adapter']>;

/**
 * Selectors were checked when the job was made; should one not be understood all the same, it names nothing. Throws a
 * {@link ParseBudgetError} where it takes too long to tell what they name.
 */
export function selectElements(document: Document, selectors: string): ReadonlySet<ChildNode> {
  if (selectors.trim() === '') return new Set();
  steps = 0;
  endsAt = usedMs() + selectMsMax;
  // The list of ours is known to be quick, and stands for nearly every page.
  const options = selectors === defaultExcludeElements ? undefined : { adapter: counting };
  try {
    return new Set(selectAll<Node, Element>(selectors, document, options));
  } catch (error) {
    if (error instanceof ParseBudgetError) throw error;
    return new Set();
  }
}

let steps = 0;
let endsAt = 0;

function step(count = 1): void {
  steps += count;
  if (steps < stepsPerLook) return;
  steps = 0;
  if (usedMs() > endsAt) {
    throw new ParseBudgetError(
      `The selectors of include_elements or exclude_elements take longer than ${selectMsMax / 1000} s on this page.`,
    );
  }
}

/** Processor time of this thread, so that a busy machine loses no page. Before Node 23.9, elapsed time. */
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
