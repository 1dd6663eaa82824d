// Requests that change a job and return it as it then is. All can be repeated.
import { z } from 'zod';
import { changeJob, setExpiry } from '../../../jobs/change-job.ts';
import { outputExpiry } from '../../../options/schemas.ts';
import { viewJob } from '../../response/job-view.ts';
import { type Api, callerOf, type Service } from '../../service.ts';
import { job, jobParams, noBody, flag } from '../schemas.ts';

const shared = { tags: ['jobs'], params: jobParams, response: { 200: job } };

export function registerJobChanges(api: Api, service: Service): void {
  for (const { verb, method, path, beginsWork, ...texts } of verbs)
    api.route({
      method,
      url: `/crawler/jobs/:id${path}`,
      config: { permission: 'write', beginsWork },
      schema: { ...shared, ...texts, body: noBody },
      handler: async (request) =>
        viewJob(await changeJob(service.jobs, verb, callerOf(request).org, request.params.id)),
    });

  api.patch(
    '/crawler/jobs/:id',
    { config: { permission: 'write' }, schema: { ...shared, ...expiry } },
    async (request) => {
      const { params, body, query } = request;
      const { org } = callerOf(request);
      return viewJob(await setExpiry(service.jobs, org, params.id, body.output_expiry, query.confirm));
    },
  );
}

const verbs = [
  {
    method: 'POST',
    path: '/cancel',
    verb: 'cancel',
    beginsWork: false,
    operationId: 'cancelJob',
    summary: 'Cancel a job; committed pages stay readable',
    description: 'URLs that are left are `discarded` as `cancelled`. Repeatable; a job that has ended stays as it is.',
  },
  {
    method: 'POST',
    path: '/stop',
    verb: 'stop',
    beginsWork: false,
    operationId: 'stopJob',
    summary: 'Stop a crawl until it is resumed; a job that has ended stays as it is',
    description:
      'As Ctrl-C in the terminal: requests in flight are finished, no other is sent, and `stoppedAt` is set. The status stays as it was. `resume` continues the crawl from there.',
  },
  {
    method: 'POST',
    path: '/resume',
    verb: 'resume',
    beginsWork: true,
    operationId: 'resumeJob',
    summary: 'Continue a crawl that was stopped; any other job stays as it is',
    description: 'Continues a crawl whose `stoppedAt` is set, from where it stopped.',
  },
  {
    method: 'DELETE',
    path: '',
    verb: 'delete',
    beginsWork: false,
    operationId: 'deleteJob',
    summary: 'Cancel a job and delete its results',
    description: 'Deletes pages, screenshots and the ledger. The job stays readable, and its results are a 410.',
  },
] as const;

const expiry = {
  operationId: 'setExpiry',
  summary: 'Change how long the results of an ended job are kept',
  description:
    'Only `output_expiry` can be changed. Repeatable. A job that runs is 409 (`job_not_ended`), one whose results are gone 410. A time in the past needs `confirm=true`, and removes the results.',
  querystring: z.object({
    confirm: flag('`true`: a time in the past is meant.'),
  }),
  body: z.strictObject({
    output_expiry: outputExpiry().describe(
      "Seconds for which the results are kept, counted from the job's end; `null`: until they are deleted.",
    ),
  }),
};
