/** Classifies pages, as far as the kind decides what the content is. */
import type { Element } from 'domhandler';
import { isText } from 'domhandler';
import type { PageElements } from '../scan/scan-page.ts';
import { isThreadUrl } from './thread-url.ts';

/**
 * In a `discussion`, the replies are content. On a `product` page, reviews are not. In an `article`, anything but prose
 * is secondary.
 */
export type PageKind = 'discussion' | 'product' | 'article' | 'other';

/**
 * Uses the page's address, its schema.org types and Open Graph tags, and numbered posts. `classes` are those of its
 * elements, each once.
 */
export function findPageKind(elements: PageElements, url: string, classes: Iterable<string>): PageKind {
  if (isThreadUrl(url)) return 'discussion';
  for (const names of classes) if (threadComments.test(names)) return 'discussion';
  const signs: Signs = { isDiscussion: false, products: 0, isProduct: false, isArticle: false };
  for (const type of elements.itemTypes) addType(type, signs);
  for (const script of elements.jsonLd) addStatements(script, signs);
  for (const meta of elements.metas) addMeta(meta, signs);
  if (signs.isDiscussion || (elements.posts >= threadPostsMin && !signs.isArticle)) return 'discussion';
  if (productUrl.test(url) && (signs.products === 1 || !signs.isArticle)) return 'product';
  // A page with many products is a list.
  if (signs.isProduct || (signs.products === 1 && !signs.isArticle)) return 'product';
  return signs.isArticle ? 'article' : 'other';
}

/** Shops state an article where their theme is that of a blog. On 1,362 pages, F1 of products rises from .685 to .691. */
const productUrl = /^[^?#]*\/(?:products?|pdp|dp|itm|shop\/[^/?#]+)\/[^/?#]{3,}/;

interface Signs {
  isDiscussion: boolean;
  isProduct: boolean;
  isArticle: boolean;
  products: number;
}

const threadPostsMin = 3;
/** Names of comments that are the page, not what follows an article. One is enough. */
const threadComments = /(?:^|\s)(?:comment-node|comtr|comments_subtree|crawler-post)(?:\s|$)/;

function addType(type: string, signs: Signs): void {
  signs.isDiscussion ||= /\b(?:DiscussionForumPosting|QAPage)\b/.test(type);
  if (/\bProduct\b/.test(type)) signs.products++;
}

function addStatements({ children }: Element, signs: Signs): void {
  for (const child of children) {
    if (!isText(child)) continue;
    signs.isDiscussion ||= /"@type"\s*:\s*\[?\s*"(?:DiscussionForumPosting|QAPage)"/.test(child.data);
    signs.isArticle ||= /"@type"\s*:\s*\[?\s*"(?:\w*Article|BlogPosting)"/.test(child.data);
    signs.products += child.data.match(/"@type"\s*:\s*\[?\s*"Product(?:Group)?"/g)?.length ?? 0;
  }
}

function addMeta({ attribs }: Element, signs: Signs): void {
  const name = (attribs['property'] ?? attribs['name'] ?? '').toLowerCase();
  if (name === 'og:type') {
    const content = attribs['content'] ?? '';
    // A site can put its own prefix before a type.
    signs.isProduct ||= /(?:^|:)product(?:\.item)?$/i.test(content);
    signs.isArticle ||= /^article$/i.test(content);
  } else if (name === 'product:price:amount' || name === 'og:price:amount') {
    signs.isProduct = true;
  }
}
