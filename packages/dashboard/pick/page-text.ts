// The text of elements as the service reads it (docs/extract.md), as far as a proposal needs it.

/** Besides those that `plain-html.ts` removes. */
const textless =
  /^(?:noscript|template|head|meta|link|svg|canvas|frame|frameset|object|embed|applet|audio|video|select|datalist|input|param|source|track|map|area)$/;
const lengthMax = 10_000;

export function isTextless(element: Element): boolean {
  return textless.test(element.localName);
}

/** Calls `visit` for each text that shows, in document order, until it returns false. */
export function eachText(root: Node, visit: (text: Text) => boolean): void {
  let node: Node | null = root.firstChild;
  while (node !== null) {
    if (node.nodeType === Node.TEXT_NODE && !visit(node as Text)) return;
    const isEntered = node.firstChild !== null && !(node instanceof Element && isTextless(node));
    node = isEntered ? node.firstChild : nodeAfter(node, root);
  }
}

/** The next node that is not inside this one. */
function nodeAfter(node: Node, root: Node): Node | null {
  for (let at: Node | null = node; at !== null && at !== root; at = at.parentNode)
    if (at.nextSibling !== null) return at.nextSibling;
  return null;
}

/** All that an element shows, on one line. */
export function shownText(node: Node): string {
  if (node.nodeType === Node.TEXT_NODE) return oneLine(node.nodeValue ?? '');
  if (!(node instanceof Element) || isTextless(node)) return '';
  const parts: string[] = [];
  let length = 0;
  eachText(node, ({ data }) => {
    parts.push(data);
    length += data.length;
    return length < lengthMax;
  });
  return oneLine(parts.join(' '));
}

export function oneLine(text: string): string {
  return text
    .replace(/[\u00ad\u200b\u200e\u200f\u2060\ufeff]/g, '')
    .replace(/\s+/g, ' ')
    .trim();
}
