// Forgetting one page.
import { z } from 'zod';
import { erasePage } from '../../jobs/erase-page.ts';
import { type Api, callerOf, type Service } from '../service.ts';
import { pageParams, problemResponse } from './schemas.ts';

const erased = z
  .object({
    page: z.int().describe('The number of the page, which it keeps.'),
    erasedAt: z.int().describe('When the page was erased first. In milliseconds since the epoch.'),
    url: z.boolean().describe('Whether this request erased the URL too.'),
    jobs: z
      .array(z.string())
      .readonly()
      .describe('All jobs that have forgotten the page: this one, and those that are made from each other.'),
  })
  .meta({ id: 'Erased' });

export function registerErase(api: Api, service: Service): void {
  api.post(
    '/crawler/jobs/:id/pages/:page/erase',
    {
      config: { permission: 'write' },
      schema: {
        tags: ['results'],
        operationId: 'erasePage',
        summary: 'Erase one page',
        description:
          'Text, metadata, screenshot, raw body and the words of the search forget the page; its row stays, with an empty `text`, `title` and `description` and with `erasedAt`, so numbers and cursors stay exact. The same for the page with this URL in every job that was made from this one, or that this one was made from: by `since`, a schedule, a retry or a re-extraction. What a model taught of its site is forgotten too. All or nothing, and repeatable. It cannot be undone. With `url` also its URL, before and after redirects, in the ledger, findings and notices: `about:erased` stands there. That needs the end of all jobs that have the URL (409 `job_not_ended`). A start URL stays in the request of the job, and other pages keep their links. Backups of before have the page.',
        params: pageParams,
        body: z
          .strictObject({ url: z.boolean().default(false).describe('Erase the URL too.') })
          .nullish()
          .describe('Can be left out.'),
        response: { 200: erased, 503: problemResponse },
      },
    },
    async (request) => {
      const { id, page } = request.params;
      const { erasedAt, withUrl, jobs } = await erasePage(
        service,
        callerOf(request).org,
        id,
        page,
        request.body?.url ?? false,
      );
      return { page: Number(page), erasedAt, url: withUrl, jobs };
    },
  );
}
