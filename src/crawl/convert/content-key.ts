import { hash } from 'node:crypto';
import { hostName } from '../../core/host-key.ts';

/**
 * Names what a page says: pages of one site with the same title and text have the same key, under whatever URL they are
 * served. Links are part of the text, since lists of downloads differ in nothing else; but where they lead to the page
 * itself or are written with the site's own scheme and host, they are the same on `http` and `https`, with and without
 * `www.`.
 */
export function contentKey(title: string, text: string, fetchedUrl: string): string {
  return hash('sha256', `${title}\n${withoutOwnUrl(text, new URL(fetchedUrl))}`, 'base64url').slice(0, 22);
}

function withoutOwnUrl(text: string, url: URL): string {
  const name = hostName(url).replace(/^www\./, '');
  // Most texts have no link of their own site in them, and need no work.
  if (!text.includes(name)) return text;
  const port = url.port === '' ? '' : `:${url.port}`;
  const ownSite = new RegExp(
    `https?://(?:www\\.)?${name.replaceAll(/[.[\]]/g, String.raw`\$&`)}\\.?${port}(?=[/?#])`,
    'g',
  );
  return text.replace(ownSite, '').replaceAll(`${url.pathname}${url.search}#`, '#');
}
