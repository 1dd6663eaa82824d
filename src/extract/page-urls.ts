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
  const directory = directoryOf(base);
  const readable = remembered((reference) => {
    const inDirectory = plainReference.test(reference) ? relativeTo(directory, reference) : undefined;
    if (inDirectory !== undefined) return inDirectory;
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

/** With nothing in it that a URL parser would read as a scheme, encode, or take away, but steps up at its start. */
const plainReference = /^(?:\.\.\/)*[\w~-][\w.~-]*(?:\/[\w~-][\w.~-]*)*\/?(?:#[\w.~-]*)?$/;

/** Of a URL in its normal form, up to its last slash. Undefined where that is not that of a path. */
function directoryOf(base: string): string | undefined {
  return /^https?:\/\/[^/?#]+\/(?:[^?#]*\/)?/.exec(base)?.[0];
}

/** What the parser would say of a {@link plainReference}, in a fifth of the time: most links of most pages are such. */
function relativeTo(directory: string | undefined, reference: string): string | undefined {
  if (directory === undefined) return undefined;
  const root = directory.indexOf('/', directory.indexOf('//') + 2) + 1;
  let end = directory.length;
  let start = 0;
  for (; reference.startsWith('../', start); start += 3) {
    if (end > root) end = directory.lastIndexOf('/', end - 2) + 1;
  }
  return directory.slice(0, end) + reference.slice(start);
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
