/** The text of a thread begins with its title, which many forums write as a link, or only into `<title>`. */
import type { ChildNode } from 'domhandler';
import { isTag } from 'domhandler';
import { escapeText } from 'entities';
import { headingElements } from '../html/element-kinds.ts';
import { parseHtml } from '../html/parse-html.ts';
import { isNamedIn, tidyHeading } from '../text/page-title.ts';

/**
 * Returns the nodes of the thread with the headline of the page in front, unless they begin with a heading that says it,
 * or says more. A heading that is shorter and says something else is the name of the forum.
 */
export function withThreadTitle(nodes: readonly ChildNode[], headline: string): readonly ChildNode[] {
  if (headline === '') return nodes;
  const [first, ...others] = nodes;
  if (first === undefined || !isTag(first) || !headingElements.has(first.name)) return [...titleOf(headline), ...nodes];
  const heading = tidyHeading(first);
  const title = headline.toLowerCase();
  if (heading.length >= title.length || isNamedIn(title, heading)) return nodes;
  return [...titleOf(headline), ...others];
}

function titleOf(headline: string): readonly ChildNode[] {
  return parseHtml(`<h1>${escapeText(headline)}</h1>`).children;
}
