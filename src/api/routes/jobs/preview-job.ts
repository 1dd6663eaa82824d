import { UserError } from '../../../core/errors.ts';
import { type LinkPreview, previewFetchesMax, previewMsMax } from '../../../core/ports/preview.ts';
import { previewJob } from '../../../jobs/preview-job.ts';
import { jobInput } from '../../../options/inputs.ts';
import { type Api, callerOf, goneSignal, type Service } from '../../service.ts';
import { crawlPreview } from '../preview-schemas.ts';
import { problemAnswer } from '../schemas.ts';
import { validateParams } from '../validate-params.ts';

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
        response: { 200: crawlPreview, 503: problemAnswer },
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
      const preview = await previewJob({ ...service, previewer }, callerOf(request), request.body, signal);
      if (!preview) throw new UserError('unavailable', 'The service stopped before the preview was ready. Try again.');
      const { first, ...links } = preview.links;
      const data = first.map(viewLink);
      const { needsBrowser, ...page } = preview.page;
      return reply.header('cache-control', 'no-store').send({
        ...preview,
        page: needsBrowser === true ? { ...page, needsBrowser } : page,
        links: { ...links, data },
      });
    },
  );
}

function viewLink({ url, reason, detail }: LinkPreview) {
  if (reason === undefined) return { url, verdict: 'follow' as const };
  return { url, verdict: 'discard' as const, reason, ...(detail !== undefined && { detail }) };
}
