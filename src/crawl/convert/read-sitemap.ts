import { decodeXml } from '../../core/bytes/decode-bytes.ts';
import { leadsToLogout } from '../../extract/phrases/phrases.ts';
import { parseSitemap, type SitemapProblem } from '../../robots/sitemap.ts';
import { resolveLink } from '../../url/parse-url.ts';
import { type JudgedJob, judgeLink } from '../../url/scope.ts';
import type { SitemapInput, SitemapLinks } from './converter.ts';
import { isError, unpackBody } from './unpack-body.ts';

/** A W3C date has at most 32 characters, an RSS date hardly more. */
const lastmodLengthMax = 64;

/** Reads one sitemap: plain, packed by the server, or a `.gz` file. An unreadable one yields no URLs. */
export function readSitemap(input: SitemapInput, judged: JudgedJob): SitemapLinks {
  const unpacked = unpackBody(input.body, input.contentEncoding, input.bytesMax);
  if (isError(unpacked)) return { urls: [], sitemaps: [], problem: unpacked.message };
  // The magic number of gzip (RFC 1952, 2.3.1): servers send a .gz file as it is.
  const bytes = unpacked[0] === 0x1f && unpacked[1] === 0x8b ? unpackBody(unpacked, 'gzip', input.bytesMax) : unpacked;
  if (isError(bytes)) return { urls: [], sitemaps: [], problem: bytes.message };
  const { urls, sitemaps, problem } = parseSitemap(decodeXml(bytes, input.contentType), input.url);
  return {
    urls: urls.flatMap(({ url, lastmod }) => {
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

const problems: Readonly<Record<SitemapProblem, string>> = {
  html: 'It is an HTML page.',
  no_urls: 'It contains no URL.',
  too_many: 'It names more than 50,000 URLs or 500 sitemaps; further ones are left out.',
  too_deep: 'Its elements are nested too deeply; only the part before is read.',
};
