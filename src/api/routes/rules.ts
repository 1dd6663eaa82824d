// Where the values of a job stand.
import { readRules } from '../../jobs/read-rules.ts';
import { type Api, callerOf, type Service } from '../service.ts';
import { jobParams, rules } from './schemas.ts';

export function registerRules(api: Api, service: Service): void {
  api.get(
    '/crawler/jobs/:id/extract',
    {
      schema: {
        tags: ['results'],
        operationId: 'readRules',
        summary: 'How many pages of a job with `extract` have a value, and where values stand',
        description:
          '`values` counts the pages with a value of each field. For each site the rules that a model taught so far, and how often they agreed with the model. `fields` has all places, those that the job was given included: send it as `fields` of the next job, which then needs no model. A job without `extract` is 409 (`no_records`).',
        params: jobParams,
        response: { 200: rules },
      },
    },
    (request) => readRules(service, callerOf(request).org, request.params.id),
  );
}
