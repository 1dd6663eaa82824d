// Who is let in, in the order of the contract: a token (401), not too often (429), allowed to (403), and, for what takes
// long or begins work, whether there is room (429, 503). All of it before the body is read.
import type { FastifyReply, FastifyRequest } from 'fastify';
import { UserError } from '../core/errors.ts';
import { type Authenticator, type Caller, requirePermission } from './authenticate.ts';
import { clientAddress } from './client-address.ts';
import { type ApiLimits, failedTokensPerMinute } from './limits.ts';
import { MemoryGuard } from './memory-guard.ts';
import { onceGone } from './once-gone.ts';
import { OrgSlots } from './org-slots.ts';
import { RateLimit } from './rate-limit.ts';

export class Admission {
  readonly #authenticator: Authenticator;
  readonly #limits: ApiLimits;
  readonly #requests: RateLimit;
  readonly #failures = new RateLimit(failedTokensPerMinute);
  readonly #waiting: OrgSlots;
  readonly #memory = new MemoryGuard();

  constructor(authenticator: Authenticator, limits: ApiLimits) {
    this.#authenticator = authenticator;
    this.#limits = limits;
    this.#requests = new RateLimit(limits.requestsPerMinute);
    this.#waiting = new OrgSlots(limits.waitingPerOrg);
  }

  /** Answers who is asking; undefined where everybody may. Throws a `UserError` for whoever is not let in. */
  async admit(request: FastifyRequest, reply: FastifyReply): Promise<Caller | undefined> {
    const {
      public: isPublic = false,
      permission = 'read',
      waits = false,
      beginsWork = false,
    } = request.routeOptions.config;
    if (isPublic === 'uncounted') return undefined;
    if (isPublic) {
      this.#count(`address ${clientAddress(request.raw.socket)}`, reply);
      return undefined;
    }
    const caller = await this.#authenticate(request, reply);
    this.#count(`org ${caller.org}`, reply);
    requirePermission(caller, permission);
    if (waits) this.#takeSlot(caller.org, reply);
    if (beginsWork && this.#memory.isShort)
      throw new UserError(
        'overloaded',
        'The service has hardly any memory left. Send the request again in a few seconds.',
      );
    return caller;
  }

  /**
   * Behind a proxy all clients have one address, so the failures of one never shut out another: a token is always looked
   * at, and a good one is good. Whoever fails too often is told so, and has to connect anew for each further try.
   */
  async #authenticate(request: FastifyRequest, reply: FastifyReply): Promise<Caller> {
    try {
      return await this.#authenticator.callerOf(request);
    } catch (error) {
      if (!(error instanceof UserError)) throw error;
      const seconds = this.#failures.hit(clientAddress(request.raw.socket));
      if (seconds === 0) throw error;
      reply.header('connection', 'close').header('retry-after', String(seconds));
      throw new UserError(
        'rate_limited',
        `Too many requests without a valid token come from this address: more than ${failedTokensPerMinute} in a minute. Check the token, and wait for ${seconds} s.`,
      );
    }
  }

  #count(key: string, reply: FastifyReply): void {
    const { requestsPerMinute } = this.#limits;
    if (requestsPerMinute === 0) return;
    const seconds = this.#requests.hit(key);
    if (seconds === 0) return;
    reply.header('retry-after', String(seconds));
    throw new UserError(
      'rate_limited',
      `More than ${requestsPerMinute.toLocaleString('en')} requests in a minute. Wait for ${seconds} s, and send fewer at a time.`,
    );
  }

  #takeSlot(org: string, reply: FastifyReply): void {
    const giveBack = this.#waiting.take(org);
    if (!giveBack) {
      throw new UserError(
        'too_many_waiting',
        `The org has ${this.#limits.waitingPerOrg.toLocaleString('en')} requests under way that wait for pages, which is as many as it may. Wait for one to be answered.`,
      );
    }
    onceGone(reply.raw, giveBack);
  }
}
