// What was left out of a page.
import { z } from 'zod';
import { readDropped } from '../../jobs/read-dropped.ts';
import { type Api, callerOf, goneSignal, type Service } from '../service.ts';
import { droppedTexts, pageParams, problemResponse } from './schemas.ts';

const dropped = z
  .object({
    page: z.int().describe('The number of the page, as in `/data`.'),
    url: z.string(),
    data: droppedTexts,
    words: z.int().describe('Words of all of them.'),
  })
  .meta({ id: 'Dropped' });

export function registerDropped(api: Api, service: Service): void {
  api.get(
    '/crawler/jobs/:id/pages/:page/dropped',
    {
      config: { waits: true, beginsWork: true },
      schema: {
        tags: ['results'],
        operationId: 'readDropped',
        summary: 'What was left out of a page, and by which rule',
        description:
          'Reads the raw body of the page with the options of its job. Without `store_raw` there is none (`no_raw`): scrape the page with `formats: ["dropped"]`. To keep a part, crawl with `include_elements` or `content: full`.',
        params: pageParams,
        response: { 200: dropped, '5xx': problemResponse },
      },
    },
    async (request, reply) => {
      const { id, page } = request.params;
      const signal = goneSignal(reply.raw, service);
      return reply.send(await readDropped(service, callerOf(request).org, id, page, signal));
    },
  );
}
