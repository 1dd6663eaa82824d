// One request and its retries. Uses `fetch` and nothing of Node, so that it runs in every JavaScript runtime.
import { HayrakeError, type Problem } from './hayrake-error.ts';

export interface ClientOptions {
  /**
   * The address of the service, possibly with a path if a proxy adds one.
   * @default HAYRAKE_URL, then http://127.0.0.1:8380
   */
  readonly url?: string;
  /** The API token. Without one, requests carry no `Authorization`. @default HAYRAKE_TOKEN */
  readonly token?: string;
  /** Sent with every request, such as what a proxy in front of the service needs. */
  readonly headers?: Readonly<Record<string, string>>;
  /** For proxies, certificates and tests. @default the global `fetch` */
  readonly fetch?: typeof fetch;
  /**
   * How long a request is repeated after its first failure, in milliseconds: after 429, 502, 503 and 504, cut responses
   * and failed connections, as `Retry-After` says, or with a growing delay. 0 is never. Until the first response of the
   * service it is two seconds at most, so that a wrong address is soon seen. @default 60,000
   */
  readonly retryMs?: number;
  /** The longest time that the service can be silent, in milliseconds. Waiting for pages is added. @default 60,000 */
  readonly timeoutMs?: number;
}

export type Query = Readonly<Record<string, string | number | boolean | readonly string[] | null | undefined>>;

export interface Call {
  readonly method?: 'GET' | 'POST' | 'PATCH' | 'DELETE';
  readonly query?: Query | undefined;
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
  readonly signal?: AbortSignal | undefined;
  /** How long the service can take besides, in milliseconds. */
  readonly waitMs?: number;
  /** Never sent again once it may have arrived. */
  readonly once?: boolean;
}

/** A response that grows beyond this is not hayrake's: its largest are 16 MiB of text, and one page. */
const bodyBytesMax = 2 ** 28;
const errorBytesMax = 2 ** 20;
const backOffMaxMs = 8_000;
const retryUnreachedMs = 2_000;
const transient = new Set(['connection_failed', 'timeout', 'response_cut']);

export class Transport {
  readonly #base: string;
  readonly #headers: Record<string, string>;
  readonly #fetch: typeof fetch;
  readonly #retryMs: number;
  readonly #timeoutMs: number;
  /** A first request to an address where nothing listens fails soon. */
  #isReached = false;

  constructor(options: ClientOptions) {
    const token = (options.token ?? variable('HAYRAKE_TOKEN') ?? '').trim();
    this.#base = baseUrl(options.url ?? variable('HAYRAKE_URL') ?? 'http://127.0.0.1:8380');
    this.#headers = { ...(token !== '' && { authorization: `Bearer ${token}` }), ...options.headers };
    // Throws for what cannot be a header, such as a token of two lines.
    for (const [name, value] of Object.entries(this.#headers)) checkHeader(name, value);
    this.#fetch = options.fetch ?? ((...given) => fetch(...given));
    this.#retryMs = wholeNumber('retryMs', options.retryMs ?? 60_000);
    this.#timeoutMs = wholeNumber('timeoutMs', options.timeoutMs ?? 60_000);
  }

  /**
   * The JSON of a response, which has a field `key`. `call` is read again for each attempt; `onFailure` is called before
   * one is repeated.
   */
  async json<Body>(
    key: string,
    path: string,
    call: () => Call,
    onFailure?: (error: HayrakeError) => void,
  ): Promise<Body> {
    const read = async (response: Response, exchange: Exchange): Promise<Body> => {
      const text = await textOf(response, exchange);
      exchange.end();
      const value = parsed(text);
      if (isJson(response) && value === undefined) throw new HayrakeError('response_cut', 'The response ended early.');
      if (isJson(response) && typeof value === 'object' && value !== null && key in value) {
        this.#isReached = true;
        return value as Body;
      }
      throw unexpected(response, text);
    };
    return this.#retried(call, read, path, onFailure);
  }

  /** A response whose body is still to be read. Errors of reading it are the client's, too. */
  async stream(path: string, call: Call): Promise<Response> {
    const read = async (response: Response, exchange: Exchange): Promise<Response> => {
      // Pages of errors and sign-in pages have these types, and no file of the service has.
      if (/^(text\/html|application\/json)/.test(typeOf(response)) || !response.body)
        throw unexpected(response, await textOf(response, exchange));
      return new Response(watched(response.body, exchange), { status: response.status, headers: response.headers });
    };
    return this.#retried(() => call, read, path);
  }

  async #retried<Body>(
    call: () => Call,
    read: (response: Response, exchange: Exchange) => Promise<Body>,
    path: string,
    onFailure?: (error: HayrakeError) => void,
  ): Promise<Body> {
    let failedAt: number | undefined;
    for (let attempt = 0; ; attempt++) {
      const each = call();
      try {
        return await this.#once(path, each, read);
      } catch (error) {
        if (!(error instanceof HayrakeError) || !canRepeat(error, each)) throw error;
        // Chance, so that clients which failed together do not return together.
        const backOffMs = Math.min(backOffMaxMs, 500 * 2 ** attempt) * (0.5 + Math.random() / 2);
        const pauseMs = Math.max(error.retryAfterMs ?? 0, backOffMs);
        const now = Date.now();
        failedAt ??= now;
        const retryMs = this.#isReached ? this.#retryMs : Math.min(this.#retryMs, retryUnreachedMs);
        if (now + pauseMs > failedAt + retryMs) throw error;
        onFailure?.(error);
        await sleep(pauseMs, each.signal);
      }
    }
  }

  async #once<Body>(
    path: string,
    { method = 'GET', query = {}, body, headers, signal, waitMs = 0 }: Call,
    read: (response: Response, exchange: Exchange) => Promise<Body>,
  ): Promise<Body> {
    const exchange = new Exchange(this.#base, this.#timeoutMs, signal);
    try {
      exchange.expect(waitMs);
      const response = await this.#fetch(this.#base + path + searchOf(query), {
        method,
        headers: {
          accept: 'application/json, */*;q=0.5',
          ...(body !== undefined && { 'content-type': 'application/json' }),
          ...this.#headers,
          ...headers,
        },
        body: body === undefined ? null : JSON.stringify(body),
        redirect: 'manual',
        signal: exchange.signal,
      });
      exchange.hasBegun = true;
      if (!response.ok) {
        const problem = problemOf(response, await textOf(response, exchange));
        this.#isReached ||= problem.requestId !== undefined;
        throw problem;
      }
      return await read(response, exchange);
    } catch (error) {
      throw exchange.fail(error);
    }
  }
}

/** 429 and 503 refuse a request before it has an effect. After the others it may have had one. */
function canRepeat({ code, status }: HayrakeError, { once = false }: Call): boolean {
  return status === 429 || status === 503 || (!once && (status === 502 || status === 504 || transient.has(code)));
}

/** One request and its response: what ends it, and why it ended. */
class Exchange {
  hasBegun = false;
  readonly #controller = new AbortController();
  readonly #abort = (): void => this.#controller.abort();
  readonly #base: string;
  readonly #timeoutMs: number;
  readonly #given: AbortSignal | undefined;
  #timer: ReturnType<typeof setTimeout> | undefined;

  constructor(base: string, timeoutMs: number, given: AbortSignal | undefined) {
    given?.throwIfAborted();
    this.#base = base;
    this.#timeoutMs = timeoutMs;
    this.#given = given;
    given?.addEventListener('abort', this.#abort);
  }

  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  /** Something has to arrive in time. */
  expect(waitMs = 0): void {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(this.#abort, this.#timeoutMs + waitMs);
  }

  /** Nothing has to arrive for now: the caller is busy. */
  rest(): void {
    clearTimeout(this.#timer);
  }

  end(): void {
    this.rest();
    this.#given?.removeEventListener('abort', this.#abort);
  }

  /** Ends, and returns what to throw for `error`. */
  fail(error: unknown): unknown {
    this.end();
    if (this.#given?.aborted) return this.#given.reason;
    if (error instanceof HayrakeError) return error;
    const options = { cause: error };
    if (this.signal.aborted) {
      return new HayrakeError('timeout', `${this.#base} was silent for longer than \`timeoutMs\`.`, {}, options);
    }
    if (this.hasBegun) {
      return new HayrakeError('response_cut', `The response ended early: ${reasonOf(error)}.`, {}, options);
    }
    const advice = 'Check the URL, and that the service runs.';
    return new HayrakeError(
      'connection_failed',
      `Cannot reach hayrake at ${this.#base}: ${reasonOf(error)}. ${advice}`,
      {},
      options,
    );
  }
}

/** The body of a response as text, within a limit. */
async function textOf({ body, ok }: Response, exchange: Exchange): Promise<string> {
  if (body === null) return '';
  const reader = body.getReader();
  const decoder = new TextDecoder();
  let text = '';
  for (let bytes = 0; ;) {
    exchange.expect();
    const { done, value } = await reader.read();
    if (done) return text + decoder.decode();
    text += decoder.decode(value, { stream: true });
    bytes += value.length;
    if (bytes <= (ok ? bodyBytesMax : errorBytesMax)) continue;
    await reader.cancel();
    if (!ok) return text;
    throw new HayrakeError('unexpected_response', `The response is larger than ${bodyBytesMax} bytes.`);
  }
}

/** The same bytes, with the errors of the client. */
function watched(body: ReadableStream<Uint8Array>, exchange: Exchange): ReadableStream<Uint8Array> {
  const reader = body.getReader();
  return new ReadableStream<Uint8Array>({
    async pull(controller) {
      try {
        exchange.expect();
        const { done, value } = await reader.read();
        exchange.rest();
        if (!done) return controller.enqueue(value);
        exchange.end();
        controller.close();
      } catch (error) {
        controller.error(exchange.fail(error));
      }
    },
    cancel(reason) {
      exchange.end();
      return reader.cancel(reason);
    },
  });
}

/** What the service said is wrong, or what else responded in its place. */
function problemOf(response: Response, text: string): HayrakeError {
  const { status, headers, type } = response;
  const after = headers.get('retry-after') ?? '';
  // Seconds, or a date (RFC 9110, 10.2.3).
  const retryAfterMs = /^\d+$/.test(after)
    ? Number(after) * 1000
    : Math.max(0, Date.parse(after) - Date.now()) || undefined;
  const problem = parsed(text) as Partial<Record<string, unknown>> | null | undefined;
  if (typeof problem?.['code'] === 'string' && typeof problem['detail'] === 'string') {
    const { code, detail, errors, requestId, page, cursor } = problem as unknown as Problem;
    return new HayrakeError(code, detail, { status, details: errors ?? [], requestId, retryAfterMs, page, cursor });
  }
  if (type === 'opaqueredirect' || (status >= 300 && status < 400)) {
    const target = headers.get('location') ?? 'another address';
    const message = `The URL redirects to ${target.slice(0, 500)}. Use the address of the service itself.`;
    return new HayrakeError('redirected', message, { status });
  }
  return unexpected(response, text, retryAfterMs);
}

function unexpected({ status, url }: Response, text: string, retryAfterMs?: number): HayrakeError {
  const begin = text.trim().slice(0, 200);
  return new HayrakeError(
    'unexpected_response',
    `Status ${status} of ${url} is not a response of hayrake. Check the URL, and proxies in between. The response begins: ${begin}`,
    { status, retryAfterMs },
  );
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

const typeOf = ({ headers }: Response): string => headers.get('content-type') ?? '';
const isJson = (response: Response): boolean => typeOf(response).startsWith('application/json');

/** Node's `fetch` has the reason in the cause, possibly with a code only. */
function reasonOf(error: unknown): string {
  const { cause, message } = error as {
    readonly cause?: { reason?: string; message?: string; code?: string };
    readonly message?: string;
  };
  // `reason`: the message of OpenSSL has several lines.
  return cause?.reason || cause?.message || cause?.code || message || String(error);
}

function searchOf(query: Query): string {
  const given = Object.entries(query).flatMap(([name, value]) =>
    value === undefined || value === null || value === false ? [] : [[name, String(value)]],
  );
  return given.length === 0 ? '' : `?${new URLSearchParams(given).toString()}`;
}

function baseUrl(given: string): string {
  let url: URL | undefined;
  try {
    url = new URL(given);
  } catch {
    // Said below.
  }
  if (!/^https?:$/.test(url?.protocol ?? '')) {
    throw new TypeError(`The URL of the service is not valid: ${given}. It begins with http:// or https://.`);
  }
  if (url?.username || url?.password || url?.search || url?.hash)
    throw new TypeError('The URL of the service has a user name, password, query or fragment. Leave that out.');
  return `${url?.origin}${url?.pathname.replace(/\/+$/, '')}`;
}

function checkHeader(name: string, value: string): void {
  try {
    new Headers().set(name, value);
  } catch (error) {
    // The value can be the token, so it is not shown.
    throw new TypeError(`\`${name}\` is not a valid header: its value has characters that no header can have.`, {
      cause: error,
    });
  }
}

function wholeNumber(name: string, value: number): number {
  if (Number.isSafeInteger(value) && value >= 0 && value < 2 ** 31) return value;
  throw new TypeError(`\`${name}\` is a whole number from 0 to ${2 ** 31 - 1}.`);
}

/** Of the environment, where the runtime has one and allows to read it. */
function variable(name: string): string | undefined {
  try {
    const { process } = globalThis as { process?: { env?: Record<string, string | undefined> } };
    return process?.env?.[name] || undefined;
  } catch {
    return undefined;
  }
}

/** Rejects with the reason of `signal`. */
export function sleep(ms: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    signal?.throwIfAborted();
    const abort = (): void => {
      clearTimeout(timer);
      // The reason is the caller's own.
      reject(signal?.reason as Error);
    };
    const timer = setTimeout(() => {
      signal?.removeEventListener('abort', abort);
      resolve();
    }, ms);
    signal?.addEventListener('abort', abort);
  });
}
