// A facade for clients of the Firecrawl API, versions 2 and 1, on top of our own verbs. docs/firecrawl.md says what each
// field does. Written from observed requests of the clients.
import type { FastifyReply, FastifyRequest } from 'fastify';
import { toUserError } from '../api/response/problem.ts';
import { cutOffWhenSlow } from '../api/response/cut-off-when-slow.ts';
import { Endpoints, methodNotAllowed } from '../api/guard/endpoints.ts';
import { dropBody } from '../api/drop-body.ts';
import { batchBytesMax } from '../api/limits.ts';
import { onceGone } from '../api/once-gone.ts';
import { refuseIfIdle, stoppedEarly } from '../api/routes/idle.ts';
import { type Api, callerOf, goneSignal, type Service } from '../api/service.ts';
import { hasEnded, type Job } from '../core/job.ts';
import type { Log } from '../core/ports/log.ts';
import { changeJob } from '../jobs/change-job.ts';
import { createBatch } from '../jobs/create-batch.ts';
import { createJob } from '../jobs/create-job.ts';
import { getJob } from '../jobs/get-job.ts';
import { listJobs } from '../jobs/list-jobs.ts';
import { mapSite } from '../jobs/map-site.ts';
import { scrapePage } from '../jobs/scrape-page.ts';
import { parseGivenUrl } from '../url/given-url.ts';
import { badRequest, FacadeError, fromScrapeError, fromUserError, sendFacadeError } from './facade-error.ts';
import type { FacadeOptions } from './facade-options.ts';
import { jobIdOf, uuidOf } from './job-ids.ts';
import { listErrors } from './list-errors.ts';
import { documentBytesMax, readStatus, type StatusQuery, takeRoom } from './read-status.ts';
import { batchRequest, crawlRequest, mapRequest, scrapeRequest, type Translated, withScheme } from './requests.ts';
import { readScrape, scrapedPage } from './read-scrape.ts';
import { search } from './search.ts';
import { toDocument } from './to-document.ts';
import { watchJobs } from './watch.ts';

type Version = 'v1' | 'v2';
const versions: readonly Version[] = ['v2', 'v1'];
/** In the document of our own API they would be noise: docs/firecrawl.md describes them. */
const schema = { hide: true };
const read = { config: { ignoresUnknownParameters: true, waitsItsTurn: true }, schema };
const write = { config: { permission: 'write', ignoresUnknownParameters: true }, schema } as const;
const begin = { config: { ...write.config, beginsWork: true }, schema } as const;
const wait = { config: { ...begin.config, waits: true }, schema } as const;
/** There are no credits here. Clients compare with what they need. */
const credits = 1_000_000_000;

export function registerFirecrawl(api: Api, service: Service, options: FacadeOptions): void {
  watchJobs(api, service, options);
  api.register(async (facade: Api) => {
    facade.setErrorHandler(async (error, request, reply) =>
      sendFacadeError(reply, await asFacadeError(error, request, options.log)),
    );
    let known: Endpoints | undefined;
    // A scope of their own, so that `known` does not contain the paths for all others.
    facade.register(async (routes: Api) => {
      known = new Endpoints(routes);
      routes.addHook('onRequest', async (_request, reply) => void reply.header('cache-control', 'no-store'));
      for (const version of versions) registerVersion(routes, service, version, options);
    });
    const refuse = async (request: FastifyRequest, reply: FastifyReply): Promise<never> => {
      const endpoint = known?.findOther(request.method, request.originalUrl);
      if (endpoint) throw methodNotAllowed(request.method, endpoint, reply);
      const name = request.originalUrl.split('?', 1)[0]?.slice(0, 200) ?? '';
      const remedy = name.startsWith('/v0') ? ' Use /v1 or /v2.' : '';
      throw new FacadeError(404, 'NOT_FOUND', `${request.method} ${name} is not available on this server.${remedy}`);
    };
    // `onRequest`: before a body, whose type would be refused first.
    const refused = {
      config: { permission: 'none', ignoresUnknownParameters: true },
      schema,
      onRequest: refuse,
    } as const;
    for (const path of ['/v0/*', '/v1/*', '/v2/*']) facade.all(path, refused, refuse);
  });
}

function registerVersion(facade: Api, service: Service, version: Version, options: FacadeOptions): void {
  const base = (request: FastifyRequest): string => `${baseOf(request, options)}/${version}`;

  facade.post(`/${version}/scrape`, wait, async (request, reply) => {
    refuseIfIdle(service);
    const { body, warnings } = scrapeRequest(request.body);
    const response = await scrapePage(service, callerOf(request), body, goneSignal(reply.raw, service));
    if (!response) throw stoppedEarly();
    const { spec } = await getJob(service.jobs, callerOf(request).org, response.jobId);
    const id = uuidOf(response.jobId);
    const data = toDocument(scrapedPage(response), spec, id, warnings);
    return reply.send({
      success: true,
      data,
      scrape_id: id,
      ...(data.warning !== undefined && { warning: data.warning }),
    });
  });

  facade.post(`/${version}/search`, wait, (request, reply) =>
    search(service, options.askSearchEngine, version, request, reply),
  );

  // For as long as the job of a scrape is kept.
  facade.get(`/${version}/scrape/:id`, read, async (request, reply) =>
    reply.send(await readScrape(service, callerOf(request).org, idOf(request), goneSignal(reply.raw, service))),
  );

  facade.post(`/${version}/crawl`, begin, async (request, reply) => {
    const translated = crawlRequest(request.body);
    const created = await createJob(service, callerOf(request), translated.body, keyOf(request));
    return sendStarted(reply, service, created, translated, `${base(request)}/crawl`);
  });

  facade.post(`/${version}/batch/scrape`, { ...begin, bodyLimit: batchBytesMax }, async (request, reply) => {
    const translated = batchRequest(request.body);
    const { valid, invalid } = sorted(translated.body['urls'] as readonly string[], service);
    if (invalid.length > 0 && !translated.ignoresInvalid)
      throw badRequest(
        `\`urls\`: ${invalid.length} of them cannot be fetched, such as ${invalid[0]?.slice(0, 200) ?? ''}.`,
      );
    if (valid.length === 0) throw badRequest('`urls`: None of them can be fetched.');
    const urls = valid.map(withScheme);
    const created = await createBatch(service, callerOf(request), { ...translated.body, urls }, keyOf(request));
    const more = translated.ignoresInvalid ? { invalidURLs: invalid } : {};
    return sendStarted(reply, service, created, translated, `${base(request)}/batch/scrape`, more);
  });

  facade.post(`/${version}/map`, wait, async (request, reply) => {
    refuseIfIdle(service);
    const { body, warnings, search } = mapRequest(request.body);
    const map = await mapSite(service, callerOf(request), body, goneSignal(reply.raw, service), byWords(search));
    if (!map) throw stoppedEarly();
    if (map.status === 'failed' && map.error) throw fromScrapeError(map.error);
    const urls = map.urls.map(({ url }) => url);
    const isPartial = map.truncatedBy !== undefined && map.truncatedBy !== 'limit';
    const all = [
      ...warnings,
      ...(map.truncatedBy === 'limit'
        ? [`The site has more URLs: this is the list up to its \`limit\` of ${urls.length}.`]
        : []),
      ...(isPartial ? ['URLs can be missing: part of the site could not be read in time.'] : []),
    ];
    return reply.send({
      success: true,
      id: uuidOf(map.jobId),
      links: version === 'v1' ? urls : urls.map((url) => ({ url })),
      ...(all.length > 0 && { warning: all.join(' ') }),
    });
  });

  // Before `/crawl/:id`, which would take `active` for an id.
  facade.get(`/${version}/crawl/active`, read, async (request, reply) => {
    const { org } = callerOf(request);
    const lists = await Promise.all(
      (['running', 'starting'] as const).map((status) => listJobs(service, org, { limit: 400, status, kind: 'crawl' })),
    );
    const crawls = lists
      .flatMap(({ jobs }) => jobs)
      .map(({ id, spec, createdAt }) => ({
        id: uuidOf(id),
        teamId: org,
        team_id: org,
        url: spec.urls[0] ?? '',
        created_at: new Date(createdAt).toISOString(),
        options: null,
      }));
    return reply.send({ success: true, crawls });
  });
  for (const path of ['/crawl', '/batch/scrape']) registerJob(facade, service, { version, path }, base);

  for (const path of ['/team/credit-usage', '/team/concurrency-check', '/concurrency-check', '/team/queue-status'])
    facade.get(`/${version}${path}`, read, async (request, reply) => {
      const { counts } = await listJobs(service, callerOf(request).org, { limit: 1 });
      const active = counts.running + counts.starting;
      return reply.send(teamResponse(path, active, service.jobsPerOrg ?? 0));
    });
}

function registerJob(
  facade: Api,
  service: Service,
  { version, path }: { readonly version: Version; readonly path: string },
  base: (request: FastifyRequest) => string,
): void {
  const route = `/${version}${path}/:id`;

  facade.get(route, read, async (request, reply) => {
    const { org } = callerOf(request);
    const id = idOf(request);
    const signal = goneSignal(reply.raw, service);
    const query = statusQuery(request.query as Readonly<Record<string, unknown>>);
    const room = await takeRoom(service, org, 2 * documentBytesMax, signal);
    onceGone(reply.raw, () => room.giveBack());
    const body = await readStatus(service, org, id, query, `${base(request)}${path}/${uuidOf(id)}`, signal);
    room.shrinkTo(2 * body.length);
    cutOffWhenSlow(reply.raw);
    return reply.header('content-type', 'application/json; charset=utf-8').send(body);
  });

  const errors = async (request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> =>
    reply.send(await listErrors(service, callerOf(request).org, idOf(request)));
  facade.get(`${route}/errors`, read, errors);
  // An SDK of version 1 reads the errors with this method.
  if (version === 'v1') facade.delete(`${route}/errors`, read, errors);

  facade.delete(route, write, async (request, reply) => {
    const { org } = callerOf(request);
    const id = idOf(request);
    const { status } = await getJob(service.jobs, org, id);
    if (hasEnded(status) && status !== 'cancelled')
      throw new FacadeError(409, 'JOB_ENDED', 'Crawl is already completed');
    await changeJob(service.jobs, 'cancel', org, id);
    return reply.send({ success: true, status: 'cancelled' });
  });
}

function idOf({ params }: { readonly params: unknown }): string {
  return jobIdOf((params as { readonly id: string }).id);
}

async function sendStarted(
  reply: FastifyReply,
  { jobs }: Service,
  { id }: Job,
  { warnings }: Translated,
  collection: string,
  more: object = {},
): Promise<FastifyReply> {
  const warning = warnings.join(' ');
  // Clients drop the warning of this answer, so the job keeps it.
  if (warning !== '') await jobs.addNotice(id, { code: 'fields_ignored', message: warning, at: Date.now() });
  const uuid = uuidOf(id);
  return reply.send({
    success: true,
    id: uuid,
    url: `${collection}/${uuid}`,
    ...more,
    ...(warning !== '' && { warning }),
  });
}

/** The URLs of a batch: those that can be fetched, and the others. */
function sorted(urls: readonly string[], { destinations }: Service) {
  const invalid = urls.filter((text) => {
    const parsed = parseGivenUrl(withScheme(text));
    return 'problem' in parsed || destinations.refusal(parsed.url) !== undefined;
  });
  const refused = new Set(invalid);
  return { invalid, valid: urls.filter((text) => !refused.has(text)) };
}

/** Ranks a URL by how many of the words it contains. Undefined without a word. */
function byWords(search: string): ((url: string) => number) | undefined {
  const words = search.toLowerCase().split(/\s+/).filter(Boolean).slice(0, 50);
  if (words.length === 0) return undefined;
  return (url) => {
    const text = url.toLowerCase();
    return words.filter((word) => text.includes(word)).length;
  };
}

function statusQuery(query: Readonly<Record<string, unknown>>): StatusQuery {
  const numberOf = (name: string, min: number): number | undefined => {
    const text = query[name];
    if (text === undefined || text === '') return undefined;
    if (typeof text === 'string' && /^\d{1,9}$/.test(text) && Number(text) >= min) return Number(text);
    throw badRequest(`\`${name}\`: Give a whole number of at least ${min}.`);
  };
  return { skip: numberOf('skip', 0), limit: numberOf('limit', 1) };
}

function keyOf({ headers }: FastifyRequest): { readonly idempotencyKey?: string } {
  const key = headers['x-idempotency-key'];
  if (key === undefined || key === '') return {};
  if (typeof key === 'string' && key.length <= 256) return { idempotencyKey: key };
  throw badRequest('`x-idempotency-key`: Give one key of at most 256 characters.');
}

/** Clients send their token to the URL that they get, so it never comes from a header that a proxy would pass on. */
function baseOf({ headers }: FastifyRequest, { publicUrl }: FacadeOptions): string {
  if (publicUrl !== undefined) return publicUrl;
  const url = URL.parse(`http://${headers.host ?? ''}`);
  if (!url || url.pathname !== '/' || url.search !== '' || url.username !== '')
    throw badRequest('The `Host` header is not a host name.');
  return url.origin;
}

function teamResponse(path: string, active: number, jobsPerOrg: number): object {
  if (path === '/team/credit-usage') {
    const data = {
      remainingCredits: credits,
      planCredits: credits,
      billingPeriodStart: null,
      billingPeriodEnd: null,
      remaining_credits: credits,
      plan_credits: credits,
    };
    return { success: true, data };
  }
  const maxConcurrency = jobsPerOrg;
  if (path.endsWith('/concurrency-check')) return { success: true, concurrency: active, maxConcurrency };
  return {
    success: true,
    jobsInQueue: active,
    activeJobsInQueue: active,
    waitingJobsInQueue: 0,
    maxConcurrency,
    mostRecentSuccess: null,
  };
}

async function asFacadeError(error: unknown, request: FastifyRequest, log: Log): Promise<FacadeError> {
  if (error instanceof FacadeError) return error;
  const known = toUserError(error);
  if (known?.code === 'body_too_large') await dropBody(request.raw);
  if (known) return fromUserError(known);
  log.error('request failed', { requestId: request.id, method: request.method, url: request.originalUrl, error });
  return new FacadeError(
    500,
    'INTERNAL',
    `An internal error occurred. Find it in the log by the request id ${request.id}.`,
  );
}
