/** Reads sitemaps in every form that sites serve them: urlset, sitemapindex, RSS, Atom, and one URL a line. */

import { Parser } from 'htmlparser2';

export interface SitemapContent {
  /** Absolute http(s) URLs in the order of the file, without fragments; at most 50,000 (sitemaps.org protocol). */
  readonly urls: readonly SitemapUrl[];
  /** Absolute http(s) URLs of further sitemaps; at most 500. */
  readonly sitemaps: readonly string[];
  /** Why there is less here than the file may have. What could be read is still given, but for `doctype`. */
  readonly problem?: SitemapProblem;
}

interface SitemapUrl {
  readonly url: string;
  /** As the file has it: a W3C date in sitemaps and Atom, an RFC 822 date in RSS, or anything. */
  readonly lastmod?: string;
}

/**
 * `doctype`: the file declares a document type, which is the beginning of every XML bomb, and of HTML pages that are
 * served for missing sitemaps. `too_many`, `too_deep`: it goes past a limit, and is read up to there.
 * `no_urls`: there is no URL in it.
 */
type SitemapProblem = 'doctype' | 'too_many' | 'too_deep' | 'no_urls';

/**
 * `text` is unpacked and decoded; `sitemapUrl` is where it was found in the end. Never throws: broken XML yields what
 * can be read. Entities other than XML's own five and character references stay as they are written.
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
/** A urlset is 3 deep, with images and videos 5. The parser's own stack costs time by its depth. */
const depthMax = 32;
/** Small, so that little is read after the reason to stop: 16,384 characters hold at most 5,000 elements. */
const chunkLength = 16_384;

/** The elements that hold something, by the name of their parent and their own, without prefixes. */
const parts: ReadonlyMap<string, 'location' | 'lastmod'> = new Map([
  ['url>loc', 'location'],
  ['url>lastmod', 'lastmod'],
  ['sitemap>loc', 'location'],
  ['item>link', 'location'],
  ['item>pubdate', 'lastmod'],
  ['entry>link', 'location'],
  ['entry>updated', 'lastmod'],
]);

/** The elements that stand for one URL each. */
const entries = new Set(['url', 'sitemap', 'item', 'entry']);

const feedElements = new Set(['channel', 'item', 'entry']);

function readXml(text: string, found: Found): void {
  const open: string[] = [];
  let entry = { location: '', lastmod: '' };
  let part: 'location' | 'lastmod' | undefined;
  let atomLink = { href: '', isAlternate: true };
  let isAtEnd = false;

  const parser = new Parser(
    {
      onopentagname(qualifiedName) {
        const name = localName(qualifiedName);
        part = parts.get(`${open.at(-1)}>${name}`);
        // An RSS item may hold the `url` of an image, which is no entry.
        open.push(name === 'url' && open.some((parent) => feedElements.has(parent)) ? '' : name);
        atomLink = { href: '', isAlternate: true };
        if (entries.has(open.at(-1) ?? '')) entry = { location: '', lastmod: '' };
        if (open.length > depthMax) found.problem ??= 'too_deep';
      },
      onattribute(name, value) {
        if (name === 'href') atomLink.href = value;
        if (name === 'rel') atomLink.isAlternate = value === 'alternate';
      },
      ontext(piece) {
        // A little more than the longest URL, so that one that is too long is known as such and costs no more.
        if (part !== undefined && entry[part].length <= urlLengthMax) entry[part] += piece;
      },
      onclosetag() {
        const name = open.pop();
        part = undefined;
        // Half a URL is another URL.
        if (isAtEnd && name === 'loc') entry.location = '';
        if (name === 'link' && open.at(-1) === 'entry' && atomLink.isAlternate) entry.location ||= atomLink.href;
        if (name === 'sitemap') found.addSitemap(entry.location);
        else if (name !== undefined && entries.has(name)) found.addUrl(entry.location, entry.lastmod.trim());
      },
      onprocessinginstruction(name) {
        if (name.toLowerCase() === '!doctype') found.problem = 'doctype';
      },
    },
    { xmlMode: true },
  );

  for (let at = 0; at < text.length && found.problem === undefined; at += chunkLength) {
    parser.write(text.slice(at, at + chunkLength));
  }
  // Closes what is open, so that the last entry of a file that was cut off counts.
  isAtEnd = true;
  if (found.problem === undefined) parser.end();
}

function readLines(text: string, found: Found): void {
  for (const [line] of text.matchAll(/[^\r\n]+/g)) {
    if (found.problem !== undefined) return;
    found.addUrl(line, '');
  }
}

/** `sm:loc` is `loc`: a prefix is the file's own choice, and the parent tells an image's `loc` from a page's. */
function localName(qualifiedName: string): string {
  return qualifiedName.slice(qualifiedName.indexOf(':') + 1).toLowerCase();
}

/** What was read so far. Reading goes on while there is no problem. */
class Found {
  problem: SitemapProblem | undefined;
  readonly #base: string;
  readonly #urls: SitemapUrl[] = [];
  readonly #sitemaps: string[] = [];

  constructor(base: string) {
    this.#base = base;
  }

  addUrl(location: string, lastmod: string): void {
    const url = this.#resolve(location);
    if (url === undefined) return;
    if (this.#urls.length === urlsMax) this.problem ??= 'too_many';
    else this.#urls.push(lastmod === '' ? { url } : { url, lastmod });
  }

  addSitemap(location: string): void {
    const url = this.#resolve(location);
    if (url === undefined) return;
    if (this.#sitemaps.length === sitemapsMax) this.problem ??= 'too_many';
    else this.#sitemaps.push(url);
  }

  content(): SitemapContent {
    if (this.problem === 'doctype') return { urls: [], sitemaps: [], problem: 'doctype' };
    const isEmpty = this.#urls.length === 0 && this.#sitemaps.length === 0;
    const problem = this.problem ?? (isEmpty ? 'no_urls' : undefined);
    const found = { urls: this.#urls, sitemaps: this.#sitemaps };
    return problem === undefined ? found : { ...found, problem };
  }

  /** Sitemaps must give absolute URLs; those that begin with a slash are understood, other words are not. */
  #resolve(location: string): string | undefined {
    const trimmed = location.trim();
    if (trimmed.length > urlLengthMax || !/^(?:https?:|\/)/i.test(trimmed)) return undefined;
    const url = URL.parse(trimmed, this.#base);
    if (url === null || (url.protocol !== 'http:' && url.protocol !== 'https:')) return undefined;
    // Setting it parses the URL again, which most can do without.
    if (trimmed.includes('#')) url.hash = '';
    return url.href;
  }
}
