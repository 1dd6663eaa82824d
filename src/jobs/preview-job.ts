import type { CrawlPreview, Previewer } from '../core/ports/preview.ts';
import { jobInput } from '../options/inputs.ts';
import { type CreateJobParts, type JobOwner, newJobOf } from './create-job.ts';
import { parseInput } from './parse-input.ts';

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
  const { spec, scopeHosts, headers, origins } = await newJobOf(parts, caller, parseInput(jobInput, 'crawl', body));
  const job = { spec, scopeHosts, headers, readsSitemaps: origins.length > 0 };
  try {
    return await parts.previewer.preview(job, signal);
  } catch (error) {
    if (signal.aborted) return undefined;
    throw error;
  }
}
