// An import would load all that `node:http` exports: 30 ms of processor time at each start.
const { request } = process.getBuiltinModule('node:http');

export interface Health {
  readonly isReady: boolean;
  /** One line. */
  readonly message: string;
}

/** Limit of response bytes. */
const responseMax = 4_096;

/**
 * Requests the health of a hayrake service, within `limitMs`. Never rejects. The URL is the operator's own service,
 * which no page can name, so the request bypasses the crawl's guard.
 */
export function askHealth(origin: URL, limitMs: number): Promise<Health> {
  const { promise, resolve } = Promise.withResolvers<Health>();
  const end = (isReady: boolean, message: string): void => {
    clearTimeout(timer);
    resolve({ isReady, message: `${origin.origin}: ${message}` });
    asked.destroy();
  };
  const asked = request(new URL('/readyz', origin), { agent: false }, (response) => {
    let text = '';
    response.setEncoding('utf8');
    response.on('data', (part: string) => {
      text += part;
      if (text.length > responseMax) end(false, 'the response is not from a hayrake service');
    });
    response.on('end', () => end(...judged(response.statusCode, text)));
    response.on('error', (error) => end(false, error.message));
  });
  const timer = setTimeout(() => end(false, `no response within ${limitMs / 1000} seconds`), limitMs);
  asked.on('error', (error) => end(false, error.message || 'no connection'));
  asked.end();
  return promise;
}

/** True if an API answers at this origin within `limitMs`; a worker listens only for its health. Never rejects. */
export function hasApi(origin: URL, limitMs: number): Promise<boolean> {
  const { promise, resolve } = Promise.withResolvers<boolean>();
  const signal = AbortSignal.timeout(limitMs);
  const asked = request(new URL('/openapi.json', origin), { agent: false, method: 'HEAD', signal }, (response) => {
    response.resume();
    resolve(response.statusCode === 200);
  });
  asked.on('error', () => resolve(false));
  asked.end();
  return promise;
}

function judged(statusCode: number | undefined, text: string): [isReady: boolean, message: string] {
  let response: unknown;
  try {
    response = JSON.parse(text);
  } catch {
    response = undefined;
  }
  const { status, database, worker, reason } = (response ?? {}) as Readonly<Record<string, unknown>>;
  if (statusCode === 200 && status === 'ready') return [true, 'ready'];
  if (status !== 'not_ready') return [false, `the response is not from a hayrake service (status ${statusCode})`];
  const why = [
    ...(database === false ? [`its database is not writable${typeof reason === 'string' ? ` (${reason})` : ''}`] : []),
    ...(worker === false ? ['its crawler is not running'] : []),
  ];
  return [false, `not ready: ${why.join(', ') || 'no reason given'}`];
}
