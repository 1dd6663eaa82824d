import { type Job, type JobKind, jobKinds, jobStatuses } from '../core/job.ts';
import type { JobCounts, JobFilter, JobSlice, JobStore } from '../core/ports/stores.ts';
import { defined } from '../core/defined.ts';
import type { Cursors } from './cursor.ts';
import type { PageQuery } from './list-page.ts';

/** `stopped`: those that have not ended, and are to be resumed. */
export const listedStatuses = [...jobStatuses, 'stopped'] as const;

export interface JobList extends Pick<JobCounts, 'isCut'> {
  readonly counts: JobCounts['counts'] & { readonly stopped: number };
  readonly jobs: readonly Job[];
  /** Absent when nothing remains. */
  readonly cursor?: string;
}

/** `all`: every kind. */
export const listedKinds = [...jobKinds, 'all'] as const;

export interface JobListQuery extends PageQuery {
  readonly status?: (typeof listedStatuses)[number] | undefined;
  /** Part of a start URL. */
  readonly q?: string | undefined;
  /** @default every kind but `scrape`: a scrape returned its page already */
  readonly kind?: (typeof listedKinds)[number] | undefined;
}

/** Lists jobs of an org, newest first, and counts those that match whatever their status. */
export async function listJobs(
  parts: { readonly jobs: JobStore; readonly cursors: Cursors },
  org: string,
  query: JobListQuery,
): Promise<JobList> {
  const { limit, status, q, kind } = query;
  const filter: JobFilter = defined({ kinds: kindsOf(kind), q });
  const list = { kind: 'jobs', org, filter: nameOf(query) } as const;
  const after = query.cursor === undefined ? undefined : parts.cursors.read(list, query.cursor);
  const stopped = (await parts.jobs.listStopped(org)).filter((job) => matches(job, filter));
  const [{ jobs, next }, { counts, isCut }] = await Promise.all([
    status === 'stopped'
      ? sliceOf(stopped, limit, after)
      : parts.jobs.list(org, defined({ ...filter, limit, after, status })),
    parts.jobs.count(org, filter),
  ]);
  return {
    jobs,
    counts: { ...counts, stopped: stopped.length },
    isCut,
    ...(next !== undefined && { cursor: parts.cursors.write(list, next) }),
  };
}

/** As the stores compare. */
function matches({ kind, spec }: Job, { kinds, q }: JobFilter): boolean {
  const part = asciiLower(q ?? '');
  return kinds?.includes(kind) !== false && spec.urls.some((url) => asciiLower(url).includes(part));
}

function asciiLower(text: string): string {
  return text.replaceAll(/[A-Z]+/g, (letters) => letters.toLowerCase());
}

/** Ids sort newest first. */
function sliceOf(jobs: readonly Job[], limit: number, after = ''): JobSlice {
  const rest = jobs.filter(({ id }) => id > after);
  const last = rest[limit - 1];
  return { jobs: rest.slice(0, limit), ...(last && rest.length > limit && { next: last.id }) };
}

function kindsOf(kind: JobListQuery['kind']): readonly JobKind[] {
  if (kind === undefined) return jobKinds.filter((one) => one !== 'scrape');
  return kind === 'all' ? jobKinds : [kind];
}

/** A cursor is valid for one filter. */
function nameOf({ status, q, kind }: JobListQuery): string {
  return JSON.stringify([status, kind, q]);
}
