// Raw pages of a few words.
import type { RawPage } from '../../src/core/raw-page.ts';

export function rawPage(text: string): RawPage {
  const read = {
    contentType: 'text/html',
    contentEncoding: '',
    robotsTag: '',
    retryAfter: '',
    link: '',
    refresh: '',
    etag: '',
    lastModified: '',
    contentLanguage: '',
  };
  const head = { url: 'https://a.test/', fetchedUrl: 'https://a.test/', depth: 0, fetchedAt: 1, statusCode: 200 };
  return { head: { ...head, headers: [['content-type', 'text/html']], read }, received: Buffer.from(text) };
}

export function textIn(raw: RawPage | undefined): string | undefined {
  return raw && Buffer.from(raw.received).toString();
}
