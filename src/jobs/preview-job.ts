import type { CrawlPreview, Previewer } from '../core/ports/preview.ts';
import { jobInput } from '../options/inputs.ts';
import { type CreateJobParts, type JobOwner, newJobOf } from './create-job.ts';
import { invalidBody, parseInput } from './parse-input.ts';

/**
 * Shows what a job would begin with, and stores nothing. Validates like `createJob`, and throws a `UserError` like it.
 * Returns undefined if the signal fired first, because no client waits any more.
 */
export async function previewJob(
  parts: Omit<CreateJobParts, 'jobs'> & { readonly previewer: Previewer },
  caller: JobOwner,
  body: unknown,
  signal: AbortSignal,
): Promise<CrawlPreview | undefined> {
  const input = parseInput(jobInput, 'crawl', body);
  if (input.since !== null)
    throw invalidBody([{ field: 'since', message: 'A preview shows a first crawl. Leave it out.' }]);
  const { spec, scopeHosts, headers, origins } = await newJobOf(parts, caller, input);
  const job = { spec, scopeHosts, headers, readsSitemaps: origins.length > 0 };
  try {
    return await parts.previewer.preview(job, signal);
  } catch (error) {
    if (signal.aborted) return undefined;
    throw error;
  }
}
