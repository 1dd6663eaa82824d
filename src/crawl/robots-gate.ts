import { gunzipSync, brotliDecompressSync, constants } from 'node:zlib';
import type { FetchedBody, Fetcher } from '../core/fetcher.ts';
import type { ErrorReason } from '../core/reasons.ts';
import type { CrawlError } from '../core/request.ts';
import { parseRobots, type RobotsRules } from '../robots/robots-rules.ts';
import { retryAfterMs } from './retry-policy.ts';

/** RFC 9309, 2.4: at most 24 hours. */
const keptMs = 24 * 3600 * 1000;
/** How soon an unreachable robots.txt is asked for again. */
const unreachableKeptMs = 5_000;
/** RFC 9309, 2.3.1.2: at least five. */
const redirectsMax = 5;
/** RFC 9309, 2.5: at least 500 KiB are read. */
const bytesMax = 500 * 1024;
const originsMax = 10_000;

export type RobotsAnswer =
  | { readonly kind: 'rules'; readonly rules: RobotsRules }
  /** RFC 9309, 2.3.1.4: nothing may be fetched until it answers. */
  | {
      readonly kind: 'unreachable';
      readonly error: CrawlError;
      readonly retryable: boolean;
      /** How long the site asked to be left alone. */
      readonly retryAfterMs?: number;
    };

type Unreachable = Extract<RobotsAnswer, { kind: 'unreachable' }>;

interface CachedAnswer {
  readonly answer: Promise<RobotsAnswer>;
  settled?: RobotsAnswer;
  goodUntil: number;
}

/** What robots.txt says, fetched once an origin however many jobs ask. */
export class RobotsGate {
  readonly #fetcher: Fetcher;
  readonly #deadlineMs: number;
  readonly #answers = new Map<string, CachedAnswer>();

  constructor(fetcher: Fetcher, options: { readonly deadlineMs: number }) {
    this.#fetcher = fetcher;
    this.#deadlineMs = options.deadlineMs;
  }

  /** Rejects only when the signal fires. */
  answerFor(origin: string, signal: AbortSignal): Promise<RobotsAnswer> {
    const cached = this.#answers.get(origin);
    if (cached && cached.goodUntil > Date.now()) return cached.answer;
    const fresh: CachedAnswer = { answer: this.#ask(origin, signal), goodUntil: Number.POSITIVE_INFINITY };
    fresh.answer.then(
      (answer) => {
        fresh.settled = answer;
        fresh.goodUntil = Date.now() + keptMsOf(answer);
      },
      () => this.#answers.delete(origin),
    );
    if (this.#answers.size >= originsMax) this.#forgetOldest();
    this.#answers.delete(origin);
    this.#answers.set(origin, fresh);
    return fresh.answer;
  }

  /** The answer that is there already, however old. */
  known(origin: string): RobotsAnswer | undefined {
    return this.#answers.get(origin)?.settled;
  }

  async #ask(origin: string, signal: AbortSignal): Promise<RobotsAnswer> {
    let url = `${origin}/robots.txt`;
    for (let hop = 0; hop <= redirectsMax; hop++) {
      const result = await this.#fetcher.fetch(url, {
        signal,
        deadlineMs: this.#deadlineMs,
        bodyBytesMax: bytesMax,
        oversize: 'cut',
      });
      signal.throwIfAborted();
      if (result.kind === 'failure') return unreachable({ error: result.error, retryable: result.retryable });
      if (result.kind === 'body') return judged(result);
      if (!URL.canParse(result.location, url)) return rules('');
      url = new URL(result.location, url).href;
    }
    // RFC 9309, 2.3.1.2: more redirects than that may count as unavailable, which allows everything.
    return rules('');
  }

  #forgetOldest(): void {
    const [oldest] = this.#answers.keys();
    if (oldest !== undefined) this.#answers.delete(oldest);
  }
}

function keptMsOf(answer: RobotsAnswer): number {
  return answer.kind === 'rules' ? keptMs : Math.max(unreachableKeptMs, answer.retryAfterMs ?? 0);
}

function judged(result: FetchedBody): RobotsAnswer {
  const { statusCode } = result;
  if (statusCode === 429 || statusCode >= 500) {
    const error = { reason: 'robots_unreachable', message: `It answered ${statusCode}.`, statusCode } as const;
    const pauseMs = retryAfterMs(result.headers.retryAfter, Date.now());
    return unreachable({ error, retryable: true, ...(pauseMs !== undefined && { retryAfterMs: pauseMs }) });
  }
  return rules(statusCode >= 200 && statusCode < 300 ? unpacked(result) : '');
}

/** As much of a packed file as can be read: robots.txt is used up to where it breaks. */
function unpacked({ body, headers }: FetchedBody): Uint8Array | string {
  const options = { maxOutputLength: bytesMax * 20 };
  try {
    if (headers.contentEncoding === 'gzip')
      return gunzipSync(body, { ...options, finishFlush: constants.Z_SYNC_FLUSH });
    if (headers.contentEncoding === 'br')
      return brotliDecompressSync(body, { ...options, finishFlush: constants.BROTLI_OPERATION_FLUSH });
    return body;
  } catch {
    // Not what its header says: no rules can be read from it, as from any file without rules.
    return '';
  }
}

function rules(body: Uint8Array | string): RobotsAnswer {
  return { kind: 'rules', rules: parseRobots(body) };
}

/** Where no connection can be made at all, that is the reason: it is not robots.txt that is missing. */
const reasonsOfTheHost: ReadonlySet<ErrorReason> = new Set(['dns', 'connect', 'tls', 'destination_not_allowed']);

function unreachable(cause: Omit<Unreachable, 'kind'>): RobotsAnswer {
  const { error, ...rest } = cause;
  if (reasonsOfTheHost.has(error.reason)) return { kind: 'unreachable', error, ...rest };
  const message = `robots.txt could not be read, so nothing may be fetched: ${error.message}`;
  return { kind: 'unreachable', error: { ...error, reason: 'robots_unreachable', message }, ...rest };
}
