import { TLSSocket } from 'node:tls';
import { Client, type Dispatcher } from 'undici';
import type { Carrier, WebRequest } from '../http2/request-headers.ts';

/** One connection at a time to a host whose certificate may be wrong: each request learns whether it is. */
export class AnyCertificateClient extends Client {
  readonly #carrier: Carrier;

  constructor(origin: URL, options: Client.Options) {
    const carrier = { isUnverified: false };
    const { connect } = options;
    if (typeof connect !== 'function') throw new TypeError('The client needs a guarded connector.');
    super(origin, {
      ...options,
      connect: (target, callback) =>
        connect(target, (...answer) => {
          const [, socket] = answer;
          carrier.isUnverified = socket instanceof TLSSocket && !socket.authorized;
          callback(...answer);
        }),
    });
    this.#carrier = carrier;
  }

  override dispatch(
    options: Dispatcher.DispatchOptions & Pick<WebRequest, 'onCarrier'>,
    handler: Dispatcher.DispatchHandler,
  ): boolean {
    options.onCarrier?.(this.#carrier);
    return super.dispatch(options, handler);
  }
}
