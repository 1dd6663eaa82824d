import { connect, type ClientHttp2Session } from 'node:http2';
import type { Socket } from 'node:net';
import { TLSSocket } from 'node:tls';
import { type buildConnector, type Dispatcher, errors } from 'undici';
import { headBytesMax, headersMax } from '../response/response-heads.ts';
import { Http2Exchange } from './http2-exchange.ts';
import type { WebRequest } from './request-headers.ts';

/** A request on its way to its handler's end. */
export interface Sending {
  readonly request: WebRequest;
  readonly handler: Dispatcher.DispatchHandler;
  /** The host has refused once to process it. */
  readonly isAgain: boolean;
}

export interface ConnectionEvents {
  /** The connection takes no more requests. Called once. */
  onRetired(): void;
  /** The host now prefers HTTP/1.1. */
  onHttp1(): void;
  /** The host did not process a request: another connection can send it. */
  onRefused(sending: Sending): void;
}

/** A connection without requests for this long is closed, as with HTTP/1.1. */
const idleMs = 4_000;
/** Frames that are no part of a response, as PING and SETTINGS, after the last request. */
const emptyFramesMax = 100;
/** What may arrive ahead of its reader: for each response, and for all of a connection. */
const streamWindow = 128 * 1024;
const connectionWindow = 512 * 1024;
/** In MB: heads that arrive, and frames that wait to be sent. */
const sessionMemoryMax = 4;

/**
 * One connection to an origin. States: *connecting* (requests wait), *open* (a stream for each request), *retired* (no
 * more requests; it closes after the last one). A response that was cut off retires it: as with HTTP/1.1, nobody
 * receives what the host still sends.
 */
export class Http2Connection {
  readonly #events: ConnectionEvents;
  #state: 'connecting' | 'open' | 'retired' = 'connecting';
  #waiting: Sending[] = [];
  #session: ClientHttp2Session | undefined;
  #isUnverified = false;
  #streams = 0;
  #emptyFrames = 0;
  #failedAlone: boolean | undefined;
  #idle: NodeJS.Timeout | undefined;

  constructor(origin: URL, connectTo: buildConnector.connector, events: ConnectionEvents) {
    this.#events = events;
    const { protocol, host, hostname, port } = origin;
    const target = { protocol, host, hostname: hostname.replace(/^\[|\]$/gu, ''), port };
    connectTo(target, (...[error, socket]) => {
      if (error !== null) this.#fail(error);
      else this.#open(origin, socket);
    });
  }

  send(sending: Sending): void {
    if (this.#session === undefined) {
      this.#waiting.push(sending);
      return;
    }
    const { request, handler, isAgain } = sending;
    clearTimeout(this.#idle);
    this.#streams += 1;
    this.#emptyFrames = 0;
    request.onCarrier?.({ isUnverified: this.#isUnverified });
    const exchange = new Http2Exchange(handler, {
      session: this.#session,
      canRepeat: !isAgain,
      failedAlone: () => (this.#failedAlone ??= this.#streams === 1),
      onClosed: (ending) => {
        this.#streams -= 1;
        if (ending !== 'complete' || request.reset === true) this.#retire();
        this.#rest();
        if (ending === 'refused') this.#events.onRefused({ ...sending, isAgain: true });
      },
    });
    exchange.start(request);
  }

  /** Ends all requests at once. */
  destroy(): void {
    this.#fail(new errors.ClientDestroyedError());
    this.#session?.destroy();
  }

  #open(origin: URL, socket: Socket): void {
    if (this.#state === 'retired') {
      socket.destroy();
      return;
    }
    if (!(socket instanceof TLSSocket) || socket.alpnProtocol !== 'h2') {
      socket.destroy();
      this.#events.onHttp1();
      this.#fail(new errors.SocketError('The host changed its version of HTTP.'));
      return;
    }
    this.#isUnverified = !socket.authorized;
    const session = connect(origin, { createConnection: () => socket, ...limits });
    session
      .once('connect', () => session.destroyed || session.setLocalWindowSize(connectionWindow))
      .on('ping', () => this.#countEmpty())
      .on('remoteSettings', () => this.#countEmpty())
      .on('origin', () => this.#countEmpty())
      .on('altsvc', () => this.#countEmpty())
      .on('stream', (stream) => stream.destroy())
      .on('goaway', () => this.#retire())
      // Its streams report it.
      .on('error', () => this.#retire())
      .on('close', () => this.#retire());
    this.#session = session;
    this.#state = 'open';
    // Open until all are sent: one that is no longer wanted ends at once.
    this.#streams += 1;
    for (const sending of this.#waiting.splice(0)) this.send(sending);
    this.#streams -= 1;
    this.#rest();
  }

  #countEmpty(): void {
    this.#emptyFrames += 1;
    if (this.#emptyFrames > emptyFramesMax) this.#session?.destroy(new errors.SocketError('Only empty frames arrive.'));
  }

  #fail(error: Error): void {
    this.#retire();
    for (const { handler } of this.#waiting.splice(0)) handler.onResponseError?.(noController, error);
  }

  #retire(): void {
    if (this.#state === 'retired') return;
    this.#state = 'retired';
    this.#events.onRetired();
  }

  /** Closes the connection if nothing needs it. */
  #rest(): void {
    if (this.#streams > 0) return;
    clearTimeout(this.#idle);
    if (this.#state === 'retired') this.#session?.destroy();
    else this.#idle = setTimeout(() => this.#session?.destroy(), idleMs).unref();
  }
}

const limits = {
  // HTTP/1.1 counts without the status; above these limits of Node an exchange cannot see which one was exceeded.
  maxHeaderListPairs: 2 * headersMax,
  settings: { enablePush: false, maxHeaderListSize: 2 * headBytesMax, initialWindowSize: streamWindow },
  maxSessionMemory: sessionMemoryMax,
  maxReservedRemoteStreams: 0,
  // Node drops such a header otherwise.
  strictFieldWhitespaceValidation: false,
} as const;

/** For a request that was never sent. */
const noController: Dispatcher.DispatchController = {
  aborted: false,
  paused: false,
  reason: null,
  abort() {},
  pause() {},
  resume() {},
};
