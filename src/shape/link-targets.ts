/** Replaces the addresses of links in Markdown. */
import { addressIn, linksIn } from './inline-links.ts';
import { leavesOf } from './leaves.ts';

/**
 * `newAddress` gets each address as a reader resolves it, and returns one without white space and brackets, or undefined
 * to keep the link. Images keep theirs unless `withImages` is set. Linear in the text, for any input.
 */
export function withLinkTargets(
  text: string,
  newAddress: (address: string) => string | undefined,
  { withImages = false } = {},
): string {
  const parts: string[] = [];
  let written = 0;
  const replace = (start: number, end: number): void => {
    const address = addressIn(text.slice(start, end));
    const replaced = newAddress(address.read);
    if (replaced === undefined) return;
    parts.push(text.slice(written, start), replaced);
    written = start + address.length;
  };
  // Without it, each of a million short leaves would search the rest of the text for a link.
  let nextLink = text.indexOf('](');
  for (const leaf of leavesOf(text)) {
    if (leaf.kind === 'code' || leaf.kind === 'html' || leaf.kind === 'rule') continue;
    if (leaf.kind === 'definition') {
      const [from = 0, to = 0] = leaf.lines;
      const label = text.indexOf(']:', from) + 2;
      replace(afterSpace(text, label, to), to);
      continue;
    }
    if (nextLink !== -1 && nextLink < leaf.start) nextLink = text.indexOf('](', leaf.start);
    if (nextLink === -1 || nextLink >= leaf.end) continue;
    const links = linksIn(text, leaf, noDefinitions).filter(({ isImage }) => withImages || !isImage);
    for (const { textEnd, end, target } of links) {
      const start = afterSpace(text, textEnd + 2, end);
      replace(start, start + target.length);
    }
  }
  return written === 0 ? text : parts.join('') + text.slice(written);
}

/** References are rewritten where they are defined. */
const noDefinitions: ReadonlyMap<string, string> = new Map();

function afterSpace(text: string, from: number, end: number): number {
  let index = from;
  while (index < end && (text[index] === ' ' || text[index] === '\t')) index++;
  return index;
}
