// Compresses JSON and metrics that are at hand as a whole. Results and exports compress themselves, since their texts are stored
// compressed.
import { constants, gzip } from 'node:zlib';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Api } from '../service.ts';
import { acceptsGzip } from './negotiation.ts';

/** Smaller ones fit into one packet anyway. */
const bytesMin = 1_024;
/** Larger ones are compressed with less effort: 10 MiB take 0.1 s instead of 0.4 s. */
const largeBytes = 2 ** 20;

/**
 * Adds `Content-Encoding: gzip` where the client accepts it, and `Cache-Control: private, no-cache` where a route said
 * nothing. A response with a secret is never compressed: the length of one that repeats a part of the request would tell
 * about the secret (BREACH).
 */
export function compressJson(api: Api): void {
  // With a callback, since the heads of streams must be written in the turn in which they are sent.
  api.addHook('onSend', (request, reply, payload: unknown, done) => {
    if (!isPackable(reply) || !(typeof payload === 'string' || Buffer.isBuffer(payload))) return done(null, payload);
    if (reply.statusCode < 300 && !reply.hasHeader('cache-control')) reply.header('cache-control', 'private, no-cache');
    if (hasSecret(request, reply)) return done(null, payload);
    addVary(reply, 'accept-encoding');
    const size = Buffer.byteLength(payload);
    const isPacked = reply.hasHeader('content-encoding');
    if (size < bytesMin || isPacked || request.method === 'HEAD' || !acceptsGzip(codingsOf(request)))
      return done(null, payload);
    const level = size > largeBytes ? constants.Z_BEST_SPEED : constants.Z_DEFAULT_COMPRESSION;
    gzip(payload, { level }, (error, packed) => {
      if (error) return done(error);
      reply.header('content-encoding', 'gzip').header('content-length', String(packed.length));
      return done(null, packed);
    });
  });
}

function codingsOf({ headers }: FastifyRequest): string | undefined {
  return headers['accept-encoding']?.toString();
}

/** Adds a name to `Vary`, if it is not there. */
export function addVary(reply: FastifyReply, name: string): void {
  const given = reply.getHeader('vary');
  const names = typeof given === 'string' ? given.split(/\s*,\s*/) : [];
  if (!names.some((one) => one.toLowerCase() === name)) reply.header('vary', [...names, name].join(', '));
}

/** JSON, and the metrics for Prometheus. */
function isPackable(reply: FastifyReply): boolean {
  const type = reply.getHeader('content-type');
  return typeof type === 'string' && /^(?:application\/(?:[\w.-]+\+)?json\b|text\/plain; version=)/i.test(type);
}

function hasSecret({ routeOptions }: FastifyRequest, reply: FastifyReply): boolean {
  return routeOptions.config.hasSecret === true || reply.hasHeader('set-cookie');
}
