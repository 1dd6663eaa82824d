/** Decides which links belong to a job. Every URL that a job finds passes through {@link judgeLink}, once. */

import type { JobSpec } from '../core/job.ts';
import { startDepth, type Discard, type Link } from '../core/request.ts';
import { dedupeKey } from './dedupe-key.ts';
import { compileGlob } from './glob.ts';
import { compilePattern } from './pattern.ts';
import { hostKey, hostName } from '../core/host-key.ts';
import { urlLengthMax } from './parse-url.ts';

/** A job compiled for judging many links. */
export interface JudgedJob {
  /** Hosts in scope, with and without `www.`, as {@link scopeHostOf} writes them. */
  readonly hostNames: ReadonlySet<string>;
  /** Hosts without `www.` whose subdomains are in scope too; empty if none are. */
  readonly parentNames: ReadonlySet<string>;
  /** With `scope: path`, the only directories in scope, each with its host; empty if all paths are in scope. */
  readonly directories: readonly Directory[];
  readonly excludes: readonly Matcher[];
  readonly includes: readonly Matcher[];
  readonly delivers: readonly Matcher[];
  readonly excludePatterns: readonly Matcher[];
  readonly includePatterns: readonly Matcher[];
  /** Links to hosts outside the job are in scope too. */
  readonly allowExternal: boolean;
  /** The query of a link is removed. */
  readonly ignoreQuery: boolean;
  readonly maxDepth: number | null;
  readonly followNofollow: boolean;
  /** Links that end a session are left out. */
  readonly keepsSession: boolean;
  /** Returns true if a URL in scope is on a host that the page must not lead to. */
  readonly isHidden: (url: URL) => boolean;
}

/** The directory of a start URL. */
export interface Directory {
  /** Without `www.`, with a port if it is not the default. */
  readonly host: string;
  /** Begins and ends with a slash. */
  readonly path: string;
}

/** The parts of a job that determine its scope. */
export interface ScopedJob {
  readonly spec: Pick<
    JobSpec,
    | 'excludeGlobs'
    | 'includeGlobs'
    | 'deliverGlobs'
    | 'excludePatterns'
    | 'includePatterns'
    | 'patternTarget'
    | 'allowExternal'
    | 'ignoreQuery'
    | 'maxDepth'
    | 'scope'
    | 'followNofollow'
  >;
  readonly scopeHosts: readonly string[];
  /** See {@link directoriesOf}. */
  readonly directories: readonly Directory[];
  /** The job has headers or cookies of a session, and is to stay in it. @default false */
  readonly keepsSession?: boolean;
  /** Hosts among `scopeHosts` in a private network that the page is not in, so the page must not lead to them. */
  readonly hiddenHosts?: readonly string[];
}

interface Matcher {
  /** The glob or pattern. */
  readonly source: string;
  readonly matches: (url: URL) => boolean;
}

/** Compiles the globs, patterns and scope of a job. Costs more than judging a link, so do it once per job version. */
export function compileJob(job: ScopedJob): JudgedJob {
  const bareNames = job.scopeHosts.map(bareName);
  const { patternTarget } = job.spec;
  const compiledPattern = (source: string): Matcher => ({ source, matches: compilePattern(source, patternTarget) });
  return {
    hostNames: new Set(bareNames.flatMap((name) => [name, `www.${name}`])),
    parentNames: new Set(job.spec.scope === 'subdomains' ? bareNames : []),
    directories: job.directories,
    excludes: job.spec.excludeGlobs.map(compiledGlob),
    includes: job.spec.includeGlobs.map(compiledGlob),
    delivers: job.spec.deliverGlobs.map(compiledGlob),
    excludePatterns: job.spec.excludePatterns.map(compiledPattern),
    includePatterns: job.spec.includePatterns.map(compiledPattern),
    allowExternal: job.spec.allowExternal,
    ignoreQuery: job.spec.ignoreQuery,
    maxDepth: job.spec.maxDepth,
    followNofollow: job.spec.followNofollow,
    keepsSession: job.keepsSession ?? false,
    isHidden: hidesFrom(job),
  };
}

function hidesFrom({ hiddenHosts = [], scopeHosts, spec }: ScopedJob): (url: URL) => boolean {
  if (hiddenHosts.length === 0) return () => false;
  const [hosts, hidden] = [new Set(scopeHosts), new Set(hiddenHosts)];
  return (url) => hidden.has(scopeRootOf(url, hosts, spec.scope === 'subdomains') ?? '');
}

/**
 * Returns the scope host that puts a URL in scope: the same host, else the same with or without `www.`, else, with
 * subdomains, the nearest parent. Undefined for a URL out of scope.
 */
export function scopeRootOf(url: URL, scopeHosts: ReadonlySet<string>, withSubdomains: boolean): string | undefined {
  const host = scopeHostOf(url);
  let name = bareName(host);
  for (const candidate of [host, name, `www.${name}`]) if (scopeHosts.has(candidate)) return candidate;
  if (!withSubdomains) return undefined;
  while (name.includes('.')) {
    name = name.slice(name.indexOf('.') + 1);
    for (const candidate of [name, `www.${name}`]) if (scopeHosts.has(candidate)) return candidate;
  }
  return undefined;
}

/**
 * Returns the directories that a job is limited to: those of its start URLs with `scope: path`, else none. `moved`: where
 * start pages are instead, by start URL.
 */
export function directoriesOf(
  { scope, urls }: Pick<JobSpec, 'scope' | 'urls'>,
  moved: Readonly<Record<string, string>> = {},
): readonly Directory[] {
  if (scope !== 'path') return [];
  const directories = urls.map((text) => directoryOf(new URL(moved[text] ?? text)));
  // Start URLs often share a directory, such as a thousand pages of one.
  return [...new Map(directories.map((directory) => [`${directory.host}${directory.path}`, directory])).values()];
}

export function directoryOf(url: URL): Directory {
  return { host: bareName(scopeHostOf(url)), path: url.pathname.slice(0, url.pathname.lastIndexOf('/') + 1) };
}

/**
 * Returns true if a page that was found at `to` moves the scope of a start URL: to a deeper directory of its host, as from
 * `/docs` to `/docs/` or `/en/docs/latest/`.
 */
export function movesDirectory(start: URL, to: URL): boolean {
  const [from, moved] = [directoryOf(start), directoryOf(to)];
  return moved.host === from.host && moved.path.length > from.path.length;
}

/** Returns true if a URL on a host of the job is below one of its directories. */
export function isBelow(url: URL, directories: readonly Directory[]): boolean {
  if (directories.length === 0) return true;
  const host = bareName(scopeHostOf(url));
  const own = directories.filter((directory) => directory.host === host);
  // On a subdomain, the directories of all hosts count.
  return (own.length > 0 ? own : directories).some(({ path }) => url.pathname.startsWith(path));
}

/** A link as it was found. `isLogout`: its text or its URL says that it ends a session. */
export interface FoundLink {
  readonly url: URL;
  readonly nofollow: boolean;
  readonly depth: number;
  readonly isLogout?: boolean | undefined;
}

/** Judges a link found on a page or in a sitemap. The first reason that applies is listed. */
export function judgeLink(link: FoundLink, job: JudgedJob): Link {
  const url = job.ignoreQuery ? withoutQuery(link.url) : link.url;
  const discard = discardOf({ ...link, url }, job);
  const judged = toLink(url, link.depth);
  return discard === undefined ? judged : { ...judged, discard };
}

/**
 * Judges a start URL: it is crawled whatever the globs say. {@link parseHttpUrl} and the egress decide whether it is
 * allowed.
 */
export function judgeStart(url: URL): Link {
  return toLink(url, startDepth);
}

/**
 * Returns true if the URL is on a host of the job. The scheme does not matter, because sites move from http to https. A
 * port other than the scheme's default does: another site responds there.
 */
export function inScope(url: URL, job: JudgedJob): boolean {
  const name = scopeHostOf(url);
  if (job.hostNames.has(name)) return true;
  if (job.parentNames.size === 0) return false;
  for (let dot = name.indexOf('.'); dot !== -1; dot = name.indexOf('.', dot + 1)) {
    if (job.parentNames.has(name.slice(dot + 1))) return true;
  }
  return false;
}

/**
 * Returns the form of a URL in `scopeHosts`: its host name as written, `www.` included, and its port unless it is the
 * default.
 */
export function scopeHostOf(url: URL): string {
  return url.port === '' ? hostName(url) : `${hostName(url)}:${url.port}`;
}

function discardOf(link: FoundLink, job: JudgedJob): Discard | undefined {
  const { url, nofollow, depth, isLogout = false } = link;
  if (url.href.length > urlLengthMax) return { reason: 'url_too_long', detail: `${url.href.length} characters` };
  const isOwn = inScope(url, job);
  if (!isOwn && !job.allowExternal) return { reason: 'off_host' };
  if (job.isHidden(url)) return { reason: 'off_host', detail: hiddenDetail };
  if (isOwn && !isBelow(url, job.directories)) return { reason: 'off_path' };
  const excluding = job.excludes.find((exclude) => exclude.matches(url));
  if (excluding !== undefined) return { reason: 'excluded_by_glob', detail: excluding.source };
  const forbidding = job.excludePatterns.find((exclude) => exclude.matches(url));
  if (forbidding !== undefined) return { reason: 'excluded_by_pattern', detail: forbidding.source };
  if (!isIncluded(url, job.includes) || !isIncluded(url, job.includePatterns)) return { reason: 'not_included' };
  if (job.keepsSession && isLogout) return { reason: 'logout' };
  if (job.maxDepth !== null && depth > job.maxDepth) return { reason: 'depth', detail: String(job.maxDepth) };
  if (nofollow && !job.followNofollow) return { reason: 'nofollow' };
  return undefined;
}

/** Returns true if the page of a URL is delivered, and not only read for its links. */
export function isDelivered(url: URL, { delivers }: JudgedJob): boolean {
  return isIncluded(url, delivers);
}

/** Each list that is given must have a match. */
function isIncluded(url: URL, includes: readonly Matcher[]): boolean {
  return includes.length === 0 || includes.some((include) => include.matches(url));
}

function withoutQuery(url: URL): URL {
  if (url.search === '') return url;
  const bare = new URL(url);
  bare.search = '';
  return bare;
}

/** Detail for a link from outside to a host of the job in a private network. */
export const hiddenDetail = 'the host is in a private network, but was found outside it';

function toLink(url: URL, depth: number): Link {
  // An overlong URL is listed by its start, because a page could write megabytes of it. The key covers the whole URL.
  return { url: url.href.slice(0, urlLengthMax), key: dedupeKey(url), host: hostKey(url), depth };
}

/** Removes `www.`, unless that leaves a bare top-level domain: `www.com` is not all of `.com`. */
function bareName(host: string): string {
  const name = host.toLowerCase().replace(/\.$/, '');
  return name.startsWith('www.') && name.includes('.', 'www.'.length) ? name.slice('www.'.length) : name;
}

function compiledGlob(source: string): Matcher {
  return { source, matches: compileGlob(source) };
}
