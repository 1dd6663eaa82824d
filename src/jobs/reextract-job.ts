import { UserError } from '../core/errors.ts';
import { hasEnded, type Job, type JobSpec } from '../core/job.ts';
import type { NewJob } from '../core/ports/stores.ts';
import { optionsOf, reextractInput } from '../options/inputs.ts';
import { optionsIn } from '../options/job-spec.ts';
import { checkPermissionsOfSpec } from './check-permissions.ts';
import {
  type CreateJobOptions,
  type CreateJobParts,
  idempotencyOf,
  type JobOwner,
  keyReused,
  noModel,
  tooManyJobs,
} from './create-job.ts';
import { dataExpired, getJob } from './get-job.ts';
import { newJobId } from './job-id.ts';
import { parseInput } from './parse-input.ts';
import { refuseWithoutRaw } from './read-raw.ts';

/**
 * Creates a job that converts the raw bodies of an ended job again, with other options of content, format and shape. It
 * makes no request, and each page has the number that it had. Throws a `UserError` that says what to change.
 */
export async function reextractJob(
  parts: Pick<CreateJobParts, 'jobs' | 'jobsPerOrg' | 'hasModel'>,
  caller: JobOwner,
  id: string,
  body: unknown,
  options: CreateJobOptions = {},
): Promise<Job> {
  const earlier = await getJob(parts.jobs, caller.org, id);
  const changed = changedFields(body ?? {}, earlier.spec);
  const spec = { ...earlier.spec, ...changed };
  checkPermissionsOfSpec(earlier.spec, caller.permissions);
  if (changed.extract) checkPermissionsOfSpec(spec, caller.permissions);
  if (spec.extract?.model === true) {
    if (parts.hasModel !== true) throw noModel();
    if (spec.extract.private_to_model !== true) throw perhapsPrivate();
  }
  if (!hasEnded(earlier.status))
    throw new UserError('job_not_ended', 'The job has not ended. Wait for its end or cancel it first.');
  if (earlier.areResultsGone) throw dataExpired();
  refuseWithoutRaw(earlier);
  const job = await parts.jobs.create({
    ...reextractionOf(earlier, changed),
    ...(parts.jobsPerOrg !== undefined && { unfinishedMax: parts.jobsPerOrg }),
    ...idempotencyOf(options, { reextractOf: id, ...changed }),
  });
  if (job === 'too_many') throw tooManyJobs(parts.jobsPerOrg ?? 0);
  if (job === 'conflict') throw keyReused();
  if (job === 'gone') throw dataExpired();
  return job;
}

/** Headers of a client are deleted with the end of its job, so nobody knows whether these pages needed them. */
function perhapsPrivate(): UserError {
  const message =
    'The pages could have been fetched with headers of their job. Add `private_to_model: true`, or give an `extract` without `model`.';
  return new UserError('invalid_body', `\`extract\`: ${message}`, [{ field: 'extract', message }]);
}

/** The job as it is stored. What decides which pages there are does not apply: they are those of the other job. */
function reextractionOf({ id, org, spec }: Job, changed: Partial<JobSpec>): NewJob {
  const now = Date.now();
  return {
    id: newJobId(now),
    org,
    kind: 'reextract',
    spec: {
      ...optionsIn(spec),
      ...changed,
      reextract: { of: id },
      storeRaw: false,
      screenshot: null,
      useBrowser: 'auto',
      minLength: 0,
      deliverGlobs: [],
      pageLimit: pagesMax,
      fetchLimit: pagesMax,
      timeLimitSeconds,
      // No link of a page enters the ledger.
      forceCrawlingMode: 'sitemap',
    },
    createdAt: now,
    startLinks: [],
    origins: [],
    scopeHosts: [],
    notices: [],
    headers: {},
  };
}

/** More than any job has. */
const pagesMax = 2 ** 31 - 1;
/** 30 days, as for a crawl. */
const timeLimitSeconds = 2_592_000;

/** The fields of the specification that the request changes; all others stay. */
function changedFields(body: unknown, spec: JobSpec): Partial<JobSpec> {
  const given: ReadonlySet<string> = new Set(typeof body === 'object' && body !== null ? Object.keys(body) : []);
  const inherited = given.has('output_format') ? {} : { output_format: spec.outputFormat };
  const withFormat = typeof body === 'object' && !Array.isArray(body) ? { ...inherited, ...body } : body;
  const input: Readonly<Record<string, unknown>> = parseInput(reextractInput, 'reextract', withFormat);
  const fields = optionsOf('reextract')
    .filter(({ name }) => given.has(name))
    .flatMap(({ name, option: { spec: stored } }) =>
      stored ? [[stored.field, stored.from ? stored.from(input as never) : input[name]]] : [],
    );
  return Object.fromEntries(fields) as Partial<JobSpec>;
}
