/** Decides which links belong to a job. Every URL that a job finds passes through {@link judgeLink}, once. */

import type { JobSpec } from '../core/job.ts';
import { startDepth, type Discard, type Link } from '../core/request.ts';
import { dedupeKey } from './dedupe-key.ts';
import { compileGlob } from './glob.ts';
import { hostKey, hostName } from '../core/host-key.ts';
import { urlLengthMax } from './parse-url.ts';

/** A job made ready for judging many links. */
export interface JudgedJob {
  /** Hosts in scope, with and without `www.`, as {@link scopeHostOf} writes them. */
  readonly hostNames: ReadonlySet<string>;
  /** Hosts without `www.` whose subdomains are in scope, too; empty when none are. */
  readonly parentNames: ReadonlySet<string>;
  /** With `scope: path`, the directories that alone are in scope, each with its host; empty when all paths are. */
  readonly directories: readonly Directory[];
  readonly excludes: readonly CompiledGlob[];
  readonly includes: readonly CompiledGlob[];
  readonly maxDepth: number | null;
  readonly followNofollow: boolean;
  /** Whether a URL in scope is on a host that the page must not lead to. */
  readonly isHidden: (url: URL) => boolean;
}

/** Of a start URL: where it is and what belongs to it. */
export interface Directory {
  /** Without `www.`, with a port where it is not the default. */
  readonly host: string;
  /** Begins and ends with a slash. */
  readonly path: string;
}

/** What a job says about its scope. */
export interface ScopedJob {
  readonly spec: Pick<JobSpec, 'excludeGlobs' | 'includeGlobs' | 'maxDepth' | 'scope' | 'followNofollow'>;
  readonly scopeHosts: readonly string[];
  /** See {@link directoriesOf}. */
  readonly directories: readonly Directory[];
  /** Hosts among `scopeHosts` that a page must not lead to: they are in a private network, and the page is not. */
  readonly hiddenHosts?: readonly string[];
}

interface CompiledGlob {
  readonly glob: string;
  readonly matches: (url: URL) => boolean;
}

/** Compiles the globs and the scope of a job. Costs more than judging a link, so do it once for a job and its version. */
export function compileJob(job: ScopedJob): JudgedJob {
  const bareNames = job.scopeHosts.map(bareName);
  return {
    hostNames: new Set(bareNames.flatMap((name) => [name, `www.${name}`])),
    parentNames: new Set(job.spec.scope === 'subdomains' ? bareNames : []),
    directories: job.directories,
    excludes: job.spec.excludeGlobs.map(compiledGlob),
    includes: job.spec.includeGlobs.map(compiledGlob),
    maxDepth: job.spec.maxDepth,
    followNofollow: job.spec.followNofollow,
    isHidden: hidesFrom(job),
  };
}

function hidesFrom({ hiddenHosts = [], scopeHosts, spec }: ScopedJob): (url: URL) => boolean {
  if (hiddenHosts.length === 0) return () => false;
  const [hosts, hidden] = [new Set(scopeHosts), new Set(hiddenHosts)];
  return (url) => hidden.has(scopeRootOf(url, hosts, spec.scope === 'subdomains') ?? '');
}

/**
 * The host of a job that puts a URL in scope: the same host, else the same with or without `www.`, else, with subdomains, the
 * nearest parent. Undefined for a URL out of scope.
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

/** The directories that a job is limited to: those of its start URLs with `scope: path`, else none. */
export function directoriesOf({ scope, urls }: Pick<JobSpec, 'scope' | 'urls'>): readonly Directory[] {
  if (scope !== 'path') return [];
  const directories = urls.map((text): Directory => {
    const url = new URL(text);
    return { host: bareName(scopeHostOf(url)), path: url.pathname.slice(0, url.pathname.lastIndexOf('/') + 1) };
  });
  // Such as a thousand pages of one directory.
  return [...new Map(directories.map((directory) => [`${directory.host}${directory.path}`, directory])).values()];
}

/** Whether a URL on a host of the job is below one of its directories. A host that a start URL was redirected to has those of all. */
export function isBelow(url: URL, directories: readonly Directory[]): boolean {
  if (directories.length === 0) return true;
  const host = bareName(scopeHostOf(url));
  const own = directories.filter((directory) => directory.host === host);
  return (own.length > 0 ? own : directories).some(({ path }) => url.pathname.startsWith(path));
}

/** Judges a link found on a page or in a sitemap: the first reason that applies is the one that is listed. */
export function judgeLink(
  link: { readonly url: URL; readonly nofollow: boolean; readonly depth: number },
  job: JudgedJob,
): Link {
  const discard = discardOf(link, job);
  const judged = toLink(link.url, link.depth);
  return discard === undefined ? judged : { ...judged, discard };
}

/** A start URL is crawled whatever the globs say; that it may be is {@link parseHttpUrl}'s and the egress's business. */
export function judgeStart(url: URL): Link {
  return toLink(url, startDepth);
}

/**
 * Whether the URL is on a host of the job. The scheme does not matter, since sites move from http to https; a port that is
 * not the scheme's own does: what answers there is another site.
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

/** What stands in `scopeHosts` for a URL: its host name as written, `www.` included, and its port unless it is the default. */
export function scopeHostOf(url: URL): string {
  return url.port === '' ? hostName(url) : `${hostName(url)}:${url.port}`;
}

function discardOf(
  link: { readonly url: URL; readonly nofollow: boolean; readonly depth: number },
  job: JudgedJob,
): Discard | undefined {
  const { url, nofollow, depth } = link;
  if (url.href.length > urlLengthMax) return { reason: 'url_too_long', detail: `${url.href.length} characters` };
  if (!inScope(url, job)) return { reason: 'off_host' };
  if (job.isHidden(url)) return { reason: 'off_host', detail: hiddenDetail };
  if (!isBelow(url, job.directories)) return { reason: 'off_path' };
  const excluding = job.excludes.find((exclude) => exclude.matches(url));
  if (excluding !== undefined) return { reason: 'excluded_by_glob', detail: excluding.glob };
  if (job.includes.length > 0 && !job.includes.some((include) => include.matches(url)))
    return { reason: 'not_included' };
  if (job.maxDepth !== null && depth > job.maxDepth) return { reason: 'depth', detail: String(job.maxDepth) };
  if (nofollow && !job.followNofollow) return { reason: 'nofollow' };
  return undefined;
}

/** Said of a host of the job that is in a private network, where a page outside leads to it. */
export const hiddenDetail = 'the host is in a private network, and was named outside it';

function toLink(url: URL, depth: number): Link {
  // A URL that is too long is listed by its beginning: a page could write megabytes of it. The key is that of the whole.
  return { url: url.href.slice(0, urlLengthMax), key: dedupeKey(url), host: hostKey(url), depth };
}

/** Without `www.`, unless what is left is no site but a top-level domain: `www.com` is not all of `.com`. */
function bareName(host: string): string {
  const name = host.toLowerCase().replace(/\.$/, '');
  return name.startsWith('www.') && name.includes('.', 'www.'.length) ? name.slice('www.'.length) : name;
}

function compiledGlob(glob: string): CompiledGlob {
  return { glob, matches: compileGlob(glob) };
}
