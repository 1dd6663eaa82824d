import { createHash, hash } from 'node:crypto';
import { hostName } from '../../core/host-key.ts';

/**
 * A key for the content of a page: pages of one site with the same title and text have the same key, whatever their
 * URL. Links are part of the text, since lists of downloads can differ in nothing else. But links to the page itself,
 * and those with the site's own scheme and host, are equal on `http` and `https`, with and without `www.`.
 */
export function contentKey(title: string, text: string, fetchedUrl: string): string {
  // In two parts: joined, they would be one more copy of the text.
  const whole = createHash('sha256').update(`${title}\n`);
  return whole
    .update(withoutOwnUrl(text, new URL(fetchedUrl)))
    .digest('base64url')
    .slice(0, 22);
}

/** Characters of text. Messages that stand for a page are shorter. */
const formLengthMax = 2_000;

/** See `PageRecord.formKey`. */
export function formKey(title: string, text: string, fetchedUrl: string): string | undefined {
  if (text === '' || text.length > formLengthMax) return undefined;
  const { pathname } = new URL(fetchedUrl);
  const whole = `${title}\n${text}`;
  const form = pathname.length > 1 ? whole.replaceAll(pathname, '') : whole;
  return hash(
    'sha256',
    form
      .replace(/\S*\d\S*/g, '')
      .replace(/\s+/g, ' ')
      .trim(),
    'base64url',
  ).slice(0, 22);
}

/** In place of scheme and host of the own site. No text has it. */
const ownMark = '\0';

export function withoutOwnUrl(text: string, url: URL): string {
  const name = hostName(url).replace(/^www\./, '');
  // Most texts contain no link to their own site.
  if (!text.includes(name)) return text;
  const port = url.port === '' ? '' : `:${url.port}`;
  // The same pattern for all pages of a host: V8 compiles it once.
  const ownSite = new RegExp(
    `https?://(?:www\\.)?${name.replaceAll(/[.[\]]/g, String.raw`\$&`)}\\.?${port}(?=[/?#])`,
    'g',
  );
  // A path alone stands in addresses of other sites too.
  return text.replace(ownSite, ownMark).replaceAll(`${ownMark}${url.pathname}${url.search}#`, '#');
}
