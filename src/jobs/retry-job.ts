import { z } from 'zod';
import { UserError } from '../core/errors.ts';
import type { Job } from '../core/job.ts';
import type { RetryRefusal } from '../core/stores.ts';
import {
  type CreateJobOptions,
  type CreateJobParts,
  idempotencyOf,
  type JobOwner,
  keyReused,
  parseBody,
  tooManyJobs,
} from './create-job.ts';
import { getJob, jobNotFound } from './get-job.ts';
import { cookiesInput, headersInput, toRequestHeaders } from './headers-input.ts';
import { newJobId } from './job-id.ts';
import { jobInputSchema } from './job-input.ts';
import { dataExpired } from './list-urls.ts';
import { parseWebhookUrl } from './webhook-url.ts';

/** What a retry cannot take from the job: headers are forgotten at its end, and its webhook has been told that it is over. */
export const retryInputSchema = z.strictObject(
  { headers: headersInput, cookies: cookiesInput, webhook_url: jobInputSchema.shape.webhook_url },
  { error: (issue) => (issue.code === 'invalid_type' ? 'Send a JSON object, or no body.' : undefined) },
);

/**
 * A new job that crawls what failed in one that has ended, with its options, and what hangs behind it. What the ended job has
 * already is not crawled again. Throws a `UserError` that says what to change.
 */
export async function retryJob(
  parts: CreateJobParts,
  caller: JobOwner,
  id: string,
  body: unknown,
  options: CreateJobOptions = {},
): Promise<Job> {
  const input = parseBody(retryInputSchema, body ?? {});
  const webhookUrl = typeof input.webhook_url === 'string' ? parseWebhookUrl(input.webhook_url, parts) : undefined;
  const { spec } = await getJob(parts.jobs, caller.org, id);
  if (!spec.respectRobots && !caller.permissions.includes('ignore_robots')) throw mayNotIgnoreRobots();
  const now = Date.now();
  const job = await parts.jobs.retry(caller.org, id, {
    id: newJobId(now),
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
        'The job has not ended. Wait for its end, or cancel it; then what failed can be crawled again.',
      );
    case 'expired':
      return dataExpired();
    case 'nothing_failed':
      return new UserError('nothing_to_retry', 'No URL of this job failed, so there is nothing to crawl again.');
    case 'too_many':
      return tooManyJobs(jobsPerOrg);
    case 'conflict':
      return keyReused();
  }
}

function mayNotIgnoreRobots(): UserError {
  return new UserError(
    'permission_denied',
    'The job does not respect robots.txt, so retrying it needs a token with the permission `ignore_robots`. The operator can make one: `hayrake token create --permissions read,write,ignore_robots`.',
  );
}
