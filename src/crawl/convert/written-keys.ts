import { createHash, hash } from 'node:crypto';
import { undatedNumbers, undatedText } from '../../extract/text/undated-text.ts';
import { type UrlTemplates, urlTemplates } from '../../url/url-template.ts';
import { withoutOwnUrl } from './content-key.ts';

/** Keys of what a page shows, by which pages that show the same again under ever new URLs are found. */
export interface WrittenKeys {
  /** Of its title, text and all links, as they are written: relative to its directory, and without sessions. */
  readonly written: string;
  /**
   * The same without dates and the numbers of its URL. Absent if the page has other numbers, a long text, or no link to
   * a page with a URL of the same form: then it is not a page of an endless list.
   */
  readonly undated?: string | undefined;
}

export interface WrittenPage {
  readonly title: string;
  readonly plainText: string;
  readonly links: readonly string[];
  /** Absolute: images of two directories with the same name are two images. */
  readonly images: readonly string[];
  readonly fetched: URL;
  /** See `Finding.selfFed`. */
  readonly isSelfFed: boolean;
}

export function writtenKeys(page: WrittenPage): WrittenKeys {
  const { title, plainText, links, images, fetched, isSelfFed } = page;
  const said = createHash('sha256').update(`${title}\n`).update(plainText);
  const shown = [asWritten(links.join('\n'), fetched), ...images].join('\n');
  return { written: said.update(shown).digest('base64url'), undated: isSelfFed ? undatedKey(page) : undefined };
}

function asWritten(text: string, url: URL): string {
  const local = withoutOwnUrl(text, url);
  const directory = url.pathname.slice(0, url.pathname.lastIndexOf('/') + 1);
  const relative = directory === '/' ? local : local.replaceAll(`\0${directory}`, '');
  return withoutSession(relative);
}

/** A session is in most links that have such a parameter; an address of a version or of an object is in one. */
function withoutSession(text: string): string {
  const counts = new Map<string, number>();
  for (const [, , value = ''] of text.matchAll(tokens)) counts.set(value, (counts.get(value) ?? 0) + 1);
  if (counts.size === 0) return text;
  const all = Array.from(counts.values()).reduce((sum, count) => sum + count, 0);
  return text.replace(tokens, (whole, name: string, value: string) =>
    2 * (counts.get(value) ?? 0) >= all ? name : whole,
  );
}

const tokens = /([?&;][^=&#\s?]{1,40}=)([\da-f]{20,128}|[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12})(?![\w-])/gi;

/** Characters of text. An endless list says less. */
const undatedLengthMax = 2_000;

function undatedKey({ title, plainText, links, images, fetched }: WrittenPage): string | undefined {
  if (plainText.length > undatedLengthMax) return undefined;
  const { href } = fetched;
  const own = urlTemplates(fetched);
  const others: string[] = [];
  const ways = new Set<string>();
  for (const link of links) {
    const isOnward = link !== href && urlTemplates(new URL(link)).fine === own.fine;
    if (isOnward) ways.add(wayTo(link, href, own));
    else others.push(link);
    // Before anything is done that takes longer: most pages lead to many of their form.
    if (ways.size > 2) return undefined;
  }
  if (!areNeighbours([...ways])) return undefined;
  const said = undatedText(`${title}\n${plainText}`.toLowerCase().replace(monthBeforeYear, ' '), href);
  // What a page has counted or measured is its own.
  if (/[1-9]/.test(undatedNumbers(said))) return undefined;
  const shown = [...others.map((link) => undatedText(link, '')), ...ways, ...images];
  return hash('sha256', [said.replace(/\s+/g, ' '), ...shown].join('\n'), 'base64url');
}

/** The next page and the one before are all that a list leads to; pages that link to each other have ways of their own. */
function areNeighbours(ways: readonly string[]): boolean {
  if (ways.length === 0) return false;
  const steps = ways.map((way) => (way.match(/(?<=\+)-?\d+/g) ?? []).reduce((sum, step) => sum + Number(step), 0));
  const [first = 0, second = -first] = steps;
  return first + second === 0 && (steps.length === 2 || first >= 0);
}

/** How a URL differs from the page's own, which has the same form: `?page=+1`. */
function wayTo(link: string, own: string, { numbers }: UrlTemplates): string {
  if (numbers === 'undated') return undatedText(link, own);
  const from = own.match(/\d+/g) ?? [];
  let at = 0;
  return link.replace(/\d+/g, (number) => `+${Number(number) - Number(from[at++])}`);
}

/** A word before a year is a month, in any language: `May 2026`, `mayo de 2026`. */
const monthBeforeYear = /\p{L}+\.?(?=\s(?:de\s)?(?:19|2[01])\d\d(?!\d))/gu;
