// The dashboard: static files for browsers. All data comes from the API.
import { gunzipSync } from 'node:zlib';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { UserError } from '../../core/errors.ts';
import { acceptsGzip, matchesTag } from '../response/negotiation.ts';
import { type DashboardFile, loadDashboard } from './dashboard-files.ts';
import type { Api } from '../service.ts';

/** Paths that the dashboard shows. A link to one of them opens it there. */
const pages = [
  '/new',
  '/jobs/:id',
  '/jobs/:id/:view',
  '/schedules',
  '/hosts',
  '/webhooks',
  '/tokens',
  '/system',
] as const;

/**
 * Nothing but its own files runs and loads. Trusted Types refuse text that would become code; the policy `hayrake` is for
 * the frame in which pages are read, which runs nothing either.
 */
const policy = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' data:",
  "connect-src 'self'",
  "font-src 'self'",
  "frame-src 'self'",
  "base-uri 'none'",
  "form-action 'self'",
  "frame-ancestors 'none'",
  "require-trusted-types-for 'script'",
  'trusted-types hayrake',
].join('; ');

/** A year. */
const immutableSeconds = 31_536_000;

const config = { public: 'uncounted', ignoresUnknownParameters: true } as const;
const schema = { hide: true };

export function registerDashboard(api: Api): void {
  api.get('/', { config, schema }, async (request, reply) => {
    reply.header('vary', 'Accept');
    if (wantsPage(request)) return sendDashboard(request, reply, 'index.html');
    return reply.send({ name: 'hayrake', openapi: '/openapi.json', dashboard: 'Open this URL in a browser.' });
  });
  for (const page of pages)
    api.get(page, { config, schema }, async (request, reply) => {
      if (!wantsPage(request)) return reply.callNotFound();
      return sendDashboard(request, reply, 'index.html');
    });
  api.get<{ Params: { name: string } }>('/assets/:name', { config, schema }, async (request, reply) =>
    sendDashboard(request, reply, request.params.name),
  );
}

/** Returns true for a browser that opens a page; false for API clients, which take anything. */
export function wantsPage({ raw: { headers } }: FastifyRequest): boolean {
  return headers.accept?.includes('text/html') === true;
}

let files: Promise<ReadonlyMap<string, DashboardFile>> | undefined;

/** Sends one of the dashboard's files, with what a browser may do with it. */
export async function sendDashboard(request: FastifyRequest, reply: FastifyReply, name: string): Promise<FastifyReply> {
  // After a failure the next request tries again.
  files ??= loadDashboard().catch((error: unknown) => {
    files = undefined;
    throw error;
  });
  const file = (await files).get(name);
  if (!file) throw new UserError('not_found', 'The dashboard has no such file. Reload it: it may have been upgraded.');
  const { gzipped, type, tag, isImmutable } = file;
  reply
    .header('etag', tag)
    .header('vary', name === 'index.html' ? 'Accept, Accept-Encoding' : 'Accept-Encoding')
    .header('cross-origin-opener-policy', 'same-origin')
    // The frame in which pages are read has no origin, and loads its style.
    .header('cross-origin-resource-policy', type.startsWith('text/css') ? 'cross-origin' : 'same-origin')
    .header('referrer-policy', 'no-referrer')
    // Browsers look up the names of links in advance, which would tell name servers what is read.
    .header('x-dns-prefetch-control', 'off');
  if (!reply.hasHeader('cache-control'))
    reply.header('cache-control', isImmutable ? `public, max-age=${immutableSeconds}, immutable` : 'no-cache');
  if (name === 'index.html') reply.header('content-security-policy', policy).header('x-frame-options', 'DENY');
  if (reply.statusCode === 200 && matchesTag(request.headers['if-none-match'], tag)) return reply.code(304).send();
  reply.type(type);
  if (!acceptsGzip(request.headers['accept-encoding']?.toString())) return reply.send(gunzipSync(gzipped));
  return reply.header('content-encoding', 'gzip').send(gzipped);
}
