import type { NewJob } from '../../core/ports/stores.ts';
import type { Schedule, ScheduleSecrets } from '../../core/schedule.ts';
import { type CreateJobParts, newJobOf } from '../create-job.ts';
import { parseJob } from './schedule-input.ts';

/** What it takes to make jobs of schedules. There is no limit of jobs: a schedule has one unfinished run at most. */
export type RunParts = Omit<CreateJobParts, 'jobs' | 'jobsPerOrg'>;

/** The run of a schedule, not yet stored. Throws a `UserError` if its writer may not have it, or a URL is not allowed. */
export async function runOf(
  { destinations, hasBrowser, webhookHttp, outputExpirySeconds }: RunParts,
  { id, org, job, writer }: Pick<Schedule, 'id' | 'org' | 'job' | 'writer'>,
  secrets: ScheduleSecrets,
): Promise<NewJob & { readonly schedule: string }> {
  const parts = {
    destinations,
    hasBrowser,
    ...(webhookHttp !== undefined && { webhookHttp }),
    ...(outputExpirySeconds !== undefined && { outputExpirySeconds }),
  };
  // mutant run-has-every-permission, security: `permissions: writer.permissions` -> `permissions: ['read', 'write', 'ignore_robots', 'high_priority', 'operate']`; service/schedules
  const owner = { org, permissions: writer.permissions };
  return { ...(await newJobOf(parts, owner, parseJob(withSecrets(job, secrets)))), schedule: id };
}

/** The request with its headers and cookies. */
function withSecrets(
  job: Readonly<Record<string, unknown>>,
  { headers, cookies }: ScheduleSecrets,
): Readonly<Record<string, unknown>> {
  return {
    ...job,
    ...(Object.keys(headers).length > 0 && { headers }),
    ...(Object.keys(cookies).length > 0 && { cookies }),
  };
}
