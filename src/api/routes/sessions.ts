// Browser sessions: a cookie besides bearer tokens, for the dashboard.
import { invalidToken } from '../guard/authenticate.ts';
import { z } from 'zod';
import { UserError } from '../../core/errors.ts';
import { permissions } from '../../core/permissions.ts';
import { clearSessionCookie, dashboardHeader, isFromDashboard } from '../guard/session-cookie.ts';
import { type SignInParts, SignIns, tooManySignIns } from '../guard/sign-ins.ts';
import { sendDashboard, wantsPage } from './dashboard.ts';
import { noBody } from './schemas.ts';
import { type Api, callerOf } from '../service.ts';

const tags = ['sessions'];
/** No token required. */
const security = [] as const;

export function registerSessions(api: Api, parts: SignInParts): void {
  const signIns = new SignIns(parts);
  registerSignIn(api, parts, signIns);
  registerOwnSession(api, parts);
  registerLoginLink(api, signIns);
}

function registerSignIn(api: Api, { authenticator }: SignInParts, signIns: SignIns): void {
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
        response: { 204: z.null().describe('Signed in.') },
      },
    },
    async (request, reply) => {
      if (!isFromDashboard(request))
        throw new UserError(
          'sign_in_refused',
          `Only the dashboard can sign a browser in: send \`${dashboardHeader}: 1\`, from the same origin.`,
        );
      const seconds = signIns.secondsToWait(request);
      if (seconds > 0) {
        reply.header('retry-after', String(seconds));
        throw new UserError('rate_limited', tooManySignIns(seconds));
      }
      const caller = await authenticator.find(request.body.token.trim());
      if (!caller || !(await signIns.begin(request, reply, caller.token))) {
        signIns.noteRefusal(request, 'wrong token');
        throw invalidToken();
      }
      return reply.header('cache-control', 'no-store').code(204).send(null);
    },
  );
}

function registerOwnSession(api: Api, { sessions }: SignInParts): void {
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
        response: { 204: z.null().describe('Signed out.') },
      },
    },
    async (request, reply) => {
      const { session } = callerOf(request);
      if (session) await sessions.remove(session.hash);
      clearSessionCookie(request, reply);
      return reply.header('clear-site-data', '"cache"').code(204).send(null);
    },
  );
}

function registerLoginLink(api: Api, signIns: SignIns): void {
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
      const seconds = signIns.secondsToWait(request);
      const refusal = await signIns.byCode(request, reply, code, seconds);
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
}
