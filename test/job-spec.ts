import type { JobSpec } from '../src/core/job.ts';
import { jobInput } from '../src/options/inputs.ts';
import { specOf } from '../src/options/spec-of.ts';

/** The specification of a job with default options, but for `changes`. */
export function jobSpec(changes: Partial<JobSpec> = {}): JobSpec {
  return { ...specOf(jobInput.parse({ urls: ['https://example.com/'] })), ...changes };
}
