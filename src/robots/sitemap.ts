/** Reads sitemaps in every form that sites serve: urlset, sitemapindex, RSS, Atom, and one URL per line. */

import { Parser } from 'htmlparser2';

export interface SitemapContent {
  /** Absolute http(s) URLs in the order of the file, without fragments; at most 50,000 (sitemaps.org protocol). */
  readonly urls: readonly SitemapUrl[];
  /** Absolute http(s) URLs of further sitemaps; at most 500. */
  readonly sitemaps: readonly string[];
  /** Why the result might have less than the file. The URLs read so far are returned, except for `html`. */
  readonly problem?: SitemapProblem;
}

interface SitemapUrl {
  readonly url: string;
  /** As written in the file: a W3C date in sitemaps and Atom, an RFC 822 date in RSS, or any text. */
  readonly lastmod?: string;
}

/**
 * `html`: a page, such as sites serve for a missing file. `too_many`, `too_deep`: the file exceeds a limit, and is read
 * up to there. `no_urls`: it contains no URL.
 */
export type SitemapProblem = 'html' | 'too_many' | 'too_deep' | 'no_urls';

/**
 * `text` is unpacked and decoded; `sitemapUrl` is its URL after redirects. Never throws: broken XML yields what can be
 * read. Only XML's own five entities and character references are expanded: a document type is skipped, and its
 * declarations are not expanded.
 */
export function parseSitemap(text: string, sitemapUrl: string): SitemapContent {
  const found = new Found(sitemapUrl);
  if (/^\s*</.test(text)) readXml(text, found);
  else readLines(text, found);
  return found.content();
}

const urlsMax = 50_000;
const sitemapsMax = 500;
const urlLengthMax = 8192;
/** A urlset is 3 levels deep, 5 with images and videos. The parser's own stack costs time by its depth. */
const depthMax = 32;
/** Small, so that little is read after a reason to stop: 16,384 characters hold at most 5,000 elements. */
const chunkLength = 16_384;

/** The elements with content, by the names of their parent and themselves, without prefixes. */
const parts: ReadonlyMap<string, 'location' | 'lastmod'> = new Map([
  ['url>loc', 'location'],
  ['url>lastmod', 'lastmod'],
  ['sitemap>loc', 'location'],
  ['item>link', 'location'],
  ['item>pubdate', 'lastmod'],
  ['entry>link', 'location'],
  ['entry>updated', 'lastmod'],
]);

/** The elements that contain one URL each. */
const entries = new Set(['url', 'sitemap', 'item', 'entry']);

const feedElements = new Set(['channel', 'item', 'entry']);

function readXml(text: string, found: Found): void {
  const open: string[] = [];
  let entry = noEntry();
  let part: 'location' | 'lastmod' | undefined;
  let link = { href: '', rel: '' };
  let guid = { isPermaLink: true, text: '' };
  let isAtEnd = false;

  const add = (kind: string): void => {
    if (kind === 'sitemap') found.addSitemap(entry.location);
    else found.addUrl(entry.location, entry.lastmod.trim());
    entry = noEntry();
  };

  const parser = new Parser(
    {
      onopentagname(qualifiedName) {
        const name = localName(qualifiedName);
        const parent = open.at(-1) ?? '';
        if (open.length === 0 && name === 'html') found.problem = 'html';
        part = isOfAnother.test(qualifiedName) ? undefined : parts.get(`${parent}>${name}`);
        // Two locations in one entry are two entries with their border missing.
        if (name === 'loc' && part === 'location' && entry.hasLocation) add(parent);
        // An item with two links: the first counts.
        if (part === 'location' && entry.hasLocation) part = undefined;
        if (part === 'location') {
          entry.location = '';
          entry.hasLocation = true;
        }
        if (parent === 'item' && name === 'guid') guid = { isPermaLink: true, text: '' };
        // An RSS item can contain the `url` of an image, which is not an entry.
        open.push(name === 'url' && open.some((parent) => feedElements.has(parent)) ? '' : name);
        link = { href: '', rel: '' };
        if (entries.has(open.at(-1) ?? '')) entry = noEntry();
        if (open.length > depthMax) found.problem ??= 'too_deep';
      },
      onattribute(name, value) {
        if (name === 'href') link.href = value;
        if (name === 'rel') link.rel = value;
        if (name.toLowerCase() === 'ispermalink') guid.isPermaLink = value.toLowerCase() !== 'false';
      },
      ontext(piece) {
        if (part !== undefined) entry[part] = longer(entry[part], piece);
        // An index that gives its sitemaps without a `loc`.
        else if (open.at(-1) === 'sitemap' && !entry.hasLocation) entry.location = longer(entry.location, piece);
        else if (open.at(-1) === 'guid') guid.text = longer(guid.text, piece);
      },
      onprocessinginstruction(_, declaration) {
        if (/^!doctype\s+html\b/i.test(declaration)) found.problem = 'html';
      },
      onclosetag() {
        const name = open.pop();
        part = undefined;
        // A truncated URL is a different URL.
        if (isAtEnd && (name === 'loc' || name === 'link' || (name === 'sitemap' && !entry.hasLocation)))
          entry.location = '';
        if (isAtEnd && name === 'guid') guid.text = '';
        if (name === 'link') {
          const isAlternate = link.rel === 'alternate';
          if (open.at(-1) === 'entry' && (isAlternate || link.rel === '')) entry.location ||= link.href;
          // Other languages of the page (`xhtml:link`).
          if (open.at(-1) === 'url' && isAlternate) found.addAlternate(link.href);
        }
        if (name === 'item' && entry.location === '' && guid.isPermaLink) entry.location = guid.text;
        if (name === 'item') guid = { isPermaLink: true, text: '' };
        if (name !== undefined && entries.has(name)) add(name);
      },
    },
    { xmlMode: true },
  );

  for (let at = 0; at < text.length && found.problem === undefined; at += chunkLength) {
    parser.write(text.slice(at, at + chunkLength));
  }
  // Closes open elements, so that the last entry of a truncated file counts.
  isAtEnd = true;
  if (found.problem === undefined) parser.end();
}

interface Entry {
  location: string;
  lastmod: string;
  /** The entry has an element for its location. */
  hasLocation: boolean;
}

function noEntry(): Entry {
  return { location: '', lastmod: '', hasLocation: false };
}

/** Keeps a little more than the longest URL, so that a longer one is recognised and costs no more memory. */
function longer(text: string, piece: string): string {
  return text.length > urlLengthMax ? text : text + (text === '' ? piece.trimStart() : piece);
}

/** Elements directly in a page's entry that describe its parts, not the page. */
const isOfAnother = /^(?:image|video|news):/i;

function readLines(text: string, found: Found): void {
  for (const [line] of text.matchAll(/[^\r\n]+/g)) {
    if (found.problem !== undefined) return;
    found.addUrl(line, '');
  }
}

/** `sm:loc` is `loc`: the file chooses its prefixes, and the parent distinguishes an image's `loc` from a page's. */
function localName(qualifiedName: string): string {
  return qualifiedName.slice(qualifiedName.indexOf(':') + 1).toLowerCase();
}

/** Collects what was read. Reading continues until there is a problem. */
class Found {
  problem: SitemapProblem | undefined;
  readonly #base: string;
  readonly #urls: SitemapUrl[] = [];
  readonly #sitemaps: string[] = [];
  /**
   * Alternates named in entries of other pages. Usually every entry of the group names each of them, and each has an
   * entry of its own.
   */
  readonly #alternates = new Set<string>();
  #isCut = false;

  constructor(base: string) {
    this.#base = base;
  }

  addUrl(location: string, lastmod: string): void {
    const url = this.#resolve(location);
    if (url === undefined) return;
    if (this.#urls.length === urlsMax) this.problem ??= 'too_many';
    else this.#urls.push(lastmod === '' ? { url } : { url, lastmod });
  }

  addAlternate(location: string): void {
    const url = this.#resolve(location);
    if (url === undefined || this.#alternates.has(url)) return;
    if (this.#alternates.size < urlsMax) this.#alternates.add(url);
    else this.#isCut = true;
  }

  addSitemap(location: string): void {
    const url = this.#resolve(location);
    if (url === undefined) return;
    if (this.#sitemaps.length === sitemapsMax) this.problem ??= 'too_many';
    else this.#sitemaps.push(url);
  }

  content(): SitemapContent {
    if (this.problem === 'html') return { urls: [], sitemaps: [], problem: 'html' };
    for (const { url } of this.#urls) this.#alternates.delete(url);
    const all = [...this.#urls, ...Array.from(this.#alternates, (url) => ({ url }))];
    const urls = all.slice(0, urlsMax);
    if (this.#isCut || all.length > urlsMax) this.problem ??= 'too_many';
    const isEmpty = urls.length === 0 && this.#sitemaps.length === 0;
    const problem = this.problem ?? (isEmpty ? 'no_urls' : undefined);
    const found = { urls, sitemaps: this.#sitemaps };
    return problem === undefined ? found : { ...found, problem };
  }

  /** Sitemaps must give absolute URLs. URLs that begin with a slash are accepted too; other text is not. */
  #resolve(location: string): string | undefined {
    const trimmed = location.trim();
    if (trimmed.length > urlLengthMax || !/^(?:https?:|\/)/i.test(trimmed)) return undefined;
    const url = URL.parse(trimmed, this.#base);
    if (url === null || (url.protocol !== 'http:' && url.protocol !== 'https:')) return undefined;
    // Setting `hash` parses the URL again, which most URLs do not need.
    if (trimmed.includes('#')) url.hash = '';
    return url.href;
  }
}
