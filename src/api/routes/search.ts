import { z } from 'zod';
import { queryLengthMax, searchPages } from '../../jobs/search-pages.ts';
import { indexWaitSeconds } from '../limits.ts';
import { type Api, callerOf, type Service } from '../service.ts';
import { cursor, jobParams, searchResults, wholeNumber, withCursor } from './schemas.ts';

const parameters = z.object({
  q: z
    .string({ error: 'Give the words to search for, once.' })
    .describe(
      'Words, and phrases in double quotes. A page must have all of them. Case and accents do not count. The last word also finds longer words, unless it is quoted. Nothing else has a meaning.',
    )
    .meta({ minLength: 1, maxLength: queryLengthMax }),
  limit: wholeNumber('limit', { min: 1, max: 100, default: 20, description: 'Maximum number of hits. Default: 20.' }),
  cursor,
});

export function registerSearch(api: Api, service: Service): void {
  api.get(
    '/crawler/jobs/:id/search',
    {
      config: { waits: true },
      schema: {
        tags: ['results'],
        operationId: 'searchPages',
        summary: 'Search the pages of a job',
        description:
          'The best hits first, at most 1,000. The first search of a job indexes its pages, and later ones those that were committed since. While that takes longer than a few seconds, the response covers the pages indexed so far: `indexedPages` of `pages`. Repeat the request to cover more.',
        params: jobParams,
        querystring: parameters,
        response: { 200: searchResults },
      },
    },
    async (request, reply) => {
      const { q: text, limit, cursor } = request.query;
      const found = await searchPages(service, callerOf(request).org, request.params.id, {
        text,
        limit,
        waitMs: indexWaitSeconds * 1000,
        cursor,
      });
      reply.header('x-job-status', found.status);
      return {
        data: found.hits.map((hit) => ({
          ...hit,
          snippet: hit.snippet.map((part) => part.text).join(''),
          snippetParts: hit.snippet,
        })),
        pages: found.pages,
        indexedPages: found.indexedPages,
        ...(found.damagedPages > 0 && { damagedPages: found.damagedPages }),
        ...withCursor(found.cursor),
      };
    },
  );
}
