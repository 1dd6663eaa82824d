// Divides a host's turn: evenly among orgs, and within an org among its jobs by priority.
import { alternately } from '../../../core/turn.ts';
import type { JobRow } from '../jobs/job-row.ts';
import { shareOfJob } from './lease-turns.ts';

/**
 * Takes requests of jobs that have something due on a host, at most `room` in all. `jobs`: in the order of their turns.
 * `take`: takes at most `max` requests of a job and returns how many it took. The first round gives each job its share;
 * the second gives out the room that is left.
 *
 * Returns the job after which the next turn begins: all jobs up to it had their turn. Undefined if nothing was taken.
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
  // If all jobs had a turn, the next one begins after the last job that took any: it waits longest.
  if (firstLeft === -1 || !last) return last?.seq;
  return jobs.at(firstLeft - 1)?.seq;
}
