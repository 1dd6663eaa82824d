/** What a site's robots.txt asks of us, by RFC 9309. */

import { comparablePath } from './comparable-path.ts';
import { readOurGroups } from './our-groups.ts';
import { matches } from './rule.ts';

export interface RobotsRules {
  /**
   * Whether we may fetch the URL. Only its path and query are looked at: that the file speaks for the URL's host, port
   * and scheme (RFC 9309, 2.3) is the caller's promise.
   */
  verdict(url: string): RobotsVerdict;
  /** Seconds between two fetches, as asked for by our group: above 0, without an upper bound, perhaps a fraction. */
  readonly crawlDelaySeconds: number | undefined;
  /** Absolute http(s) URLs, in the order of the file, without repetitions; at most 500. They may be on other hosts. */
  readonly sitemaps: readonly string[];
  /** The file is as long as what is read of it, or longer: rules may be missing. */
  readonly isCut: boolean;
  /** How much memory this takes, about: a file of 500 KiB may be 50,000 rules, and 8 MB. */
  readonly heldBytes: number;
}

type RobotsVerdict =
  | { readonly allowed: true }
  /** `rule` is the line as the file has it, without its comment, up to 500 characters; `line` counts from 1. */
  | { readonly allowed: false; readonly rule: string; readonly line: number };

/**
 * Reads the first 500 KiB of a robots.txt (RFC 9309, 2.5). Never throws for what a body may be: what is no rule is
 * passed over, so an HTML page allows everything. Sitemaps that are named without a host are taken to be on `origin`.
 */
export function parseRobots(body: Uint8Array | string, origin?: string): RobotsRules {
  const { rules, crawlDelaySeconds, sitemaps } = readOurGroups(readLines(body));
  const patternsLength = rules.reduce((sum, rule) => sum + rule.length, 0);

  return {
    verdict: (url) => {
      const path = literalPath(url);
      // Refused rather than computed: such a file can only be meant to keep us busy, or to keep us out.
      if (rules.length * path.length + patternsLength > stepsMax) return { allowed: false, rule: tooCostly, line: 0 };
      // RFC 9309, 2.2.2: robots.txt itself may always be read.
      const decisive = path === '/robots.txt' ? undefined : rules.find((rule) => matches(rule, path));
      if (decisive === undefined || decisive.isAllow) return { allowed: true };
      return { allowed: false, rule: decisive.written.slice(0, ruleShownMax), line: decisive.line };
    },
    crawlDelaySeconds,
    isCut: body.length >= bodyBytesMax,
    sitemaps: absoluteUrls(sitemaps, origin),
    // Rules are parts of the text, and keep all of it.
    heldBytes: body.length + rules.length * ruleBytes,
  };
}

/** Of a rule beside its text: a heap grew by 150 to 160 a rule. */
const ruleBytes = 160;

const bodyBytesMax = 500 * 1024;
/** As Google's parser: eight times 2,083, once the longest URL of a browser. A longer line is cut. */
const lineBytesMax = 16_664;
const sitemapsMax = 500;
/** It is kept with every URL that it keeps away. */
const ruleShownMax = 500;
/**
 * A rule is matched in about as many steps as path and pattern have characters. So many as this take 100 ms at the
 * worst; a path of 100 characters and a file with 5,000 rules come to a hundredth of it.
 */
const stepsMax = 50_000_000;
const tooCostly = 'There are too many rules for a URL of this length.';

function readLines(body: Uint8Array | string): readonly string[] {
  const bytes = typeof body === 'string' ? new TextEncoder().encode(body) : body;
  const lines = new TextDecoder().decode(bytes.subarray(0, bodyBytesMax)).split(/\r\n|\r|\n/);
  // Half a path is another rule, so a line that the end of what is read cuts through does not count.
  if (bytes.length >= bodyBytesMax) lines.pop();
  return lines.map((line) => line.slice(0, lineBytesMax));
}

/**
 * In a path `*` and `$` are no more than characters; a pattern that means them writes `%2A` and `%24` (RFC 9309,
 * 2.2.3).
 */
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
 * The protocol wants whole URLs. Common besides: in quotes, from the root on, the name of a file, without a scheme.
 * Other words name nothing.
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
