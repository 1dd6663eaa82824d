/** What a page says of its subject in its headings, its title and its addresses. */
import type { Element } from 'domhandler';
import { attributeOf } from '../html/nodes.ts';
import type { PageUrls } from '../scan/page-urls.ts';
import type { PageElements } from '../scan/scan-page.ts';
import type { PageSubject } from './main-things.ts';
import { markedText } from './marked-things.ts';

const headingsMax = 20;
const textLengthMax = 500;

export function pageSubject({ mainHeadings, title, linking }: PageElements, urls: PageUrls): PageSubject {
  const canonical = linking.find(isCanonical)?.attribs['href'];
  const canonicalUrl = canonical === undefined ? undefined : urls.crawlable(canonical);
  return {
    headings: mainHeadings.slice(0, headingsMax).map(({ children }) => markedText(children, textLengthMax)),
    title: title === undefined ? '' : markedText(title.children, textLengthMax),
    isThisPage: (url) => urls.isThisPage(url) || (canonicalUrl !== undefined && urls.crawlable(url) === canonicalUrl),
  };
}

/** True for `<link rel=canonical>`. */
export function isCanonical(element: Element): boolean {
  return element.name === 'link' && /(?:^|\s)canonical(?:\s|$)/i.test(attributeOf(element, 'rel') ?? '');
}
