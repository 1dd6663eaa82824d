import { type WantedData, wantedData } from '../../extract/fields/page-data.ts';
import type { ExtractOptions } from '../../extract/extract-page.ts';
import type { Learning } from '../../extract/learn/learned-data.ts';
import type { JobSpec } from '../../core/job.ts';
import { compileGlob } from '../../url/glob.ts';

interface JobData {
  readonly wanted: WantedData;
  readonly matches: (url: URL) => boolean;
}

/** Jobs whose selectors stay compiled. */
const jobsMax = 100;
const jobs = new Map<string, JobData>();

/** Returns what a job wants of a page of these URLs; undefined if it extracts nothing. */
export function dataOf(
  { extract }: Pick<JobSpec, 'extract'>,
  urls: readonly string[],
  learning?: Learning,
): ExtractOptions['data'] {
  if (extract === null) return undefined;
  // A thread gets a copy of the option with each page.
  const name = JSON.stringify(extract);
  let job = jobs.get(name);
  if (!job) {
    if (jobs.size >= jobsMax) jobs.clear();
    const globs = extract.when.map(compileGlob);
    job = { wanted: wantedData(extract), matches: (url) => globs.length === 0 || globs.some((glob) => glob(url)) };
    jobs.set(name, job);
  }
  const { wanted, matches } = job;
  return { wanted, isWanted: urls.some((url) => matches(new URL(url))), learning };
}
