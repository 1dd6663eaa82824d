// What was left out of a page.
import { z } from 'zod';
import { readDropped } from '../../jobs/read-dropped.ts';
import { type Api, callerOf, goneSignal, type Service } from '../service.ts';
import { refuseIfIdle, stoppedEarly } from './idle.ts';
import { pageParams, problemAnswer } from './schemas.ts';

const dropped = z
  .object({
    page: z.int().describe('The number of the page, as in `/data`.'),
    url: z.string(),
    data: z
      .array(
        z.object({
          rule: z
            .string()
            .describe(
              'The name of the rule. `outside-content`: it stands outside the element that is the content. `selectors`: `exclude_elements` or `include_elements`. `rest`: all texts after the first 999.',
            ),
          text: z.string().describe('Its beginning, at most 500 characters. Plain text from the page.'),
          words: z.int().describe('Words of all of it.'),
        }),
      )
      .readonly()
      .describe('In the order of the page.'),
    words: z.int().describe('Words of all of them.'),
    refetchedAt: z
      .int()
      .optional()
      .describe(
        'When the page was requested again, in milliseconds since the epoch. Absent if it was read from its raw body.',
      ),
    sameText: z
      .boolean()
      .describe('False if the page now has another text than the stored one, so that other parts can be left out.'),
  })
  .meta({ id: 'Dropped' });

export function registerDropped(api: Api, service: Service): void {
  api.get(
    '/crawler/jobs/:id/pages/:page/dropped',
    {
      config: { permission: 'write', waits: true, beginsWork: true },
      schema: {
        tags: ['results'],
        operationId: 'readDropped',
        summary: 'What was left out of a page, and by which rule',
        description:
          'Reads the raw body of the page, if the job was created with `store_raw`. Otherwise requests the page once more, with the options of the job: its headers and cookies too, until it ends. Needs `write`, because it is a job of one page: robots.txt, politeness and retries apply, and `page_unreadable` says why the page cannot be read again within 60 s. A page that was rendered is rendered again. To keep a part, crawl with `include_elements` or `content: full`.',
        params: pageParams,
        response: { 200: dropped, '4xx': problemAnswer, 503: problemAnswer },
      },
    },
    async (request, reply) => {
      refuseIfIdle(service);
      const { id, page } = request.params;
      const signal = goneSignal(reply.raw, service);
      const answer = await readDropped(service, callerOf(request), id, page, signal);
      if (!answer) throw stoppedEarly();
      return reply.header('cache-control', 'no-store').send(answer);
    },
  );
}
