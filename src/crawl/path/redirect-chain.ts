// How far the redirects of a request were followed. A lane fetches from its own host only, so a redirect to another
// host ends the lane's part: the chain goes to the store, and the lane of the next host continues it, perhaps in
// another process.
import { hash } from 'node:crypto';
import { hostKey } from '../../core/host-key.ts';
import type { Outcome, Request } from '../../core/request.ts';
import { dedupeKey } from '../../url/dedupe-key.ts';
import type { JobCookies } from '../job/job-cookies.ts';

/** Chains of another version are ignored. */
const version = 1;
/** Ten URLs of 8,192 characters, the cookies and the rest take less. */
const textLengthMax = 131_072;
/** For all cookies in the chain. */
const cookieLengthMax = 16_384;

export interface RedirectChain {
  /** The next URL to fetch. */
  url: URL;
  /** Redirects followed so far. */
  hops: number;
  /** Dedupe keys of the URLs requested: the request's own URL first. Empty until that redirects. */
  readonly trail: string[];
  /** The URLs requested, each with the cookies sent; digests of those that another process requested. */
  readonly asked: Set<string>;
  /** The private network that the next fetch may enter. */
  enter: string | undefined;
  /** Names of the cookies sent with the first fetch. */
  firstCookies: readonly string[] | undefined;
  wasAskedAgain: boolean;
  /** The site refused a request with its own cookies, so this one goes without. */
  withoutCookies: boolean;
  /** The certificate of a host on the way could not be verified. */
  isUnverified: boolean;
  /** For sitemaps only: the URL is a guess, named nowhere. */
  isGuess: boolean | undefined;
  /** Cookies that the responses have set, for another process. */
  readonly cookies: SetCookies[];
}

interface SetCookies {
  /** The memory that already has them: see {@link JobCookies.id}. */
  readonly by: string;
  readonly url: string;
  readonly lines: readonly string[];
}

export function beginChain(url: URL): RedirectChain {
  return {
    url,
    hops: 0,
    trail: [],
    asked: new Set(),
    enter: undefined,
    firstCookies: undefined,
    wasAskedAgain: false,
    withoutCookies: false,
    isUnverified: false,
    isGuess: undefined,
    cookies: [],
  };
}

/**
 * The chain of a request. `misplaced`: the stored chain cannot be read, so the request must start again, and it waits
 * for a host that is not that of its URL.
 */
export function chainOf({ chain, url }: Pick<Request, 'chain' | 'url'>): RedirectChain | 'misplaced' {
  if (chain === undefined) return beginChain(new URL(url));
  return readChain(chain) ?? 'misplaced';
}

/** The request waits for the host of its next URL. */
export function movedOutcome(chain: RedirectChain): Extract<Outcome, { kind: 'moved' }> {
  return { kind: 'moved', host: hostKey(chain.url), chain: writeChain(chain) };
}

/** Adds the URL to the trail. Returns false if the trail has it. */
export function addToTrail({ trail, url }: RedirectChain): boolean {
  const key = dedupeKey(url);
  if (trail.includes(key)) return false;
  trail.push(key);
  return true;
}

/**
 * Notes that a URL is requested. Returns false if it was requested with the same cookies before: the response would be
 * the same.
 */
export function noteAsked({ asked, url }: RedirectChain, cookies: string): boolean {
  const request = `${url.href} ${cookies}`;
  if (asked.size > 0 && (asked.has(request) || asked.has(digestOf(request)))) return false;
  asked.add(request);
  return true;
}

/** A digest has no space. */
function digestOf(request: string): string {
  return request.includes(' ') ? hash('sha256', request, 'base64url') : request;
}

/** Adds the cookies of the chain to the job's, if another process received them. */
export function recallCookies(chain: RedirectChain, jobId: string, cookies: JobCookies): void {
  for (const { by, url, lines } of chain.cookies) if (by !== cookies.id) cookies.keep(jobId, new URL(url), lines);
}

function writeChain({ url, asked, cookies, ...rest }: RedirectChain): string {
  let length = 0;
  // The cookies set last matter most. A job that loses cookies requests a site without them.
  const latest = cookies.findLastIndex((set) => (length += JSON.stringify(set).length) > cookieLengthMax);
  return JSON.stringify({
    version,
    ...rest,
    url: url.href,
    asked: [...asked].map(digestOf),
    cookies: cookies.slice(latest + 1),
  });
}

/** A chain of this version is as {@link writeChain} wrote it. */
function readChain(text: string): RedirectChain | undefined {
  if (text.length > textLengthMax) return undefined;
  try {
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the version says so
    const noted = JSON.parse(text) as StoredChain | null;
    if (noted?.version !== version || !/^https?:/.test(noted.url)) return undefined;
    const { version: _, url, asked, ...rest } = noted;
    return { ...beginChain(new URL(url)), ...rest, asked: new Set(asked) };
  } catch {
    return undefined;
  }
}

interface StoredChain extends Omit<RedirectChain, 'url' | 'asked'> {
  readonly version: number;
  readonly url: string;
  readonly asked: readonly string[];
}
