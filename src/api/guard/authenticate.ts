import { timingSafeEqual } from 'node:crypto';
import type { FastifyRequest } from 'fastify';
import { UserError } from '../../core/errors.ts';
import { type Permission, permissions } from '../../core/permissions.ts';
import type { Session, SessionStore, Token, TokenStore } from '../../core/ports/stores.ts';
import { operatorTokenId, sessionHash } from '../../jobs/sessions.ts';
import { defaultOrg, isValid, tokenHash } from '../../jobs/tokens.ts';
import { sessionSecret } from './session-cookie.ts';

/** The authenticated caller of a request. */
export interface Caller {
  readonly org: string;
  readonly permissions: readonly Permission[];
  /** Id of the token. */
  readonly token: string;
  /** When the token expires; null if it does not. */
  readonly expiresAt: number | null;
  /** The token is that of the operator, `HAYRAKE_TOKEN`. */
  readonly isOperator?: true;
  /** Set if the request carries the cookie of a session instead of a token. */
  readonly session?: CallerSession;
}

export interface CallerSession extends Session {
  readonly secret: string;
  readonly hash: string;
}

/** hayrake issues no longer tokens, so they are not hashed. */
const tokenLengthMax = 1_000;

/** What it needs of the store. */
interface Credentials {
  readonly tokens: TokenStore;
  readonly sessions: SessionStore;
}

/**
 * Checks bearer tokens (RFC 6750) and sessions against the store at every request, so that a revoked token ends at once,
 * with its sessions. A cookie is read only if there is no `Authorization`.
 */
export class Authenticator {
  readonly #tokens: TokenStore;
  readonly #sessions: SessionStore;
  readonly #operator: (Caller & { readonly hash: string }) | undefined;

  /** `operatorToken` is accepted besides those of the store, with every permission, for the default org. */
  constructor({ tokens, sessions }: Credentials, operatorToken: string | undefined) {
    this.#tokens = tokens;
    this.#sessions = sessions;
    if (operatorToken === undefined) return;
    const hash = tokenHash(operatorToken);
    this.#operator = {
      org: defaultOrg,
      permissions,
      token: operatorTokenId(hash),
      expiresAt: null,
      isOperator: true,
      hash,
    };
  }

  async callerOf(request: FastifyRequest): Promise<Caller> {
    // If there are several, Node would take the first.
    const [header, another] = request.raw.headersDistinct['authorization'] ?? [];
    const token = header === undefined || another !== undefined ? undefined : /^bearer +(\S+) *$/i.exec(header)?.[1];
    if (header === undefined) {
      const secret = sessionSecret(request);
      const caller = secret === undefined ? undefined : await this.findSession(secret);
      if (caller) return caller;
    }
    if (token === undefined) {
      throw new UserError(
        'unauthorized',
        'Send one token: `Authorization: Bearer <API_TOKEN>`. `hayrake token create` makes one.',
      );
    }
    const caller = await this.find(token);
    if (!caller) throw invalidToken();
    return caller;
  }

  /** Returns the caller of a token; undefined if it is wrong, revoked or expired. */
  async find(token: string): Promise<Caller | undefined> {
    if (token.length > tokenLengthMax) return undefined;
    const hash = tokenHash(token);
    const operator = this.#operator;
    if (operator && timingSafeEqual(Buffer.from(hash), Buffer.from(operator.hash))) return operator;
    const found = await this.#tokens.find(hash);
    return found && callerOfToken(found);
  }

  /** Returns the caller of a session; undefined if the session or its token is not valid any more. */
  async findSession(secret: string): Promise<Caller | undefined> {
    const hash = sessionHash(secret);
    const found = await this.#sessions.find(hash);
    if (!found || found.session.expiresAt <= Date.now()) return undefined;
    const { session, token } = found;
    const owner = token ? callerOfToken(token) : session.token === this.#operator?.token ? this.#operator : undefined;
    return owner && { ...owner, session: { ...session, secret, hash } };
  }
}

/** Who sends a request: a token or session of the store, or else the owner of the machine. */
export type Callers = Pick<Authenticator, 'callerOf' | 'find' | 'findSession'>;

function callerOfToken(token: Token): Caller | undefined {
  if (!isValid(token, Date.now())) return undefined;
  return { org: token.org, permissions: token.permissions, token: token.id, expiresAt: token.expiresAt };
}

export function requirePermission(caller: Caller, permission: Permission): void {
  if (caller.permissions.includes(permission)) return;
  throw new UserError(
    'permission_denied',
    `The token lacks the permission \`${permission}\`. Make one with \`hayrake token create --permissions ${permission}\`.`,
  );
}

export function invalidToken(): UserError {
  return new UserError(
    'invalid_token',
    'The token is wrong, revoked or expired. `hayrake token create` makes a new one.',
  );
}
