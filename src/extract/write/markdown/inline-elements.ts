/** Writers for inline elements: one small function for each, in a table. */
import type { ChildNode, Element, Text } from 'domhandler';
import { isTag, isText } from 'domhandler';
import { cleanLink } from '../../../url/clean-link.ts';
import { headingElements } from '../../html/element-kinds.ts';
import { embeddedMedia, isBetweenBlocks, mediaElements } from '../../media/embedded-media.ts';
import { imageSource, isPixel } from '../../media/image-source.ts';
import { formulaOf } from '../../text/math-tex.ts';
import { mayReferToNote } from '../../text/note-links.ts';
import { nodeText, textBeginning } from '../../html/node-text.ts';
import { attributeOf } from '../../html/nodes.ts';
import { isLayout } from '../../html/white-space.ts';
import { isBlank } from './empty-elements.ts';
import type { Flow } from './flow.ts';
import { findFootnotes } from './footnotes.ts';
import { writeRaised } from './raised-text.ts';
import { linkTarget, tidyTitle } from './inline/spans.ts';

export type ElementWriter = (element: Element, flow: Flow) => void;

const strong = marked('strong');
const em = marked('em');
const del = marked('del');

export const inlineWriters: ReadonlyMap<string, ElementWriter> = new Map<string, ElementWriter>([
  ['a', writeLink],
  ['b', strong],
  ['strong', strong],
  ['i', em],
  ['em', em],
  ['cite', em],
  ['dfn', em],
  ['var', em],
  ['del', del],
  ['s', del],
  ['strike', del],
  ['code', writeCode],
  ['kbd', writeCode],
  ['samp', writeCode],
  ['tt', writeCode],
  ['br', writeBreak],
  ['img', writeImage],
  ['input', writeCheckbox],
  ['q', writeQuotation],
  ['sup', writeRaised],
  ['sub', writeRaised],
  ['rt', writeReading],
  ['math', writeFormula],
  ['mjx-container', writeFormula],
  ['script', writeScript],
  ['span', writeFormula],
  ...Array.from(mediaElements, (name) => [name, writeEmbedded] as const),
]);

function marked(kind: 'strong' | 'em' | 'del'): ElementWriter {
  return (element, flow) => {
    const style = attributeOf(element, 'style');
    if (style !== undefined && plain[kind].test(style)) return flow.page.walk(element.children, flow);
    flow.inline.open(kind, element.name);
    flow.page.walk(element.children, flow);
    flow.inline.close();
  };
}

/** Styles that undo a mark. Google Docs wraps what is copied from it in `<b style="font-weight:normal">`. */
const plain: Readonly<Record<'strong' | 'em' | 'del', RegExp>> = {
  strong: /font-weight\s*:\s*(?:normal|[1-4]00)/i,
  em: /font-style\s*:\s*normal/i,
  del: /text-decoration\s*:\s*none/i,
};

function writeLink(element: Element, flow: Flow): void {
  const { children } = element;
  const label = noteLabel(element, flow);
  if (label !== undefined) return flow.inline.raw(`[^${label}]`, `[${label}]`);
  const reference = attributeOf(element, 'href')?.trim();
  // The anchor of a heading leads to the heading itself.
  const isOwnAnchor = flow.place === 'heading' && reference?.startsWith('#') === true;
  if (isOwnAnchor && /^[\s#¶§🔗\u200b]*$/u.test(nodeText(children))) return;
  const address = reference === undefined || isOwnAnchor ? undefined : flow.page.resolve(reference);
  if (address === undefined) return flow.page.walk(children, flow);
  const href = cleanLink(address);

  if (isBlank(element)) {
    const { attribs } = element;
    const label = attribs['aria-label']?.trim() ?? '';
    if (label !== '') return writeLabel(label, href, flow);
    // A link drawn as an icon has a name for the style sheet. One with only a `href` is a mistake, and its address is
    // all it says.
    const isInLink = flow.inline.marks.some(({ kind }) => kind === 'link');
    const isBare = Object.keys(attribs).length === 1 && reference?.startsWith('#') === false;
    if (!isInLink && isBare && flow.page.bareLinksLeft-- > 0) {
      if (autolinked.test(href)) {
        flow.inline.space();
        if (flow.place === 'heading' || repeatsNeighbour(element)) return;
        writeLabel(href, href, flow);
        return flow.inline.space();
      }
      flow.inline.raw(`[](${linkTarget(href, '')})`);
    }
    return flow.inline.text(nodeText(children));
  }
  flow.inline.openLink(href, titleOf(element, href), !flow.isLine && holdsHeading(children));
  flow.page.walk(children, flow);
  flow.inline.close();
}

/** An editor leaves such links where a link was split or moved. */
function repeatsNeighbour({ prev, next, attribs }: Element): boolean {
  const before = isSpace(prev) ? prev.prev : prev;
  const after = isSpace(next) ? next.next : next;
  return [before, after].some(
    (node) => node !== null && isTag(node) && node.attribs['href'] === attribs['href'] && !isBlank(node),
  );
}

function isSpace(node: ChildNode | null): node is Text {
  return node !== null && isText(node) && isLayout(node.data);
}

/** Returns '' if the title only repeats the text or the address. */
function titleOf(link: Element, href: string): string {
  const title = tidyTitle(attributeOf(link, 'title'));
  // Most titles of manuals name what the address names.
  if (title === '' || href.includes(title)) return '';
  const said = comparable(textBeginning(link.children, comparedMax));
  const name = comparable(title.slice(0, comparedMax));
  return name === '' || said.includes(name) || comparable(href).includes(name) ? '' : title;
}

/** Characters compared of a title and of its text. */
const comparedMax = 1_000;

function comparable(text: string): string {
  return text.toLowerCase().replaceAll(/[^\p{L}\p{N}]+/gu, '');
}

/** Links without text of one page whose address is written; a page of a million of them has no text. */
export const bareLinksMax = 1_000;
const autolinked = /^https?:[^\s<>]+$/;

function noteLabel(link: Element, { page }: Flow): string | undefined {
  if (page.footnotes === undefined) {
    if (!mayReferToNote(link)) return undefined;
    page.footnotes = findFootnotes(page.nodes, page.skipped);
    page.skipped = new Set([...page.skipped, ...page.footnotes.surplus]);
  }
  return page.footnotes.labels.get(link);
}

export function holdsHeading(nodes: readonly ChildNode[]): boolean {
  return nodes.some(isOrHoldsHeading);
}

function isOrHoldsHeading(node: ChildNode): boolean {
  return isTag(node) && (headingElements.has(node.name) || holdsHeading(node.children));
}

/** Links in code stay links. Other markup in code is syntax colours. */
function writeCode(element: Element, flow: Flow): void {
  flow.inline.openCode();
  flow.page.walk(element.children, flow);
  flow.inline.closeCode();
}

function writeBreak(_: Element, flow: Flow): void {
  flow.inline.break();
  // Pages without <p> end paragraphs with two breaks.
  if (!flow.isLine && flow.inline.breaks > 1) flow.endBlock();
}

function writeImage(image: Element, flow: Flow): void {
  const formula = formulaOf(image);
  if (formula !== undefined) return writeTex(formula, flow);
  if (isPixel(image)) return;
  const alt = (image.attribs['alt'] ?? '').replace(/\s+/g, ' ').trim();
  // A site draws an emoji as a picture, so that it looks the same everywhere.
  if (isEmoji(alt)) return flow.inline.text(alt);
  const source = imageSource(image);
  const href = source === undefined ? undefined : flow.page.resolve(source);
  if (href === undefined || /^(?:mailto|tel):/.test(href)) return flow.page.plain.without(() => flow.inline.text(alt));
  const title = tidyTitle(image.attribs['title']);
  if (alt === '' && title === '') {
    if (flow.page.namelessImages.has(href)) return;
    flow.page.namelessImages.add(href);
  }
  // A bar would end the cell of a table.
  const address = flow.place === 'cell' ? href.replaceAll('|', '%7C') : href;
  flow.inline.raw(
    `![${alt.replace(/[[\]\\`*_<]/g, String.raw`\$&`)}](${linkTarget(address, title === alt ? '' : title)})`,
  );
}

function isEmoji(text: string): boolean {
  if (!beginsAsEmoji.test(text)) return false;
  emoji ??= new RegExp(String.raw`^\p{RGI_Emoji}{1,3}$`, 'v');
  return emoji.test(text);
}

const beginsAsEmoji = /^(?:[#*\d]\ufe0f|(?![#*\d])\p{Emoji})/u;
/** Made on first use: it takes 10 ms to read and 15 ms to compile, in each thread, and hardly any page needs it. */
let emoji: RegExp | undefined;

function writeCheckbox({ attribs }: Element, flow: Flow): void {
  if (attribs['type']?.toLowerCase() !== 'checkbox' || flow.place !== 'item') return;
  if (!flow.inline.isEmpty || flow.blocks.length > 0) return;
  flow.inline.raw(attribs['checked'] === undefined ? '[ ]' : '[x]');
  flow.inline.space();
}

function writeQuotation(element: Element, flow: Flow): void {
  flow.inline.text('“');
  flow.page.walk(element.children, flow);
  flow.inline.text('”');
}

/** Adds brackets around a reading if the page has no <rp> with its own. */
function writeReading(element: Element, flow: Flow): void {
  const hasBrackets = element.parent?.children.some((sibling) => isTag(sibling) && sibling.name === 'rp') === true;
  if (!hasBrackets) flow.inline.text('(');
  flow.page.walk(element.children, flow);
  if (!hasBrackets) flow.inline.text(')');
}

/** Writes formulas and their drawings. Other elements of these names are replaced by their content. */
function writeFormula(element: Element, flow: Flow): void {
  const formula = formulaOf(element);
  if (formula === undefined) flow.page.walk(element.children, flow);
  else writeTex(formula, flow);
}

/** Two formulas in a row would read as a displayed one. */
export function writeTex(formula: string, flow: Flow): void {
  if (formula === '') return;
  if (flow.inline.before === '$') flow.inline.space();
  flow.inline.raw(formula, formula);
}

function writeScript(element: Element, flow: Flow): void {
  writeTex(formulaOf(element) ?? '', flow);
}

function writeEmbedded(element: Element, flow: Flow): void {
  const media = embeddedMedia(element, flow.page.resolve);
  if (media === undefined) return;
  const isAlone = !flow.isLine && isBetweenBlocks(element);
  const separate = (): void => (isAlone ? flow.endParagraph(false) : flow.inline.space());
  separate();
  writeLabel(media.label, media.href, flow);
  separate();
}

function writeLabel(label: string, href: string, flow: Flow): void {
  flow.inline.openLink(href, '', false);
  flow.page.plain.without(() => flow.inline.text(label));
  flow.inline.close();
}
