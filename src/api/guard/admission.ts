// Checks of a request, in the order of the contract: a token (401), the rate limit (429), the permission (403), and,
// for requests that take long or begin work, free capacity (429, 503). All of it before the body is read.
import { grouped } from '../../core/grouped.ts';
import { setTimeout as sleep } from 'node:timers/promises';
import type { FastifyContextConfig, FastifyReply, FastifyRequest } from 'fastify';
import { UserError } from '../../core/errors.ts';
import type { Log } from '../../core/ports/log.ts';
import type { SessionStore } from '../../core/ports/stores.ts';
import { extendedExpiry } from '../../jobs/sessions.ts';
import { type Caller, type Callers, type CallerSession, requirePermission } from './authenticate.ts';
import { clientAddress } from './client-address.ts';
import { type ApiLimits, exportsPerOrg, failedTokensPerMinute } from '../limits.ts';
import { MemoryGuard, memoryOfProcess } from './memory-guard.ts';
import { onceGone } from '../once-gone.ts';
import { OrgSlots } from './org-slots.ts';
import { RateLimit } from './rate-limit.ts';
import { setSessionCookie } from './session-cookie.ts';

export class Admission {
  readonly #authenticator: Callers;
  readonly #sessions: SessionStore;
  readonly #log: Log;
  readonly #limits: ApiLimits;
  readonly #requests: RateLimit;
  readonly #failures = new RateLimit(failedTokensPerMinute);
  readonly #waiting: OrgSlots;
  readonly #exports = new OrgSlots(exportsPerOrg);
  readonly #memory: MemoryGuard;

  constructor(
    { authenticator, sessions, log }: { authenticator: Callers; sessions: SessionStore; log: Log },
    limits: ApiLimits,
  ) {
    this.#authenticator = authenticator;
    this.#sessions = sessions;
    this.#log = log;
    this.#limits = limits;
    this.#requests = new RateLimit(limits.requestsPerMinute);
    this.#waiting = new OrgSlots(limits.waitingPerOrg);
    this.#memory = new MemoryGuard(() => memoryOfProcess(limits.memoryBytes));
  }

  /** Returns the caller; undefined for a public route. Throws a `UserError` if the request is refused. */
  async admit(
    request: FastifyRequest,
    reply: FastifyReply,
    {
      public: isPublic = false,
      permission = 'read',
      waits = false,
      waitsItsTurn = false,
      isExport = false,
      beginsWork = false,
    }: FastifyContextConfig,
  ): Promise<Caller | undefined> {
    if (isPublic === 'uncounted') return undefined;
    if (isPublic) {
      this.#count(`address ${clientAddress(request.raw.socket)}`, reply);
      return undefined;
    }
    const caller = await this.#authenticate(request, reply);
    if (caller.session) await this.#keepSession(caller.session, request, reply);
    if (waitsItsTurn) await this.#untilCounted(`org ${caller.org}`, reply);
    else this.#count(`org ${caller.org}`, reply);
    if (permission !== 'none') requirePermission(caller, permission);
    if (waits) this.#takeSlot(caller.org, reply);
    if (isExport) this.#takeExport(caller.org, reply);
    if (beginsWork && this.#memory.checkShort())
      throw new UserError('overloaded', 'The service is almost out of memory. Retry in a few seconds.');
    return caller;
  }

  /**
   * All clients of a proxy share one address, so one client's failures never shut out another: every token is checked,
   * and a valid one passes. After too many failures an address gets `rate_limited`, and needs a new connection for each
   * further try.
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
        `This address sent more than ${failedTokensPerMinute} requests without a valid token in a minute. Check the token, and retry in ${seconds} s.`,
      );
    }
  }

  /** No cache may hold what a cookie opened: another person can use the browser after this one has signed out. */
  async #keepSession(session: CallerSession, request: FastifyRequest, reply: FastifyReply): Promise<void> {
    reply.header('cache-control', 'private, no-cache');
    const expiresAt = extendedExpiry(session, Date.now());
    if (expiresAt === undefined) return;
    try {
      await this.#sessions.extend(session.hash, expiresAt);
      setSessionCookie(request, reply, session.secret);
    } catch (error) {
      // A disk that is full or a database that is away leaves pages readable; the session lasts as long as it was given.
      this.#log.debug('a session was not extended', { error });
    }
  }

  #count(key: string, reply: FastifyReply): void {
    const { requestsPerMinute } = this.#limits;
    if (requestsPerMinute === 0) return;
    const seconds = this.#requests.hit(key);
    this.#setLimitHeaders(key, reply);
    if (seconds === 0) return;
    reply.header('retry-after', String(seconds));
    throw new UserError(
      'rate_limited',
      `More than ${grouped(requestsPerMinute)} requests in a minute. Retry in ${seconds} s, and send requests more slowly.`,
    );
  }

  /** Counts the request when there is room for it. Rejects if the client leaves first. */
  async #untilCounted(key: string, reply: FastifyReply): Promise<void> {
    const { requestsPerMinute } = this.#limits;
    if (requestsPerMinute === 0) return;
    for (let seconds = this.#requests.hit(key); seconds > 0; seconds = this.#requests.hit(key)) {
      await sleep(Math.min(seconds, 1) * 1_000);
      if (reply.raw.destroyed) throw new UserError('bad_request', 'The client left before its turn.');
    }
    this.#setLimitHeaders(key, reply);
  }

  /** draft-ietf-httpapi-ratelimit-headers-10. */
  #setLimitHeaders(key: string, reply: FastifyReply): void {
    const { remaining, seconds } = this.#requests.left(key);
    reply
      .header('ratelimit-policy', `"minute";q=${this.#limits.requestsPerMinute};w=60`)
      .header('ratelimit', `"minute";r=${remaining};t=${seconds}`);
  }

  #takeSlot(org: string, reply: FastifyReply): void {
    const giveBack = this.#waiting.take(org);
    if (!giveBack) {
      throw new UserError(
        'too_many_waiting',
        `The org has ${grouped(this.#limits.waitingPerOrg)} requests that wait for pages, which is its limit. Wait for one to complete.`,
      );
    }
    onceGone(reply.raw, giveBack);
  }

  #takeExport(org: string, reply: FastifyReply): void {
    const giveBack = this.#exports.take(org);
    if (!giveBack)
      throw new UserError(
        'too_many_exports',
        'The org has an export in progress, and each org gets one at a time. Wait for it to complete.',
      );
    onceGone(reply.raw, giveBack);
  }
}
