/** Finds what a post quotes from earlier posts: readers of the thread know it already. */
import type { ChildNode, Element } from 'domhandler';
import { isTag } from 'domhandler';
import { nodeText, textBeginning } from '../html/node-text.ts';

/** Quotes of other threads and of anything else stay. */
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

/** Each quote is searched in all text before it. The limit bounds a page that consists of quotes. */
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

/** Compares a piece from the middle: a quote can start with its author's name and end with a link to the original. */
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
