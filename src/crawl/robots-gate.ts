import { pipeline, Readable } from 'node:stream';
import { monotonicNow } from '../core/monotonic-time.ts';
import { failPoint } from '../core/fail-point.ts';
import { createBrotliDecompress, createGunzip } from 'node:zlib';
import type { FetchedBody, Fetcher } from '../core/fetcher.ts';
import type { ErrorReason } from '../core/reasons.ts';
import type { CrawlError } from '../core/request.ts';
import { parseRobots, type RobotsRules } from '../robots/robots-rules.ts';
import { retryAfterMs } from './retry-policy.ts';

/** RFC 9309, 2.4: at most 24 hours. */
const keptMs = 24 * 3600 * 1000;
/** How soon an unreachable robots.txt is asked for again, unless somebody wants to know before. */
const unreachableKeptMs = 60_000;
/** RFC 9309, 2.3.1.2: at least five. */
const redirectsMax = 5;
/** RFC 9309, 2.5: at least 500 KiB are read. */
const bytesMax = 500 * 1024;
const originsMax = 10_000;
/** Of all that are remembered. Ordinary ones take 10 KB each, but any site may have a thousand hosts with 50,000 rules each. */
const heldBytesMax = 64 * 2 ** 20;
/** A longer robots.txt is asked for by each process anew. */
const noteMax = 4_000;

export type RobotsAnswer =
  | { readonly kind: 'rules'; readonly rules: RobotsRules; readonly text?: string }
  /** RFC 9309, 2.3.1.4: nothing may be fetched until it answers. */
  | {
      readonly kind: 'unreachable';
      readonly error: CrawlError;
      readonly retryable: boolean;
      /** How long the site asked to be left alone. */
      readonly retryAfterMs?: number;
    };

/** What a robots.txt says, and until when that counts. */
export interface RobotsNote {
  readonly origin: string;
  readonly text: string;
  readonly goodUntil: number;
}

export type Unreachable = Extract<RobotsAnswer, { kind: 'unreachable' }>;

interface CachedAnswer {
  readonly answer: Promise<RobotsAnswer>;
  settled?: RobotsAnswer;
  goodUntil: number;
  heldBytes: number;
}

/** What robots.txt says, fetched once an origin however many jobs ask. */
export class RobotsGate {
  readonly #fetcher: Fetcher;
  readonly #deadlineMs: number;
  readonly #answers = new Map<string, CachedAnswer>();
  #heldBytes = 0;

  constructor(fetcher: Fetcher, options: { readonly deadlineMs: number }) {
    this.#fetcher = fetcher;
    this.#deadlineMs = options.deadlineMs;
  }

  /** Rejects only when the signal fires. */
  answerFor(origin: string, signal: AbortSignal): Promise<RobotsAnswer> {
    const cached = this.#answers.get(origin);
    if (cached && cached.goodUntil > monotonicNow()) return cached.answer;
    const answer = this.#ask(origin, signal);
    const fresh: CachedAnswer = { answer, goodUntil: Number.POSITIVE_INFINITY, heldBytes: 0 };
    fresh.answer.then(
      (answer) => {
        fresh.settled = answer;
        fresh.goodUntil = monotonicNow() + keptMsOf(answer);
        this.#weigh(origin, fresh, answer);
      },
      () => {
        if (this.#answers.get(origin) === fresh) this.#forget(origin);
      },
    );
    this.#remember(origin, fresh);
    return fresh.answer;
  }

  /** As {@link answerFor}, but what is known already does not count. */
  askAgain(origin: string, signal: AbortSignal): Promise<RobotsAnswer> {
    if (this.known(origin)) this.#forget(origin);
    return this.answerFor(origin, signal);
  }

  /** What another process was answered, so that nobody has to ask again. Nothing happens where an answer is there. */
  recall({ origin, text, goodUntil }: RobotsNote): void {
    if (this.#answers.has(origin) || goodUntil <= monotonicNow()) return;
    const settled = rules(text, origin);
    const recalled: CachedAnswer = {
      answer: Promise.resolve(settled),
      settled,
      goodUntil: Math.min(goodUntil, monotonicNow() + keptMs),
      heldBytes: 0,
    };
    this.#remember(origin, recalled);
    this.#weigh(origin, recalled, settled);
  }

  /** What another process may want to know; undefined where there is nothing to be told in few words. */
  noteOf(origin: string): RobotsNote | undefined {
    const cached = this.#answers.get(origin);
    if (cached?.settled?.kind !== 'rules' || cached.settled.text === undefined) return undefined;
    return { origin, text: cached.settled.text, goodUntil: cached.goodUntil };
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
        wants: 'all',
      });
      signal.throwIfAborted();
      if (result.kind === 'failure') return unreachable({ error: result.error, retryable: result.retryable });
      failPoint('robots.read');
      if (result.kind === 'body') return judged(result, origin);
      if (!URL.canParse(result.location, url)) return rules('', origin);
      url = new URL(result.location, url).href;
    }
    // RFC 9309, 2.3.1.2: more redirects than that may count as unavailable, which allows everything.
    return rules('', origin);
  }

  #remember(origin: string, cached: CachedAnswer): void {
    const [oldest] = this.#answers.keys();
    if (this.#answers.size >= originsMax && oldest !== undefined) this.#forget(oldest);
    this.#forget(origin);
    this.#answers.set(origin, cached);
  }

  /** Where all of them take too much, the oldest are forgotten, and asked for again when they are needed. */
  #weigh(origin: string, cached: CachedAnswer, answer: RobotsAnswer): void {
    if (answer.kind !== 'rules' || this.#answers.get(origin) !== cached) return;
    cached.heldBytes = answer.rules.heldBytes;
    this.#heldBytes += cached.heldBytes;
    for (const [other, { heldBytes }] of this.#answers) {
      if (this.#heldBytes <= heldBytesMax) return;
      if (other !== origin && heldBytes > 0) this.#forget(other);
    }
  }

  #forget(origin: string): void {
    this.#heldBytes -= this.#answers.get(origin)?.heldBytes ?? 0;
    this.#answers.delete(origin);
  }
}

function keptMsOf(answer: RobotsAnswer): number {
  return answer.kind === 'rules' ? keptMs : Math.max(unreachableKeptMs, answer.retryAfterMs ?? 0);
}

async function judged(result: FetchedBody, origin: string): Promise<RobotsAnswer> {
  const { statusCode } = result;
  if (statusCode === 429 || statusCode >= 500) {
    const error = { reason: 'robots_unreachable', message: `It answered ${statusCode}.`, statusCode } as const;
    const pauseMs = retryAfterMs(result.headers.retryAfter, Date.now());
    return unreachable({ error, retryable: true, ...(pauseMs !== undefined && { retryAfterMs: pauseMs }) });
  }
  if (statusCode < 200 || statusCode > 299) return rules('', origin);
  const body = await unpacked(result);
  return body === undefined ? unreachable({ error: notUnpacked, retryable: true }) : rules(body, origin);
}

const notUnpacked = {
  reason: 'bad_encoding',
  message: 'It is packed in a way that is not what its headers say, or broken.',
} as const;

/** As much of a file as is looked at; undefined where it breaks before that, so that nobody knows what it forbids. */
async function unpacked({ body, headers }: FetchedBody): Promise<Uint8Array | undefined> {
  const steps = headers.contentEncoding.split(' ').filter(Boolean).toReversed();
  if (steps.length === 0 || body.length === 0) return body;
  const read: Uint8Array[] = [];
  let length = 0;
  // A step that fails has given what came before; the error ends the others too.
  const streams = steps.map((coding) => (coding === 'br' ? createBrotliDecompress() : createGunzip()));
  const last = streams.at(-1);
  pipeline([Readable.from([body]), ...streams], () => {});
  try {
    for await (const chunk of last ?? []) {
      if (!(chunk instanceof Uint8Array)) break;
      read.push(chunk);
      length += chunk.length;
      if (length >= bytesMax) break;
    }
  } catch (error) {
    // A file that is longer than what is looked at was cut by us.
    const isCut = body.length >= bytesMax && error instanceof Error && 'code' in error && error.code === 'Z_BUF_ERROR';
    if (!isCut) return undefined;
  }
  return Buffer.concat(read).subarray(0, bytesMax);
}

function rules(body: Uint8Array | string, origin: string): RobotsAnswer {
  const text = body.length > noteMax ? undefined : typeof body === 'string' ? body : Buffer.from(body).toString();
  return { kind: 'rules', rules: parseRobots(body, origin), ...(text !== undefined && { text }) };
}

/** Where no connection can be made at all, that is the reason: it is not robots.txt that is missing. */
const reasonsOfTheHost: ReadonlySet<ErrorReason> = new Set(['dns', 'connect', 'tls', 'destination_not_allowed']);

function unreachable(cause: Omit<Unreachable, 'kind'>): RobotsAnswer {
  const { error, ...rest } = cause;
  if (reasonsOfTheHost.has(error.reason)) return { kind: 'unreachable', error, ...rest };
  const message = `robots.txt could not be read, so nothing may be fetched: ${error.message}`;
  return { kind: 'unreachable', error: { ...error, reason: 'robots_unreachable', message }, ...rest };
}
