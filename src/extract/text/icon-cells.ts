/** Reads table cells whose content is a sign drawn by a style sheet or an image: mostly yes or no. */
import type { ChildNode, Element } from 'domhandler';
import { isTag } from 'domhandler';
import { nodeText } from '../html/node-text.ts';

/** For a cell without text. Returns the name of its sign, the sign itself, or '' if there is none. */
export function iconOfCell(cell: Element, skipped: ReadonlySet<ChildNode>): string {
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

/** The labels of controls name an action, not a value. */
const controls: ReadonlySet<string> = new Set('a button form input select label'.split(' '));

function nameOf({ name, attribs, children }: Element): string {
  const title = name === 'svg' ? children.filter((child) => isTag(child) && child.name === 'title') : [];
  const text = (attribs['aria-label'] ?? attribs['title'] ?? nodeText(title)).replaceAll(/\s+/g, ' ').trim();
  return text.length <= nameLengthMax ? text : '';
}

const nameLengthMax = 40;

/** Icon fonts name their signs after the shape. */
function ownSign({ attribs }: Element): string {
  const names = attribs['class'] ?? attribs['href'] ?? attribs['xlink:href'] ?? '';
  return no.test(names) ? '✗' : yes.test(names) ? '✓' : '';
}

const yes = /(?:^|[\s_#-])(?:check|check-?mark|tick|yes)(?:$|[\s_-])/i;
const no = /(?:^|[\s_#-])(?:x-?mark|cross|times|close|un-?check(?:ed)?)(?:$|[\s_-])/i;
