/** Finds what a post quotes of the posts before it: who reads the thread has read it. */
import type { ChildNode, Element } from 'domhandler';
import { isTag } from 'domhandler';
import { nodeText, textBeginning } from './node-text.ts';

/** Quotes of other threads, and of anything else, are not among them. */
export function repeatedQuotes(bodies: readonly Element[]): readonly Element[] {
  const repeated: Element[] = [];
  let before = '';
  let quotesLeft = quotesMax;
  for (const body of bodies) {
    const quotes: Element[] = [];
    collectQuotes(body.children, quotes);
    for (const quote of quotes) {
      if (quotesLeft-- > 0 && isRepeated(quote, before)) repeated.push(quote);
    }
    if (before.length < textLengthMax) before += lettersOf(nodeText(body.children));
  }
  return repeated;
}

/** Each quote is looked for in all that is before it: bounds a page of nothing but quotes. */
const quotesMax = 200;
const textLengthMax = 500_000;

function collectQuotes(nodes: readonly ChildNode[], quotes: Element[]): void {
  for (const node of nodes) {
    if (!isTag(node)) continue;
    if (node.name === 'blockquote' || quoteNames.test(node.attribs['class'] ?? '')) quotes.push(node);
    else collectQuotes(node.children, quotes);
  }
}

const quoteNames = /(?:^|\s)(?:quote|bbcode_container|ipsQuote|quoteheader-?block)(?:\s|$)/;

/** By a piece of its middle: the name of its author stands at the beginning, a link to all of it may stand at the end. */
function isRepeated(quote: Element, before: string): boolean {
  const letters = lettersOf(textBeginning(quote.children, quoteLengthMax));
  const start = Math.max(0, Math.floor((letters.length - pieceLength) / 2));
  const piece = letters.slice(start, start + pieceLength);
  return piece.length >= pieceLengthMin && before.includes(piece);
}

const quoteLengthMax = 2_000;
const pieceLength = 40;
const pieceLengthMin = 12;

function lettersOf(text: string): string {
  return text.toLowerCase().replaceAll(/[^\p{L}\p{N}]+/gu, '');
}
