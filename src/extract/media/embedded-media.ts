/** Videos, audio and frames. No writer can show them, so all writers link to them. */
import type { Element } from 'domhandler';
import { isTag } from 'domhandler';
import { blockElements } from '../html/element-kinds.ts';
import { isTiny } from './image-source.ts';
import { nodeText } from '../html/node-text.ts';

export interface EmbeddedMedia {
  /** Absolute http(s) URL. */
  readonly href: string;
  /** The page's label, or the address if there is none. */
  readonly label: string;
}

/** Returns undefined for elements that embed nothing, or nothing that a reader sees. */
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
  if (
    href === undefined ||
    !/^https?:/.test(href) ||
    buttons.test(href) ||
    isTiny(attribs['width']) ||
    isTiny(attribs['height'])
  )
    return undefined;
  // Text inside a video is for browsers that cannot play it. Text inside an object describes the object.
  const inside = name === 'object' ? nodeText(element.children).slice(0, labelLengthMax) : '';
  const label = (
    attribs['title'] ??
    attribs['aria-label'] ??
    (name === 'frame' ? attribs['name'] : undefined) ??
    inside
  )
    .replace(/\s+/g, ' ')
    .trim();
  return { href, label: label === '' ? href : label };
}

/** Frames that show a button to share or to follow. */
const buttons =
  /^https?:\/\/(?:[\w-]+\.facebook\.com\/plugins\/(?:like|share|follow)|platform\.twitter\.com\/widgets\/(?:tweet|follow)_button)/;
const labelLengthMax = 200;

/** Returns true if the element is not part of a line of text. */
export function isBetweenBlocks({ parent }: Element): boolean {
  return parent === null || !isTag(parent) || (blockElements.has(parent.name) && parent.name !== 'p');
}

export const mediaElements: ReadonlySet<string> = new Set(['iframe', 'frame', 'video', 'audio', 'embed', 'object']);

function sourceChild({ children }: Element): string | undefined {
  const source = children.find((child) => isTag(child) && child.name === 'source');
  return source !== undefined && isTag(source) ? source.attribs['src'] : undefined;
}
