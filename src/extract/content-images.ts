/** Where the images of a page's content are: on a page of a gallery, the image is what it has to say. */
import type { ChildNode } from 'domhandler';
import { isTag } from 'domhandler';
import { imageSource, isPixel } from './image-source.ts';
import type { PageContent } from './page-content.ts';

/** More of a page are not looked at. */
const imagesMax = 100;

/** The unresolved addresses of at most 100 images, without those that only count visitors. */
export function contentImages(content: PageContent): string[] {
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
