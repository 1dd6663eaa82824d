// What a crawl of a site has to come to: everything that can be reached from one page, breadth first and one request at a
// time. Shares no code with hayrake.
import { readPage } from './read-page.ts';

/** Tells the walk's requests from a crawler's in the log of the server. */
export const walkUserAgent = 'walk';

/** `forbidden` is by robots.txt; `nofollow` is what no page leads to without asking not to follow. */
export type Kind = 'page' | 'broken' | 'notHtml' | 'forbidden' | 'offSite' | 'nofollow';

export interface Reached {
  readonly kind: Kind;
  /** Path and query of each request that it took: more than one where the URL redirects. */
  readonly requests: readonly string[];
  /** Where redirects ended. */
  readonly finalUrl: string;
  readonly canonical?: string | undefined;
  /** The page that led here first. */
  readonly foundOn: string | undefined;
}

/** Every URL that the pages lead to, without fragment; those on other sites are not asked for. */
export async function walk(startUrl: string): Promise<ReadonlyMap<string, Reached>> {
  const site = await openSite(new URL(startUrl).origin);
  const reached = new Map<string, Reached>();
  const found = new Map<string, string | undefined>([[startUrl, undefined]]);
  const nofollow = new Map<string, string>();
  // Grows while it is walked.
  for (const [url, foundOn] of found) {
    const { html, ...answer } = await ask(site, url);
    const page = html === undefined ? undefined : readPage(html, answer.finalUrl);
    reached.set(url, { ...answer, canonical: page?.canonical, foundOn });
    for (const link of page?.links ?? []) if (!found.has(link)) found.set(link, url);
    for (const link of page?.nofollow ?? []) nofollow.set(link, url);
  }
  for (const [url, foundOn] of nofollow) {
    const kind = new URL(url).origin === site.origin ? 'nofollow' : 'offSite';
    if (!reached.has(url)) reached.set(url, { kind, requests: [], finalUrl: url, foundOn });
  }
  return reached;
}

/** The page as the server has it, in UTF-8 as all corpora are; throws when it is not. */
export async function fetchHtml(url: string): Promise<string> {
  return htmlOf(await fetch(url, { headers }));
}

async function htmlOf(answer: Response): Promise<string> {
  return new TextDecoder('utf-8', { fatal: true }).decode(await answer.arrayBuffer());
}

const headers = { 'user-agent': walkUserAgent };

interface Site {
  readonly origin: string;
  /** Beginnings of paths that robots.txt forbids. */
  readonly forbidden: readonly string[];
}

async function openSite(origin: string): Promise<Site> {
  const answer = await fetch(`${origin}/robots.txt`, { headers });
  const text = await answer.text();
  return { origin, forbidden: answer.ok ? forbiddenPaths(text) : [] };
}

/** Knows what the robots.txt of a corpus says, and no more: one group for all, of plain beginnings. */
function forbiddenPaths(robots: string): string[] {
  const [group, ...rules] = robots.split('\n').filter((line) => line.trim() !== '');
  const paths = rules.map((rule) => /^Disallow: (\/[^\s*$%#]*)$/.exec(rule)?.[1]);
  if (group !== 'User-agent: *' || !paths.every((path) => path !== undefined))
    throw new Error(`robots.txt:\n${robots}`);
  return paths;
}

interface Answer extends Pick<Reached, 'kind' | 'requests' | 'finalUrl'> {
  readonly html?: string;
}

async function ask(site: Site, url: string): Promise<Answer> {
  const requests: string[] = [];
  let finalUrl = url;
  while (requests.length <= redirectsMax) {
    const { origin, pathname, search } = new URL(finalUrl);
    if (origin !== site.origin) return { kind: 'offSite', requests, finalUrl };
    const path = pathname + search;
    if (site.forbidden.some((beginning) => path.startsWith(beginning)))
      return { kind: 'forbidden', requests, finalUrl };

    const answer = await fetch(finalUrl, { headers, redirect: 'manual' });
    requests.push(path);
    const location = answer.headers.get('location');
    if (answer.ok && answer.headers.get('content-type')?.startsWith('text/html'))
      return { kind: 'page', requests, finalUrl, html: await htmlOf(answer) };
    await answer.body?.cancel();
    if (location === null) return { kind: answer.ok ? 'notHtml' : 'broken', requests, finalUrl };
    finalUrl = new URL(location, finalUrl).href;
  }
  return { kind: 'broken', requests, finalUrl };
}

const redirectsMax = 10;
