import { constants, type ClientHttp2Session, type ClientHttp2Stream } from 'node:http2';
import { type Dispatcher, errors } from 'undici';
import { headBytesOf, http2Headers } from '../response/http2-head.ts';
import { headBytesMax } from '../response/response-heads.ts';
import { requestHeaders, type WebRequest } from './request-headers.ts';

/** How an exchange left its connection. `refused`: the host did not process the request, and the handler waits. */
export type Ending = 'complete' | 'broken' | 'refused';

/** What an exchange knows of its connection. */
export interface Surroundings {
  readonly session: ClientHttp2Session;
  /** A request that the host refuses to process can be sent again. */
  readonly canRepeat: boolean;
  /** Returns true if the connection failed with this exchange alone on it, so that this response is at fault. */
  failedAlone(): boolean;
  /** Called once, when the stream is closed. */
  onClosed(ending: Ending): void;
}

/**
 * One request on a session, and its response. States: *waiting* until the head arrives, then *reading* until the host
 * ends the stream; *settled* once the handler knows the ending.
 *
 * A response is complete only if the host ended the stream itself (END_STREAM). Node also ends streams that the host
 * cut off with RST_STREAM and the code NO_ERROR.
 */
export class Http2Exchange implements Dispatcher.DispatchController {
  aborted = false;
  paused = false;
  reason: Error | null = null;
  readonly #handler: Dispatcher.DispatchHandler;
  readonly #around: Surroundings;
  #stream: ClientHttp2Stream | undefined;
  #state: 'waiting' | 'reading' | 'settled' = 'waiting';
  #ending: Ending = 'broken';
  /** Data that arrived with the head: Node reports the head one tick later. */
  readonly #early: Buffer[] = [];
  #announcedBytes = Number.NaN;
  #receivedBytes = 0;
  #passedBytes = 0;
  #headBytes = 0;
  #isEndedByHost = false;
  #error: Error | undefined;

  constructor(handler: Dispatcher.DispatchHandler, around: Surroundings) {
    this.#handler = handler;
    this.#around = around;
  }

  /** Sends the request, unless the handler no longer wants it. */
  start(request: WebRequest): void {
    this.#handler.onRequestStart?.(this, {});
    if (this.aborted) {
      this.#around.onClosed('complete');
      return;
    }
    let stream: ClientHttp2Stream;
    try {
      stream = this.#around.session.request(requestHeaders(request), { endStream: request.body == null });
    } catch (error) {
      this.#fail(error instanceof Error ? error : new Error(String(error)));
      this.#around.onClosed('broken');
      return;
    }
    this.#stream = stream;
    this.#watch(stream);
    if (request.body != null) stream.end(request.body);
  }

  abort(reason: Error): void {
    if (this.aborted) return;
    this.aborted = true;
    this.reason = reason;
    this.#fail(reason);
  }

  pause(): void {
    this.paused = true;
    this.#stream?.pause();
  }

  resume(): void {
    this.paused = false;
    this.#stream?.resume();
  }

  #watch(stream: ClientHttp2Stream): void {
    const push = stream.push.bind(stream);
    stream.push = (chunk: unknown, encoding?: BufferEncoding): boolean => {
      if (Buffer.isBuffer(chunk)) this.#receivedBytes += chunk.length;
      // Node closes a stream that was cut off before it pushes the end.
      if (chunk === null && !stream.closed) this.#isEndedByHost = true;
      return push(chunk, encoding);
    };
    stream
      .on('headers', (_headers, _flags, fields: string[]) => this.#addHead(fields))
      .on('response', ({ ':status': status = 0 }, _flags, fields: string[]) => this.#start(status, fields))
      .on('data', (chunk: Buffer) => this.#pass(chunk))
      .on('error', (error) => (this.#error = error))
      .on('end', () => this.#isEndedByHost && this.#settle())
      .on('close', () => {
        this.#settle();
        this.#around.onClosed(this.#ending);
      });
  }

  /** Counts interim heads too: there can be any number of them. */
  #addHead(fields: readonly string[]): void {
    this.#headBytes += headBytesOf(fields);
    if (this.#headBytes > headBytesMax) this.#fail(new errors.HeadersOverflowError());
  }

  #start(status: number, fields: readonly string[]): void {
    this.#addHead(fields);
    if (this.#state !== 'waiting') return;
    const headers = http2Headers(fields);
    if (headers === undefined) return this.#fail(new errors.HeadersOverflowError());
    if (status < 200) return this.#fail(new errors.HTTPParserError('The stream ended with an interim response.'));
    this.#state = 'reading';
    this.#announcedBytes = Number(headers['content-length'] ?? Number.NaN);
    this.#handler.onResponseStart?.(this, status, headers as Parameters<OnStart>[2]);
    if (this.#early.length > 0) this.#pass(Buffer.concat(this.#early.splice(0)));
  }

  #pass(chunk: Buffer): void {
    if (this.#state === 'waiting') this.#early.push(chunk);
    if (this.#state !== 'reading') return;
    this.#passedBytes += chunk.length;
    this.#handler.onResponseData?.(this, chunk);
  }

  #settle(): void {
    if (this.#state === 'settled') return;
    if (this.#state === 'reading' && this.#isEndedByHost && this.#passedBytes === this.#receivedBytes) {
      this.#state = 'settled';
      this.#ending = 'complete';
      this.#handler.onResponseEnd?.(this, {});
      // The host may have ended its side before it read the whole body of the request.
      this.#stream?.close(constants.NGHTTP2_CANCEL);
      return;
    }
    const rstCode = this.#stream?.rstCode ?? 0;
    if (this.#state === 'waiting' && rstCode === constants.NGHTTP2_REFUSED_STREAM && this.#around.canRepeat) {
      this.#state = 'settled';
      this.#ending = 'refused';
    } else {
      this.#fail(this.#cause(rstCode));
    }
  }

  #cause(rstCode: number): Error {
    const code = this.#error !== undefined && 'code' in this.#error ? this.#error.code : undefined;
    if (this.#receivedBytes < this.#announcedBytes) return new errors.ResponseContentLengthMismatchError();
    // The host violates the protocol, for the connection or for this stream.
    const isInvalid =
      code === 'ERR_HTTP2_ERROR'
        ? this.#around.failedAlone()
        : code === 'ERR_HTTP2_STREAM_ERROR' && invalidCodes.has(rstCode);
    if (isInvalid) return new errors.HTTPParserError('The response is not valid HTTP/2.');
    const isOfSocket = this.#error !== undefined && !String(code).startsWith('ERR_HTTP2_');
    return isOfSocket && this.#error !== undefined
      ? this.#error
      : new errors.SocketError('The host cut off the stream.');
  }

  #fail(error: Error): void {
    if (this.#state === 'settled') return;
    this.#state = 'settled';
    this.#early.length = 0;
    this.#handler.onResponseError?.(this, error);
    this.#stream?.close(constants.NGHTTP2_CANCEL);
  }
}

type OnStart = NonNullable<Dispatcher.DispatchHandler['onResponseStart']>;

const invalidCodes: ReadonlySet<number> = new Set([
  constants.NGHTTP2_PROTOCOL_ERROR,
  constants.NGHTTP2_FRAME_SIZE_ERROR,
  constants.NGHTTP2_COMPRESSION_ERROR,
]);
