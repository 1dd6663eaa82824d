/** Turns what people and pages write into URLs. One parser, Node's own (WHATWG), whose result alone is used afterwards. */

/** Longest URL that is crawled, in characters of its normal form (percent-encoded). */
export const urlLengthMax = 8192;

/**
 * Parses a URL that a client gives, such as a start URL. Strict where browsers guess, since a client can be told: what
 * two parsers may read as two hosts (`http://inside\@outside/`) is refused. White space around the URL and its fragment
 * are dropped. A problem is a sentence: what is wrong, and what to write instead.
 */
export function parseHttpUrl(input: string): { readonly url: URL } | { readonly problem: string } {
  if (input.length > urlLengthMax) return { problem: tooLong };
  const text = input.trim();
  if (text === '') return { problem: 'The URL is empty. Write an absolute URL such as https://example.com/.' };
  if (text.includes('\\'))
    return { problem: 'The URL has a backslash in it. Write / instead, or %5C where it is meant.' };
  if (/[\s\p{Cc}]/u.test(text)) {
    return {
      problem: 'The URL has white space or a control character in it. Write it percent-encoded, a space as %20.',
    };
  }

  const scheme = /^[a-z][a-z0-9+.-]*:/i.exec(text)?.[0].toLowerCase();
  if (scheme === undefined) {
    return { problem: 'The URL is not absolute. Write it with its scheme and host, such as https://example.com/.' };
  }
  if (scheme !== 'http:' && scheme !== 'https:') {
    const shown = scheme.slice(0, schemeShownMax);
    return {
      problem: `Only http and https are crawled, and the URL begins with "${shown}". Write https:// or http:// in front.`,
    };
  }

  const authority = /^\/\/([^/?#]+)/.exec(text.slice(scheme.length))?.[1];
  if (authority === undefined) {
    return { problem: 'The URL has no host. Write two slashes and a host name, such as https://example.com/.' };
  }
  if (authority.includes('@')) {
    return { problem: 'The URL has a user name or password in it. Write it without what stands before the @.' };
  }

  const url = URL.parse(text);
  if (url === null) {
    return { problem: 'The host name or port of the URL is not valid. Write it such as https://example.com:8080/.' };
  }
  url.hash = '';
  return url.href.length > urlLengthMax ? { problem: tooLong } : { url };
}

/**
 * Resolves a link found on a page as a browser would. Undefined when that gives no http(s) URL. The fragment is dropped,
 * since it is never sent, and so are user name and password, since a page must not make us log in anywhere.
 */
export function resolveLink(href: string, base: string): URL | undefined {
  const url = URL.parse(href, base);
  if (url === null || (url.protocol !== 'http:' && url.protocol !== 'https:')) return undefined;
  // Setters parse again: 300 ns that most links can do without.
  if (href.includes('#')) url.hash = '';
  if (url.username !== '' || url.password !== '') {
    url.username = '';
    url.password = '';
  }
  return url;
}

const schemeShownMax = 40;
const tooLong = 'The URL is longer than 8,192 characters, counted percent-encoded. Write a shorter one.';
