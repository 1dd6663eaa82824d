/**
 * Notes, tips and warnings in boxes, which every documentation tool marks up in its own way. Written in one form: a quote that begins
 * with the bold title.
 */
import type { ChildNode, Element } from 'domhandler';
import { isTag, isText } from 'domhandler';
import { textBeginning } from '../node-text.ts';

export interface Admonition {
  /** In the box; absent where the style sheet writes it. */
  readonly title?: Element;
  /** For the title, where the page has none of its own, or one in another case. */
  readonly name?: string;
  readonly nodes: readonly ChildNode[];
}

/** Undefined for any other box. */
export function admonitionOf(element: Element): Admonition | undefined {
  const classes = element.attribs['class'];
  // A look at the length and one for a string are cheaper than the patterns: nearly no box is one.
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
  // Without a title, only what has a kind and nothing else is sure to be one, or what a tool says is one.
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

/** Boxes around a title, and around those. */
const titleLevelsMax = 4;
/** Characters; what is longer is no title. */
export const titleLengthMax = 200;
const titleClass = /(?:^|[\s_-])(?:title|heading)(?:$|[\s_-])|Heading_/;

/** The first element with text in it, if it is named as a title, or says no more than the kind. */
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

/** Of a short text, without what sets it off. */
function plainName(element: Element): string {
  const text = beginning([element]);
  return text.replaceAll(/[\s:!]/g, '').toLowerCase();
}

/** Asciidoctor sets the kind and the text in two cells. */
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

/** Such as "Note: ...". */
function saysKind(nodes: readonly ChildNode[]): boolean {
  const first = /^\s*(\p{L}+)/u.exec(beginning(nodes))?.[1] ?? '';
  return kindNames.has(first.toLowerCase());
}

function beginning(nodes: readonly ChildNode[]): string {
  return textBeginning(nodes, titleLengthMax + 1);
}
