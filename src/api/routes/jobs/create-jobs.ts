// Requests that create a job: from a body, or from an earlier job.
import { createJob } from '../../../jobs/create-job.ts';
import { reextractJob } from '../../../jobs/reextract-job.ts';
import { retryJob } from '../../../jobs/retry-job.ts';
import { jobInputShown, reextractInput, retryInput } from '../../../options/inputs.ts';
import { viewJob } from '../../response/job-view.ts';
import { type Api, callerOf, type Service } from '../../service.ts';
import { idempotency, idempotencyHeader } from '../idempotency.ts';
import { job, jobParams } from '../schemas.ts';
import { validateParams } from '../validate-params.ts';

const row = {
  config: { permission: 'write', beginsWork: true },
  // The verb validates the body, the same for every caller; the schemas here only document it.
  validatorCompiler: validateParams,
} as const;
const shared = {
  tags: ['jobs'],
  headers: idempotencyHeader,
  response: { 200: job },
};

export function registerJobCreation(api: Api, service: Service): void {
  api.post(
    '/crawler/jobs',
    {
      ...row,
      schema: {
        ...shared,
        operationId: 'createJob',
        summary: 'Create a job',
        description:
          'The job is on disk before the response is sent. `Idempotency-Key` (at most 256 characters, kept 24 hours) makes repeating safe.',
        body: jobInputShown,
      },
    },
    async (request, reply) => {
      const key = idempotency(request.headers['idempotency-key']);
      const created = await createJob(service, callerOf(request), request.body, key);
      return reply.header('location', `/crawler/jobs/${created.id}`).send(viewJob(created));
    },
  );

  for (const { verb, path, ...texts } of fromEarlier)
    api.post(
      `/crawler/jobs/:id/${path}`,
      { ...row, schema: { ...shared, ...texts, params: jobParams } },
      async (request, reply) => {
        const key = idempotency(request.headers['idempotency-key']);
        const created = await verb(service, callerOf(request), request.params.id, request.body, key);
        return reply.header('location', `/crawler/jobs/${created.id}`).send(viewJob(created));
      },
    );
}

const fromEarlier = [
  {
    path: 'retry',
    verb: retryJob,
    operationId: 'retryJob',
    summary: 'Crawl again what failed in a job that has ended',
    description:
      'Creates a new job (`retryOf`) with the options of the original, which stays as it is. The new job delivers the missing pages and those reached through them, and no page that the original already has. The body is optional. `Idempotency-Key` (at most 256 characters, kept 24 hours) makes repeating safe.',
    body: retryInput.nullish(),
  },
  {
    path: 'reextract',
    verb: reextractJob,
    operationId: 'reextractJob',
    summary: 'Convert the pages of a job again, without a request to the site',
    description:
      'Creates a new job (`reextractOf`) from the raw bodies of one with `store_raw` that has ended. Options of content, format and shape, and `extract`, that the body names replace those of the original; all others are refused. Pages keep their numbers: none is discarded or joined, and one that cannot be converted is empty, with the reason `no_raw` in the ledger and a finding. `Idempotency-Key` (at most 256 characters, kept 24 hours) makes repeating safe.',
    body: reextractInput.nullish(),
  },
];
