// A job with `since`: what it takes over from the earlier job.
import { UserError } from '../core/errors.ts';
import { hasEnded, type Job } from '../core/job.ts';
import type { JobStore } from '../core/ports/stores.ts';
import { optionsOf } from '../options/inputs.ts';
import { shownOptions } from '../options/shown.ts';
import { dataExpired, getJob } from './get-job.ts';
import { invalidBody } from './parse-input.ts';

/** Fields that a job with `since` does not take over. */
const notInherited: ReadonlySet<string> = new Set([
  'headers',
  'cookies',
  'webhook_url',
  'since',
  'deliver',
  'priority',
]);

/** Returns the earlier job that a body names; undefined if it names none. Throws a `UserError` if it cannot be used. */
export async function earlierJobOf(jobs: JobStore, org: string, body: unknown): Promise<Job | undefined> {
  const since = typeof body === 'object' && body !== null && 'since' in body ? body.since : undefined;
  if (typeof since !== 'string') return undefined;
  const earlier = await getJob(jobs, org, since);
  const problem = (message: string): UserError => invalidBody([{ field: 'since', message }]);
  if (earlier.kind !== 'crawl' && earlier.kind !== 'batch')
    throw problem(`The job is a ${earlier.kind}. Name a crawl or a batch.`);
  if (!hasEnded(earlier.status))
    throw new UserError(
      'job_not_ended',
      'The job that `since` names has not ended. Wait for its end or cancel it first.',
    );
  if (earlier.areResultsGone) throw dataExpired();
  if (earlier.isSeeding)
    throw problem(
      `The job was cancelled before it had the pages of its own \`since\`. Name that one: ${earlier.spec.baseline?.of ?? ''}.`,
    );
  return earlier;
}

/** The body with the fields that it does not give. */
export function inheriting(body: object, earlier: Job): Record<string, unknown> {
  const shown: Readonly<Record<string, unknown>> = shownOptions(earlier);
  const inherited = optionsOf('crawl')
    .map(({ name }) => [name, shown[name]] as const)
    .filter(([name, value]) => !notInherited.has(name) && value !== null && value !== undefined)
    // A default list that is not the client's own depends on other options.
    .filter(([name]) => name !== 'exclude_elements' || earlier.spec.excludeElements !== null);
  return { ...Object.fromEntries(inherited), ...body };
}
