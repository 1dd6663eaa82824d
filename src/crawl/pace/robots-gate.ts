import { monotonicNow } from '../../core/process/monotonic-time.ts';
import type { Entrance, FetchedBody } from '../../core/ports/fetcher.ts';
import { hostKey } from '../../core/host-key.ts';
import type { ErrorReason } from '../../core/reasons.ts';
import type { CrawlError } from '../../core/request.ts';
import { parseRobots, type RobotsRules } from '../../robots/robots-rules.ts';
import { unpackBeginning } from '../convert/unpack-body.ts';
import type { PoliteFetcher } from './polite-fetcher.ts';
import { retryAfterMs } from './retry-policy.ts';

/** RFC 9309, 2.4: at most 24 hours. */
const keptMs = 24 * 3600 * 1000;
/** A job that begins later than this after a file was read has it read again: it can be one of many runs a day. */
const keptForLaterJobsMs = 3600 * 1000;
/** How soon an unreachable robots.txt is requested again, unless a probe of the host comes first. */
const unreachableKeptMs = 60_000;
/** RFC 9309, 2.3.1.2: at least five. */
const redirectsMax = 5;
/** RFC 9309, 2.5: at least 500 KiB are read. */
const bytesMax = 500 * 1024;
/**
 * How long a redirect to another host waits for that host's turn. Its lane can be in another process, so this is the
 * one fetch that leaves a lane's own host: one per origin and day (docs/decisions/leases-and-turns.md).
 */
const otherHostWithinMs = 10_000;
const originsMax = 10_000;
/**
 * For all files in memory. An ordinary one takes 10 KB, but any site can have a thousand hosts with 50,000 rules each.
 */
const heldBytesMax = 64 * 2 ** 20;
/** A longer robots.txt is not passed on: each process requests it itself. */
const noteMax = 4_000;

export type RobotsResponse =
  | {
      readonly kind: 'rules';
      readonly rules: RobotsRules;
      readonly text?: string;
      /** The private network that the file came from. Absent for the public web. */
      readonly network?: string;
    }
  /** RFC 9309, 2.3.1.4: nothing may be fetched until robots.txt answers. */
  | {
      readonly kind: 'unreachable';
      readonly error: CrawlError;
      readonly retryable: boolean;
      /** Set if the failure was on our side. */
      readonly isLocal?: true;
      /** The pause that the site requested. */
      readonly retryAfterMs?: number;
    };

/** What a robots.txt says, and until when it is valid. */
export interface RobotsNote {
  readonly origin: string;
  readonly text: string;
  readonly goodUntil: number;
}

export type Unreachable = Extract<RobotsResponse, { kind: 'unreachable' }>;

/** What the job may do at the origin. */
export interface RobotsOptions extends Entrance {
  /** How long the job waits for the file. @default the deadline of the gate */
  readonly withinMs?: number | undefined;
  /** When the job began (`monotonicNow`). @default not known, so any response will do */
  readonly begunAt?: number | undefined;
}

interface CachedResponse {
  readonly response: Promise<RobotsResponse>;
  settled?: RobotsResponse;
  goodUntil: number;
  heldBytes: number;
}

/** Responses from robots.txt, fetched once per origin for all jobs. */
export class RobotsGate {
  readonly #fetcher: PoliteFetcher;
  readonly #deadlineMs: number;
  readonly #responses = new Map<string, CachedResponse>();
  readonly #heldBytesMax: number;
  #heldBytes = 0;

  /** `cacheBytes`: what there is for all files; they take less. */
  constructor(fetcher: PoliteFetcher, options: { readonly deadlineMs: number; readonly cacheBytes?: number }) {
    this.#fetcher = fetcher;
    this.#deadlineMs = options.deadlineMs;
    this.#heldBytesMax = Math.min(heldBytesMax, options.cacheBytes ?? heldBytesMax);
  }

  /**
   * Rejects when the signal fires. Rejects with a `HostPausedError` if the file redirects to a host whose turn does not
   * come. A response from inside is not shared with a job that must stay
   * outside, nor one of any certificate with a job that verifies it.
   */
  answerFor(origin: string, signal: AbortSignal, options: RobotsOptions = {}): Promise<RobotsResponse> {
    const key = keyOf(origin, options);
    const cached = this.#responses.get(key);
    if (cached && isGood(cached, options)) return cached.response;
    const response = this.#ask(origin, signal, options);
    const fresh: CachedResponse = { response, goodUntil: Number.POSITIVE_INFINITY, heldBytes: 0 };
    fresh.response.then(
      (response) => {
        fresh.settled = response;
        fresh.goodUntil = monotonicNow() + keptMsOf(response);
        this.#weigh(key, fresh, response);
      },
      () => {
        if (this.#responses.get(key) === fresh) this.#forget(key);
      },
    );
    this.#remember(key, fresh);
    return fresh.response;
  }

  /** As {@link answerFor}, but ignores what is known already. */
  askAgain(origin: string, signal: AbortSignal, options: RobotsOptions = {}): Promise<RobotsResponse> {
    if (this.known(origin, options)) this.#forget(keyOf(origin, options));
    return this.answerFor(origin, signal, options);
  }

  /**
   * Adopts what another process read, so that the file is not requested again. Does nothing if there is a response
   * already.
   */
  recall({ origin, text, goodUntil }: RobotsNote): void {
    if (this.#responses.has(origin) || goodUntil <= monotonicNow()) return;
    const settled = rules(text, origin);
    const recalled: CachedResponse = {
      response: Promise.resolve(settled),
      settled,
      goodUntil: Math.min(goodUntil, monotonicNow() + keptMs),
      heldBytes: 0,
    };
    this.#remember(origin, recalled);
    this.#weigh(origin, recalled, settled);
  }

  /** The response for another process; undefined if it is not a short file. */
  noteOf(origin: string): RobotsNote | undefined {
    const cached = this.#responses.get(origin);
    if (cached?.settled?.kind !== 'rules' || cached.settled.text === undefined) return undefined;
    return { origin, text: cached.settled.text, goodUntil: cached.goodUntil };
  }

  /** The response in memory, however old. */
  known(origin: string, entrance: Entrance = {}): RobotsResponse | undefined {
    return this.#responses.get(keyOf(origin, entrance))?.settled;
  }

  /** The same if it need not be asked for again. Nearly every page finds it. */
  fresh(origin: string, options: RobotsOptions): RobotsResponse | undefined {
    const cached = this.#responses.get(keyOf(origin, options));
    return cached && isGood(cached, options) ? cached.settled : undefined;
  }

  async #ask(origin: string, signal: AbortSignal, options: RobotsOptions): Promise<RobotsResponse> {
    const { enter: entrance, insecureTls, proxy, withinMs = this.#deadlineMs } = options;
    let enter = entrance;
    let url = `${origin}/robots.txt`;
    for (let hop = 0; hop <= redirectsMax; hop++) {
      const result = await this.#fetcher.fetch(url, {
        signal,
        deadlineMs: Math.min(this.#deadlineMs, withinMs),
        bodyBytesMax: bytesMax,
        oversize: 'cut',
        wants: 'all',
        enter,
        insecureTls,
        proxy,
        ...(hostKey(new URL(url)) !== hostKey(new URL(origin)) && { turnWithinMs: otherHostWithinMs }),
      });
      signal.throwIfAborted();
      if (result.kind === 'failure') {
        const { error, retryable, isLocal } = result;
        return unreachable({ error, retryable, ...(isLocal === true && { isLocal }) });
      }
      if (result.kind === 'body') return judged(result, origin);
      if (!URL.canParse(result.location, url)) return rules('', origin);
      url = new URL(result.location, url).href;
      // Only a redirect from inside a private network leads inside.
      enter = result.network;
    }
    // RFC 9309, 2.3.1.2: after more redirects a crawler may treat the file as unavailable, which allows everything.
    return rules('', origin);
  }

  #remember(origin: string, cached: CachedResponse): void {
    const [oldest] = this.#responses.keys();
    if (this.#responses.size >= originsMax && oldest !== undefined) this.#forget(oldest);
    this.#forget(origin);
    this.#responses.set(origin, cached);
  }

  /** If all files together take too much, the oldest are forgotten, and requested again when they are needed. */
  #weigh(origin: string, cached: CachedResponse, response: RobotsResponse): void {
    if (response.kind !== 'rules' || this.#responses.get(origin) !== cached) return;
    cached.heldBytes = response.rules.heldBytes;
    this.#heldBytes += cached.heldBytes;
    for (const [other, { heldBytes }] of this.#responses) {
      if (this.#heldBytes <= this.#heldBytesMax) return;
      if (other !== origin && heldBytes > 0) this.#forget(other);
    }
  }

  #forget(origin: string): void {
    this.#heldBytes -= this.#responses.get(origin)?.heldBytes ?? 0;
    this.#responses.delete(origin);
  }
}

function isGood(
  { goodUntil, settled }: CachedResponse,
  { begunAt = Number.NEGATIVE_INFINITY }: RobotsOptions,
): boolean {
  const readAt = settled?.kind === 'rules' ? goodUntil - keptMs : Number.POSITIVE_INFINITY;
  return goodUntil > monotonicNow() && begunAt - readAt <= keptForLaterJobsMs;
}

function keptMsOf(response: RobotsResponse): number {
  return response.kind === 'rules' ? keptMs : Math.max(unreachableKeptMs, response.retryAfterMs ?? 0);
}

async function judged(result: FetchedBody, origin: string): Promise<RobotsResponse> {
  const { statusCode } = result;
  if (statusCode === 429 || statusCode >= 500) {
    const error = { reason: 'robots_unreachable', message: `It responded with ${statusCode}.`, statusCode } as const;
    const pauseMs = retryAfterMs(result.headers.retryAfter, Date.now());
    return unreachable({ error, retryable: true, ...(pauseMs !== undefined && { retryAfterMs: pauseMs }) });
  }
  if (statusCode < 200 || statusCode > 299) return rules('', origin);
  // We cut off a longer file.
  const body = await unpackBeginning(result.body, result.headers.contentEncoding, bytesMax);
  if (body === undefined) return unreachable({ error: notUnpacked, retryable: true });
  const response = rules(body, origin);
  return result.network === undefined ? response : { ...response, network: result.network };
}

function keyOf(origin: string, { enter, insecureTls, proxy }: Entrance): string {
  // What one proxy cannot reach, another can; and sites answer differently.
  const through = proxy === undefined ? origin : `${origin} through ${proxy}`;
  return enter === undefined ? through : `${through} in ${enter}${insecureTls === true ? ', any certificate' : ''}`;
}

const notUnpacked = {
  reason: 'bad_encoding',
  message: 'Its compression differs from its headers, or is broken.',
} as const;

function rules(body: Uint8Array | string, origin: string): Extract<RobotsResponse, { kind: 'rules' }> {
  const text = body.length > noteMax ? undefined : typeof body === 'string' ? body : Buffer.from(body).toString();
  return { kind: 'rules', rules: parseRobots(body, origin), ...(text !== undefined && { text }) };
}

/** Without any connection, that is the reason to report: the missing robots.txt is only a consequence. */
const reasonsOfTheHost: ReadonlySet<ErrorReason> = new Set(['dns', 'connect', 'tls', 'destination_not_allowed']);

function unreachable(cause: Omit<Unreachable, 'kind'>): RobotsResponse {
  const { error, ...rest } = cause;
  if (reasonsOfTheHost.has(error.reason)) return { kind: 'unreachable', error, ...rest };
  const message = `robots.txt could not be read, so nothing may be fetched: ${error.message}`;
  return { kind: 'unreachable', error: { ...error, reason: 'robots_unreachable', message }, ...rest };
}
