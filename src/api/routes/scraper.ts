// One page at once, the URLs of a site at once, and many pages as one job.
import { scrapePage } from '../../jobs/scrape-page.ts';
import { createBatch } from '../../jobs/create-batch.ts';
import { mapSite } from '../../jobs/map-site.ts';
import { batchInput, mapInput, scrapeInput } from '../../options/inputs.ts';
import { viewJob } from '../response/job-view.ts';
import { batchBytesMax } from '../limits.ts';
import { refuseIfIdle, unavailable, stoppedEarly } from './idle.ts';
import { idempotency, idempotencyHeader } from './idempotency.ts';
import { job, problemResponse, scrapeResponse, siteMap } from './schemas.ts';
import { validateParams } from './validate-params.ts';
import { type Api, callerOf, goneSignal, type Service } from '../service.ts';

export function registerScraper(api: Api, service: Service): void {
  api.post(
    '/scraper/scrape',
    {
      config: { permission: 'write', waits: true, beginsWork: true },
      // `scrapePage` validates the body, the same for every caller; the schemas here only document it.
      validatorCompiler: validateParams,
      schema: {
        tags: ['scraper'],
        operationId: 'scrapePage',
        summary: 'Fetch and convert one page, and return it',
        description:
          'Returns 200 whether or not the page could be fetched: `status` gives the outcome, `error` the reason. The request is a job of one page, ' +
          'with robots.txt, politeness and retries as in any job. It is cancelled when `timeout` expires or the client disconnects.',
        body: scrapeInput,
        response: { 200: scrapeResponse, 503: problemResponse },
      },
    },
    async (request, reply) => {
      refuseIfIdle(service);
      const response = await scrapePage(service, callerOf(request), request.body, goneSignal(reply.raw, service));
      if (!response) throw stoppedEarly();
      return reply.header('cache-control', 'no-store').send(response);
    },
  );

  api.post(
    '/scraper/map',
    {
      config: { permission: 'write', waits: true, beginsWork: true },
      // `mapSite` validates the body.
      validatorCompiler: validateParams,
      schema: {
        tags: ['scraper'],
        operationId: 'mapSite',
        summary: 'List the URLs of a site, from its sitemaps and the links of one page',
        description:
          'Fetches robots.txt, the sitemaps and this page, and no other page. Returns 200 with what was found by the end of `timeout`; `truncated` says if URLs can be missing. The request is a job of kind `map`, with robots.txt, politeness and retries as in any job.',
        body: mapInput,
        response: { 200: siteMap, 503: problemResponse },
      },
    },
    async (request, reply) => {
      refuseIfIdle(service);
      const map = await mapSite(service, callerOf(request), request.body, goneSignal(reply.raw, service));
      if (!map) throw unavailable('The service stopped before it had read the site. Try again later.');
      const { urls, truncatedBy, notices, findings, ...rest } = map;
      return reply.header('cache-control', 'no-store').send({
        ...rest,
        data: urls.map(({ url, lastmod }) => (lastmod === null ? { url } : { url, lastmod })),
        truncated: truncatedBy !== undefined,
        ...(truncatedBy !== undefined && { truncatedBy }),
        notices: [...notices],
        findings: [...findings],
      });
    },
  );

  api.post(
    '/scraper/batch',
    {
      config: { permission: 'write', beginsWork: true },
      bodyLimit: batchBytesMax,
      // `createBatch` validates the body.
      validatorCompiler: validateParams,
      schema: {
        tags: ['scraper'],
        operationId: 'createBatch',
        summary: 'Fetch and convert up to 10,000 pages as one job',
        description:
          'Creates a job of kind `batch` that fetches these URLs and follows no links. `GET /crawler/jobs/{id}/urls` lists each distinct URL with its outcome; the notice `duplicate_urls` counts the others. `urls` of the job has the first URL of each site. `Idempotency-Key` makes repeating safe.',
        headers: idempotencyHeader,
        body: batchInput,
        response: { 200: job },
      },
    },
    async (request, reply) => {
      const key = idempotency(request.headers['idempotency-key']);
      const created = await createBatch(service, callerOf(request), request.body, key);
      return reply.header('location', `/crawler/jobs/${created.id}`).send(viewJob(created));
    },
  );
}
