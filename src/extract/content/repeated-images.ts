/** Finds pictures that content shows again: thumbnails below a gallery, hover images, the second turn of a carousel. */
import type { ChildNode, Element } from 'domhandler';
import { isTag, isText } from 'domhandler';
import { textlessElements } from '../html/element-kinds.ts';
import { imageSource, isPixel } from '../media/image-source.ts';
import { pictureKey } from '../media/picture-key.ts';
import { isLayout } from '../html/white-space.ts';
import type { PageContent } from './page-content.ts';

/**
 * Within a run of images without text between them, each picture counts once. A run of several pictures that all
 * occurred before is a copy for another screen. A picture that occurs again next to other text can illustrate that
 * text, so it stays. So do signs such as check marks and stars, and all images in table cells.
 */
export function withoutRepeatedImages(content: PageContent): PageContent {
  const runs: Run[] = [];
  collectRuns(content.nodes, content.skipped, { runs, isOpen: false });
  const repeated = repeatedImages(runs);
  return repeated.length === 0 ? content : { ...content, skipped: new Set([...content.skipped, ...repeated]) };
}

type Run = Image[];

interface Image {
  readonly element: Element;
  readonly key: string;
  readonly name: string;
}

interface RunSearch {
  readonly runs: Run[];
  /** False after text: the next image starts a run. */
  isOpen: boolean;
}

function collectRuns(nodes: readonly ChildNode[], skipped: ReadonlySet<ChildNode>, search: RunSearch): void {
  for (const node of nodes) {
    if (isText(node)) {
      search.isOpen &&= isLayout(node.data);
    } else if (isTag(node)) {
      if (node.name === 'img') {
        if (!skipped.has(node)) addImage(node, search);
      } else if (node.children.length > 0 && !textlessElements.has(node.name) && !skipped.has(node)) {
        if (node.name === 'table') search.isOpen = false;
        else collectRuns(node.children, skipped, search);
      }
    }
  }
}

function addImage(element: Element, search: RunSearch): void {
  const source = isPixel(element) ? undefined : imageSource(element);
  if (source === undefined) return;
  const run = search.isOpen ? search.runs.at(-1) : undefined;
  const name = (element.attribs['alt'] ?? '').trim().toLowerCase();
  const image: Image = { element, key: pictureKey(source), name };
  if (run === undefined) search.runs.push([image]);
  else run.push(image);
  search.isOpen = true;
}

function repeatedImages(runs: readonly Run[]): Element[] {
  const repeated: Element[] = [];
  const known = new Map<string, Image>();
  for (const run of runs) {
    const first = new Map<string, Image>();
    for (const image of run) if (!first.has(image.key)) first.set(image.key, image);
    const isCopy = first.size > 1 && run.every((image) => !isSign(image) && isSameAs(known.get(image.key), image));
    for (const image of run) {
      const original = first.get(image.key);
      const isAgain = original !== image && isSameAs(original, image);
      if (isCopy || (isAgain && (!isSign(image) || first.size >= logosMin))) repeated.push(image.element);
      else if (!known.has(image.key)) known.set(image.key, image);
    }
  }
  return repeated;
}

/** A row of check marks and crosses has two or three different signs. A row of logos has more. */
const logosMin = 4;

/** The same address with another name is a placeholder for another picture. */
function isSameAs(original: Image | undefined, { name }: Image): boolean {
  return (
    original !== undefined && (original.name.includes(name) || (original.name !== '' && name.includes(original.name)))
  );
}

/** Can stand for a word, as in a list of features: repeated, it means the same again. */
function isSign({ element, name }: Image): boolean {
  const { width, height, src } = element.attribs;
  return (
    (name.length > 0 && name.length <= signNameMax) ||
    isSmall(width) ||
    isSmall(height) ||
    (src !== undefined && /\.(?:svg|gif)(?:$|\?)/i.test(src))
  );
}

const signNameMax = 20;

function isSmall(size: string | undefined): boolean {
  return size !== undefined && Number.parseInt(size, 10) <= signSizeMax;
}

const signSizeMax = 64;
