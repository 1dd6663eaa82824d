/** HTML to a tree, within budgets that a hostile page cannot talk its way around. */
import { DomHandler } from 'domhandler';
import type { ChildNode, Document } from 'domhandler';
import { Parser } from 'htmlparser2';

/** The page is larger or deeper than anything a person wrote. What was parsed so far is thrown away. */
export class ParseBudgetError extends Error {
  override readonly name = 'ParseBudgetError';
  readonly budget: 'nodes' | 'depth';

  constructor(budget: 'nodes' | 'depth', limit: number) {
    super(`The page has ${budget === 'nodes' ? 'more than' : 'elements nested deeper than'} ${limit} ${budget}.`);
    this.budget = budget;
  }
}

/** Around 100 MB of tree. The largest of 1,500 real pages had 70,000 nodes. */
export const nodesMax = 500_000;

/** Browsers flatten what is nested deeper. All recursion over the tree relies on this bound. */
export const depthMax = 512;

/** Throws a {@link ParseBudgetError}, and nothing else. NUL characters are dropped, as browsers do in most places. */
export function parseHtml(html: string): Document {
  const handler = new BudgetedHandler();
  // No comments and no processing instructions are kept, since nothing reads them.
  const parser = new Parser(handler);
  parser.end(html.includes('\0') ? html.replaceAll('\0', '') : html);
  return handler.root;
}

/**
 * Checks while the tree grows: 200,000 nested elements take htmlparser2 20 seconds, so that a check afterwards would come
 * too late.
 */
class BudgetedHandler extends DomHandler {
  #nodes = 0;

  override onopentag(name: string, attributes: Record<string, string>): void {
    // The stack holds the document as well.
    if (this.tagStack.length > depthMax) throw new ParseBudgetError('depth', depthMax);
    super.onopentag(name, attributes);
  }

  override oncomment(): void {
    // Text on both sides of a comment stays apart, since an end of the last text node is all that a comment means here.
    this.lastNode = null;
  }

  override onprocessinginstruction(): void {
    this.lastNode = null;
  }

  protected override addNode(node: ChildNode): void {
    this.#nodes++;
    if (this.#nodes > nodesMax) throw new ParseBudgetError('nodes', nodesMax);
    super.addNode(node);
  }
}
