/** Turns text from people and pages into URLs. One parser, Node's own (WHATWG); only its result is used afterwards. */
import { encodeQuery } from './encode-query.ts';

/** Longest URL that is crawled, in characters of its normal form (percent-encoded). */
export const urlLengthMax = 8192;

/**
 * Parses a URL from a client, such as a start URL. Strict where browsers guess, because a client can correct its input:
 * a URL that two parsers can read as two hosts (`http://inside\@outside/`) is refused. Drops surrounding white space
 * and the fragment. A problem is a sentence that says what is wrong and what to write instead.
 */
export function parseHttpUrl(input: string): { readonly url: URL } | { readonly problem: string } {
  if (input.length > urlLengthMax) return { problem: tooLong };
  const text = input.trim();
  if (text === '') return { problem: 'The URL is empty. Write an absolute URL such as https://example.com/.' };
  if (text.includes('\\'))
    return { problem: 'The URL contains a backslash. Write / instead, or %5C if you mean a backslash.' };
  if (/[\s\p{Cc}]/u.test(text)) {
    return {
      problem: 'The URL contains white space or a control character. Write it percent-encoded, a space as %20.',
    };
  }

  const scheme = /^[a-z][a-z0-9+.-]*:/i.exec(text)?.[0].toLowerCase();
  if (scheme === undefined) {
    return { problem: 'The URL is not absolute. Write it with its scheme and host, such as https://example.com/.' };
  }
  if (scheme !== 'http:' && scheme !== 'https:') {
    const shown = scheme.slice(0, schemeShownMax);
    return {
      problem: `The URL begins with "${shown}", but only http and https are crawled. Write https:// or http:// in front.`,
    };
  }

  const authority = /^\/\/([^/?#]+)/.exec(text.slice(scheme.length))?.[1];
  if (authority === undefined) {
    return { problem: 'The URL has no host. Write two slashes and a host name, such as https://example.com/.' };
  }
  if (authority.includes('@')) {
    return { problem: 'The URL contains a user name or password. Write it without the part before the @.' };
  }

  const url = URL.parse(text);
  if (url === null) {
    return { problem: 'The host name or port of the URL is not valid. Write it such as https://example.com:8080/.' };
  }
  url.hash = '';
  return url.href.length > urlLengthMax ? { problem: tooLong } : { url };
}

/**
 * Resolves a link on a page as a browser would. Undefined if the result is not an http(s) URL. Drops the fragment,
 * which is never sent, and user name and password, because a page must not make us log in anywhere. `encoding` is that
 * of the page.
 */
export function resolveLink(href: string, base: string, encoding = 'utf-8'): URL | undefined {
  const url = parseReference(href, base, encoding);
  if (url === null || (url.protocol !== 'http:' && url.protocol !== 'https:')) return undefined;
  // Setters parse again, which takes 300 ns, and most links do not need them.
  if (href.includes('#')) url.hash = '';
  if (url.username !== '' || url.password !== '') {
    url.username = '';
    url.password = '';
  }
  return url;
}

/** Like `URL.parse` on a page in this encoding, which Node's parser does not take. */
export function parseReference(reference: string, base: string, encoding: string): URL | null {
  const url = URL.parse(reference, base);
  if (encoding === 'utf-8' || url?.protocol.startsWith('http') !== true) return url;
  const encoded = encodeQuery(reference, encoding);
  return encoded === reference ? url : URL.parse(encoded, base);
}

const schemeShownMax = 40;
const tooLong = 'The URL is longer than 8,192 characters, counted percent-encoded. Write a shorter one.';
