import { ExitError, exitCodes } from '../core/errors.ts';
import { givenUrl } from '../core/given-url.ts';

interface WithoutLogin {
  readonly urls: readonly string[];
  /** What a browser sends for the user and password of these URLs. */
  readonly headers: Readonly<Record<string, string>>;
}

/**
 * Takes user and password out of URLs and makes a header of them. Throws an `ExitError` if the header would be sent to
 * a host that is not theirs, since headers go to the hosts of all start URLs.
 */
export function withoutLogin(given: readonly string[]): WithoutLogin {
  const parsed = given.map((text) => ({ text, url: URL.parse(givenUrl(text)) }));
  const logins = new Set(parsed.flatMap(({ url }) => loginOf(url) ?? []));
  const [login] = logins;
  if (login === undefined) return { urls: given, headers: {} };
  const origins = new Set(parsed.map(({ url }) => url?.origin));
  if (origins.size > 1 || logins.size > 1)
    throw new ExitError(
      exitCodes.usage,
      'A user and password in a URL are sent to the hosts of all URLs. Crawl each host, and each user, by itself.',
    );
  const urls = parsed.map(({ text, url }) => (url === null || loginOf(url) === undefined ? text : bare(url)));
  return { urls, headers: { Authorization: `Basic ${Buffer.from(login).toString('base64')}` } };
}

/** Adds the header to the options of a request. Throws an `ExitError` if they have one already. */
export function withHeaders(
  options: Readonly<Record<string, unknown>>,
  headers: WithoutLogin['headers'],
): Record<string, unknown> {
  if (Object.keys(headers).length === 0) return { ...options };
  const own = (options['headers'] ?? {}) as Readonly<Record<string, string>>;
  if (Object.keys(own).some((name) => name.toLowerCase() === 'authorization'))
    throw new ExitError(exitCodes.usage, 'Give the login once: in the URL or as --header.');
  return { ...options, headers: { ...own, ...headers } };
}

/** `user:password`; undefined if the URL has neither. */
function loginOf(url: URL | null): string | undefined {
  if (!url || (url.protocol !== 'http:' && url.protocol !== 'https:')) return undefined;
  if (url.username === '' && url.password === '') return undefined;
  return `${decoded(url.username)}:${decoded(url.password)}`;
}

function bare(url: URL): string {
  const copy = new URL(url);
  [copy.username, copy.password] = ['', ''];
  return copy.href;
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
