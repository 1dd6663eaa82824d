// Sessions of the dashboard: a browser signs in with a token or with a login code, and is known by a cookie from then on.
import { createHash, randomBytes } from 'node:crypto';
import type { Session, SessionStore } from '../core/ports/stores.ts';
import { tokenHash } from './tokens.ts';

export const loginCodeSeconds = 30 * 60;
/** After the last request. */
export const sessionSeconds = 12 * 3600;
/** A session is extended at most once in this time, so that reading does not write. */
export const extendEverySeconds = 10 * 60;
/** The oldest of more than this end. */
export const sessionsPerTokenMax = 100;
/** The oldest of more than this become invalid. */
export const loginCodesPerTokenMax = 10;

/** The id under which sessions of the operator's token are stored, which has no row. Another token has another id. */
export function operatorTokenId(hash: string): string {
  return `operator_${tokenHash(hash).slice(0, 16)}`;
}

/** The hash under which a session is stored. */
export function sessionHash(secret: string): string {
  return createHash('sha256').update(secret).digest('hex');
}

/** Returns a code that signs in one browser, once, within {@link loginCodeSeconds}. Only its hash is stored. */
export async function createLoginCode(sessions: SessionStore, token: string, now = Date.now()): Promise<string> {
  const code = randomBytes(16).toString('base64url');
  const session = { kind: 'code', token, createdAt: now, expiresAt: now + loginCodeSeconds * 1000 } as const;
  await sessions.add(session, sessionHash(code), loginCodesPerTokenMax);
  return code;
}

/** A new session; `secret` goes into the cookie. */
export interface NewSession {
  readonly secret: string;
  readonly hash: string;
}

/** Signs in a browser with the rights of a token. */
export async function createSession(sessions: SessionStore, token: string, now = Date.now()): Promise<NewSession> {
  const secret = randomBytes(32).toString('base64url');
  const hash = sessionHash(secret);
  const session = { kind: 'browser', token, createdAt: now, expiresAt: now + sessionSeconds * 1000 } as const;
  await sessions.add(session, hash, sessionsPerTokenMax);
  return { secret, hash };
}

/** Exchanges a login code for the id of its token; undefined if the code is wrong, used or expired. */
export async function useLoginCode(
  sessions: SessionStore,
  code: string,
  now = Date.now(),
): Promise<string | undefined> {
  const taken = await sessions.takeCode(sessionHash(code));
  return taken && now < taken.expiresAt ? taken.token : undefined;
}

/** The time to which a request at `now` extends a session; undefined if it was extended recently. */
export function extendedExpiry({ expiresAt }: Session, now: number): number | undefined {
  const extended = now + sessionSeconds * 1000;
  return extended - expiresAt >= extendEverySeconds * 1000 ? extended : undefined;
}
