import { randomUUID } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import swagger from '@fastify/swagger';
import fastify from 'fastify';
import {
  jsonSchemaTransform,
  jsonSchemaTransformObject,
  validatorCompiler,
  type ZodTypeProvider,
} from 'fastify-type-provider-zod';
import { ExitError, UserError } from '../core/errors.ts';
import type { Log } from '../core/ports/log.ts';
import type { SessionStore } from '../core/ports/stores.ts';
import { isLoopback } from '../core/process/loopback.ts';
import { Admission } from './guard/admission.ts';
import type { Callers } from './guard/authenticate.ts';
import { affordable, limitConnections } from './guard/connection-limits.ts';
import { dropBody } from './drop-body.ts';
import {
  type ApiLimits,
  bodyBytesMax,
  headBytesMax,
  headSecondsMax,
  keepAliveSeconds,
  requestSecondsMax,
} from './limits.ts';
import { allowOrigins } from './guard/cors.ts';
import { Endpoints, methodNotAllowed } from './guard/endpoints.ts';
import { refuseMisdirected } from './guard/misdirected.ts';
import { createCrawlerRefusal } from './guard/refuse-crawlers.ts';
import { parseJsonBody } from './parse-json-body.ts';
import { compressJson } from './response/compress.ts';
import { sendProblem, toUserError } from './response/problem.ts';
import { refuseConnection } from './guard/refuse-connection.ts';
import { refuseUnknownParameters } from './guard/unknown-parameters.ts';
import { describeApi, info, servers, tags } from './routes/describe-api.ts';
import { registerDocsPage } from './routes/docs-page.ts';
import { registerDropped } from './routes/dropped.ts';
import { registerErase } from './routes/erase.ts';
import { registerEvents } from './routes/events.ts';
import { registerExplore } from './routes/explore.ts';
import { registerExports } from './routes/exports.ts';
import { registerHealth } from './routes/health.ts';
import { registerChanges } from './routes/changes.ts';
import { registerDiffs } from './routes/diffs.ts';
import { registerScheduleFeed } from './routes/schedule-feed.ts';
import { registerRules } from './routes/rules.ts';
import { registerJobChanges } from './routes/jobs/change-jobs.ts';
import { registerJobCreation } from './routes/jobs/create-jobs.ts';
import { registerUrls } from './routes/jobs/list-urls.ts';
import { registerPreview } from './routes/jobs/preview-job.ts';
import { registerJobReads } from './routes/jobs/read-jobs.ts';
import { registerMcp } from './routes/mcp.ts';
import { registerLoader } from './routes/loader.ts';
import { registerMetrics } from './routes/metrics.ts';
import { registerReader } from './routes/reader.ts';
import { registerResults } from './routes/results.ts';
import { registerDashboard } from './routes/dashboard.ts';
import { registerSearch } from './routes/search.ts';
import { registerSchedules } from './routes/schedules.ts';
import { registerScraper } from './routes/scraper.ts';
import { registerSessions } from './routes/sessions.ts';
import { registerRaw } from './routes/raw.ts';
import { registerScreenshots } from './routes/screenshots.ts';
import { registerSystem } from './routes/system.ts';
import { registerTokens } from './routes/tokens.ts';
import { registerWebhooks } from './routes/webhooks.ts';
import type { Api, Service } from './service.ts';

export interface ServerOptions {
  readonly version: string;
  readonly authenticator: Callers;
  readonly sessions: SessionStore;
  readonly log: Log;
  readonly limits: ApiLimits;
  /** The address that the server will listen on. */
  readonly host: string;
  /** Where clients reach the service, if that is not the `Host` of their requests. */
  readonly publicUrl?: string | undefined;
  /** Origins whose pages may use the API in a browser; `*` is all of them. @default none */
  readonly corsOrigins?: readonly string[];
  /** Registers routes in the shape of other APIs, before the service listens. */
  readonly facades?: (api: Api, service: Service) => void;
  /** Returns true for requests whose connection becomes something else than HTTP. @default none */
  readonly isUpgrade?: (request: IncomingMessage) => boolean;
  /** Serves health and metrics only. */
  readonly healthOnly?: boolean;
  /** The handler is called by its own process, and serves jobs only: no document, no `HEAD`. @default a service */
  readonly local?: LocalUse;
  /** Called after every response. */
  onAnswered?(answered: Answered): void;
}

/** What the process of a caller sees, and no other. */
export interface LocalUse {
  /** Gets each request that begins to be handled. A handler can outlast its response. */
  readonly onHandling: (done: Promise<unknown>) => void;
  /** Gets the error of a request, by `X-Request-Id`, that is none of the caller's. */
  readonly onError: (id: string, error: unknown) => void;
}

export interface Answered {
  readonly method: string;
  /** As registered, such as `/crawler/jobs/:id`; undefined if no route matched. */
  readonly route: string | undefined;
  readonly status: number;
  readonly ms: number;
}

/** A client's own id is kept, so that its log and ours have the same. */
const requestId = /^[\w.-]{1,64}$/;

/** Builds the API, not yet listening. Checks run in the order of the contract: caller, rate, request, existence. */
export async function createServer(service: Service, options: ServerOptions): Promise<Api> {
  const api = openServer(options);
  acceptJsonOnly(api);
  compressJson(api);
  admitRequests(api, options);
  answerErrors(api, options);
  if (options.local) watchHandlers(api, options.local);
  else await describe(api, options.version);
  if (options.healthOnly !== true) registerRoutes(api, service, options);
  if (!options.local) {
    registerHealth(api, service);
    registerMetrics(api, service, { public: isLoopback(options.host) });
  }
  await api.ready();
  return api;
}

async function describe(api: Api, version: string): Promise<void> {
  await api.register(swagger, {
    openapi: {
      openapi: '3.1.0',
      info: { ...info, version },
      servers,
      tags,
      components: { securitySchemes: { bearer: { type: 'http', scheme: 'bearer' } } },
      security: [{ bearer: [] }],
    },
    transform: jsonSchemaTransform,
    transformObject: (document) => describeApi(jsonSchemaTransformObject(document)),
  });
}

function watchHandlers(api: Api, { onHandling }: LocalUse): void {
  api.addHook('onRoute', (route) => {
    const { handler } = route;
    route.handler = function (request, reply) {
      const done = Promise.resolve(handler.call(this, request, reply));
      onHandling(done.catch(() => {}));
      return done;
    };
  });
}

function openServer({ isUpgrade, local }: ServerOptions): Api {
  return fastify({
    exposeHeadRoutes: local === undefined,
    bodyLimit: bodyBytesMax,
    // Time to receive a whole request; a response can take as long as it waits for pages.
    requestTimeout: requestSecondsMax * 1000,
    keepAliveTimeout: keepAliveSeconds * 1000,
    genReqId: ({ headers }) => {
      const given = headers['x-request-id'];
      return typeof given === 'string' && requestId.test(given) ? given : randomUUID();
    },
    forceCloseConnections: 'idle',
    http: {
      headersTimeout: headSecondsMax * 1000,
      connectionsCheckingInterval: 2_000,
      maxHeaderSize: headBytesMax,
      // Refused below; Node's refusal carries no explanation.
      requireHostHeader: false,
      // Clients offer upgrades on any request, such as to HTTP/2, and expect a plain response.
      shouldUpgradeCallback: (request: IncomingMessage) => isUpgrade?.(request) ?? false,
    },
    // An id that is too long or cannot be decoded counts as unknown.
    routerOptions: { maxParamLength: headBytesMax, ignoreTrailingSlash: true, ignoreDuplicateSlashes: true },
    rewriteUrl: ({ url = '/' }) => (isDecodable(url) ? url : url.replaceAll('%', '%25')),
    // While stopping, requests on open connections still get a response; then the connections are closed.
    return503OnClosing: false,
    clientErrorHandler: refuseConnection,
    // Given here, so that the framework does not load its own: 30 ms of processor time at each start.
    schemaController: {
      compilersFactory: {
        buildValidator: () => validatorCompiler as never,
        buildSerializer: () => () => (value) => JSON.stringify(value),
      },
    },
  }).withTypeProvider<ZodTypeProvider>();
}

/** The hooks of a request, in the order of the contract: caller, rate, parameters. */
function admitRequests(api: Api, options: ServerOptions): void {
  const isSurplus = limitConnections(api, affordable(options.limits.connections));
  api.decorateRequest('caller', undefined);
  const refuseCrawler = createCrawlerRefusal(options.log);
  const admission = new Admission(options, options.limits);
  const endpoints = new Endpoints(api);
  api.addHook('onRequest', async (request, reply) => {
    reply.header('x-request-id', request.id).header('x-content-type-options', 'nosniff');
    try {
      refuseCrawler(request.raw);
      refuseMisdirected(request.raw, options.host);
      if (isSurplus(request.raw.socket))
        throw new UserError('overloaded', 'All connections are in use. Try again in a few seconds.');
    } catch (error) {
      reply.header('connection', 'close');
      throw error;
    }
  });
  allowOrigins(api, options.corsOrigins ?? []);
  api.addHook('onRequest', async (request, reply) => {
    const known = request.is404 ? endpoints.findOther(request.method, request.originalUrl) : undefined;
    if (!request.is404) request.caller = await admission.admit(request, reply, request.routeOptions.config);
    else if (known) {
      await admission.admit(request, reply, { public: known.public, permission: 'none' });
      throw methodNotAllowed(request.method, known, reply);
    }
  });
  api.addHook('preValidation', async (request) => {
    if (!request.is404) refuseUnknownParameters(request);
  });
  api.addHook('onResponse', async ({ method, routeOptions, is404 }, { statusCode, elapsedTime }) =>
    options.onAnswered?.({ method, route: is404 ? undefined : routeOptions.url, status: statusCode, ms: elapsedTime }),
  );
}

function answerErrors(api: Api, { log, local }: ServerOptions): void {
  api.setNotFoundHandler((request, reply) =>
    sendProblem(
      request,
      reply,
      new UserError(
        'not_found',
        `There is no ${request.method} ${request.originalUrl.slice(0, 200)}. /openapi.json lists all endpoints.`,
      ),
    ),
  );
  api.setErrorHandler(async (error, request, reply) => {
    const known = toUserError(error);
    if (!known || error instanceof ExitError) local?.onError(request.id, error);
    if (known) {
      if (known.code === 'body_too_large') await dropBody(request.raw);
      // The store has logged it already, once for all refused requests.
      if (known.code === 'unavailable' && known !== error)
        log.debug('the database failed', { requestId: request.id, error });
      return sendProblem(request, reply, known);
    }
    if (!local)
      log.error('request failed', { requestId: request.id, method: request.method, url: request.originalUrl, error });
    return sendProblem(
      request,
      reply,
      new UserError('internal', `An internal error occurred. Find it in the log by the request id ${request.id}.`),
    );
  });
}

function registerRoutes(api: Api, service: Service, options: ServerOptions): void {
  registerJobCreation(api, service);
  registerPreview(api, service);
  registerJobReads(api, service);
  registerJobChanges(api, service);
  registerUrls(api, service);
  registerResults(api, service);
  registerChanges(api, service);
  registerScheduleFeed(api, service);
  registerDiffs(api, service);
  registerRules(api, service);
  registerSearch(api, service);
  registerScreenshots(api, service);
  registerRaw(api, service);
  registerDropped(api, service);
  registerErase(api, service);
  registerEvents(api, service);
  registerExplore(api, service);
  registerExports(api, { service, log: options.log, version: options.version });
  registerSchedules(api, service);
  registerScraper(api, service);
  registerMcp(api, service, options);
  if (options.local) return;
  registerLoader(api, service);
  registerReader(api, service, options.publicUrl);
  registerWebhooks(api, service);
  registerDocsPage(api);
  registerSessions(api, options);
  registerTokens(api, service);
  registerSystem(api, service, options.version);
  registerDashboard(api);
  options.facades?.(api, service);
}

function acceptJsonOnly(api: Api): void {
  api.removeAllContentTypeParsers();
  api.addContentTypeParser<Buffer>('application/json', { parseAs: 'buffer' }, async (_request: unknown, body: Buffer) =>
    parseJsonBody(body),
  );
}

/** Returns true if the router can decode the path. */
function isDecodable(url: string): boolean {
  try {
    decodeURIComponent(url.split('?', 1)[0] ?? '');
    return true;
  } catch {
    return false;
  }
}
