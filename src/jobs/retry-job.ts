import { UserError } from '../core/errors.ts';
import type { Job } from '../core/job.ts';
import type { RetryRefusal } from '../core/ports/stores.ts';
import { retryInput } from '../options/inputs.ts';
import { optionsIn } from '../options/job-spec.ts';
import {
  type CreateJobOptions,
  browserMissing,
  noModel,
  type CreateJobParts,
  idempotencyOf,
  type JobOwner,
  keyReused,
  tooManyJobs,
} from './create-job.ts';
import { checkPermissionsOfSpec } from './check-permissions.ts';
import { dataExpired, getJob, jobNotFound } from './get-job.ts';
import { newJobId } from './job-id.ts';
import { parseInput } from './parse-input.ts';
import { toRequestHeaders } from './request-headers.ts';
import { namesSent } from '../options/names-sent.ts';
import { parseWebhookUrl } from './webhook-url.ts';

/**
 * Creates a job that crawls the failed URLs of an ended job again, with its options, and follows the links found there.
 * URLs that the ended job already has are not crawled again. Headers, cookies and the webhook are not copied: the first
 * two were deleted when the job ended, and its webhook has received the end. Throws a `UserError` that says what to
 * change.
 */
export async function retryJob(
  parts: CreateJobParts,
  caller: JobOwner,
  id: string,
  body: unknown,
  options: CreateJobOptions = {},
): Promise<Job> {
  const input = parseInput(retryInput, 'retry', body ?? {});
  const webhookUrl = typeof input.webhook_url === 'string' ? parseWebhookUrl(input.webhook_url, parts) : undefined;
  const { spec: original } = await getJob(parts.jobs, caller.org, id);
  const spec = { ...optionsIn(original), ...namesSent(input) };
  checkPermissionsOfSpec(spec, caller.permissions);
  if (spec.useBrowser === true && !(await parts.hasBrowser())) throw browserMissing();
  if (spec.extract?.model === true && parts.hasModel !== true) throw noModel();
  const now = Date.now();
  const job = await parts.jobs.retry(caller.org, id, {
    id: newJobId(now),
    spec,
    createdAt: now,
    headers: toRequestHeaders(input.headers, input.cookies),
    ...(webhookUrl !== undefined && { webhookUrl }),
    ...(parts.jobsPerOrg !== undefined && { unfinishedMax: parts.jobsPerOrg }),
    ...idempotencyOf(options, { retryOf: id, ...input }),
  });
  if (typeof job === 'string') throw refused(job, parts);
  return job;
}

function refused(refusal: RetryRefusal, { jobsPerOrg = 0 }: CreateJobParts): UserError {
  switch (refusal) {
    case 'unknown':
      return jobNotFound();
    case 'running':
      return new UserError(
        'job_not_ended',
        'The job has not ended. Wait for its end or cancel it before you retry it.',
      );
    case 'expired':
      return dataExpired();
    case 'nothing_failed':
      return new UserError('nothing_to_retry', 'No URL of this job failed, so there is nothing to retry.');
    case 'too_many':
      return tooManyJobs(jobsPerOrg);
    case 'conflict':
      return keyReused();
  }
}
