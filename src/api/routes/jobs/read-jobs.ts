import { hash } from 'node:crypto';
import { z } from 'zod';
import { getJob } from '../../../jobs/get-job.ts';
import { listedKinds, listedStatuses, listJobs } from '../../../jobs/list-jobs.ts';
import { viewJob } from '../../response/job-view.ts';
import { matchesTag } from '../../response/negotiation.ts';
import { type Api, callerOf, type Service } from '../../service.ts';
import { job, jobList, jobParams, limit, cursor, optionalStatus, partOfUrl, withCursor } from '../schemas.ts';

const tags = ['jobs'];

export function registerJobReads(api: Api, service: Service): void {
  api.get(
    '/crawler/jobs',
    {
      schema: {
        tags,
        operationId: 'listJobs',
        summary: 'List jobs, newest first',
        description:
          'With `q`, a response can have fewer jobs than `limit`, or none, although more remain: one request looks at the next 1,000 jobs. Continue as long as there is a cursor.',
        querystring: z.object({
          limit,
          cursor,
          status: optionalStatus(
            listedStatuses,
            'Only jobs in this state. `stopped`: those with `stoppedAt`, which `running` and `starting` also list.',
          ),
          kind: optionalStatus(listedKinds, 'Only jobs of this kind. Without it: all but `scrape`.'),
          q: partOfUrl('Only jobs with a start URL that contains this; ASCII letters match in upper and lower case.'),
        }),
        response: { 200: jobList },
      },
    },
    async (request) => {
      const { jobs, counts, isCut, cursor: next } = await listJobs(service, callerOf(request).org, request.query);
      return { data: jobs.map(viewJob), counts, ...(isCut && { countsCut: true as const }), ...withCursor(next) };
    },
  );

  api.get(
    '/crawler/jobs/:id',
    {
      schema: {
        tags,
        operationId: 'getJob',
        summary: 'Get a job',
        description: 'Never waits, and its `ETag` changes only with the job, so polling with `If-None-Match` is cheap.',
        params: jobParams,
        response: {
          200: job,
          304: z.null().describe('The job is the one with the `ETag` of `If-None-Match`.'),
        },
      },
    },
    async (request, reply) => {
      const text = JSON.stringify(viewJob(await getJob(service.jobs, callerOf(request).org, request.params.id)));
      // Everybody polls it.
      const tag = `W/"${hash('sha256', text, 'hex').slice(0, 32)}"`;
      reply.header('etag', tag).header('cache-control', 'private, no-cache');
      if (matchesTag(request.headers['if-none-match'], tag)) return reply.code(304).send(null);
      return reply.header('content-type', 'application/json; charset=utf-8').send(text as never);
    },
  );
}
