import { TLSSocket } from 'node:tls';
import { Client, type Dispatcher } from 'undici';

/** What a request can learn of its connection. */
export interface Carrier {
  /** The certificate of the host is not valid. */
  readonly isUnverified: boolean;
}

/** The options of a request that wants to know its connection. */
export interface CarriedOptions extends Dispatcher.DispatchOptions {
  /** Called before the connection is made: look at the carrier when the response has come. */
  readonly onCarrier?: (carrier: Carrier) => void;
}

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

  override dispatch(options: CarriedOptions, handler: Dispatcher.DispatchHandler): boolean {
    options.onCarrier?.(this.#carrier);
    return super.dispatch(options, handler);
  }
}
