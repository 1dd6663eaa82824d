/**
 * Reads notes, tips and warnings in boxes. Each documentation tool has its own markup for them; all become a quote that
 * starts with a bold title.
 */
import type { ChildNode, Element } from 'domhandler';
import { isTag, isText } from 'domhandler';
import { textBeginning } from '../../html/node-text.ts';

export interface Admonition {
  /** Title element in the box; absent if the style sheet writes the title. */
  readonly title?: Element;
  /** Title text, if the page has none or writes it in another case. */
  readonly name?: string;
  readonly nodes: readonly ChildNode[];
}

/** Returns undefined for any other box. */
export function admonitionOf(element: Element): Admonition | undefined {
  const classes = element.attribs['class'];
  // Hardly any box is one, so check the length and a cheap pattern first.
  if (classes === undefined || classes.length > 200 || !mayBeBox.test(classes)) return undefined;
  const isNamed = tools.test(classes);
  const kind = kindOf(classes);
  if (!isNamed && kind === undefined) return undefined;
  const nodes = contentOf(element);
  const title = titleIn(element, titleLevelsMax);
  if (title !== undefined) {
    const name = kindNames.get(plainName(title));
    return { title, nodes, ...(name !== undefined && { name }) };
  }
  // Without a title, a box counts only if its class is just a kind or a tool marks it.
  if (kind === undefined || (!isNamed && classes.trim().toLowerCase() !== kind)) return undefined;
  const name = kindNames.get(kind);
  if (name === undefined || !hasText(nodes)) return undefined;
  return saysKind(nodes) ? { nodes } : { nodes, name };
}

const kinds = 'note tip important warning caution danger hint info attention error seealso'.split(' ');
const kindNames: ReadonlyMap<string, string> = new Map([
  ...kinds.map((kind) => [kind, kind.charAt(0).toUpperCase() + kind.slice(1)] as const),
  ['seealso', 'See also'],
]);
const mayBeBox =
  /admonition|custom-block|markdown-alert|notecard|aside|callout|template-box|information-macro|note|tip|important|warning|caution|danger/i;
/** Sphinx, MkDocs, Docusaurus, Asciidoctor; VitePress; GitHub; MDN; Starlight; Obsidian; ArchWiki; Confluence. */
const tools =
  /(?:^|\s)(?:admonition|theme-admonition|admonitionblock|custom-block|markdown-alert|notecard|starlight-aside|callout|archwiki-template-box|confluence-information-macro)(?:\s|$)/;
/** DocBook, Microsoft, rustdoc: the kind is the whole class. */
const kindAlone = /^\s*(?:note|tip|important|warning|caution|danger)\s*$/i;
const kindWithin = new RegExp(`(?:^|[\\s_-])(${kinds.join('|')})(?:\\s|$)`, 'i');

function kindOf(classes: string): string | undefined {
  if (!tools.test(classes) && !kindAlone.test(classes)) return undefined;
  return kindWithin.exec(classes)?.[1]?.toLowerCase();
}

/** Levels of boxes searched for a title or a content cell. */
const titleLevelsMax = 4;
/** In characters. Longer text is not a title. */
export const titleLengthMax = 200;
const titleClass = /(?:^|[\s_-])(?:title|heading)(?:$|[\s_-])|Heading_/;

/** Returns the first element with text if it has a title's name or contains just the kind. */
function titleIn(box: Element, levels: number): Element | undefined {
  const first = box.children.find((node) => (isText(node) ? node.data.trim() !== '' : isTag(node) && hasText([node])));
  if (first === undefined || !isTag(first)) return undefined;
  const isTitle =
    first.name === 'summary' ||
    titleClass.test(first.attribs['class'] ?? '') ||
    (first.name !== 'table' && kindNames.has(plainName(first)));
  if (isTitle) return beginning([first]).length <= titleLengthMax ? first : undefined;
  return levels > 0 ? titleIn(first, levels - 1) : undefined;
}

/** The text of the element without white space, colons and exclamation marks. */
function plainName(element: Element): string {
  const text = beginning([element]);
  return text.replaceAll(/[\s:!]/g, '').toLowerCase();
}

/** Asciidoctor puts the kind and the text in two cells. */
function contentOf(box: Element): readonly ChildNode[] {
  if (!/(?:^|\s)admonitionblock(?:\s|$)/.test(box.attribs['class'] ?? '')) return box.children;
  return contentCell(box, titleLevelsMax)?.children ?? box.children;
}

function contentCell(element: Element, levels: number): Element | undefined {
  for (const child of element.children) {
    if (!isTag(child)) continue;
    if (child.name === 'td' && child.attribs['class'] === 'content') return child;
    const found = levels > 0 ? contentCell(child, levels - 1) : undefined;
    if (found !== undefined) return found;
  }
  return undefined;
}

function hasText(nodes: readonly ChildNode[]): boolean {
  return nodes.some((node) => (isText(node) ? node.data.trim() !== '' : isTag(node) && hasText(node.children)));
}

/** Returns true for text such as "Note: ...". */
function saysKind(nodes: readonly ChildNode[]): boolean {
  const first = /^\s*(\p{L}+)/u.exec(beginning(nodes))?.[1] ?? '';
  return kindNames.has(first.toLowerCase());
}

function beginning(nodes: readonly ChildNode[]): string {
  return textBeginning(nodes, titleLengthMax + 1);
}
