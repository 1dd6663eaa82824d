// The web of a simulation: a few hosts with pages, each with its own behaviour, all from one seed.
import type { FetchedHeaders, FetchResult } from '../../src/core/ports/fetcher.ts';
import type { Random } from './random.ts';
import { ownedCopy } from '../../src/core/bytes/owned-bytes.ts';

const headers: FetchedHeaders = {
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

interface HostPlan {
  readonly name: string;
  readonly crawlDelaySeconds: number;
  readonly latencyMs: number;
  /** Share of 503 responses, at random. */
  readonly strainShare: number;
  /** From and to, in milliseconds since the start: the host does not respond in between. */
  readonly outages: readonly (readonly [number, number])[];
  readonly pages: ReadonlyMap<string, PagePlan>;
}

interface PagePlan {
  readonly links: readonly string[];
  readonly kind: 'page' | 'missing' | 'forbidden' | 'moved' | 'elsewhere' | 'poison';
  /** The host to which a page that is `elsewhere` redirects. */
  readonly to: string;
}

export interface World {
  readonly starts: readonly string[];
  readonly hosts: readonly HostPlan[];
  /** The state that each URL must have after a crawl of these start URLs if no host was given up, by address. */
  expected(starts: readonly string[]): ReadonlyMap<string, 'scraped' | 'discarded' | 'outside' | 'failed'>;
  /** The response of a host at a given time. */
  answer(url: URL, atMs: number): FetchResult;
  isDown(host: string, atMs: number): boolean;
  plan(url: URL): HostPlan | undefined;
}

/** No single downtime is longer than this, and a host is retried for longer than this. */
export const outageMsMax = 600_000;

/** From and to: no host can be reached in between, because our own network or name server is down. */
type TotalOutage = readonly [fromMs: number, toMs: number] | undefined;

const totalOutageMsMax = 2 * 3_600_000;

export function createWorld(random: Random): World {
  const names = Array.from({ length: random.between(1, 4) }, (_, index) => `h${index}.test`);
  const hosts = names.map((name) => createHost(name, names, random));
  const outage = createTotalOutage(random);
  const byName = new Map(hosts.map((host) => [host.name, host]));
  const vagueFailures = new Map<string, number>();
  const planOf = (url: URL): PagePlan | undefined => byName.get(url.hostname)?.pages.get(url.pathname);

  return {
    starts: hosts.map(({ name }) => `http://${name}/`),
    hosts,
    plan: (url) => byName.get(url.hostname),
    isDown: (name, atMs) => byName.get(name)?.outages.some(([from, to]) => atMs >= from && atMs < to) ?? true,
    expected(starts) {
      const states = new Map<string, 'scraped' | 'discarded' | 'outside' | 'failed'>();
      const left = [...starts];
      for (let url = left.pop(); url !== undefined; url = left.pop()) {
        if (states.has(url)) continue;
        const page = planOf(new URL(url));
        // A redirect leads only to the hosts of the job.
        const isOff = page?.kind === 'elsewhere' && !starts.includes(`http://${page.to}/`);
        const isPage = page?.kind === 'page' || page?.kind === 'moved' || (page?.kind === 'elsewhere' && !isOff);
        states.set(url, isPage ? 'scraped' : page?.kind === 'forbidden' ? 'outside' : isOff ? 'discarded' : 'failed');
        if (isPage) left.push(...page.links);
      }
      return states;
    },
    answer(url, atMs) {
      if (outage !== undefined && atMs >= outage[0] && atMs < outage[1]) {
        const result = unreachable(random);
        const vague = vagueFailures.get(url.hostname) ?? 0;
        if (result.isLocal === true || vague >= vagueFailuresMax) return { ...result, isLocal: true };
        vagueFailures.set(url.hostname, vague + 1);
        return result;
      }
      const host = byName.get(url.hostname);
      if (!host || this.isDown(url.hostname, atMs)) {
        return {
          kind: 'failure',
          error: { reason: 'connect', message: 'No connection could be made.' },
          retryable: true,
        };
      }
      if (url.pathname === '/robots.txt') return body(200, robotsOf(host));
      if (random.chance(host.strainShare)) {
        return body(503, '', random.chance(0.3) ? { retryAfter: String(random.between(1, 90)) } : {});
      }
      const from = /^\/from\/([^/]+)(\/.*)$/.exec(url.pathname);
      const page = from ? byName.get(from[1] ?? '')?.pages.get(from[2] ?? '') : host.pages.get(url.pathname);
      if (page?.kind === 'elsewhere' && !from) {
        return { kind: 'redirect', statusCode: 302, location: `http://${page.to}/from/${url.hostname}${url.pathname}` };
      }
      if (page?.kind === 'moved' && url.search === '') {
        return { kind: 'redirect', statusCode: 302, location: `${url.href}?target` };
      }
      return page === undefined || page.kind === 'missing' ? body(404, '') : body(200, page.links.join('\n'));
    },
  };
}

function createTotalOutage(random: Random): TotalOutage {
  if (!random.chance(0.2)) return undefined;
  const from = random.between(0, 120_000);
  return [from, from + random.between(1_000, totalOutageMsMax)];
}

/** For one host: open connections and cached names come to an end. A page is tried more often than that. */
const vagueFailuresMax = 2;

/** Mostly obvious; an open connection or a cached name can fail as if the host had failed. */
function unreachable(random: Random): Extract<FetchResult, { kind: 'failure' }> {
  return random.chance(0.8)
    ? {
        kind: 'failure',
        error: { reason: 'dns', message: 'The name could not be resolved.' },
        retryable: true,
        isLocal: true,
      }
    : { kind: 'failure', error: { reason: 'timeout', message: 'Nothing came.' }, retryable: true };
}

function createHost(name: string, names: readonly string[], random: Random): HostPlan {
  const paths = Array.from({ length: random.between(2, 14) }, (_, index) => (index === 0 ? '/' : `/${index}`));
  const kinds = ['page', 'page', 'page', 'page', 'missing', 'forbidden', 'moved', 'elsewhere'] as const;
  const pages = paths.map((path, index): [string, PagePlan] => {
    const links = Array.from({ length: random.between(0, 4) }, () => `http://${name}${random.of(paths)}`);
    // The next one is always linked, so that no page is unreachable by chance.
    const next = paths[index + 1];
    const kind = index === 0 ? 'page' : random.chance(0.01) ? 'poison' : random.of(kinds);
    const all = next === undefined ? links : [`http://${name}${next}`, ...links];
    return [path, { kind, links: all, to: random.of(names) }];
  });
  const outages = Array.from({ length: random.chance(0.3) ? random.between(1, 2) : 0 }, (): [number, number] => {
    const from = random.between(0, 120_000);
    return [from, from + random.between(1_000, outageMsMax)];
  });
  return {
    name,
    crawlDelaySeconds: random.chance(0.3) ? random.between(1, 20) : 0,
    latencyMs: random.between(1, 1_500),
    strainShare: random.chance(0.2) ? 0.1 : 0,
    outages,
    pages: new Map(pages),
  };
}

function robotsOf({ pages, crawlDelaySeconds }: HostPlan): string {
  const forbidden = [...pages].flatMap(([path, { kind }]) => (kind === 'forbidden' ? [`Disallow: ${path}$`] : []));
  return ['User-agent: *', ...forbidden, ...(crawlDelaySeconds > 0 ? [`Crawl-delay: ${crawlDelaySeconds}`] : [])].join(
    '\n',
  );
}

export function body(
  statusCode: number,
  text: string,
  more: Partial<FetchedHeaders> = {},
): Extract<FetchResult, { kind: 'body' }> {
  return {
    kind: 'body',
    statusCode,
    headers: { ...headers, ...more },
    body: ownedCopy(new TextEncoder().encode(text)),
  };
}
