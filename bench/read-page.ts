// Where a page leads and what it says, read with a parser that hayrake does not use: what hayrake makes of the page is held
// against this.
import { type DefaultTreeAdapterMap, defaultTreeAdapter, html, parse } from 'parse5';

type Node = DefaultTreeAdapterMap['node'];
type Element = DefaultTreeAdapterMap['element'];
type Attributes = Readonly<Record<string, string>>;

export interface ReadPage {
  /** Absolute http(s) URLs without fragment. */
  readonly links: ReadonlySet<string>;
  /** Those that the page asks not to follow, and does not link without saying so. */
  readonly nofollow: ReadonlySet<string>;
  readonly canonical: string | undefined;
}

export function readPage(text: string, url: string): ReadPage {
  const elements = elementsAmong(nodesOf(parsed(text))).map((element) => ({
    name: element.tagName,
    attributes: attributesOf(element),
  }));
  const base = elements.find(({ name, attributes }) => name === 'base' && attributes['href'] !== undefined);
  const baseUrl = URL.parse(base?.attributes['href'] ?? '', url)?.href ?? url;
  const nofollowAll = elements.some(({ name, attributes }) => name === 'meta' && forbidsFollowing(attributes));

  const links = new Set<string>();
  const nofollow = new Set<string>();
  let canonical: string | undefined;
  for (const { name, attributes } of elements) {
    const reference = leadsTo[name]?.(attributes);
    const target = reference === undefined ? undefined : linkTarget(reference, baseUrl);
    if (target === undefined) continue;
    const relations = relationsOf(attributes);
    if (name === 'link' && relations.includes('canonical')) canonical ??= target;
    if (nofollowAll || relations.includes('nofollow')) nofollow.add(target);
    else links.add(target);
  }
  return {
    links,
    nofollow: new Set([...nofollow].filter((link) => !links.has(link))),
    canonical,
  };
}

/** Title and text of a page, and of what it marks as its main part; white space does not count. */
export function readText(text: string): { readonly whole: string; readonly main: string } {
  const elements = elementsAmong(nodesOf(parsed(text)));
  const root = elements.find(({ tagName }) => tagName === 'html');
  const title = elements.find(({ tagName }) => tagName === 'title');
  const main = elements.find((element) => element.tagName === 'main' || attributesOf(element)['role'] === 'main');
  return { whole: textOf(root), main: `${textOf(title)}\n${textOf(main ?? root)}` };
}

/** Where an element leads, unresolved. */
const leadsTo: Readonly<Record<string, (attributes: Attributes) => string | undefined>> = {
  a: ({ href }) => href,
  area: ({ href }) => href,
  iframe: ({ src }) => src,
  frame: ({ src }) => src,
  link: (attributes) => (leadsToPage(attributes) ? attributes['href'] : undefined),
  meta: (attributes) =>
    attributes['http-equiv']?.toLowerCase() === 'refresh' ? refreshTarget(attributes['content'] ?? '') : undefined,
};

function leadsToPage(attributes: Attributes): boolean {
  const relations = relationsOf(attributes);
  if (relations.includes('alternate') && attributes['hreflang'] !== undefined) return true;
  return ['next', 'prev', 'canonical'].some((relation) => relations.includes(relation));
}

/** As HTML says that the value of a refresh is to be read; without a URL it leads nowhere. */
function refreshTarget(content: string): string | undefined {
  const { groups } = /^\s*[\d.]+(?:\s*[;,]\s*|\s+)(?:url\s*=\s*)?(?<quote>["']?)(?<url>.+)$/is.exec(content) ?? {};
  const { quote = '', url } = groups ?? {};
  return quote === '' ? url : url?.split(quote, 1)[0];
}

function linkTarget(reference: string, base: string): string | undefined {
  const url = URL.parse(reference, base);
  if (url === null || !['http:', 'https:'].includes(url.protocol)) return undefined;
  url.hash = '';
  url.username = '';
  url.password = '';
  return url.href;
}

function forbidsFollowing({ name, content }: Attributes): boolean {
  return name?.toLowerCase() === 'robots' && /\b(?:nofollow|none)\b/i.test(content ?? '');
}

function relationsOf({ rel }: Attributes): string[] {
  return (rel ?? '').toLowerCase().split(/\s+/);
}

function attributesOf(element: Element): Attributes {
  return Object.fromEntries(element.attrs.map(({ name, value }) => [name, value]));
}

/** Nobody runs scripts here, so what is for those without them is part of the page. */
function parsed(text: string): Node {
  return parse(text, { scriptingEnabled: false });
}

/** The elements of HTML: what is in a drawing is none. */
function elementsAmong(nodes: Iterable<Node>): Element[] {
  const elements: Element[] = [];
  for (const node of nodes) {
    if (defaultTreeAdapter.isElementNode(node) && node.namespaceURI === html.NS.HTML) elements.push(node);
  }
  return elements;
}

function textOf(root?: Node): string {
  if (root === undefined) return '';
  const texts: string[] = [];
  for (const node of nodesOf(root)) if (defaultTreeAdapter.isTextNode(node) && !isCode(node)) texts.push(node.value);
  return texts.join(' ').split(/\s+/).join(' ').trim();
}

function isCode(node: DefaultTreeAdapterMap['textNode']): boolean {
  return ['script', 'style'].includes(node.parentNode?.nodeName ?? '');
}

/** In document order; what is in a template is not part of the page. */
function* nodesOf(root: Node): Generator<Node> {
  const waiting: Node[] = [root];
  for (let node = waiting.pop(); node !== undefined; node = waiting.pop()) {
    yield node;
    // One by one: there are more children in a listing of source text than a call has room for arguments.
    if ('childNodes' in node) for (const child of node.childNodes.toReversed()) waiting.push(child);
  }
}
