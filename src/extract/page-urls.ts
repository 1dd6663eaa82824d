/** Resolves what a page refers to. Each distinct reference is resolved once: menus, images and text repeat themselves. */
import type { Element } from 'domhandler';
import { resolveLink } from '../url/parse-url.ts';

export interface PageUrls {
  /** Absolute http(s) URL to crawl, without a fragment. */
  readonly crawlable: (href: string) => string | undefined;
  /** Absolute URL for a reader to follow: http(s) with its fragment, `mailto:` and `tel:`. Nothing that runs or embeds. */
  readonly readable: (href: string) => string | undefined;
  /** As {@link crawlable}, for what a header refers to: no `<base>` moves that. */
  readonly ofHeader: (reference: string) => string | undefined;
  /** Whether a reference leads to the page itself, or to a part of it. */
  readonly isThisPage: (reference: string) => boolean;
}

export function pageUrls(url: string, baseElement: Element | undefined): PageUrls {
  const href = baseElement?.attribs['href'];
  const base = (href !== undefined && resolveLink(href, url)?.href) || url;
  const readable = remembered((reference) => {
    const resolved = URL.parse(reference, base);
    return resolved !== null && readableSchemes.has(resolved.protocol) ? resolved.href : undefined;
  });
  return {
    readable,
    crawlable: (reference) => {
      const resolved = readable(reference);
      if (resolved === undefined || !resolved.startsWith('http')) return undefined;
      // Only an address with an @ can hold a user name; parsing every link twice cost a tenth of the whole extraction.
      if (resolved.includes('@')) return resolveLink(reference, base)?.href;
      const fragment = resolved.indexOf('#');
      return fragment === -1 ? resolved : resolved.slice(0, fragment);
    },
    ofHeader: (reference) => resolveLink(reference, url)?.href,
    isThisPage: (reference) => resolveLink(reference, url)?.href === resolveLink(url, url)?.href,
  };
}

const readableSchemes: ReadonlySet<string> = new Set(['http:', 'https:', 'mailto:', 'tel:']);

function remembered(resolve: (reference: string) => string | undefined): (reference: string) => string | undefined {
  const known = new Map<string, string | undefined>();
  return (reference) => {
    if (known.has(reference)) return known.get(reference);
    const resolved = resolve(reference);
    known.set(reference, resolved);
    return resolved;
  };
}
