/** The rules in a site's robots.txt for us, by RFC 9309. */

import { comparablePath } from './comparable-path.ts';
import { readOurGroups } from './our-groups.ts';
import { matches } from './rule.ts';

export interface RobotsRules {
  /**
   * Decides whether we may fetch the URL. Only its path and query count: the caller guarantees that the file belongs to
   * the URL's host, port and scheme (RFC 9309, 2.3).
   */
  verdict(url: string): RobotsVerdict;
  /** Seconds between two fetches that our group requests: above 0, without an upper bound, possibly a fraction. */
  readonly crawlDelaySeconds: number | undefined;
  /** Absolute http(s) URLs, in the order of the file, without repetitions; at most 500. They can be on other hosts. */
  readonly sitemaps: readonly string[];
  /** The file reaches the limit of 500 KiB: rules might be missing. */
  readonly isCut: boolean;
  /** Approximate memory in bytes: a file of 500 KiB can be 50,000 rules, and 8 MB. */
  readonly heldBytes: number;
}

type RobotsVerdict =
  | { readonly allowed: true }
  /** `rule` is the line as written in the file, without its comment, up to 500 characters; `line` counts from 1. */
  | { readonly allowed: false; readonly rule: string; readonly line: number };

/**
 * Reads the first 500 KiB of a robots.txt (RFC 9309, 2.5). Never throws, whatever the body: lines that are no rules are
 * skipped, so an HTML page allows everything. Sitemap URLs without a host are resolved against `origin`.
 */
export function parseRobots(body: Uint8Array | string, origin?: string): RobotsRules {
  const { rules, crawlDelaySeconds, sitemaps } = readOurGroups(readLines(body));
  const patternsLength = rules.reduce((sum, rule) => sum + rule.length, 0);

  return {
    verdict: (url) => {
      const path = literalPath(url);
      // Forbidden without matching: such a file is only meant to keep us busy, or to keep us out.
      if (rules.length * path.length + patternsLength > stepsMax) return { allowed: false, rule: tooCostly, line: 0 };
      // RFC 9309, 2.2.2: fetching robots.txt itself is always allowed.
      const decisive = path === '/robots.txt' ? undefined : rules.find((rule) => matches(rule, path));
      if (decisive === undefined || decisive.isAllow) return { allowed: true };
      return { allowed: false, rule: decisive.written.slice(0, ruleShownMax), line: decisive.line };
    },
    crawlDelaySeconds,
    isCut: body.length >= bodyBytesMax,
    sitemaps: absoluteUrls(sitemaps, origin),
    // Rules are slices of the text, and keep all of it in memory.
    heldBytes: body.length + rules.length * ruleBytes,
  };
}

/** Bytes of a rule in addition to its text: the heap grew by 150 to 160 per rule. */
const ruleBytes = 160;

const bodyBytesMax = 500 * 1024;
/** The limit of Google's parser: eight times 2,083, once the longest URL of a browser. A longer line is cut. */
const lineBytesMax = 16_664;
const sitemapsMax = 500;
/** Characters of a rule, since it is stored with every URL that it forbids. */
const ruleShownMax = 500;
/**
 * Matching a rule takes about as many steps as path and pattern have characters. This many steps take 100 ms at worst;
 * a path of 100 characters and a file with 5,000 rules need a hundredth of it.
 */
const stepsMax = 50_000_000;
const tooCostly = 'There are too many rules for a URL of this length.';

function readLines(body: Uint8Array | string): readonly string[] {
  const bytes = typeof body === 'string' ? new TextEncoder().encode(body) : body;
  const lines = new TextDecoder().decode(bytes.subarray(0, bodyBytesMax)).split(/\r\n|\r|\n/);
  // Half a path is another rule, so a line that is cut at the limit does not count.
  if (bytes.length >= bodyBytesMax && !/\s$/.test(lines.at(-1) ?? '')) lines.pop();
  return lines.map((line) => line.slice(0, lineBytesMax));
}

/** In a path `*` and `$` are ordinary characters; a pattern that means them has `%2A` and `%24` (RFC 9309, 2.2.3). */
function literalPath(url: string): string {
  const { pathname, search } = new URL(url);
  return comparablePath(pathname + search)
    .replaceAll('*', '%2A')
    .replaceAll('$', '%24');
}

function absoluteUrls(values: readonly string[], origin: string | undefined): readonly string[] {
  const urls = new Set<string>();
  for (const value of values) {
    const url = sitemapUrl(value, origin);
    if (url !== null && (url.protocol === 'http:' || url.protocol === 'https:')) urls.add(url.href);
    if (urls.size === sitemapsMax) break;
  }
  return [...urls];
}

/**
 * The protocol requires absolute URLs. Also common are quotes, a path from the root, a file name, and a missing scheme.
 * Other text is ignored.
 */
function sitemapUrl(value: string, origin: string | undefined): URL | null {
  const text = isQuoted.test(value) ? value.slice(1, -1) : value;
  if (/^https?:/i.test(text)) return URL.parse(text);
  if (text.startsWith('/')) return URL.parse(text, origin);
  if (hasSpace.test(text) || text.includes(':') || !sitemapEnding.test(text)) return null;
  const first = text.slice(0, text.indexOf('/') + 1);
  return first.includes('.') ? URL.parse(`https://${text}`) : URL.parse(`/${text}`, origin);
}

const isQuoted = /^(?:".*"|'.*'|<.*>)$/;
const hasSpace = /\s/;
const sitemapEnding = /\.(?:xml|txt|rss|atom)(?:\.gz)?$/i;
