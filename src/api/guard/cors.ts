// Cross-origin requests of browsers (`HAYRAKE_CORS_ORIGINS`). They carry a token and never a session: credentials are not
// allowed, and the header by which the dashboard shows itself is not among those that another origin can send.
import type { FastifyReply } from 'fastify';
import { addVary } from '../response/compress.ts';
import type { Api } from '../service.ts';

const allowedHeaders =
  'Authorization, Content-Type, Idempotency-Key, If-None-Match, Last-Event-ID, Mcp-Protocol-Version, Mcp-Session-Id, Range, X-Idempotency-Key, X-Request-Id';
const exposedHeaders =
  'ETag, Link, Location, RateLimit, RateLimit-Policy, Retry-After, X-Job-Status, X-Pages, X-Request-Id';
const allowedMethods = 'GET, HEAD, POST, PATCH, DELETE';
/** How long a browser keeps the response to a preflight. Chromium keeps none longer. */
const keptSeconds = 7_200;

export function allowOrigins(api: Api, origins: readonly string[]): void {
  if (origins.length === 0) return;
  api.addHook('onRequest', async (request, reply) => {
    const { origin } = request.headers;
    addVary(reply, 'origin');
    const allowed = origins.includes('*') ? '*' : origins.find((one) => one === origin);
    if (origin === undefined || allowed === undefined) return;
    reply.header('access-control-allow-origin', allowed).header('access-control-expose-headers', exposedHeaders);
    const isPreflight = request.method === 'OPTIONS' && request.headers['access-control-request-method'] !== undefined;
    if (isPreflight) await answerPreflight(reply);
  });
}

function answerPreflight(reply: FastifyReply): FastifyReply {
  return reply
    .code(204)
    .header('access-control-allow-methods', allowedMethods)
    .header('access-control-allow-headers', allowedHeaders)
    .header('access-control-max-age', String(keptSeconds))
    .send();
}
