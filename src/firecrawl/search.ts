// `POST /search`: results of the operator's search engine, scraped if the request has `scrapeOptions`.
import type { FastifyReply, FastifyRequest } from 'fastify';
import { refuseIfIdle } from '../api/routes/idle.ts';
import { callerOf, goneSignal, type Service } from '../api/service.ts';
import { UserError } from '../core/errors.ts';
import { getJob } from '../jobs/get-job.ts';
import { scrapePage } from '../jobs/scrape-page.ts';
import { FacadeError } from './facade-error.ts';
import { uuidOf } from './job-ids.ts';
import { scrapedPage } from './read-scrape.ts';
import { searchRequest } from './search-request.ts';
import { toDocument } from './to-document.ts';
import { type AskSearchEngine, searchWeb, type WebResult } from './web-search.ts';

export async function search(
  service: Service,
  ask: AskSearchEngine | undefined,
  version: 'v1' | 'v2',
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<FastifyReply> {
  if (!ask)
    throw new FacadeError(
      400,
      'SEARCH_NOT_CONFIGURED',
      'This service has no search engine. Its operator sets HAYRAKE_WEB_SEARCH_URL to one.',
    );
  const { query, limit, timeoutMs, scrape, warnings } = searchRequest(request.body);
  if (scrape) refuseIfIdle(service);
  const gone = goneSignal(reply.raw, service);
  const deadline = performance.now() + timeoutMs;
  const results = await searchWeb(ask, query, limit, AbortSignal.any([gone, AbortSignal.timeout(timeoutMs)]));
  const read = async (found: WebResult, index: number): Promise<object> => {
    const result = version === 'v1' ? found : { ...found, position: index + 1 };
    const seconds = Math.ceil((deadline - performance.now()) / 1_000);
    if (!scrape || seconds < 1) return result;
    return { ...result, ...(await documentOf(service, request, { ...scrape(result.url), timeout: seconds }, gone)) };
  };
  const web = await Promise.all(results.map(read));
  return reply.send({
    success: true,
    data: version === 'v1' ? web : { web },
    ...(warnings.length > 0 && { warning: warnings.join(' ') }),
  });
}

/** The document of one result. A page that cannot be read must not lose the others. */
async function documentOf(
  service: Service,
  request: FastifyRequest,
  body: Record<string, unknown>,
  signal: AbortSignal,
): Promise<object> {
  const failed = (error: string): object => ({ warning: error, metadata: { error, sourceURL: body['url'] } });
  try {
    const response = await scrapePage(service, callerOf(request), body, signal);
    if (!response) return failed('The service stopped before it had the page.');
    const { spec } = await getJob(service.jobs, callerOf(request).org, response.jobId);
    return toDocument(scrapedPage(response), spec, uuidOf(response.jobId));
  } catch (error) {
    if (error instanceof UserError || error instanceof FacadeError) return failed(error.message);
    throw error;
  }
}
