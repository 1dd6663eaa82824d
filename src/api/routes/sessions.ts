// Browser sessions: a cookie besides bearer tokens, for the dashboard.
import type { FastifyReply, FastifyRequest } from 'fastify';
import { z } from 'zod';
import { UserError } from '../../core/errors.ts';
import type { Log } from '../../core/ports/log.ts';
import { permissions } from '../../core/permissions.ts';
import type { SessionStore } from '../../core/ports/stores.ts';
import { createSession, useLoginCode } from '../../jobs/sessions.ts';
import type { Authenticator } from '../guard/authenticate.ts';
import { clientAddress } from '../guard/client-address.ts';
import { RateLimit } from '../guard/rate-limit.ts';
import { clearSessionCookie, dashboardHeader, isFromDashboard, setSessionCookie } from '../guard/session-cookie.ts';
import { signInsPerMinute } from '../limits.ts';
import { sendDashboard, wantsPage } from './dashboard.ts';
import { noBody, problemAnswer } from './schemas.ts';
import { type Api, callerOf } from '../service.ts';

const tags = ['sessions'];
/** No token required. */
const security = [] as const;
const codeLengthMax = 100;
const notesPerMinuteMax = 60;

interface Parts {
  readonly authenticator: Authenticator;
  readonly sessions: SessionStore;
  readonly log: Log;
}

export function registerSessions(api: Api, { authenticator, sessions, log }: Parts): void {
  const signIns = new RateLimit(signInsPerMinute);
  /** Seconds to wait before the address can sign in again. */
  const secondsToWait = ({ raw }: FastifyRequest): number => signIns.hit(clientAddress(raw.socket));
  // Anybody can fail at any rate.
  const notes = new RateLimit(notesPerMinuteMax);
  const note = (request: FastifyRequest, reason: string): void => {
    if (notes.hit('all') > 0) return;
    log.warn('refused a sign-in', { reason, address: request.raw.socket.remoteAddress, requestId: request.id });
  };
  /** Signs the browser in. Returns false if the token was revoked in the meantime. */
  const signIn = async (request: FastifyRequest, reply: FastifyReply, token: string): Promise<boolean> => {
    const { secret, hash } = await createSession(sessions, token);
    if (await authenticator.findSession(secret)) {
      setSessionCookie(request, reply, secret);
      return true;
    }
    await sessions.remove(hash);
    return false;
  };

  api.post(
    '/session',
    {
      config: { public: true, hasSecret: true },
      schema: {
        tags,
        security,
        operationId: 'createSession',
        summary: 'Sign a browser in with a token',
        description: `Sets a cookie that is valid for 12 hours after the last request, as long as the token is. Needs the header \`${dashboardHeader}: 1\`.`,
        body: z.strictObject({ token: z.string().min(1).max(1_000).describe('An API token.') }),
        response: { 204: z.null().describe('Signed in.'), '4xx': problemAnswer },
      },
    },
    async (request, reply) => {
      if (!isFromDashboard(request))
        throw new UserError(
          'sign_in_refused',
          `Only the dashboard can sign a browser in: send \`${dashboardHeader}: 1\`, from the same origin.`,
        );
      const seconds = secondsToWait(request);
      if (seconds > 0) {
        reply.header('retry-after', String(seconds));
        throw new UserError(
          'rate_limited',
          `More than ${signInsPerMinute} sign-ins from this address in a minute. Retry in ${seconds} s.`,
        );
      }
      const caller = await authenticator.find(request.body.token.trim());
      if (!caller || !(await signIn(request, reply, caller.token))) {
        note(request, 'wrong token');
        throw new UserError(
          'invalid_token',
          'The token is wrong, revoked or expired. `hayrake token create` makes a new one.',
        );
      }
      return reply.header('cache-control', 'no-store').code(204).send(null);
    },
  );

  api.get(
    '/session',
    {
      config: { permission: 'none', hasSecret: true },
      schema: {
        tags,
        operationId: 'getSession',
        summary: 'The org and the permissions of the caller',
        description: 'Works with a token and with the cookie of a signed-in browser.',
        response: {
          200: z.object({
            org: z.string(),
            permissions: z.array(z.enum(permissions)),
            token: z.string().describe('The id of the token.'),
            expiresAt: z
              .int()
              .nullable()
              .describe('When the session ends without a further request; of a token, when it expires.'),
          }),
          '4xx': problemAnswer,
        },
      },
    },
    async (request) => {
      const { org, permissions: granted, token, expiresAt, session } = callerOf(request);
      return { org, permissions: [...granted], token, expiresAt: session?.expiresAt ?? expiresAt };
    },
  );

  api.delete(
    '/session',
    {
      config: { permission: 'none', hasSecret: true },
      schema: {
        tags,
        operationId: 'deleteSession',
        summary: 'Sign the browser out',
        description: 'Ends the session of the cookie, and removes the cookie. Tokens stay valid.',
        body: noBody,
        response: { 204: z.null().describe('Signed out.'), '4xx': problemAnswer },
      },
    },
    async (request, reply) => {
      const { session } = callerOf(request);
      if (session) await sessions.remove(session.hash);
      clearSessionCookie(request, reply);
      return reply.header('clear-site-data', '"cache"').code(204).send(null);
    },
  );

  // A HEAD of a program that looks at links must not use the code up.
  api.get(
    '/login',
    {
      config: { public: true, hasSecret: true },
      exposeHeadRoute: false,
      schema: {
        // For browsers, so not in the OpenAPI document: `serve` prints the link.
        hide: true,
        querystring: z.object({
          code: z.string({ error: 'Give it once.' }).default(''),
          // The job to show first, as `hayrake open` links to it.
          job: z
            .string()
            .regex(/^[0-9A-Z]{26}$/, 'Give the id of a job.')
            .optional(),
        }),
      },
    },
    async (request, reply) => {
      reply.header('cache-control', 'no-store').header('referrer-policy', 'no-referrer');
      const { code, job } = request.query;
      const seconds = secondsToWait(request);
      const refusal = await refusalOf(request, reply, code, seconds);
      if (refusal === undefined)
        return reply
          .code(303)
          .header('location', job === undefined ? '/' : `/jobs/${job}`)
          .send(null);
      if (seconds > 0) reply.header('retry-after', String(seconds));
      if (wantsPage(request)) return sendDashboard(request, reply.code(403), 'index.html');
      throw new UserError('sign_in_refused', refusal);
    },
  );

  /** Signs in and returns undefined, or says why not. */
  async function refusalOf(
    request: FastifyRequest,
    reply: FastifyReply,
    code: string,
    seconds: number,
  ): Promise<string | undefined> {
    const { 'sec-purpose': purpose } = request.raw.headers;
    if (purpose !== undefined) return 'A browser fetched the login link in advance. Open it.';
    if (seconds > 0) {
      note(request, 'too many tries');
      return `More than ${signInsPerMinute} sign-ins from this address in a minute. Retry in ${seconds} s.`;
    }
    const token = code === '' || code.length > codeLengthMax ? undefined : await useLoginCode(sessions, code);
    if (token !== undefined && (await signIn(request, reply, token))) return undefined;
    note(request, 'a login link that is wrong, used or expired');
    return 'The login link is wrong, was used before, or has expired. Sign in with a token, or restart the service for a new link.';
  }
}
