// The cookies that sites set, kept for the job that received them (RFC 6265). In memory only: a restart loses them, and
// sites set them again. tough-cookie parses them, matches hosts and paths, and knows the public suffixes.
import { randomUUID } from 'node:crypto';
import { Cookie, cookieCompare, defaultPath, domainMatch, getPublicSuffix, pathMatch } from 'tough-cookie';
import { cookieLineMax } from '../../core/ports/fetcher.ts';
import { hostName } from '../../core/host-key.ts';

/** RFC 6265, 6.1 requires at least this many. */
const cookiesPerDomainMax = 50;
const cookiesPerJobMax = 3_000;
/** Characters of name and value. */
const cookieLengthMax = 4_096;
/** Characters of one `Cookie` header: servers refuse requests with more than 8 KiB of headers. */
const headerLengthMax = 4_096;
/** Limit for all jobs together. */
const heldBytesMax = 64 * 2 ** 20;
/** Jobs remembered as forgotten. */
const forgottenJobsMax = 10_000;
/**
 * What a cookie takes besides its text: 285 bytes of heap were measured with 100,000 short ones, so this is on the safe
 * side.
 */
const cookieBytes = 512;

/** The cookies of all jobs. When they take too much memory, those of the least recently used job are forgotten. */
export class JobCookies {
  /** Identifies this memory, so that a redirect chain knows which process has its cookies. */
  readonly id = randomUUID();
  readonly #jars = new Map<string, Jar>();
  /** Jobs that were forgotten and have set no cookie since. */
  readonly #forgotten = new Set<string>();
  readonly #bytesMax: number;
  #bytes = 0;

  /** `bytesMax`: for all jobs together. @default 64 MiB */
  /** `bytes`: what there is for it; it takes less. */
  constructor(bytes = heldBytesMax) {
    this.#bytesMax = Math.min(heldBytesMax, bytes);
  }

  /**
   * Keeps the cookies of a response: `lines` are its `Set-Cookie` headers. Invalid ones are ignored, as in browsers.
   * Returns false if a limit cost the job a cookie, now or since the last call.
   */
  keep(jobId: string, url: URL, lines: readonly string[]): boolean {
    const jar = this.#jars.get(jobId) ?? new Jar();
    this.#use(jobId, jar);
    const before = jar.bytes;
    let isWhole = !this.#forgotten.delete(jobId);
    for (const line of lines) isWhole = jar.keep(url, line) && isWhole;
    this.#bytes += jar.bytes - before;
    for (const [oldest, { bytes }] of this.#jars) {
      if (this.#bytes <= this.#bytesMax) break;
      this.#bytes -= bytes;
      this.#jars.delete(oldest);
      this.#noteForgotten(oldest);
    }
    return isWhole;
  }

  /** A job that has ended sets no more cookies, so the oldest entries go. */
  #noteForgotten(jobId: string): void {
    this.#forgotten.add(jobId);
    const [oldest] = this.#forgotten;
    if (this.#forgotten.size > forgottenJobsMax && oldest !== undefined) this.#forgotten.delete(oldest);
  }

  /** Forgets the cookies of a job: a site refuses what it has set itself. */
  forget(jobId: string): void {
    this.#bytes -= this.#jars.get(jobId)?.bytes ?? 0;
    this.#jars.delete(jobId);
  }

  /**
   * The cookies for a URL in the order of RFC 6265, 5.4, at most 4 KiB: the oldest stay away. `isInScope`: the URL is on a host of the job.
   */
  cookiesFor(jobId: string, url: URL, isInScope: boolean): readonly SentCookie[] {
    const jar = this.#jars.get(jobId);
    if (!jar) return [];
    this.#use(jobId, jar);
    return jar.cookiesFor(url, isInScope);
  }

  #use(jobId: string, jar: Jar): void {
    this.#jars.delete(jobId);
    this.#jars.set(jobId, jar);
  }
}

export interface SentCookie {
  readonly name: string;
  /** `name=value`. */
  readonly pair: string;
}

interface Held {
  readonly cookie: Cookie;
  /** The host that set the cookie. */
  readonly setBy: string;
  /** Milliseconds since the epoch; infinite for a cookie of the session, which is the job. */
  readonly expiresAt: number;
  readonly bytes: number;
}

class Jar {
  /** By domain, then by path and name. The last set are at the end. Expired cookies stay until they are pushed out. */
  readonly #domains = new Map<string, Map<string, Held>>();
  #count = 0;
  bytes = 0;

  /** Returns false if a limit costs a cookie. */
  keep(url: URL, line: string): boolean {
    const setBy = hostName(url);
    const cookie = storable(line, setBy, url.pathname);
    const domain = cookie?.domain;
    if (!cookie || typeof domain !== 'string') return true;
    if (line.length > cookieLineMax || cookie.key.length + cookie.value.length > cookieLengthMax) return false;
    const held = this.#domains.get(domain)?.get(nameOf(cookie));
    if (held) {
      this.#forget(domain, held.cookie);
      cookie.creation = held.cookie.creation;
      cookie.creationIndex = held.cookie.creationIndex;
    }
    const expiresAt = cookie.expiryTime(new Date()) ?? Number.POSITIVE_INFINITY;
    if (expiresAt <= Date.now()) return true;
    const cookies = this.#domains.get(domain) ?? new Map<string, Held>();
    this.#domains.set(domain, cookies);
    const bytes = line.length + cookieBytes;
    cookies.set(nameOf(cookie), { cookie, setBy, expiresAt, bytes });
    this.#count++;
    this.bytes += bytes;
    const isKept = cookies.size <= cookiesPerDomainMax || this.#forgetFirstOf(domain);
    const [oldest] = this.#domains.keys();
    if (this.#count <= cookiesPerJobMax || oldest === undefined) return isKept;
    return this.#forgetFirstOf(oldest) && isKept;
  }

  cookiesFor(url: URL, isInScope: boolean): readonly SentCookie[] {
    const host = hostName(url);
    const isSecure = url.protocol === 'https:';
    const now = Date.now();
    const matching = domainsOf(host)
      .flatMap((domain) => Array.from(this.#domains.get(domain)?.values() ?? []))
      .filter(({ expiresAt }) => expiresAt > now)
      // The hosts of the job share cookies of a whole domain. A host outside the job, such as a login, gets only the
      // cookies that it set itself.
      .filter(({ cookie, setBy }) => (cookie.hostOnly === true ? cookie.domain === host : isInScope || setBy === host))
      .filter(({ cookie }) => pathMatch(url.pathname, cookie.path ?? '/') && (isSecure || !cookie.secure))
      .map(({ cookie }) => cookie);
    let length = 0;
    return matching
      .toSorted((one, other) => (other.creationIndex ?? 0) - (one.creationIndex ?? 0))
      .filter((cookie) => (length += cookie.cookieString().length + 2) <= headerLengthMax)
      .toSorted(cookieCompare)
      .map((cookie) => ({ name: cookie.key, pair: cookie.cookieString() }));
  }

  /** Returns true if nothing was lost: the cookie had expired. */
  #forgetFirstOf(domain: string): boolean {
    const [first] = this.#domains.get(domain)?.values() ?? [];
    if (first) this.#forget(domain, first.cookie);
    return first === undefined || first.expiresAt <= Date.now();
  }

  #forget(domain: string, cookie: Cookie): void {
    const cookies = this.#domains.get(domain);
    const held = cookies?.get(nameOf(cookie));
    if (!cookies || !held) return;
    cookies.delete(nameOf(cookie));
    if (cookies.size === 0) this.#domains.delete(domain);
    this.#count--;
    this.bytes -= held.bytes;
  }
}

/** The cookies for a URL among those that a few responses have set. */
export function cookiesOf(
  sets: readonly { readonly url: string; readonly lines: readonly string[] }[],
  url: URL,
  isInScope: boolean,
): readonly SentCookie[] {
  if (sets.length === 0) return [];
  const jar = new Jar();
  for (const set of sets) for (const line of set.lines) jar.keep(new URL(set.url), line);
  return jar.cookiesFor(url, isInScope);
}

/** The cookie of a header with its domain and path, by RFC 6265, 5.3; undefined if it must be ignored. */
function storable(line: string, host: string, pathname: string): Cookie | undefined {
  const cookie = Cookie.parse(line);
  if (!cookie) return undefined;
  if (!sendable.test(cookie.cookieString())) return undefined;
  // No serious server sends a domain that is not ASCII, and tough-cookie throws at some.
  if (!/^[\x21-\x7e]*$/.test(cookie.domain ?? '')) return undefined;
  const domain = cookie.cdomain() ?? host;
  if (domain !== host && (!domainMatch(host, domain) || isPublicSuffix(domain))) return undefined;
  // A host that is itself a public suffix, such as `github.io`, can set cookies for itself only.
  cookie.hostOnly = cookie.domain === null || isPublicSuffix(domain);
  cookie.domain = domain;
  cookie.path ??= defaultPath(pathname);
  cookie.creation = new Date();
  return hasItsPrefix(cookie) ? cookie : undefined;
}

/** Characters that our request headers can carry. */
const sendable = /^[\x20-\x7e\x80-\xff]*$/;

/** Checks what the name prefix promises (RFC 6265bis, 4.1.3). */
function hasItsPrefix({ key, secure, hostOnly, path }: Cookie): boolean {
  if (key.startsWith('__Secure-')) return secure;
  return !key.startsWith('__Host-') || (secure && hostOnly === true && path === '/');
}

function isPublicSuffix(domain: string): boolean {
  return getPublicSuffix(domain, { allowSpecialUseDomain: true, ignoreError: true }) === undefined;
}

/** The domains whose cookies a host can have: itself, and those above it. */
function domainsOf(host: string): string[] {
  const domains = [host];
  for (let dot = host.indexOf('.'); dot !== -1; dot = host.indexOf('.', dot + 1)) domains.push(host.slice(dot + 1));
  return domains;
}

function nameOf({ path, key }: Cookie): string {
  return `${path} ${key}`;
}
