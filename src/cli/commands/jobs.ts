import type { Hayrake, Job } from '../../../packages/client/index.ts';
import { exitCodes } from '../../core/errors.ts';
import { hasEnded, jobStatuses } from '../../core/job.ts';
import { withAccess } from '../access.ts';
import type { Flags } from '../flags.ts';
import { numberFlag, textFlag } from '../flags.ts';
import { fittedJobTable, jobTable } from '../output/job-table.ts';
import { terminalOf } from '../output/terminal.ts';
import type { Program } from '../program.ts';

/** States that a list can be of: `stopped` and `incomplete` are none of their own. */
export const listedStatuses = [...jobStatuses, 'stopped', 'incomplete'] as const;
type ListedStatus = (typeof listedStatuses)[number];
const jobsPerRead = 400;

/** Lists jobs, newest first. */
export function runJobs(program: Program, flags: Flags): Promise<number> {
  const limit = numberFlag(flags, 'limit', '--limit') ?? 50;
  const status = textFlag(flags, 'status') as ListedStatus | undefined;
  return withAccess(program, flags, async ({ client, place, isCrawled }) => {
    const jobs = await jobsIn(client, status, limit);
    const isAtWork = jobs.some(isUnfinished) && isCrawled();
    if (flags['json'] === true) process.stdout.write(jobs.map((job) => lineOf(job, isAtWork)).join(''));
    else if (jobs.length > 0) {
      const rows = jobs.map((job) => ({ job, state: stateOf(job, isAtWork) }));
      const { isLive, columns } = terminalOf(process.stdout);
      process.stdout.write(isLive ? fittedJobTable(rows, columns, Date.now()) : jobTable(rows));
    }
    if (jobs.length > 0) return exitCodes.done;
    process.stderr.write(
      status === undefined
        ? `No jobs in ${place} yet. \`hayrake crawl https://example.com\` makes one.\n`
        : `No jobs in ${place} with this status. \`hayrake jobs\` lists all.\n`,
    );
    return exitCodes.done;
  });
}

/** A stopped job is starting or running, and one that is not whole has ended in any way. */
async function jobsIn(client: Hayrake, status: ListedStatus | undefined, limit: number): Promise<readonly Job[]> {
  const statuses =
    status === 'stopped'
      ? (['starting', 'running'] as const)
      : status === 'incomplete'
        ? (['succeeded', 'failed', 'cancelled'] as const)
        : [status];
  const found: Job[] = [];
  for (const one of statuses) {
    let left = limit;
    for await (const job of client.jobs({ limit: jobsPerRead, ...(one && { status: one }) })) {
      if (left === 0) break;
      if (status === 'stopped' && job.stoppedAt === null) continue;
      if (status === 'incomplete' && job.complete !== false) continue;
      found.push(job);
      left--;
    }
  }
  // Ids sort newest first.
  return found.toSorted((a, b) => (a.id < b.id ? -1 : 1)).slice(0, limit);
}

function isUnfinished({ status, stoppedAt }: Job): boolean {
  return !hasEnded(status) && stoppedAt === null;
}

/** `isAtWork`: a process crawls. */
function lineOf(job: Job, isAtWork: boolean): string {
  const { id, status, complete, findings, createdAt, stoppedAt, expiresAt, expired, progress, urls } = job;
  const interrupted = isUnfinished(job) && !isAtWork;
  const end = { expiresAt, expired, progress, urls };
  return `${JSON.stringify({ id, status, interrupted, complete, findings, createdAt, stoppedAt, ...end })}\n`;
}

/** `incomplete`: it has succeeded, and has findings. `interrupted`: the process that crawled it was killed. */
function stateOf(job: Job, isAtWork: boolean): string {
  const { status, complete, stoppedAt, expired } = job;
  if (expired) return 'expired';
  if (stoppedAt !== null) return 'stopped';
  if (isUnfinished(job) && !isAtWork) return 'interrupted';
  return status === 'succeeded' && complete === false ? 'incomplete' : status;
}
