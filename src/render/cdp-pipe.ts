// The Chrome DevTools Protocol over two pipes: JSON messages, each ended by a zero byte. No port is opened.
import type { Readable, Writable } from 'node:stream';

/** Fields of a message. Messages from the browser are not trusted: readers check each field that they use. */
export type CdpFields = Readonly<Record<string, unknown>>;
type Listener = (method: string, params: CdpFields) => void;

/** Bytes of one message. A document has 20 MB at most; a browser that sends more is broken. */
const messageBytesMax = 128 * 2 ** 20;

/** The browser ended, or was ended, before it answered a command. */
export class BrowserGoneError extends Error {
  override readonly name = 'BrowserGoneError';
}

/** The browser refused a command, mostly because its tab has gone. */
export class CdpError extends Error {
  override readonly name = 'CdpError';
}

interface Pending {
  resolve(result: CdpFields): void;
  reject(error: Error): void;
  readonly method: string;
}

/** States: open, then closed for good. Closing rejects all pending commands, and every later one. */
export class CdpPipe {
  readonly #toBrowser: Writable;
  readonly #onClose: (why: 'ended' | 'unreadable') => void;
  readonly #pending = new Map<number, Pending>();
  readonly #listeners = new Map<string, Listener>();
  #chunks: Buffer[] = [];
  #bytes = 0;
  #lastId = 0;
  #isClosed = false;

  /** `onClose` is called once, when the browser has closed its end or sent an unreadable message. */
  constructor(toBrowser: Writable, fromBrowser: Readable, onClose: (why: 'ended' | 'unreadable') => void) {
    this.#toBrowser = toBrowser;
    this.#onClose = onClose;
    fromBrowser.on('data', (chunk: Buffer) => this.#read(chunk));
    for (const stream of [toBrowser, fromBrowser]) {
      stream.on('error', () => this.close());
      stream.on('close', () => this.close());
    }
  }

  get isClosed(): boolean {
    return this.#isClosed;
  }

  /** Rejects with a {@link CdpError} or a {@link BrowserGoneError}. The empty session is the browser itself. */
  send(method: string, params: CdpFields = {}, sessionId = ''): Promise<CdpFields> {
    if (this.#isClosed) return Promise.reject(new BrowserGoneError('The browser has ended.'));
    const id = ++this.#lastId;
    const message = { id, method, params, ...(sessionId !== '' && { sessionId }) };
    const { promise, resolve, reject } = Promise.withResolvers<CdpFields>();
    this.#pending.set(id, { resolve, reject, method });
    this.#toBrowser.write(`${JSON.stringify(message)}\0`);
    return promise;
  }

  /** Sends a command and ignores the result, for a tab that might be gone. */
  tell(method: string, params: CdpFields = {}, sessionId = ''): void {
    this.send(method, params, sessionId).catch(() => {});
  }

  /** One listener per session. */
  listen(sessionId: string, listener: Listener): void {
    this.#listeners.set(sessionId, listener);
  }

  forget(sessionId: string): void {
    this.#listeners.delete(sessionId);
  }

  close(why: 'ended' | 'unreadable' = 'ended'): void {
    if (this.#isClosed) return;
    this.#isClosed = true;
    this.#chunks = [];
    for (const pending of this.#pending.values()) {
      pending.reject(new BrowserGoneError(`The browser ended before it responded to ${pending.method}.`));
    }
    this.#pending.clear();
    this.#listeners.clear();
    this.#toBrowser.destroy();
    this.#onClose(why);
  }

  #read(chunk: Buffer): void {
    let from = 0;
    for (let end = chunk.indexOf(0); end !== -1; end = chunk.indexOf(0, from)) {
      const text = Buffer.concat([...this.#chunks, chunk.subarray(from, end)]).toString();
      this.#chunks = [];
      this.#bytes = 0;
      from = end + 1;
      this.#receive(text);
      if (this.#isClosed) return;
    }
    if (from === chunk.length) return;
    this.#chunks.push(chunk.subarray(from));
    this.#bytes += chunk.length - from;
    if (this.#bytes > messageBytesMax) this.close('unreadable');
  }

  #receive(text: string): void {
    const message = parsed(text);
    if (!message) {
      this.close('unreadable');
      return;
    }
    const { id, method, params, sessionId, result, error } = message;
    if (typeof id === 'number') {
      const pending = this.#pending.get(id);
      this.#pending.delete(id);
      if (isFields(error)) pending?.reject(new CdpError(`${pending.method}: ${textOf(error, 'message')}`));
      else pending?.resolve(isFields(result) ? result : {});
    } else if (typeof method === 'string') {
      const listener = this.#listeners.get(typeof sessionId === 'string' ? sessionId : '');
      try {
        listener?.(method, isFields(params) ? params : {});
      } catch {
        // A message from a browser must never end this process.
        this.close('unreadable');
      }
    }
  }
}

function parsed(text: string): CdpFields | undefined {
  try {
    const message: unknown = JSON.parse(text);
    return isFields(message) ? message : undefined;
  } catch {
    return undefined;
  }
}

function isFields(value: unknown): value is CdpFields {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** The field as text; empty if it is not a string. */
export function textOf(fields: CdpFields, name: string): string {
  const value = fields[name];
  return typeof value === 'string' ? value : '';
}

/** The field as an object; empty if it is not an object. */
export function fieldsOf(fields: CdpFields, name: string): CdpFields {
  const value = fields[name];
  return isFields(value) ? value : {};
}
