/** Videos, sounds and frames: no writer can show them, so all write a link to what is embedded. */
import type { Element } from 'domhandler';
import { isTag } from 'domhandler';
import { blockElements } from './element-kinds.ts';
import { isTiny } from './image-source.ts';
import { nodeText } from './node-text.ts';

export interface EmbeddedMedia {
  /** Absolute http(s) URL. */
  readonly href: string;
  /** What the page calls it; its address where it says nothing. */
  readonly label: string;
}

/** Undefined for elements that embed nothing, or nothing that a reader would see. */
export function embeddedMedia(
  element: Element,
  resolve: (reference: string) => string | undefined,
): EmbeddedMedia | undefined {
  const { name, attribs } = element;
  if (!mediaElements.has(name)) return undefined;
  const references = [
    attribs['data-src'],
    attribs['data-lazy-src'],
    attribs['src'],
    attribs['data'],
    sourceChild(element),
  ];
  const reference = references.find((value) => value !== undefined && value.trim() !== '');
  const href = reference === undefined ? undefined : resolve(reference);
  if (href === undefined || !/^https?:/.test(href) || isTiny(attribs['width']) || isTiny(attribs['height']))
    return undefined;
  // What stands in a video is for browsers that cannot play it; what stands in an object says what it shows.
  const inside = name === 'object' ? nodeText(element.children).slice(0, labelLengthMax) : '';
  const label = (attribs['title'] ?? attribs['aria-label'] ?? inside).replace(/\s+/g, ' ').trim();
  return { href, label: label === '' ? href : label };
}

const labelLengthMax = 200;

/** Not part of a line of text. */
export function isBetweenBlocks({ parent }: Element): boolean {
  return parent === null || !isTag(parent) || (blockElements.has(parent.name) && parent.name !== 'p');
}

export const mediaElements: ReadonlySet<string> = new Set(['iframe', 'video', 'audio', 'embed', 'object']);

function sourceChild({ children }: Element): string | undefined {
  const source = children.find((child) => isTag(child) && child.name === 'source');
  return source !== undefined && isTag(source) ? source.attribs['src'] : undefined;
}
