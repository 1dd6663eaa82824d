// A site can redirect a thousand of its URLs to one page, such as its login. Fetching that page once is enough.
import { redirectTarget } from '../../core/baseline.ts';
import type { Frontier, KnownUrl } from '../../core/ports/frontier.ts';
import type { Outcome, Request } from '../../core/request.ts';
import type { DiscardReason } from '../../core/reasons.ts';
import { dedupeKey } from '../../url/dedupe-key.ts';
import { isPassing } from '../pace/retry-policy.ts';
import { keepLast } from '../../core/keep-last.ts';

/** URLs remembered over all jobs, about 200 bytes each. A forgotten target is fetched once more. */
const rememberedMax = 50_000;
/** How many redirects in memory or the ledger are followed. After more, the target is fetched. */
const stepsMax = 10;

/** A request that was redirected. */
export interface Redirected {
  readonly request: Request;
  /** Dedupe keys of the URLs requested so far: its own URL first, then the redirect targets. Empty without a redirect. */
  readonly trail: readonly string[];
  /** The job's `max_depth`. */
  readonly maxDepth: number | null;
}

/**
 * Knows which redirect targets another request of the job has fetched or will fetch.
 *
 * A request may leave its target to another request only if that one does not leave its own target to this one,
 * directly or through others: otherwise nobody fetches it. Decisions are in the ledger or, until they are settled, in
 * the memory of this process. With several processes, none knows the unsettled decisions of the others. So there a
 * request leaves its target only to one that has ended, or that was found earlier: a cycle would need a request that
 * was found before itself.
 */
export class RedirectTargets {
  readonly #frontier: Pick<Frontier, 'knownUrl'>;
  readonly #isShared: boolean;
  readonly #max: number;
  /**
   * By job and key of a URL: the key of the request that has it, or that it was left to. The least recently used comes
   * first.
   */
  readonly #leftTo = new Map<string, string>();

  /** `isShared`: other processes work on the same jobs. */
  constructor(frontier: Pick<Frontier, 'knownUrl'>, options: { readonly isShared: boolean; readonly max?: number }) {
    this.#frontier = frontier;
    this.#isShared = options.isShared;
    this.#max = options.max ?? rememberedMax;
  }

  /**
   * Returns the ledger URL under which the job has, or will have, the page of a target. Undefined if the request has to
   * fetch it. A returned URL is a decision: the request must end as a duplicate of it.
   */
  async originalOf({ request, trail, maxDepth }: Redirected, target: string): Promise<string | undefined> {
    const { jobId, earlier } = request;
    const [own] = trail;
    // The earlier job had a page of this request after redirects. If another URL got it, it would seem to have moved.
    const isKept = redirectTarget(earlier?.validator ?? null) !== undefined;
    let original: string | undefined;
    let key = target;
    for (let step = 0; step < stepsMax && !trail.includes(key); step++) {
      const known = await this.#frontier.knownUrl(jobId, key);
      if (isKept && known?.hasEarlier !== true) return undefined;
      const standing = known === undefined ? 'unfetched' : standingOf(known);
      // The last one: those before it are duplicates themselves, or leave their page to it.
      if (standing !== 'unfetched') original = known?.url;
      // No await from here on, so that no other request can decide in between.
      const isOver = standing === 'fetched' && known?.state !== 'queued';
      const next = isOver
        ? undefined
        : (this.#recall(jobId, key) ?? (standing === 'elsewhere' ? keyOf(known?.detail) : undefined));
      if (next !== undefined) {
        key = next;
        continue;
      }
      if (known === undefined || standing !== 'fetched') return undefined;
      // Its links would be too deep; those of this request are not.
      if (maxDepth !== null && known.depth > request.depth) return undefined;
      if (this.#isShared && known.state === 'queued' && known.id > request.id) return undefined;
      if (own !== undefined) this.#remember(jobId, own, key);
      return original;
    }
    return undefined;
  }

  /** Call with the outcome of a redirected request. An outcome that another attempt can change is not remembered. */
  ended({ request, trail }: Redirected, outcome: Outcome): void {
    const [own, ...targets] = trail;
    if (own === undefined || !isFinal(outcome)) return;
    const leftTo = outcome.kind === 'discarded' ? outcome.leftTo : undefined;
    for (const target of targets) if (target !== own && target !== leftTo) this.#remember(request.jobId, target, own);
  }

  #remember(jobId: string, key: string, leftTo: string): void {
    keepLast(this.#leftTo, `${jobId} ${key}`, leftTo, this.#max);
  }

  #recall(jobId: string, key: string): string | undefined {
    const leftTo = this.#leftTo.get(`${jobId} ${key}`);
    if (leftTo !== undefined) this.#remember(jobId, key, leftTo);
    return leftTo;
  }
}

/** `elsewhere`: the URL is a duplicate of the one in its detail. */
function standingOf({ state, attempts, reason, statusCode }: KnownUrl): 'fetched' | 'elsewhere' | 'unfetched' {
  switch (state) {
    case 'scraped':
      return 'fetched';
    // An overloaded site can redirect everything to a page that answers 503. The URLs that lead there must fail with
    // it: then they are retried.
    case 'queued':
      return attempts === 0 ? 'fetched' : 'unfetched';
    case 'failed':
      return isPermanent(statusCode ?? undefined) ? 'fetched' : 'unfetched';
    case 'outside':
      return 'unfetched';
    case 'discarded':
      if (attempts === 0 || unfetchedReasons.has(reason ?? '')) return 'unfetched';
      return reason === ('duplicate_of' satisfies DiscardReason) ? 'elsewhere' : 'fetched';
  }
}

/** Requests with these reasons count as attempted, without a fetch. */
const unfetchedReasons: ReadonlySet<string> = new Set<DiscardReason>([
  'trap',
  'robots_disallowed',
  'crawl_delay_too_long',
]);

function isFinal(outcome: Outcome): boolean {
  switch (outcome.kind) {
    case 'scraped':
    case 'unchanged':
    case 'discarded':
      return true;
    case 'failed':
      return isPermanent(outcome.error.statusCode);
    case 'retry':
    case 'moved':
    case 'sitemap':
      return false;
  }
}

function isPermanent(statusCode: number | undefined): boolean {
  return statusCode !== undefined && !isPassing(statusCode);
}

function keyOf(url: string | null | undefined): string | undefined {
  const parsed = URL.parse(url ?? '');
  return parsed === null ? undefined : dedupeKey(parsed);
}
