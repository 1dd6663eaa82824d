// What learning a site's boilerplate from its first pages would bring: which blocks of the main content repeat from page
// to page, and what would be removed. See docs/decisions/content-rules.md. Serves nothing, fetches nothing: reads files.
//
//   node bench/repeated-blocks.ts <start page, a file>...
import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import type { ChildNode, Element } from 'domhandler';
import { isTag, isText } from 'domhandler';
import { blockElements, textlessElements } from '../src/extract/html/element-kinds.ts';
import { chooseContent } from '../src/extract/content/main-content.ts';
import { parseHtml } from '../src/extract/html/parse-html.ts';
import { list } from './checks.ts';
import { readPage } from './read-page.ts';

/** Text between two ends of a block element. Two are the same when text, elements around it and their classes are. */
interface Block {
  readonly text: string;
  readonly key: string;
  readonly isTitle: boolean;
}

type Blocks = readonly Block[];

const sitePagesMax = 3000;
const sampleSizes = [10, 20];
/** Of the pages that are compared. */
const repeatedShareMin = 0.5;
/** Learnt from and not measured. */
const earlyPages = 50;
const measuredPages = 300;

for (const startPage of process.argv.slice(2)) measureSite(path.dirname(startPage), path.basename(startPage));

function measureSite(folder: string, startPage: string): void {
  const site = pagesInOrder(folder, startPage);
  const early = site.slice(0, Math.min(earlyPages, Math.floor(site.length / 3)));
  const step = Math.max(1, (site.length - early.length) / measuredPages);
  const late = site.slice(early.length).filter((_, at) => Math.floor(at / step) !== Math.floor((at - 1) / step));
  const [sample, pages] = [early.map((file) => blocksOf(file)), late.map((file) => blocksOf(file))];

  console.log(`${folder}: ${pages.length} pages measured of ${site.length}`);
  const everywhere = repeated(pages);
  console.log(`  characters a page ${perPage(pages, () => true)}, in repeated blocks ${perPage(pages, everywhere)}`);
  for (const size of sampleSizes) {
    const learnt = repeated(sample.slice(0, size));
    const learntLater = repeated(sample.slice(size, 2 * size));
    const changed = pages.filter((page) => page.some(learnt));
    const unlike = pages.filter((page) => page.some((block) => learnt(block) !== learntLater(block)));
    console.log(
      `  learnt from ${size} pages: ${perPage(pages, learnt)} characters a page removed, ${share(changed, pages)} of the pages ` +
        `changed; ${share(unlike, pages)} of them otherwise when learnt from the next ${size}`,
    );
    listLargest(pages, learnt);
  }
}

function perPage(pages: readonly Blocks[], isCounted: (block: Block) => boolean): string {
  const counted = pages.flatMap((blocks) => blocks.filter((block) => isCounted(block)));
  return (counted.reduce((sum, { text }) => sum + text.length, 0) / pages.length).toFixed(1);
}

function share(some: readonly Blocks[], all: readonly Blocks[]): string {
  return `${Math.round((100 * some.length) / all.length)} %`;
}

/** Whether it is boilerplate is for the reader to say. */
function listLargest(pages: readonly Blocks[], isLearnt: (block: Block) => boolean): void {
  const lengths = new Map<string, number>();
  for (const { text } of pages.flat().filter((block) => isLearnt(block)))
    lengths.set(text, (lengths.get(text) ?? 0) + text.length);
  const largest = [...lengths].toSorted(([, one], [, other]) => other - one).map(([text]) => text);
  list('Learnt', largest, (text) => `(${((lengths.get(text) ?? 0) / pages.length).toFixed(1)} a page)`);
}

/** Tells blocks that stand on half of these pages. A title is never one of them. */
function repeated(pages: readonly Blocks[]): (block: Block) => boolean {
  const counts = new Map<string, number>();
  for (const blocks of pages)
    for (const key of new Set(blocks.map((block) => block.key))) counts.set(key, (counts.get(key) ?? 0) + 1);
  const least = Math.max(2, repeatedShareMin * pages.length);
  return ({ key, isTitle }) => !isTitle && (counts.get(key) ?? 0) >= least;
}

/** The files that the start page leads to, breadth first, as a crawl with one request at a time would meet them. */
function pagesInOrder(folder: string, startPage: string): string[] {
  const origin = 'http://site';
  const found = new Set([`${origin}/${startPage}`]);
  const files: string[] = [];
  // Grows while it is walked.
  for (const url of found) {
    const file = path.join(folder, decodeURIComponent(new URL(url).pathname).replace(/\/$/, '/index.html'));
    if (files.length === sitePagesMax) break;
    if (!/\.html?$/.test(file) || !existsSync(file)) continue;
    files.push(file);
    for (const link of readPage(readFileSync(file, 'utf8'), url).links)
      if (link.startsWith(`${origin}/`)) found.add(link);
  }
  return files;
}

function blocksOf(file: string): Blocks {
  const { nodes, skipped } = chooseContent(parseHtml(readFileSync(file, 'utf8')), 'auto', null);
  const blocks: Block[] = [];
  let text = '';
  const end = ({ key, isTitle }: Omit<Block, 'text'>): void => {
    const tidy = text.replace(/\s+/g, ' ').trim();
    if (tidy !== '') blocks.push({ text: tidy, key: `${key} ${tidy}`, isTitle });
    text = '';
  };
  const walk = (node: ChildNode, place: Omit<Block, 'text'>): void => {
    if (isText(node)) text += node.data;
    if (!isTag(node) || skipped.has(node) || textlessElements.has(node.name)) return;
    const isBlock = blockElements.has(node.name);
    const inner = isBlock ? { key: place.key + nameOf(node), isTitle: place.isTitle || node.name === 'h1' } : place;
    if (isBlock) end(place);
    for (const child of node.children) walk(child, inner);
    if (isBlock) end(inner);
  };
  for (const node of nodes) {
    const place = { key: keyAround(node), isTitle: false };
    walk(node, place);
    end(place);
  }
  return blocks;
}

/** The classes of `body` are often the page's own. */
function nameOf({ name, attribs }: Element): string {
  return name === 'body' || name === 'html' ? '' : `>${name}.${attribs['class'] ?? ''}`;
}

function keyAround(node: ChildNode): string {
  const names: string[] = [];
  for (let parent = node.parent; parent !== null; parent = parent.parent)
    if (isTag(parent) && blockElements.has(parent.name)) names.unshift(nameOf(parent));
  return names.join('');
}
