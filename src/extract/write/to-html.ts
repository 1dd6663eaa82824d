/** Writes the content of a page as clean HTML that is safe to show: without scripts and styles. */
import type { ChildNode, Element } from 'domhandler';
import { isTag, isText } from 'domhandler';
import { escapeAttribute, escapeText } from 'entities';
import { cleanLink } from '../../url/clean-link.ts';
import { iconOfCell } from '../text/icon-cells.ts';
import { textlessElements } from '../html/element-kinds.ts';
import { embeddedMedia, isBetweenBlocks } from '../media/embedded-media.ts';
import { imageSource, isPixel } from '../media/image-source.ts';
import { formulaOf, mayBeFormula } from '../text/math-tex.ts';
import type { PageContent } from '../content/page-content.ts';
import { areDrawnLines } from '../text/preformatted-text.ts';

/** `resolve` returns the absolute URL of a link or image, or undefined if a reader must not follow it. */
export function toHtml(content: PageContent, resolve: (reference: string) => string | undefined): string {
  const parts: string[] = [];
  write(content.nodes, { parts, resolve, skipped: content.skipped, isPreformatted: false });
  return parts.join('').trim();
}

interface Output {
  readonly parts: string[];
  readonly resolve: (reference: string) => string | undefined;
  readonly skipped: ReadonlySet<ChildNode>;
  readonly isPreformatted: boolean;
}

/** The only elements written. Unknown and active elements are replaced by their content. */
const writtenElements: ReadonlySet<string> = new Set(
  (
    'a abbr address article aside b bdi bdo blockquote br caption cite code col colgroup dd del details dfn div dl dt em ' +
    'figcaption figure footer h1 h2 h3 h4 h5 h6 header hr i img ins kbd li main mark ol p pre q rp rt ruby s samp section ' +
    'small span strong sub summary sup table tbody td tfoot th thead time tr u ul var wbr'
  ).split(' '),
);
const iconElements: ReadonlySet<string> = new Set(['a', 'b', 'em', 'i', 'small', 'span', 'strong']);
const voidElements: ReadonlySet<string> = new Set(['br', 'col', 'hr', 'img', 'wbr']);

/** Attributes that carry meaning, by element; `*` applies to all. */
const attributes: Readonly<Record<string, readonly string[]>> = {
  '*': ['lang', 'dir', 'title'],
  a: ['href'],
  img: ['src', 'alt', 'width', 'height'],
  td: ['colspan', 'rowspan'],
  th: ['colspan', 'rowspan', 'scope'],
  ol: ['start', 'type', 'reversed'],
  li: ['value'],
  col: ['span'],
  colgroup: ['span'],
  code: ['class'],
  time: ['datetime'],
  abbr: [],
};

function write(nodes: readonly ChildNode[], output: Output): void {
  const areLines = output.isPreformatted && areDrawnLines(nodes);
  for (const [at, node] of nodes.entries()) {
    if (areLines && at > 0) output.parts.push('\n');
    if (isText(node))
      output.parts.push(escapeText(output.isPreformatted ? node.data : node.data.replace(/\s+/g, collapsed)));
    else if (isTag(node)) writeElement(node, output);
  }
}

function collapsed(space: string): string {
  return space.includes('\u00a0') ? space : space.includes('\n') ? '\n' : ' ';
}

function writeElement(element: Element, output: Output): void {
  const { name } = element;
  if (output.skipped.has(element)) return;
  const formula = mayBeFormula.has(name) ? formulaOf(element) : undefined;
  if (formula !== undefined) return void output.parts.push(escapeText(formula));
  if (textlessElements.has(name)) return writeMedia(element, output);
  const inner = name === 'pre' ? { ...output, isPreformatted: true } : output;
  if (!writtenElements.has(name)) return write(element.children, inner);
  const written = attributeText(element, output);
  if (name === 'img' && (!written.includes(' src=') || isPixel(element))) return;
  if (name === 'a' && !written.includes(' href=')) return write(element.children, inner);
  output.parts.push(`<${name}${written}>`);
  if (voidElements.has(name)) return;
  const start = output.parts.length;
  write(element.children, inner);
  if ((name === 'td' || name === 'th') && isBlankFrom(output.parts, start))
    output.parts.push(escapeText(iconOfCell(element, output.skipped)));
  // The style sheet draws icons: without it, nothing is left of them.
  if (output.parts.length === start && iconElements.has(name)) output.parts.pop();
  else output.parts.push(`</${name}>`);
}

/** Embedded content can run code, and a viewer would fetch it. Write a link instead. */
function writeMedia(element: Element, { parts, resolve }: Output): void {
  const media = embeddedMedia(element, resolve);
  if (media === undefined) return;
  const link = `<a href="${escapeAttribute(media.href)}">${escapeText(media.label)}</a>`;
  parts.push(isBetweenBlocks(element) ? `<p>${link}</p>` : ` ${link} `);
}

function attributeText(element: Element, { resolve }: Output): string {
  const list = [...(attributes[element.name] ?? []), ...(attributes['*'] ?? [])];
  const parts: string[] = [];
  for (const name of list) {
    const value = attributeValue(element, name, resolve);
    if (value !== undefined) parts.push(` ${name}="${escapeAttribute(value)}"`);
  }
  return parts.join('');
}

function attributeValue(element: Element, name: string, resolve: Output['resolve']): string | undefined {
  const value = element.attribs[name];
  switch (name) {
    case 'href':
      return cleaned(value === undefined ? undefined : resolve(value));
    case 'src': {
      const source = imageSource(element);
      return source === undefined ? undefined : resolve(source);
    }
    case 'class':
      // Keep only the class that names the language of code.
      return value === undefined ? undefined : /(?:^|\s)(lang(?:uage)?-[\w+#.-]+)/.exec(value)?.[1];
    default:
      return value;
  }
}

function cleaned(href: string | undefined): string | undefined {
  return href === undefined ? undefined : cleanLink(href);
}

/** Reads in place without copying, since cells can contain cells. */
function isBlankFrom(parts: readonly string[], start: number): boolean {
  for (let at = start; at < parts.length; at++) if (parts[at]?.trim() !== '') return false;
  return true;
}
