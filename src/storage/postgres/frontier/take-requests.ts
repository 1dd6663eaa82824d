import type { HostLease } from '../../../core/ports/frontier.ts';
import { hasEnded } from '../../../core/job.ts';
import type { Request } from '../../../core/request.ts';
import { controlPriority } from '../../rules/frontier/crawl-tables.ts';
import { type JobRow, roomOf } from '../../rules/jobs/job-row.ts';
import { endJob, endStatus } from '../../rules/jobs/job-end.ts';
import { type PendingRow, takeFrom } from '../../rules/frontier/taking.ts';
import { takeInTurn } from '../../rules/frontier/turns.ts';
import type { Transaction } from '../connection/connections.ts';
import type { WorkingSet } from '../change/working-set.ts';
import type { DueRequest, DueWork } from './due-work.ts';

export interface Take {
  readonly lease: Pick<HostLease, 'hostId' | 'fence'>;
  /** As it was found, before this transaction or in it. */
  readonly due: DueWork;
  readonly room: number;
}

export interface Taken {
  readonly requests: readonly Request[];
  /** The job after which the next turn begins; undefined if nothing was taken. */
  readonly lastJob: number | undefined;
  /** Another transaction holds some of the jobs. */
  readonly isPartial: boolean;
  /** Some of what was found is no longer due. */
  readonly isStale: boolean;
}

/** Takes of the jobs that were read. `due`: see {@link stillDue}. */
export function takeRequests(set: WorkingSet, take: Take, due: ReadonlySet<number> | undefined): Taken {
  const { lease, room, due: found } = take;
  const jobs = found.jobs.flatMap((seq) => set.get(seq) ?? []);
  const left = new Map(
    Array.from(found.requests, ([job, rows]) => [job, rows.filter(({ id }) => due?.has(id) !== false)] as const),
  );
  const isStale = Array.from(left, ([job, rows]) => rows.length < (found.requests.get(job)?.length ?? 0)).includes(
    true,
  );
  const requests: Request[] = [];
  const lastJob = takeInTurn(jobs, room, (job, most) => {
    const rows = ofJob(set, job, left.get(job.seq) ?? [], most);
    requests.push(...mark(set, lease, job, rows));
    return rows.length;
  });
  return { requests, lastJob, isPartial: jobs.length < found.jobs.length, isStale };
}

/**
 * What was found and is still due. Read under the locks of the jobs. Undefined without locks: the statement that takes a
 * request checks it.
 */
export async function stillDue(
  set: WorkingSet,
  tx: Transaction,
  takes: readonly Take[],
): Promise<ReadonlySet<number> | undefined> {
  if (!set.isLocking) return undefined;
  const ids = takes.flatMap(({ due }) => [...due.requests.values()].flatMap((rows) => rows.map(({ id }) => id)));
  const sql = 'SELECT id FROM frontier WHERE id = ANY($1::bigint[]) AND fence IS NULL AND not_before = 0';
  return new Set((await tx.query<{ id: number }>(sql, [ids])).map(({ id }) => id));
}

/** The job's requests to take. Ends the job if its time is up. Without room for pages, it still gives sitemaps. */
function ofJob(set: WorkingSet, job: JobRow, due: DueRequest[], max: number): DueRequest[] {
  if (!hasEnded(job.status) && job.ends_by !== null && job.ends_by <= set.now) {
    endJob(job, endStatus(job), 'time_limit', set.now);
    set.touch(job);
  }
  if (hasEnded(job.status)) return [];
  const room = roomOf(job, set.now);
  if (room > 0) return due.splice(0, Math.min(max, room));
  const control = due.filter(({ priority }) => priority === controlPriority).slice(0, max);
  return control.length === 0 ? [] : due.splice(due.indexOf(control[0] as DueRequest), control.length);
}

/** Marks requests as taken under a lease. */
export function mark(
  set: WorkingSet,
  { fence }: Pick<HostLease, 'fence'>,
  job: JobRow,
  rows: readonly PendingRow[],
): Request[] {
  for (const { id } of rows) set.take(id, fence);
  return takeFrom(set, job, rows);
}
