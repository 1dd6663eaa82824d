import type { buildConnector, Dispatcher } from 'undici';
import { Http2Connection, type Sending } from './http2-connection.ts';
import type { WebRequest } from './request-headers.ts';

/** Origins that are remembered to refuse HTTP/1.1. A forgotten one costs a refused handshake. */
const originsMax = 1_000;

/**
 * Sends requests over HTTP/1.1. A host that refuses it in the TLS handshake gets them over HTTP/2, on one connection
 * per origin.
 */
export class Http2Fallback {
  readonly #http1: Dispatcher;
  readonly #connectorTo: (origin: URL) => buildConnector.connector;
  readonly #origins = new Set<string>();
  readonly #connections = new Map<string, Http2Connection>();

  /** `connectorTo` returns the connector for HTTP/2. */
  constructor(http1: Dispatcher, connectorTo: (origin: URL) => buildConnector.connector) {
    this.#http1 = http1;
    this.#connectorTo = connectorTo;
  }

  dispatch(request: WebRequest, handler: Dispatcher.DispatchHandler): void {
    const { origin } = request;
    if (this.#origins.has(origin)) {
      this.#send({ request, handler, isAgain: false });
    } else if (origin.startsWith('https:')) {
      const onRefused = (): void => {
        this.#remember(origin);
        this.#send({ request, handler, isAgain: false });
      };
      this.#http1.dispatch(request, new Http1Attempt(handler, onRefused));
    } else {
      this.#http1.dispatch(request, handler);
    }
  }

  /** Ends all connections at once, including those in use. */
  async destroy(): Promise<void> {
    for (const connection of this.#connections.values()) connection.destroy();
    await this.#http1.destroy();
  }

  #remember(origin: string): void {
    this.#origins.add(origin);
    const [oldest] = this.#origins;
    if (this.#origins.size > originsMax && oldest !== undefined) this.#origins.delete(oldest);
  }

  #send(sending: Sending): void {
    const { origin } = sending.request;
    this.#connectionTo(origin).send(sending);
  }

  #connectionTo(origin: string): Http2Connection {
    const known = this.#connections.get(origin);
    if (known !== undefined) return known;
    const url = new URL(origin);
    const connection = new Http2Connection(url, this.#connectorTo(url), {
      onRetired: () => this.#connections.delete(origin),
      onHttp1: () => this.#origins.delete(origin),
      onRefused: (sending) => this.#send(sending),
    });
    this.#connections.set(origin, connection);
    return connection;
  }
}

/** Passes everything on, except the failure of a handshake in which the host refused HTTP/1.1. */
class Http1Attempt implements Dispatcher.DispatchHandler {
  readonly #handler: Dispatcher.DispatchHandler;
  readonly #onRefused: () => void;

  constructor(handler: Dispatcher.DispatchHandler, onRefused: () => void) {
    this.#handler = handler;
    this.#onRefused = onRefused;
  }

  onRequestStart(...call: Call<'onRequestStart'>): void {
    this.#handler.onRequestStart?.(...call);
  }

  onResponseStart(...call: Call<'onResponseStart'>): void {
    this.#handler.onResponseStart?.(...call);
  }

  onResponseData(...call: Call<'onResponseData'>): void {
    this.#handler.onResponseData?.(...call);
  }

  onResponseEnd(...call: Call<'onResponseEnd'>): void {
    this.#handler.onResponseEnd?.(...call);
  }

  onResponseError(...call: Call<'onResponseError'>): void {
    const [, error] = call;
    if ('code' in error && error.code === refusal) this.#onRefused();
    else this.#handler.onResponseError?.(...call);
  }
}

type Call<Name extends keyof Dispatcher.DispatchHandler> = Parameters<NonNullable<Dispatcher.DispatchHandler[Name]>>;

const refusal = 'ERR_SSL_TLSV1_ALERT_NO_APPLICATION_PROTOCOL';
