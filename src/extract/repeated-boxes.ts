/** Finds what a page says twice: once more for narrow screens, or copies that let a carousel turn round. */
import type { Element } from 'domhandler';
import { isTag } from 'domhandler';
import { textlessElements } from './element-kinds.ts';
import type { PageContent } from './page-content.ts';
import type { Survey } from './survey.ts';

/** Every box with the text of an earlier one. Tables and code repeat themselves for good reasons. */
export function findRepeatedBoxes(content: PageContent, survey: Survey): readonly Element[] {
  const repeated: Element[] = [];
  visit(content, 0, { survey, seen: new Map(), repeated });
  return repeated;
}

interface Search {
  readonly survey: Survey;
  /** Lengths by hash. */
  readonly seen: Map<number, number>;
  readonly repeated: Element[];
}

function visit({ nodes, skipped }: PageContent, outerHash: number, search: Search): void {
  for (const node of nodes) {
    if (
      !isTag(node) ||
      skipped.has(node) ||
      textlessElements.has(node.name) ||
      repeating.has(node.name) ||
      node.attribs['role'] === 'tabpanel'
    )
      continue;
    const { textHash, textLength } = search.survey.of(node);
    if (textLength < repeatedLengthMin) continue;
    // A box around a box says the same, but only once.
    if (boxes.has(node.name) && textHash !== outerHash) {
      if (search.seen.get(textHash) === textLength) {
        search.repeated.push(node);
        continue;
      }
      search.seen.set(textHash, textLength);
    }
    visit({ nodes: node.children, skipped }, textHash, search);
  }
}

/** Shorter texts may be the same in every card. Of 420 pages, F1 is .877 with repetitions and .880 without. */
const repeatedLengthMin = 100;
const boxes: ReadonlySet<string> = new Set(['div', 'section', 'article', 'aside', 'ul', 'ol', 'li', 'figure', 'a']);
const repeating: ReadonlySet<string> = new Set(['table', 'pre', 'code', 'math', 'blockquote']);
