import type { Job } from '../core/job.ts';

/** Longest part of a host in a file name. */
const hostLengthMax = 100;

/**
 * The name of a job's exported file: host of the first start URL and day (UTC) of the crawl, such as
 * `docs.example.com-2026-11-27.zip`. Letters, digits, dots and dashes only.
 */
export function exportFileName(
  { id, spec, createdAt }: Pick<Job, 'id' | 'spec' | 'createdAt'>,
  ending: string,
): string {
  const host = URL.parse(spec.urls[0] ?? '')
    ?.host.replaceAll(/[^a-z\d.-]+/gi, '-')
    .replaceAll(/^[-.]+|[-.]+$/g, '');
  const name = host === undefined || host === '' ? id : host.slice(0, hostLengthMax);
  return `${name}-${new Date(createdAt).toISOString().slice(0, 10)}${ending}`;
}
