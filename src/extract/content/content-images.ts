/** Lists the images of a page's content. On a gallery page, the image is the content. */
import type { ChildNode } from 'domhandler';
import { isTag } from 'domhandler';
import { imageSource, isPixel } from '../media/image-source.ts';
import type { PageContent } from './page-content.ts';

/** Returns the unresolved addresses of the first images. Tracking pixels are left out. */
export function contentImages(content: PageContent, imagesMax: number): string[] {
  const sources: string[] = [];
  const left: ChildNode[] = [...content.nodes].toReversed();
  while (sources.length < imagesMax) {
    const node = left.pop();
    if (node === undefined) break;
    if (!isTag(node) || content.skipped.has(node)) continue;
    if (node.name === 'img' && !isPixel(node)) {
      const source = imageSource(node);
      if (source !== undefined) sources.push(source);
    }
    for (let at = node.children.length - 1; at >= 0; at -= 1) {
      const child = node.children[at];
      if (child !== undefined) left.push(child);
    }
  }
  return sources;
}
