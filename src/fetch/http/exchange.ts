import { monotonicNow } from '../../core/process/monotonic-time.ts';
import { type EventLoopUtilization, performance } from 'node:perf_hooks';
import { type Dispatcher, errors } from 'undici';
import {
  type ResponseHead,
  type FetchedHeaders,
  type FetchOptions,
  type FetchResult,
  publicWeb,
} from '../../core/ports/fetcher.ts';
import { allocateOwned } from '../../core/bytes/owned-bytes.ts';
import {
  codingsOf,
  contentLengthOf,
  cookiesOf,
  isWantedType,
  readFetchedHeaders,
  redirectLocation,
  wholeHead,
  type ResponseHeaders,
} from '../response/response-head.ts';
import { BodyBuffer } from '../response/body-buffer.ts';
import type { Way } from '../guard/ways.ts';
import type { Carrier, WebRequest } from '../http2/request-headers.ts';
import { fail, toFailure, type FailureKind } from './fetch-errors.ts';

/** Up to this size, reading a body to its end costs less than the new connection needed after a cut. */
const unwantedBytesMax = 64 * 1024;
/** Share of a response's time: a process busier than this measures its own slowness. */
const busyShareMax = 0.7;

/** What is asked of an exchange. Of a response of which only the head is wanted, `bodyBytesMax` are read and dropped. */
export type ExchangeOptions = Omit<FetchOptions, 'wants'> & { readonly wants?: FetchOptions['wants'] | 'head' };

type ResponseState =
  | { readonly state: 'awaited' }
  | Reading
  | { readonly state: 'skipping'; readonly result: FetchResult; skippedBytes: number };

interface Reading {
  readonly state: 'reading';
  readonly statusCode: number;
  readonly headers: FetchedHeaders;
  readonly cookies: ReturnType<typeof cookiesOf>;
  readonly head: { readonly head?: ResponseHead };
  readonly announcedBytes: number | undefined;
  readonly latencyMs: number | undefined;
  readonly body: BodyBuffer;
}

/**
 * One request and its response. States: *awaited* until the headers arrive; then *reading* a wanted body, or *skipping*
 * an unwanted one: the result is known, and the rest is read only to keep the connection. It settles once, from any
 * state; later events are ignored.
 *
 * undici calls it directly. Without a stream in between, a cut-off body cannot pass for a complete one, and the
 * deadline holds while a connection is being made, when undici ignores its AbortSignal.
 */
export class Exchange implements Dispatcher.DispatchHandler {
  /** The network that the connection leads into: a private one, or the public web. */
  #network = publicWeb;
  /** The connection, if it can be one whose certificate is not valid. */
  carrier: Carrier | undefined;
  readonly #path: string;
  readonly #options: ExchangeOptions;
  readonly #settle: Settle;
  /** One for both limits, as each page would pay for a second. Silence is looked at when it fires, not with each chunk. */
  #timer: NodeJS.Timeout;
  #deadlineAt: number;
  #silentAt: number;
  readonly #stop: () => void;
  #response: ResponseState = { state: 'awaited' };
  #controller: Dispatcher.DispatchController | undefined;
  #isSettled = false;
  #sentAt = 0;
  #loopAtSend: EventLoopUtilization | undefined;

  constructor(path: string, options: ExchangeOptions, settle: Settle) {
    this.#path = path;
    this.#options = options;
    this.#settle = settle;
    const now = monotonicNow();
    this.#deadlineAt = now + options.deadlineMs;
    this.#silentAt = now + this.#silenceMs;
    this.#timer = this.#startTimer(now);
    this.#stop = () => this.#cancel('stopped');
    options.signal.addEventListener('abort', this.#stop);
  }

  /** Sends the request when its way is known. Never throws: an error settles the exchange. */
  send(request: WebRequest, way: Way | Promise<Way>): void {
    const dispatch = ({ network, dispatcher }: Way): void => {
      this.#network = network;
      if (!this.#isSettled) dispatcher.dispatch(request, this);
    };
    if (way instanceof Promise) way.then(dispatch, (error: unknown) => this.#finish(toFailure(error)));
    else dispatch(way);
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    this.#controller = controller;
    // The connection came too late: undici provides the controller only now.
    if (this.#isSettled) {
      controller.abort(cancelled);
    } else if (this.#options.maySend?.() === false) {
      this.#cancel('stopped');
    }
    this.#sentAt = monotonicNow();
    this.#loopAtSend = performance.eventLoopUtilization();
  }

  onResponseStart(_controller: Dispatcher.DispatchController, statusCode: number, headers: ResponseHeaders): void {
    if (statusCode < 200 || this.#isSettled) {
      return;
    }
    const announcedBytes = contentLengthOf(headers);
    const fetched = readFetchedHeaders(headers);
    const known = this.#resultOfHead(statusCode, headers, fetched);
    if (known !== undefined) {
      this.#response = { state: 'skipping', result: known, skippedBytes: 0 };
      if ((announcedBytes ?? 0) > this.#skippedBytesMax) {
        this.#end(known);
      }
    } else if ((announcedBytes ?? 0) > this.#options.bodyBytesMax && this.#options.oversize !== 'cut') {
      this.#end(fail('bodyTooLarge'));
    } else if (codingsOf(headers['content-encoding']) === undefined) {
      this.#end(fail('badEncoding'));
    } else {
      const latencyMs = this.#latencyMs();
      const body = new BodyBuffer(announcedBytes);
      this.#response = {
        state: 'reading',
        statusCode,
        headers: fetched,
        cookies: cookiesOf(headers),
        head: this.#headOf(headers),
        announcedBytes,
        latencyMs,
        body,
      };
      this.#silentAt = monotonicNow() + this.#silenceMs;
    }
  }

  onResponseData(_controller: Dispatcher.DispatchController, chunk: Buffer): void {
    const response = this.#response;
    if (this.#isSettled || response.state === 'awaited') {
      return;
    }
    if (response.state === 'skipping') {
      response.skippedBytes += chunk.length;
      if (response.skippedBytes > this.#skippedBytesMax) {
        this.#end(response.result);
      }
    } else if (response.body.length + chunk.length > this.#options.bodyBytesMax) {
      this.#endOversize(response, chunk);
    } else {
      response.body.append(chunk);
      this.#silentAt = monotonicNow() + this.#silenceMs;
      this.#askForMemory(response.body);
    }
  }

  onResponseEnd(): void {
    const response = this.#response;
    if (response.state === 'skipping') {
      this.#finish(response.result, settleWhenIdle);
    } else if (response.state === 'reading') {
      this.#finish(bodyOf(response), settleWhenIdle);
    } else {
      this.#finish(fail('badResponse'));
    }
  }

  onResponseError(_controller: Dispatcher.DispatchController, error: Error): void {
    const response = this.#response;
    if (response.state === 'skipping') {
      this.#finish(response.result);
    } else {
      this.#finish(response.state === 'reading' && isCutOff(error, response) ? fail('reset') : toFailure(error));
    }
  }

  #verification(): { readonly isUnverified?: true } {
    return this.carrier?.isUnverified === true ? { isUnverified: true } : {};
  }

  #latencyMs(): number | undefined {
    const { utilization } = performance.eventLoopUtilization(this.#loopAtSend);
    return utilization > busyShareMax ? undefined : monotonicNow() - this.#sentAt;
  }

  /**
   * Returns the result if the head determines it: a redirect, or a response whose body nobody reads. Undefined if the
   * body is needed.
   */
  #resultOfHead(statusCode: number, headers: ResponseHeaders, fetched: FetchedHeaders): FetchResult | undefined {
    const { wants, wantsErrors } = this.#options;
    if (wants === 'head') return { kind: 'body', statusCode, headers: fetched, body: allocateOwned(0) };
    const location = redirectLocation(statusCode, headers);
    if (location !== undefined) {
      return { kind: 'redirect', statusCode, location, ...cookiesOf(headers), ...this.#headOf(headers) };
    }
    if (this.#options.wantsHead === true) return undefined;
    if ((statusCode >= 400 && wantsErrors !== true) || !isWantedType(fetched.contentType, this.#path, wants)) {
      return { kind: 'body', statusCode, headers: fetched, body: allocateOwned(0), ...cookiesOf(headers) };
    }
    return undefined;
  }

  #headOf(headers: ResponseHeaders): { readonly head?: ResponseHead } {
    const { wantsHead, keepsHead } = this.#options;
    return wantsHead === true || keepsHead === true ? { head: wholeHead(headers) } : {};
  }

  /** Waiting for room is not the site's fault, so the limits of time pause too. */
  #askForMemory(body: BodyBuffer): void {
    const { memory } = this.#options;
    const controller = this.#controller;
    if (memory === undefined || controller === undefined) {
      return;
    }
    let leftMs = 0;
    const hasRoom = memory.hold(body.heldBytes, () => {
      if (this.#isSettled) {
        return;
      }
      const now = monotonicNow();
      this.#deadlineAt = now + leftMs;
      this.#silentAt = now + this.#silenceMs;
      this.#timer = this.#startTimer(now);
      controller.resume();
    });
    if (!hasRoom) {
      leftMs = Math.max(0, this.#deadlineAt - monotonicNow());
      clearTimeout(this.#timer);
      controller.pause();
    }
  }

  get #skippedBytesMax(): number {
    return this.#options.wants === 'head' ? this.#options.bodyBytesMax : unwantedBytesMax;
  }

  /** Infinite without a limit for silence. */
  get #silenceMs(): number {
    return this.#options.silenceMs ?? Number.POSITIVE_INFINITY;
  }

  #startTimer(now: number): NodeJS.Timeout {
    return setTimeout(this.#look, Math.min(this.#deadlineAt, this.#silentAt) - now);
  }

  readonly #look = (): void => {
    const now = monotonicNow();
    const isAwaited = this.#response.state === 'awaited';
    if (now < Math.min(this.#deadlineAt, this.#silentAt)) {
      this.#timer = this.#startTimer(now);
    } else if (this.#silentAt < this.#deadlineAt) {
      this.#cancel(isAwaited ? 'unanswered' : 'stalled');
    } else {
      const isArriving = this.#response.state === 'reading' && this.#options.silenceMs !== undefined;
      this.#cancel(isArriving ? 'tooSlow' : 'timeout');
    }
  };

  #endOversize(response: Reading, chunk: Buffer): void {
    if (this.#options.oversize !== 'cut') {
      this.#end(fail('bodyTooLarge'));
      return;
    }
    response.body.append(chunk.subarray(0, this.#options.bodyBytesMax - response.body.length));
    this.#end(bodyOf(response));
  }

  #cancel(kind: FailureKind): void {
    this.#end(this.#response.state === 'skipping' ? this.#response.result : fail(kind));
  }

  /** Settles before the response is complete, and so closes the connection. */
  #end(result: FetchResult): void {
    this.#finish(result);
    this.#controller?.abort(cancelled);
  }

  #finish(result: FetchResult, settle = settleNow): void {
    if (this.#isSettled) {
      return;
    }
    this.#isSettled = true;
    clearTimeout(this.#timer);
    this.#options.signal.removeEventListener('abort', this.#stop);
    this.#response = { state: 'awaited' };
    const isInside = this.#network !== publicWeb && result.kind !== 'failure';
    settle(this.#settle, isInside ? { ...result, network: this.#network, ...this.#verification() } : result);
  }
}

function bodyOf({ statusCode, headers, cookies, head, latencyMs, body }: Reading): FetchResult {
  const timed = latencyMs !== undefined && { latencyMs };
  return { kind: 'body', statusCode, headers, ...cookies, ...head, body: body.take(), ...timed };
}

/**
 * The connection ended within a body of known length or a chunked one. After `Connection: close` and in HTTP/1.0,
 * undici has the same errors for that as for contradictory lengths, but a parser that found nothing wrong has no data
 * left.
 */
function isCutOff(error: Error, { announcedBytes, body }: Reading): boolean {
  if (error instanceof errors.ResponseContentLengthMismatchError) return body.length < (announcedBytes ?? 0);
  return error instanceof errors.HTTPParserError && 'data' in error && error.data === '';
}

type Settle = (result: FetchResult) => void;

function settleNow(settle: Settle, result: FetchResult): void {
  settle(result);
}

/**
 * undici frees a connection in a `setImmediate` that it schedules after the end of a response. A fetch that starts
 * before then gets a new connection, so the result is delivered right after it: two sockets per lane become one.
 */
function settleWhenIdle(settle: Settle, result: FetchResult): void {
  queueMicrotask(() => setImmediate(settle, result));
}

/**
 * Nobody sees it: the exchange has settled before it is thrown. One shared instance, because a stack trace is not free.
 */
const cancelled = new Error('The exchange was cancelled.');
