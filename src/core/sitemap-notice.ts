/** A job's notice about a sitemap that gave less than it should. */
export interface SitemapNotice {
  readonly code: 'sitemap_missing' | 'sitemap_unreadable';
  readonly message: string;
}

/** `why` is a sentence. */
export function sitemapNotice(code: SitemapNotice['code'], url: string, why: string): SitemapNotice {
  const what = code === 'sitemap_missing' ? 'is missing' : 'could not be read, or only in part';
  return { code, message: `The sitemap ${url} ${what}. ${why}` };
}
