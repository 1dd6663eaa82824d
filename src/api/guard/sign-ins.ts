// Begins sessions of browsers, by a token or by the code of a login link. An address can try only so often.
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Log } from '../../core/ports/log.ts';
import type { SessionStore } from '../../core/ports/stores.ts';
import { createSession, useLoginCode } from '../../jobs/sessions.ts';
import { signInsPerMinute } from '../limits.ts';
import type { Callers } from './authenticate.ts';
import { clientAddress } from './client-address.ts';
import { RateLimit } from './rate-limit.ts';
import { setSessionCookie } from './session-cookie.ts';

const codeLengthMax = 100;
const notesPerMinuteMax = 60;

export interface SignInParts {
  readonly authenticator: Callers;
  readonly sessions: SessionStore;
  readonly log: Log;
}

export class SignIns {
  readonly #parts: SignInParts;
  readonly #tries = new RateLimit(signInsPerMinute);
  // Anybody can fail at any rate.
  readonly #notes = new RateLimit(notesPerMinuteMax);

  constructor(parts: SignInParts) {
    this.#parts = parts;
  }

  /** Counts a try. Returns the seconds to wait before the address can sign in again. */
  secondsToWait({ raw }: FastifyRequest): number {
    return this.#tries.hit(clientAddress(raw.socket));
  }

  noteRefusal(request: FastifyRequest, reason: string): void {
    if (this.#notes.hit('all') > 0) return;
    const address = request.raw.socket.remoteAddress;
    this.#parts.log.warn('refused a sign-in', { reason, address, requestId: request.id });
  }

  /** Signs the browser in. Returns false if the token was revoked in the meantime. */
  async begin(request: FastifyRequest, reply: FastifyReply, token: string): Promise<boolean> {
    const { authenticator, sessions } = this.#parts;
    const { secret, hash } = await createSession(sessions, token);
    if (await authenticator.findSession(secret)) {
      setSessionCookie(request, reply, secret);
      return true;
    }
    await sessions.remove(hash);
    return false;
  }

  /** Signs the browser in and returns undefined, or says why not. */
  async byCode(
    request: FastifyRequest,
    reply: FastifyReply,
    code: string,
    seconds: number,
  ): Promise<string | undefined> {
    const { 'sec-purpose': purpose } = request.raw.headers;
    if (purpose !== undefined) return 'A browser fetched the login link in advance. Open it.';
    if (seconds > 0) {
      this.noteRefusal(request, 'too many tries');
      return tooManySignIns(seconds);
    }
    const { sessions } = this.#parts;
    const token = code === '' || code.length > codeLengthMax ? undefined : await useLoginCode(sessions, code);
    if (token !== undefined && (await this.begin(request, reply, token))) return undefined;
    this.noteRefusal(request, 'a login link that is wrong, used or expired');
    return 'The login link is wrong, was used before, or has expired. Sign in with a token, or restart the service for a new link.';
  }
}

export function tooManySignIns(seconds: number): string {
  return `More than ${signInsPerMinute} sign-ins from this address in a minute. Retry in ${seconds} s.`;
}
