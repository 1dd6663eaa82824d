/** What a cell of a table says by a sign that the style sheet or a drawing makes: mostly yes or no. */
import type { ChildNode, Element } from 'domhandler';
import { isTag } from 'domhandler';
import { nodeText } from './node-text.ts';

/** Of a cell without text: the name of its sign, or the sign itself; '' where there is none. */
export function cellSign(cell: Element, skipped: ReadonlySet<ChildNode>): string {
  return ownSign(cell) || signIn(cell.children, skipped);
}

function signIn(nodes: readonly ChildNode[], skipped: ReadonlySet<ChildNode>): string {
  for (const node of nodes) {
    if (!isTag(node) || skipped.has(node) || controls.has(node.name)) continue;
    const sign = nameOf(node) || ownSign(node) || signIn(node.children, skipped);
    if (sign !== '') return sign;
  }
  return '';
}

/** What can be pressed is named by what it does. */
const controls: ReadonlySet<string> = new Set('a button form input select label'.split(' '));

function nameOf({ name, attribs, children }: Element): string {
  const title = name === 'svg' ? children.filter((child) => isTag(child) && child.name === 'title') : [];
  const text = (attribs['aria-label'] ?? attribs['title'] ?? nodeText(title)).replaceAll(/\s+/g, ' ').trim();
  return text.length <= nameLengthMax ? text : '';
}

const nameLengthMax = 40;

/** Icon fonts name their signs after what they show. */
function ownSign({ attribs }: Element): string {
  const names = attribs['class'] ?? attribs['href'] ?? attribs['xlink:href'] ?? '';
  return no.test(names) ? '✗' : yes.test(names) ? '✓' : '';
}

const yes = /(?:^|[\s_#-])(?:check|check-?mark|tick|yes)(?:$|[\s_-])/i;
const no = /(?:^|[\s_#-])(?:x-?mark|cross|times|close|un-?check(?:ed)?)(?:$|[\s_-])/i;
