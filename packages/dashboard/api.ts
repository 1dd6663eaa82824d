// Requests to the API of the same origin. The cookie of the session goes along; no token is ever kept here.
import { signal } from '@preact/signals';
import type { Permission, Session } from './api-types.ts';

/** The session; `null` without one, `undefined` until it is known. */
export const session = signal<Session | null | undefined>(undefined);

/** A response that is an error: what is wrong and what to do, in words. */
export class ApiError extends Error {
  override readonly name = 'ApiError';
  readonly status: number;
  readonly code: string;
  readonly fields: readonly { readonly field: string; readonly message: string }[];

  constructor(status: number, problem: { code?: string; detail?: string; errors?: ApiError['fields'] }) {
    super(problem.detail ?? `The service responded with status ${status}.`);
    this.status = status;
    this.code = problem.code ?? 'unknown';
    this.fields = problem.errors ?? [];
  }
}

export interface CallOptions {
  /** @default POST with `json`, otherwise GET */
  readonly method?: 'GET' | 'POST' | 'PATCH' | 'DELETE';
  readonly json?: unknown;
  readonly signal?: AbortSignal;
}

/** Sends a request and returns its JSON; undefined if the response has no body. Rejects with an {@link ApiError}. */
export async function call<Body>(
  path: string,
  { json, method = json === undefined ? 'GET' : 'POST', signal: abort }: CallOptions = {},
): Promise<Body> {
  const response = await fetch(path, {
    method,
    headers: {
      accept: 'application/json',
      'x-hayrake-ui': '1',
      ...(json !== undefined && { 'content-type': 'application/json' }),
    },
    ...(json !== undefined && { body: JSON.stringify(json) }),
    ...(abort && { signal: abort }),
  }).catch((error: unknown) => {
    if (abort?.aborted === true) throw error;
    throw new ApiError(0, { code: 'unreachable', detail: 'The service does not answer. Is it running?' });
  });
  if (response.ok) return response.status === 204 ? (undefined as Body) : ((await response.json()) as Body);
  // The session has ended: the sign-in takes the place of the screen, and the address stays.
  if (response.status === 401 && path !== '/session') session.value = null;
  throw await errorOf(response);
}

async function errorOf(response: Response): Promise<ApiError> {
  const problem = (await response.json().catch(() => ({}))) as ConstructorParameters<typeof ApiError>[1];
  return new ApiError(response.status, problem);
}

/** Reads a file, and the type that its site gave it. Rejects with an {@link ApiError}. */
export async function callBytes(
  path: string,
  signal: AbortSignal,
): Promise<{ readonly bytes: ArrayBuffer; readonly type: string }> {
  const response = await fetch(path, { signal });
  if (!response.ok) throw await errorOf(response);
  return { bytes: await response.arrayBuffer(), type: response.headers.get('x-archive-orig-content-type') ?? '' };
}

/** The lines of a stream (NDJSON), parsed. Leaving the loop ends the request. */
export async function* readLines<Line>(path: string, signal: AbortSignal): AsyncGenerator<Line, void, undefined> {
  const response = await fetch(path, { headers: { accept: 'application/x-ndjson' }, signal });
  if (!response.ok || !response.body) throw await errorOf(response);
  const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
  let rest = '';
  try {
    for (;;) {
      const { done, value } = await reader.read();
      if (done) return;
      const lines = (rest + value).split('\n');
      rest = lines.pop() ?? '';
      for (const line of lines) if (line !== '') yield JSON.parse(line) as Line;
    }
  } finally {
    await reader.cancel();
  }
}

export async function loadSession(): Promise<void> {
  try {
    session.value = await call<Session>('/session');
  } catch (error) {
    if (!(error instanceof ApiError) || error.status !== 401) throw error;
    session.value = null;
  }
}

export async function signIn(token: string): Promise<void> {
  await call('/session', { json: { token } });
  await loadSession();
}

export async function signOut(): Promise<void> {
  await call('/session', { method: 'DELETE' });
  session.value = null;
}

/** A query string of the fields that have a value. */
export function query(fields: Readonly<Record<string, string | number | undefined>>): string {
  const given = Object.entries(fields).filter(([, value]) => value !== undefined && value !== '');
  const text = new URLSearchParams(given.map(([name, value]) => [name, String(value)])).toString();
  return text === '' ? '' : `?${text}`;
}

export function can(permission: Permission): boolean {
  return session.value?.permissions.includes(permission) === true;
}
