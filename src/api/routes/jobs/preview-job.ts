import { z } from 'zod';
import { UserError } from '../../../core/errors.ts';
import { crawlPreview, previewFetchesMax, previewMsMax } from '../../../core/ports/preview.ts';
import { previewJob } from '../../../jobs/preview-job.ts';
import { jobInput } from '../../../options/inputs.ts';
import { type Api, callerOf, goneSignal, type Service } from '../../service.ts';
import { pageMetadata, problemResponse } from '../schemas.ts';
import { validateParams } from '../validate-params.ts';

const preview = crawlPreview(z, pageMetadata).meta({ id: 'CrawlPreview' });

export function registerPreview(api: Api, service: Service): void {
  api.post(
    '/crawler/jobs/preview',
    {
      config: { permission: 'write', waits: true, beginsWork: true },
      // `previewJob` validates the body like `createJob`.
      validatorCompiler: validateParams,
      schema: {
        tags: ['jobs'],
        operationId: 'previewJob',
        summary: 'Show what a job would begin with, and store nothing',
        description: `Takes the body of \`POST /crawler/jobs\`. Fetches robots.txt, the first start URL and a sitemap: at most ${previewFetchesMax} requests in ${previewMsMax / 1000} seconds, at the pace of the host. Returns 200 whatever the site responds. Needs a process that crawls: others return 503.`,
        body: jobInput,
        response: { 200: preview, 503: problemResponse },
      },
    },
    async (request, reply) => {
      const previewer = service.previewer();
      if (!previewer)
        throw new UserError(
          'unavailable',
          'This process does not crawl, so it does not know the pace of the site. Send the request to a process that does: `hayrake serve`.',
        );
      const signal = goneSignal(reply.raw, service);
      const found = await previewJob({ ...service, previewer }, callerOf(request), request.body, signal);
      if (!found) throw new UserError('unavailable', 'The service stopped before the preview was ready. Try again.');
      return reply.header('cache-control', 'no-store').send(found);
    },
  );
}
