import { timingSafeEqual } from 'node:crypto';
import type { FastifyRequest } from 'fastify';
import { UserError } from '../../core/errors.ts';
import { type Permission, permissions } from '../../core/permissions.ts';
import type { TokenStore } from '../../core/ports/stores.ts';
import { defaultOrg, isValid, tokenHash } from '../../jobs/tokens.ts';

/** The authenticated caller of a request. */
export interface Caller {
  readonly org: string;
  readonly permissions: readonly Permission[];
}

/** hayrake issues no longer tokens, so they are not hashed. */
const tokenLengthMax = 1_000;

/** Checks bearer tokens (RFC 6750) against the store at every request, so that a revoked one ends at once. */
export class Authenticator {
  readonly #tokens: TokenStore;
  readonly #operatorHash: string | undefined;

  /** `operatorToken` is accepted besides those of the store, with every permission, for the default org. */
  constructor(tokens: TokenStore, operatorToken: string | undefined) {
    this.#tokens = tokens;
    this.#operatorHash = operatorToken === undefined ? undefined : tokenHash(operatorToken);
  }

  async callerOf(request: FastifyRequest): Promise<Caller> {
    // If there are several, Node would take the first.
    const [header, another] = request.raw.headersDistinct['authorization'] ?? [];
    const token = header === undefined || another !== undefined ? undefined : /^bearer +(\S+) *$/i.exec(header)?.[1];
    if (token === undefined) {
      throw new UserError(
        'unauthorized',
        'Send one token: `Authorization: Bearer <API_TOKEN>`. `hayrake token create` makes one.',
      );
    }
    const caller = token.length > tokenLengthMax ? undefined : await this.#find(tokenHash(token));
    if (!caller)
      throw new UserError(
        'invalid_token',
        'The token is wrong, revoked or expired. `hayrake token create` makes a new one.',
      );
    return caller;
  }

  async #find(hash: string): Promise<Caller | undefined> {
    if (this.#operatorHash !== undefined && timingSafeEqual(Buffer.from(hash), Buffer.from(this.#operatorHash))) {
      return { org: defaultOrg, permissions };
    }
    const token = await this.#tokens.find(hash);
    return token && isValid(token, Date.now()) ? token : undefined;
  }
}

export function requirePermission(caller: Caller, permission: Permission): void {
  if (caller.permissions.includes(permission)) return;
  throw new UserError(
    'permission_denied',
    `The token lacks the permission \`${permission}\`. Make one with \`hayrake token create --permissions ${permission}\`.`,
  );
}
