// Who has how much of a host's turn: an even part for each org, and within an org for each of its jobs, by its priority.
import { alternately } from '../../core/turn.ts';
import type { JobRow } from './job-row.ts';
import { shareOfJob } from './lease-turns.ts';

/**
 * Takes requests of jobs that have something due on a host, `room` at most in all. `jobs`: in the order in which their turn
 * comes. `take`: takes so many of a job at most, and answers how many. In a first round each job has its part, in a
 * second one whatever room is left.
 *
 * Answers the job behind which the next turn begins: all jobs up to it had theirs. Undefined where nothing was taken.
 */
export function takeInTurn(
  jobs: readonly JobRow[],
  room: number,
  take: (job: JobRow, max: number) => number,
): number | undefined {
  const orgs = Map.groupBy(jobs, ({ org }) => org);
  const perOrg = Math.floor(room / Math.max(1, orgs.size));
  const partOf = (job: JobRow): number => {
    const all = (orgs.get(job.org) ?? [job]).reduce((sum, other) => sum + shareOfJob(other), 0);
    return Math.max(1, Math.floor((perOrg * shareOfJob(job)) / all));
  };
  const order = alternately([...orgs.values()]);
  const passed = new Set<JobRow>();
  let taken = 0;
  let last: JobRow | undefined;
  for (const part of [partOf, () => room]) {
    for (const job of order) {
      if (taken >= room) break;
      const count = take(job, Math.min(part(job), room - taken));
      if (count > 0) last = job;
      taken += count;
      passed.add(job);
    }
  }
  const firstLeft = jobs.findIndex((job) => !passed.has(job));
  // Where all had theirs, who had more waits longest for the next.
  if (firstLeft === -1 || !last) return last?.seq;
  return jobs.at(firstLeft - 1)?.seq;
}
