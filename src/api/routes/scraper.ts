// Scrapes one page at once: the response is the page.
import { UserError } from '../../core/errors.ts';
import { scrapePage } from '../../jobs/scrape-page.ts';
import { scrapeInput } from '../../options/inputs.ts';
import { problemAnswer, scrapeAnswer } from './schemas.ts';
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
        response: { 200: scrapeAnswer, '4xx': problemAnswer, 503: problemAnswer },
      },
    },
    async (request, reply) => {
      if (service.isCrawling?.() === false)
        throw unavailable('This process does not crawl at the moment, so it cannot fetch the page. Try again later.');
      const answer = await scrapePage(service, callerOf(request), request.body, goneSignal(reply.raw, service));
      if (!answer) throw unavailable('The service stopped before it had the page. Try again later.');
      return reply.header('cache-control', 'no-store').send(answer);
    },
  );
}

function unavailable(message: string): UserError {
  return new UserError('unavailable', message);
}
