import { decodeHtml } from '../../extract/decode-html.ts';
import { parseSitemap } from '../../robots/sitemap.ts';
import { resolveLink } from '../../url/parse-url.ts';
import { type JudgedJob, judgeLink } from '../../url/scope.ts';
import type { SitemapInput, SitemapLinks } from './converter.ts';
import { isError, unpackBody } from './unpack-body.ts';

/** A W3C date has 32 characters at most, one of RSS hardly more. */
const lastmodLengthMax = 64;

/** Reads one sitemap: plain, packed by the server, or a `.gz` file. What cannot be read names nothing. */
export function readSitemap(input: SitemapInput, judged: JudgedJob): SitemapLinks {
  const unpacked = unpackBody(input.body, input.contentEncoding, input.bytesMax);
  if (isError(unpacked)) return { urls: [], sitemaps: [] };
  // The magic number of gzip (RFC 1952, 2.3.1): a .gz file is sent as it is.
  const bytes = unpacked[0] === 0x1f && unpacked[1] === 0x8b ? unpackBody(unpacked, 'gzip', input.bytesMax) : unpacked;
  if (isError(bytes)) return { urls: [], sitemaps: [] };
  const { urls, sitemaps } = parseSitemap(decodeHtml(bytes, input.contentType), input.url);
  return {
    urls: urls.flatMap(({ url, lastmod }) => {
      const parsed = resolveLink(url, input.url);
      if (!parsed) return [];
      const link = judgeLink({ url: parsed, nofollow: false, depth: input.depth }, judged);
      return [lastmod === undefined ? link : { ...link, lastmod: lastmod.slice(0, lastmodLengthMax) }];
    }),
    sitemaps,
  };
}
