// A page to click on, inside the dashboard: elements that only show text, made one by one, without an attribute of the page.
// It is no frame, since WebKit calls no listener in a frame without scripts.
import { isTextless } from './page-text.ts';

export interface ShownPage {
  readonly content: DocumentFragment;
  /** The element of the page that a shown one stands for. */
  readonly sourceOf: (shown: Element) => Element | undefined;
  readonly shownOf: (source: Element) => Element | undefined;
  /** A limit cut the page. */
  readonly isCut: boolean;
}

const elementsMax = 20_000;
const lengthMax = 1_000_000;
/** Deeper elements are shown as if they were their parent. */
const depthMax = 100;

/** All others are shown as `div` or `span`. */
const kept = new Set(
  'p h1 h2 h3 h4 h5 h6 ul ol li dl dt dd table thead tbody tr td th pre hr br blockquote b strong i em code sub sup'.split(
    ' ',
  ),
);
const boxes = /^(?:div|section|article|main|header|footer|aside|nav|form|fieldset|figure|details|center|body|caption)$/;

export function shownPage(source: Document): ShownPage {
  const content = document.createDocumentFragment();
  const sources = new WeakMap<Element, Element>();
  const shownOnes = new WeakMap<Element, Element>();
  let [elements, length, isCut] = [0, 0, false];
  const todo: { readonly node: Node; readonly into: Node; readonly depth: number }[] = [];
  const push = (parent: Node, into: Node, depth: number): void => {
    for (let child = parent.lastChild; child !== null; child = child.previousSibling)
      todo.push({ node: child, into, depth });
  };
  push(source.body, content, 0);
  for (let next = todo.pop(); next !== undefined; next = todo.pop()) {
    const { node, into, depth } = next;
    if (elements >= elementsMax || length >= lengthMax) {
      isCut = true;
      break;
    }
    if (node.nodeType === Node.TEXT_NODE) {
      const text = (node.nodeValue ?? '').slice(0, lengthMax - length);
      length += text.length;
      into.appendChild(document.createTextNode(text));
      continue;
    }
    if (!(node instanceof Element)) continue;
    const isImage = node.localName === 'img';
    if (!isImage && isTextless(node)) continue;
    elements++;
    if (depth >= depthMax) {
      push(node, into, depth);
      continue;
    }
    const shown = document.createElement(shownName(node.localName));
    sources.set(shown, node);
    shownOnes.set(node, shown);
    into.appendChild(shown);
    if (node.localName === 'a') shown.className = 'link';
    if (isImage) {
      shown.className = 'muted';
      shown.textContent = node.getAttribute('alt')?.slice(0, 200) || 'image';
    } else push(node, shown, depth + 1);
  }
  return {
    content,
    isCut,
    sourceOf: (shown) => sources.get(shown),
    shownOf: (element) => shownOnes.get(element),
  };
}

function shownName(name: string): string {
  return kept.has(name) ? name : boxes.test(name) ? 'div' : 'span';
}
