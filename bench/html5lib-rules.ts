// Intended differences between the parser and the HTML standard. Each rule rewrites both trees of a case so that one difference
// disappears. A case that is equal after some rules differs by those only.
import { rulesOf } from '../src/extract/html/element-rules.ts';
import type { TreeElement, TreeNode } from './html5lib-cases.ts';

type Nodes = readonly TreeNode[];

export interface Trees {
  readonly expected: Nodes;
  readonly ours: Nodes;
}

export interface IntendedDifference {
  readonly name: string;
  readonly reason: string;
  readonly rewrite: (trees: Trees, html: string) => Trees;
}

/** In the order in which they apply. */
export const intendedDifferences: readonly IntendedDifference[] = [
  {
    name: 'comments',
    reason: 'Comments and document types get no node, because nothing reads them.',
    rewrite: inExpected((nodes) => without(nodes, ({ name }) => name === '#comment' || name === '#doctype')),
  },
  {
    name: 'foreign names',
    reason: 'Names in SVG and MathML stay in lower case and without namespaces, because selectors use them so.',
    rewrite: inExpected((nodes) => mapped(nodes, (element) => [withoutNamespace(element)])),
  },
  {
    name: 'implied elements',
    reason: 'Elements without a start tag get no node, because trees must not outgrow their source.',
    rewrite: ({ expected, ours }, html) => {
      const isImplied = ({ name }: TreeElement): boolean =>
        impliedElements.has(name) && countOf(expected, name) > startTags(html, name);
      return { expected: unwrapped(expected, isImplied), ours: unwrapped(ours, isImplied) };
    },
  },
  {
    name: 'frames',
    reason: 'Frames do not decide what else belongs to the page: text next to them is kept.',
    rewrite: ({ expected, ours }) => {
      const isFrameset = countOf(expected, 'frameset') > 0;
      return {
        expected: isFrameset ? framesOf(expected) : expected,
        ours: isFrameset ? framesOf(ours) : unframed(ours),
      };
    },
  },
  {
    name: 'template',
    reason: 'The content of a template follows no rules of its own, because nothing reads it.',
    rewrite: inBoth((nodes) => emptied(nodes, 'template')),
  },
  {
    name: 'noscript',
    reason: 'A `noscript` in the head keeps its content, because a text there must not end the head.',
    rewrite: inBoth((nodes) => unwrapped(nodes, ({ name }) => name === 'noscript')),
  },
  {
    name: 'html, head and body',
    reason: 'Their tags and the content between them stay where the page has them, because no reader depends on them.',
    rewrite: inBoth((nodes) => unwrapped(nodes, ({ name }) => pageElements.has(name))),
  },
  {
    name: 'NUL',
    reason: 'NUL characters are dropped everywhere, because U+FFFD is no better text.',
    rewrite: inBoth((nodes) => withTexts(nodes, (text) => text.replaceAll('\uFFFD', ''))),
  },
  {
    name: 'line ends',
    reason:
      'The reader of preformatted text drops its first line end and reads CR as LF. No other text depends on them.',
    rewrite: ({ expected, ours }) => ({
      expected: withTexts(expected, withLineFeeds),
      ours: withoutFirstLineEnd(withTexts(ours, withLineFeeds)),
    }),
  },
  {
    name: 'select',
    reason:
      'A `select` keeps all elements, as the standard has allowed since 2025. Its content is not text of the page.',
    rewrite: inBoth(withoutSelect),
  },
  {
    name: 'forms',
    reason: 'Only elements that are open count as open forms, and form controls never move out of tables.',
    rewrite: inBoth((nodes) =>
      without(
        unwrapped(nodes, ({ name }) => name === 'form'),
        ({ name }) => name === 'input',
      ),
    ),
  },
  {
    name: 'tables',
    reason: 'Parts of tables are kept outside of a table, and columns where the page has them.',
    rewrite: inBoth((nodes) => unwrapped(nodes, ({ name }) => tableParts.has(name))),
  },
  {
    name: 'paragraphs',
    reason: 'A block ends a paragraph only if the paragraph is innermost: a block in a link belongs in the link.',
    rewrite: inBoth((nodes) => unwrapped(nodes, ({ name }) => name === 'p')),
  },
  {
    name: 'formatting',
    reason: 'Inline elements that a block cuts off are not reopened: with hostile input that takes quadratic time.',
    rewrite: ({ expected, ours }) => {
      const isSame = [...namesOf(expected)].filter(isInline).every((name) => countOf(ours, name) > 0);
      if (!isSame) return { expected, ours };
      const isCut = ({ name }: TreeElement): boolean => isInline(name);
      return { expected: unwrapped(expected, isCut), ours: unwrapped(ours, isCut) };
    },
  },
  {
    name: 'white space',
    reason: 'White space between blocks and parts of tables stays where it is. Markdown and text drop it.',
    rewrite: inBoth((nodes) => withTexts(merged(nodes), (text) => text.trim()).filter((node) => node !== '')),
  },
];

const pageElements: ReadonlySet<string> = new Set(['html', 'head', 'body']);
const tableParts: ReadonlySet<string> = new Set('caption colgroup col thead tbody tfoot tr td th'.split(' '));
const impliedElements: ReadonlySet<string> = new Set([...pageElements, 'colgroup', 'tbody', 'tr']);

function inExpected(change: (nodes: Nodes) => Nodes): IntendedDifference['rewrite'] {
  return ({ expected, ours }) => ({ expected: change(expected), ours });
}

function inBoth(change: (nodes: Nodes) => Nodes): IntendedDifference['rewrite'] {
  return ({ expected, ours }) => ({ expected: change(expected), ours: change(ours) });
}

/** Replaces each element, innermost first. */
function mapped(nodes: Nodes, replace: (element: TreeElement) => Nodes): Nodes {
  return nodes.flatMap((node) =>
    typeof node === 'string' ? [node] : replace({ ...node, children: mapped(node.children, replace) }),
  );
}

function without(nodes: Nodes, isDropped: (element: TreeElement) => boolean): Nodes {
  return mapped(nodes, (element) => (isDropped(element) ? [] : [element]));
}

/** Replaces elements with their content. */
function unwrapped(nodes: Nodes, isDropped: (element: TreeElement) => boolean): Nodes {
  return mapped(nodes, (element) => (isDropped(element) ? element.children : [element]));
}

function emptied(nodes: Nodes, name: string): Nodes {
  return mapped(nodes, (element) => [element.name === name ? { ...element, children: [] } : element]);
}

function withTexts(nodes: Nodes, change: (text: string) => string): Nodes {
  return nodes.map((node) =>
    typeof node === 'string' ? change(node) : { ...node, children: withTexts(node.children, change) },
  );
}

function namesOf(nodes: Nodes): ReadonlySet<string> {
  return new Set(nodes.flatMap((node) => (typeof node === 'string' ? [] : [node.name, ...namesOf(node.children)])));
}

function countOf(nodes: Nodes, name: string): number {
  return nodes.reduce<number>(
    (count, node) => count + (typeof node === 'string' ? 0 : Number(node.name === name) + countOf(node.children, name)),
    0,
  );
}

function startTags(html: string, name: string): number {
  return html.match(new RegExp(`<${name}(?=[\\s/>])`, 'gi'))?.length ?? 0;
}

function isInline(name: string): boolean {
  return !name.startsWith('#') && !rulesOf(name).is.special;
}

function withoutFirstLineEnd(nodes: Nodes): Nodes {
  return mapped(nodes, (element) => {
    const [first, ...others] = element.children;
    const dropsIt = ['pre', 'listing', 'textarea'].includes(element.name) && typeof first === 'string';
    return [dropsIt ? { ...element, children: [first.replace(/^\n/, ''), ...others] } : element];
  });
}

/** Only framesets and their frames, without text and other elements. */
function framesOf(nodes: Nodes, isInside = false): Nodes {
  return nodes.flatMap((node) => {
    if (typeof node === 'string') return [];
    const isKept = node.name === 'frameset' || (isInside && node.name === 'frame');
    const children = framesOf(node.children, isInside || isKept);
    return isKept ? [{ ...node, children }] : children;
  });
}

function unframed(nodes: Nodes): Nodes {
  return unwrapped(nodes, ({ name }) => name === 'frame' || name === 'frameset');
}

function withoutSelect(nodes: Nodes): Nodes {
  const isPart = ({ name }: TreeElement): boolean => name === 'select' || name === 'option' || name === 'optgroup';
  const inSelect = mapped(nodes, (element) => [
    element.name === 'select'
      ? { ...element, children: unwrapped(element.children, (part) => !isPart(part)) }
      : element,
  ]);
  return unwrapped(inSelect, isPart);
}

function withLineFeeds(text: string): string {
  return text.replaceAll(/\r\n?/g, '\n');
}

/** Makes texts next to each other one. */
function merged(nodes: Nodes): Nodes {
  const all: TreeNode[] = [];
  for (const node of nodes) {
    const last = all.at(-1);
    if (typeof node !== 'string') all.push({ ...node, children: merged(node.children) });
    else if (typeof last === 'string') all[all.length - 1] = last + node;
    else all.push(node);
  }
  return all;
}

function withoutNamespace({ name, attributes, children }: TreeElement): TreeElement {
  return {
    name: name.replace(/^(?:svg|math) /, '').toLowerCase(),
    attributes: attributes
      .map(([key, value]) => [key.replace(/^(xlink|xml|xmlns) /, '$1:').toLowerCase(), value] as const)
      .toSorted(([a], [b]) => (a < b ? -1 : 1)),
    children,
  };
}
