import { randomUUID } from 'node:crypto';
import swagger from '@fastify/swagger';
import fastify from 'fastify';
import {
  jsonSchemaTransform,
  jsonSchemaTransformObject,
  validatorCompiler,
  type ZodTypeProvider,
} from 'fastify-type-provider-zod';
import { UserError } from '../core/errors.ts';
import type { Log } from '../core/log.ts';
import { type Authenticator, requirePermission } from './authenticate.ts';
import { dropBody } from './drop-body.ts';
import { parseJsonBody } from './parse-json-body.ts';
import { sendProblem, toUserError } from './problem.ts';
import { refuseConnection } from './refuse-connection.ts';
import { registerHealth } from './routes/health.ts';
import { registerJobs } from './routes/jobs.ts';
import { registerResults } from './routes/results.ts';
import { registerScraper } from './routes/scraper.ts';
import type { Api, Service } from './service.ts';

const bodyBytesMax = 2 ** 20;
/** Request line and headers together. */
const headBytesMax = 16 * 1024;

export interface ServerOptions {
  readonly version: string;
  readonly authenticator: Authenticator;
  readonly log: Log;
}

/** The API, not yet listening. Checks come in the order of the contract: who, what is asked, whether it is there. */
export async function createServer(service: Service, options: ServerOptions): Promise<Api> {
  const { authenticator, log } = options;
  const api: Api = fastify({
    bodyLimit: bodyBytesMax,
    // Time to receive a whole request; answers may take as long as they wait for pages.
    requestTimeout: 30_000,
    genReqId: () => randomUUID(),
    forceCloseConnections: 'idle',
    http: {
      headersTimeout: 10_000,
      connectionsCheckingInterval: 2_000,
      maxHeaderSize: headBytesMax,
      // Refused below, since Node would do so without a word.
      requireHostHeader: false,
    },
    // An id that is too long or cannot be decoded is an unknown one like any other.
    routerOptions: { maxParamLength: headBytesMax },
    rewriteUrl: ({ url = '/' }) => (isDecodable(url) ? url : url.replaceAll('%', '%25')),
    // While stopping, what comes in over open connections is still answered; then they are closed.
    return503OnClosing: false,
    clientErrorHandler: refuseConnection,
  }).withTypeProvider<ZodTypeProvider>();

  api.setValidatorCompiler(validatorCompiler);
  api.setSerializerCompiler(() => (value) => JSON.stringify(value));
  acceptJsonOnly(api);
  closeIdleConnections(api);
  api.decorateRequest('caller', undefined);

  api.addHook('onRequest', async (request, reply) => {
    reply.header('x-request-id', request.id).header('x-content-type-options', 'nosniff');
    if (request.raw.headersDistinct['host']?.length !== 1 && request.raw.httpVersion === '1.1') {
      reply.header('connection', 'close');
      throw new UserError('bad_request', 'Send the header `Host`, once.');
    }
    if (request.routeOptions.config.public === true || request.is404) return;
    request.caller = await authenticator.callerOf(request);
    requirePermission(request.caller, request.routeOptions.config.permission ?? 'read');
  });
  api.setNotFoundHandler((request, reply) =>
    sendProblem(
      request,
      reply,
      new UserError(
        'not_found',
        `There is no ${request.method} ${request.originalUrl.slice(0, 200)}. /openapi.json lists what there is.`,
      ),
    ),
  );
  api.setErrorHandler(async (error, request, reply) => {
    const known = toUserError(error);
    if (known) {
      if (known.code === 'body_too_large') await dropBody(request.raw);
      if (known.code === 'unavailable' && known !== error)
        log.error('the store failed', { requestId: request.id, error });
      return sendProblem(request, reply, known);
    }
    log.error('request failed', { requestId: request.id, method: request.method, url: request.url, error });
    return sendProblem(
      request,
      reply,
      new UserError('internal', `Something went wrong. The log has it under the request id ${request.id}.`),
    );
  });

  await api.register(swagger, {
    openapi: {
      openapi: '3.1.0',
      info: { title: 'hayrake', version: options.version, description: 'Give it a site, read back every page.' },
      components: { securitySchemes: { bearer: { type: 'http', scheme: 'bearer' } } },
      security: [{ bearer: [] }],
    },
    transform: jsonSchemaTransform,
    transformObject: jsonSchemaTransformObject,
  });
  registerJobs(api, service);
  registerResults(api, service);
  registerScraper(api, service);
  registerHealth(api, service);
  await api.ready();
  return api;
}

function acceptJsonOnly(api: Api): void {
  api.removeAllContentTypeParsers();
  api.addContentTypeParser<Buffer>('application/json', { parseAs: 'buffer' }, async (_request: unknown, body: Buffer) =>
    parseJsonBody(body),
  );
}

/**
 * When the server begins to stop, closes the connections on which nothing is being answered. Node would wait for those that
 * were opened in advance and never used, as proxies and browsers do.
 */
function closeIdleConnections(api: Api): void {
  const idle = new Set<{ destroy(): void }>();
  api.server.on('connection', (socket) => {
    idle.add(socket);
    socket.once('close', () => idle.delete(socket));
  });
  api.addHook('onRequest', async ({ raw }) => void idle.delete(raw.socket));
  api.addHook('onResponse', async ({ raw }) => {
    if (!raw.socket.destroyed) idle.add(raw.socket);
  });
  api.addHook('preClose', async () => {
    for (const socket of idle) socket.destroy();
  });
}

/** Whether the router can take the path apart. */
function isDecodable(url: string): boolean {
  try {
    decodeURIComponent(url.split('?', 1)[0] ?? '');
    return true;
  } catch {
    return false;
  }
}
