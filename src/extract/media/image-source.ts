/** Finds the real address of an image: lazy loaders keep it in other attributes than `src`. */
import type { Element } from 'domhandler';
import { isTag, isText } from 'domhandler';
import { srcsetCandidates } from './srcset.ts';

/** Returns the unresolved address; undefined for images without an address or with inline data. */
export function imageSource(image: Element): string | undefined {
  const { attribs } = image;
  for (const name of lazyAttributes) {
    const address = addressIn(attribs[name]);
    if (address !== undefined && !isSwitch(address)) return address;
  }
  const late = largestCandidate(attribs['data-srcset'] ?? attribs['data-lazy-srcset']) ?? withoutScripts(image);
  if (late !== undefined) return late;
  return (
    addressIn(attribs['src']) ?? largestCandidate(attribs['srcset']) ?? pictureSource(image) ?? loaderSource(image)
  );
}

const lazyAttributes =
  'data-src data-original data-lazy-src data-lazy data-lazyload data-actualsrc data-hi-res-src'.split(' ');

/** Reads an attribute for one address. Some templates write all that they have into it, as into a `srcset`. */
function addressIn(value: string | undefined): string | undefined {
  const address = value?.trim();
  if (address === undefined || !isAddress(address)) return undefined;
  return sizes.test(address) ? largestCandidate(address) : address;
}

const sizes = /\s[\d.]+[wx]\s*(?:,|$)/;

/** `false` or `1`: the page says with it whether the loader waits. */
function isSwitch(value: string): boolean {
  return !/[./]/.test(value);
}

function isAddress(address: string): boolean {
  return address !== '' && !/^(?:[#{]|(?:data|blob|javascript|about):)/i.test(address);
}

/** Returns the widest or densest of `small.jpg 480w, large.jpg 2x`. */
function largestCandidate(srcset: string | undefined): string | undefined {
  let best: string | undefined;
  let bestSize = -1;
  for (const { address, size } of srcset === undefined ? [] : srcsetCandidates(srcset)) {
    if (size <= bestSize || !isAddress(address)) continue;
    best = address;
    bestSize = size;
  }
  return best;
}

function pictureSource({ parent }: Element): string | undefined {
  if (parent === null || !isTag(parent) || parent.name !== 'picture') return undefined;
  for (const node of parent.children) {
    if (!isTag(node) || node.name !== 'source') continue;
    const address = largestCandidate(node.attribs['srcset'] ?? node.attribs['data-srcset']);
    if (address !== undefined) return address;
  }
  return undefined;
}

/**
 * Every lazy loader names its attributes as it likes: `nitro-lazy-src`, `data-delay-srcset`, `data-img-url`. They are
 * read only if nothing else has the address.
 */
function loaderSource({ attribs }: Element): string | undefined {
  for (const name in attribs) {
    if (name === 'src' || !loaderAttribute.test(name)) continue;
    const value = attribs[name]?.trim() ?? '';
    const address = name.includes('srcset') ? largestCandidate(value) : value;
    if (address !== undefined && imageAddress.test(address)) return address;
  }
  return undefined;
}

const loaderAttribute = /-(?:src|srcset)(?:-|$)|-(?:img|image)(?:-?url)?$|-(?:large|medium|orig)-file$/;
/** Not a script, a template or a list. */
const imageAddress = /^(?:(?:https?:)?\/\/?|[^:{}]+\.(?:avif|gif|jpe?g|png|svg|webp)(?:\?|$))[^\s{}'"]*$/i;

/** Returns the image that a page without scripts would show instead. */
function withoutScripts(image: Element): string | undefined {
  let next = image.next;
  if (next !== null && isText(next) && next.data.trim() === '') next = next.next;
  if (next === null || !isTag(next) || next.name !== 'noscript') return undefined;
  const inner = next.children.find((child) => isTag(child) && child.name === 'picture') ?? next;
  const twin = (isTag(inner) ? inner.children : []).find((child) => isTag(child) && child.name === 'img');
  if (twin === undefined || !isTag(twin) || isPixel(twin)) return undefined;
  const address = twin.attribs['src']?.trim();
  return address !== undefined && isAddress(address) ? address : undefined;
}

/** True for a tracking pixel. */
export function isPixel({ attribs }: Element): boolean {
  return isTiny(attribs['width']) && isTiny(attribs['height']);
}

/** A size of 0 or 1 pixel, which nobody sees. */
export function isTiny(size: string | undefined): boolean {
  return size !== undefined && /^[01](?:px)?$/.test(size.trim());
}
