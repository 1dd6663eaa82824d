import { decodeXml } from '../../core/bytes/decode-bytes.ts';
import { leadsToLogout } from '../../extract/phrases/logout.ts';
import { parseSitemap, type SitemapProblem } from '../../robots/sitemap.ts';
import { withLinkTargets } from '../../shape/link-targets.ts';
import { resolveLink } from '../../url/parse-url.ts';
import { type JudgedJob, judgeLink } from '../../url/scope.ts';
import type { SitemapInput, SitemapLinks } from './converter.ts';
import { isError, unpackBody } from './unpack-body.ts';

/** A W3C date has at most 32 characters, an RSS date hardly more. */
const lastmodLengthMax = 64;
/** As many as the URLs of a sitemap. */
const linkedMax = 50_000;

/** Reads one sitemap: plain, packed by the server, or a `.gz` file. An unreadable one yields no URLs. */
export function readSitemap(input: SitemapInput, judged: JudgedJob): SitemapLinks {
  const unpacked = unpackBody(input.body, input.contentEncoding, input.bytesMax);
  if (isError(unpacked)) return { urls: [], sitemaps: [], problem: unpacked.message };
  // The magic number of gzip (RFC 1952, 2.3.1): servers send a .gz file as it is.
  const bytes = unpacked[0] === 0x1f && unpacked[1] === 0x8b ? unpackBody(unpacked, 'gzip', input.bytesMax) : unpacked;
  if (isError(bytes)) return { urls: [], sitemaps: [], problem: bytes.message };
  const text = decodeXml(bytes, input.contentType);
  const { urls, sitemaps, problem } = parseSitemap(text, input.url);
  const linked = input.mayBeMarkdown === true ? linkedIn(text) : [];
  return {
    urls: [...urls, ...linked].flatMap(({ url, lastmod }) => {
      const parsed = resolveLink(url, input.url);
      if (!parsed) return [];
      const isLogout = judged.keepsSession && leadsToLogout(parsed);
      const link = judgeLink({ url: parsed, nofollow: false, depth: input.depth, isLogout }, judged);
      return [lastmod === undefined ? link : { ...link, lastmod: lastmod.slice(0, lastmodLengthMax) }];
    }),
    sitemaps,
    ...(problem !== undefined && { problem: problems[problem] }),
  };
}

/** The addresses of the links in Markdown, as written. */
function linkedIn(text: string): { readonly url: string; readonly lastmod?: string }[] {
  const addresses = new Set<string>();
  withLinkTargets(text, (address) => {
    if (addresses.size < linkedMax && !address.startsWith('#')) addresses.add(address);
    return undefined;
  });
  return Array.from(addresses, (url) => ({ url }));
}

const problems: Readonly<Record<SitemapProblem, string>> = {
  html: 'It is an HTML page.',
  no_urls: 'It contains no URL.',
  too_many: 'It names more than 50,000 URLs or 500 sitemaps; further ones are left out.',
  too_deep: 'Its elements are nested too deeply; only the part before is read.',
};
