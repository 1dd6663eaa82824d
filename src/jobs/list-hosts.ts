import type { JobStore, WaitingHost } from '../core/ports/stores.ts';
import type { Cursors } from './cursor.ts';
import { getJob } from './get-job.ts';

export interface HostList {
  readonly hosts: readonly WaitingHost[];
  /** Absent when nothing remains. */
  readonly cursor?: string;
}

export interface HostListQuery {
  readonly limit: number;
  readonly cursor?: string | undefined;
  /** Part of the host. */
  readonly q?: string | undefined;
  /** Only hosts of this job. */
  readonly jobId?: string | undefined;
}

/** Lists the hosts with requests of the org's unfinished jobs. Throws a `UserError` if there is no such job. */
export async function listHosts(
  { jobs, cursors }: { readonly jobs: JobStore; readonly cursors: Cursors },
  org: string,
  { limit, cursor, q, jobId }: HostListQuery,
): Promise<HostList> {
  if (jobId !== undefined) await getJob(jobs, org, jobId);
  const list = { kind: 'hosts', org, filter: JSON.stringify([q ?? null, jobId ?? null]) } as const;
  const after = cursor === undefined ? 0 : Number(cursors.read(list, cursor));
  const { hosts, next } = await jobs.hosts(org, {
    after,
    limit,
    ...(q !== undefined && { q }),
    ...(jobId !== undefined && { jobId }),
  });
  return next === undefined ? { hosts } : { hosts, cursor: cursors.write(list, next) };
}
