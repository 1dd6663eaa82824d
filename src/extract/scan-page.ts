/** One walk over the whole page for everything that is read from it before anything is removed. */
import type { ChildNode, Document, Element } from 'domhandler';
import { isTag } from 'domhandler';

export interface PageElements {
  readonly html: Element | undefined;
  readonly title: Element | undefined;
  /** The first `<base>` that has a `href`. */
  readonly base: Element | undefined;
  readonly metas: readonly Element[];
  /** Everything that can lead to another page, in document order: a, area, iframe, frame, link, meta. */
  readonly linking: readonly Element[];
  /** Scripts that hold JSON-LD. */
  readonly jsonLd: readonly Element[];
}

export function scanPage(document: Document): PageElements {
  let html: Element | undefined;
  let title: Element | undefined;
  let base: Element | undefined;
  const metas: Element[] = [];
  const linking: Element[] = [];
  const jsonLd: Element[] = [];

  const visit = (nodes: readonly ChildNode[]): void => {
    for (const node of nodes) {
      if (!isTag(node)) continue;
      switch (node.name) {
        case 'html':
          html ??= node;
          break;
        case 'title':
          title ??= node;
          break;
        case 'base':
          if (base === undefined && node.attribs['href'] !== undefined) base = node;
          break;
        case 'meta':
          metas.push(node);
          linking.push(node);
          break;
        case 'a':
        case 'area':
        case 'iframe':
        case 'frame':
        case 'link':
          linking.push(node);
          break;
        case 'script':
          if (isJsonLd(node)) jsonLd.push(node);
          continue;
        case 'style':
        case 'template':
        // An icon's <title> is not the page's, and its links are drawings.
        case 'svg':
          continue;
      }
      if (node.children.length > 0) visit(node.children);
    }
  };
  visit(document.children);
  return { html, title, base, metas, linking, jsonLd };
}

function isJsonLd({ attribs }: Element): boolean {
  const type = attribs['type'];
  return type !== undefined && /^\s*application\/ld\+json\s*(?:;|$)/i.test(type);
}
