import { mediaType } from './media-type.ts';

/** How the body of a page is read. `xml` is a page only if its root is that of XHTML. */
export type PageType = 'html' | 'xhtml' | 'xml' | 'markdown';

/**
 * Returns how a body of this type is read as a page; undefined if it is none. A type that is missing or unreadable counts
 * as HTML, as in browsers for most of the web.
 */
export function pageTypeOf(contentType: string): PageType | undefined {
  const type = mediaType(contentType);
  return type === '' ? 'html' : byType[type];
}

const byType: Readonly<Record<string, PageType>> = {
  'text/html': 'html',
  'application/xhtml+xml': 'xhtml',
  'application/xml': 'xml',
  'text/xml': 'xml',
  'text/markdown': 'markdown',
  'text/x-markdown': 'markdown',
};
