// A batch: up to 10,000 pages as one job. It fetches these URLs and nothing that they lead to.
import type { Job } from '../core/job.ts';
import { asJobFields, batchInput, jobInput } from '../options/inputs.ts';
import { type CreateJobOptions, type CreateJobParts, type JobOwner, storeJob } from './create-job.ts';
import { parseInput } from './parse-input.ts';

/**
 * Validates like `createJob`: one URL that cannot be fetched refuses the whole batch, by its index. Each distinct URL is
 * in the ledger of the job from the start; a notice counts the others.
 */
export async function createBatch(
  parts: CreateJobParts,
  caller: JobOwner,
  body: unknown,
  options: CreateJobOptions = {},
): Promise<Job> {
  const given = parseInput(batchInput, 'batch', body);
  const { urls } = given;
  const input = jobInput.parse({
    ...asJobFields('batch', given),
    urls: urls.slice(0, 1),
    page_limit: urls.length,
    // A client that names a file wants it.
    include_linked_files: true,
    max_depth: 0,
    // With this depth no sitemap is read, and in this mode no link: the ledger has the URLs of the batch only.
    force_crawling_mode: 'sitemap',
  });
  const { url_timeout, error_pages } = given;
  return storeJob(parts, caller, { ...input, urls, url_timeout, error_pages }, { ...options, kind: 'batch' });
}
