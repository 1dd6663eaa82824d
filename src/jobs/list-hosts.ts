import { defined } from '../core/defined.ts';
import type { JobStore, WaitingHost } from '../core/ports/stores.ts';
import type { Cursors } from './cursor.ts';
import { getJob } from './get-job.ts';
import type { Listed, PageQuery } from './list-page.ts';

export interface HostListQuery extends PageQuery {
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
): Promise<Listed<WaitingHost>> {
  if (jobId !== undefined) await getJob(jobs, org, jobId);
  const list = { kind: 'hosts', org, filter: JSON.stringify([q ?? null, jobId ?? null]) } as const;
  const after = cursor === undefined ? 0 : Number(cursors.read(list, cursor));
  const { hosts: rows, next } = await jobs.hosts(org, defined({ after, limit, q, jobId }));
  return next === undefined ? { rows } : { rows, cursor: cursors.write(list, next) };
}
