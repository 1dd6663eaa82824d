// The external web loader of Open WebUI: a list of URLs in, a list of pages out. One failed URL never fails the call, since
// the client would lose the others.
import { maybe } from '../../core/resource.ts';
import { z } from 'zod';
import { UserError } from '../../core/errors.ts';
import { scrapePage } from '../../jobs/scrape-page.ts';
import { type Api, callerOf, goneSignal, type Service } from '../service.ts';
import { problemResponse } from './schemas.ts';
import { refuseIfIdle } from './idle.ts';

/** The client sends 20 at most. */
const urlsMax = 100;

const body = z.strictObject({
  urls: z
    .array(z.string({ error: 'Give a URL.' }), { error: `Give a list of 1 to ${urlsMax} URLs.` })
    .min(1, `Give a list of 1 to ${urlsMax} URLs.`)
    .max(urlsMax, `Give a list of 1 to ${urlsMax} URLs.`)
    .describe('The pages: absolute http or https URLs.'),
});

const loadedPage = z.object({
  page_content: z.string().describe('The page in Markdown; empty if it could not be read.'),
  metadata: z.object({
    source: z.string().describe('The URL as it was given.'),
    title: z.string().optional(),
    description: z.string().optional(),
    language: z.string().optional(),
    error: maybe(z.string(), 'Why the page could not be read.'),
  }),
});
type LoadedPage = z.output<typeof loadedPage>;

export function registerLoader(api: Api, service: Service): void {
  api.post(
    '/loader',
    {
      config: { permission: 'write', waits: true, beginsWork: true },
      schema: {
        tags: ['scraper'],
        operationId: 'loadPages',
        summary: 'Fetch and convert several pages, and return them: the external web loader of Open WebUI',
        description:
          'Returns 200 with one entry for each URL, in their order. A page that could not be read within `HAYRAKE_LOADER_SECONDS` (30) has an empty `page_content` and its `error`.',
        body,
        response: { 200: z.array(loadedPage), 503: problemResponse },
      },
    },
    async (request, reply) => {
      refuseIfIdle(service);
      const caller = callerOf(request);
      const signal = goneSignal(reply.raw, service);
      const { loaderSeconds: secondsMax } = service;
      const deadline = performance.now() + secondsMax * 1_000;
      const load = async (url: string): Promise<LoadedPage> => {
        const seconds = Math.ceil((deadline - performance.now()) / 1_000);
        if (seconds < 1) return failed(url, `The page was not fetched within ${secondsMax} s.`);
        try {
          const response = await scrapePage(service, caller, { url, timeout: seconds }, signal);
          if (!response) return failed(url, 'The service stopped before it had the page.');
          if (response.status === 'failed') return failed(url, response.error.detail);
          const { title, description, language } = response.meta;
          return {
            page_content: response.text,
            metadata: { source: url, title, description, ...(typeof language === 'string' && { language }) },
          };
        } catch (error) {
          // Such as a URL that may not be fetched. Everything else is a failure of the service.
          if (error instanceof UserError) return failed(url, error.message);
          throw error;
        }
      };
      // All at once, so that no page waits for one of a slow host. Each host gets its own pace.
      const pages = await Promise.all(request.body.urls.map(load));
      return reply.header('cache-control', 'no-store').send(pages);
    },
  );
}

function failed(url: string, error: string): LoadedPage {
  return { page_content: '', metadata: { source: url, error } };
}
